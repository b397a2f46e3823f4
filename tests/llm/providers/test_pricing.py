"""What is known about prices, without litellm; what is unknown is None and not nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from society.llm.providers.pricing import FREE, Price, find_price
from society.llm.providers.settings import ModelSpec


@pytest.mark.parametrize("model", ["openai/gpt-4o", "gpt-4o"])
def test_a_listed_model_has_a_price_with_or_without_its_provider(model: str) -> None:
    """OpenAI, 2024: 2.5 and 10 dollars for a million tokens."""
    assert find_price(ModelSpec(model=model)) == Price(2.5e-6, 10e-6)


def test_a_name_of_another_provider_is_not_taken_for_it() -> None:
    assert find_price(ModelSpec(model="groq/gpt-4o")) is None


@pytest.mark.parametrize("model", ["openai/no-such-model", "mine.py:model", "openai/whisper-1"])
def test_what_is_not_listed_by_the_token_has_no_known_price(model: str) -> None:
    assert find_price(ModelSpec(model=model)) is None


def test_a_server_of_ones_own_has_no_listed_price() -> None:
    assert find_price(ModelSpec(model="openai/gpt-4o", api_base="http://localhost:8000/v1")) is None


@pytest.mark.parametrize("model", ["offline", "tape:runs/a.run"])
def test_what_needs_no_model_is_free(model: str) -> None:
    assert find_price(ModelSpec(model=model)) == FREE


def test_a_price_is_by_the_token() -> None:
    assert Price(2.0, 3.0).of(10, 100) == 320.0


def test_the_heavy_libraries_stay_out_until_a_model_needs_them() -> None:
    code = """
import sys
from society.llm.providers.pool import ModelPool
from society.llm.providers.pricing import find_price
from society.llm.providers.settings import ModelSpec
find_price(ModelSpec(model="openai/gpt-4o"))
ModelPool({}).check(["default"])
print(*{name.split(".")[0] for name in sys.modules} & {"litellm", "langchain_core", "aiohttp"})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
