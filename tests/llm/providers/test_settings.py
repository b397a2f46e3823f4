"""What a user says about models is checked, and holds no secrets."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from society.engine.parameters import ValidationIssues, validate
from society.llm.providers.settings import SLOTS, Limits, ModelSpec, model_syntax


@pytest.mark.parametrize(
    ("given", "sort"),
    [
        ({}, "offline"),
        ({"model": "tape:runs/a.run"}, "tape"),
        ({"model": "openai/gpt-4o"}, "litellm"),
        ({"model": "meta-llama/Llama-3", "api_base": "http://localhost:8000/v1"}, "lean"),
        ({"model": "mine.py:model"}, "own"),
    ],
)
def test_how_a_model_is_reached_is_seen_from_its_name(given: dict[str, Any], sort: str) -> None:
    assert ModelSpec(**given).sort == sort


@pytest.mark.parametrize("name", ["temperature", "max_tokens", "api_base", "most_room"])
def test_none_unsets_a_setting(name: str) -> None:
    assert getattr(ModelSpec.model_validate({name: "none"}), name) is None


@pytest.mark.parametrize("name", ["context", "slots", "threads"])
def test_none_leaves_a_setting_of_a_local_model_to_what_is_usual(name: str) -> None:
    spec = ModelSpec.model_validate({"model": "local:m.gguf", name: "none"})
    assert getattr(spec, name) == (SLOTS if name == "slots" else None)
    assert spec.concurrency == SLOTS


@pytest.mark.parametrize(("name", "most"), [("slots", 256), ("threads", 512)])
def test_what_llama_cpp_could_not_serve_is_refused(name: str, most: int) -> None:
    assert getattr(ModelSpec.model_validate({"model": "local:m.gguf", name: most}), name) == most
    with pytest.raises(ValidationError, match=f"less than or equal to {most}"):
        ModelSpec.model_validate({"model": "local:m.gguf", name: most + 1})


def test_none_is_an_effort_of_some_providers() -> None:
    assert ModelSpec(reasoning_effort="none").reasoning_effort == "none"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"temperature": 3}, "temperature: got 3; expected a number from 0 to 2 or none"),
        ({"tempreature": 1.0}, "did you mean 'temperature'"),
        ({"timeout": 0}, "timeout: got 0; expected a number above 0"),
        ({"concurrency": 0}, "concurrency: got 0; expected a whole number of at least 1"),
        (
            {"api_base": "localhost:8000"},
            "is not a URL; expected one like http://localhost:8000/v1",
        ),
        ({"api_base": "http://a:b"}, "is not a URL"),
        ({"api_base": "http://me:sesame@host/v1"}, "holds a user, password or query"),
        ({"api_base": "https://host/v1?key=sesame"}, "holds a user, password or query"),
        ({"extra": {"api_key": "sesame"}}, "set keys in the environment"),
        ({"extra": {"aws_secret_access_key": "sesame"}}, "set keys in the environment"),
        ({"extra": {"azure_ad_token": "sesame"}}, "set keys in the environment"),
        ({"extra": {"extra_body": {"api_key": "sesame"}}}, "'api_key' must not be given here"),
        ({"extra": {"tools": [{"x-api-key": ["sesame"]}]}}, "'x-api-key' must not be given here"),
        ({"extra": {"Cookie": "sesame"}}, "'Cookie' must not be given here"),
        ({"extra": {"proxy_auth": "sesame"}}, "'proxy_auth' must not be given here"),
        ({"extra": {"vertex_credentials": {"a": "sesame"}}}, "'vertex_credentials' must not"),
        ({"extra": {"temperature": 1}}, "'temperature' has its own setting"),
        ({"extra": {"stream": True}}, "each call gets one whole reply"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationIssues) as refused:
        validate(ModelSpec, given)
    assert words in str(refused.value)
    assert "sesame" not in str(refused.value)


def test_settings_that_count_tokens_hold_no_secret() -> None:
    extra = {
        "max_completion_tokens": 5,
        "stop_token_ids": [1, 2],
        "skip_special_tokens": False,
        "thinking": {"type": "enabled", "budget_tokens": 9},
        "metadata": {"author": "me"},
    }
    assert ModelSpec.model_validate({"extra": extra}).extra["stop_token_ids"] == [1, 2]


def test_limits_are_above_zero() -> None:
    assert Limits(max_cost=0.5, max_calls=1, max_tokens=1).max_cost == 0.5
    for name in ("max_cost", "max_calls", "max_tokens"):
        with pytest.raises(ValidationIssues, match=name):
            validate(Limits, {name: 0})


def test_a_slash_at_the_end_of_a_url_does_not_matter() -> None:
    assert (
        ModelSpec(model="m", api_base="http://localhost:8000/v1/").api_base
        == "http://localhost:8000/v1"
    )


def test_every_sort_of_model_is_listed() -> None:
    assert [name for name, _ in model_syntax()] == [
        "offline",
        "tape:FILE",
        "local:FILE.gguf",
        "local",
        "provider/name",
        "name --api-base URL",
        "FILE.py:function",
        "plugin:NAME",
    ]
