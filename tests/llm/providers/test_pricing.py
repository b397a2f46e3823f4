"""What is known about prices, without litellm; what is unknown is None and not nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from society.engine.calls import Usage
from society.llm.providers.pricing import FREE, Price, cache_savings, find_price
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


GPT = Usage("language_policy", "effort", "gpt-4o-mini", prompt_tokens=3000, cost=0.01)


def test_caches_saved_the_difference_between_two_listed_prices() -> None:
    """Of gpt-4o-mini a million tokens cost .15 dollars, and .075 out of the cache."""
    some = GPT._replace(cached_tokens=2000)
    assert cache_savings([some]) == pytest.approx(2000 * (0.15 - 0.075) / 1e6)
    provider = some._replace(model="openai/gpt-4o-mini", cached_tokens=1000)
    assert cache_savings([some, provider]) == pytest.approx(3000 * (0.15 - 0.075) / 1e6)


@pytest.mark.parametrize(
    ("entry", "saved"),
    [
        (GPT._replace(cached_tokens=0), 0.0),
        (GPT._replace(cached_tokens=2000, cost=0.0), 0.0),
        (GPT._replace(cached_tokens=None), None),
        (GPT._replace(cached_tokens=2000, cost=None), None),
        (GPT._replace(cached_tokens=2000, model="no-such-model"), None),
        (GPT._replace(cached_tokens=2000, model="gpt-4"), None),
    ],
    ids=["none cached", "for free", "not told", "no cost", "not listed", "no price of caches"],
)
def test_what_is_not_known_to_be_saved_is_none_and_not_nothing(
    entry: Usage, saved: float | None
) -> None:
    assert cache_savings([entry]) == saved
    assert cache_savings([GPT._replace(cached_tokens=0), entry]) == saved


def test_nobody_has_saved_anything_where_nobody_was_asked() -> None:
    assert cache_savings([]) == 0


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
