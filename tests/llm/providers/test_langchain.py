"""A chat model of the user's own is held to the same rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage

from society.engine.calls import ASKED_ON
from society.errors import InputError, Paused
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import ModelSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.llm.providers.conftest import Ask, Asked

SPEC = ModelSpec(model="mine.py:model", attempts=3, backoff=0.001)


def saying(*outcomes: AIMessage | Exception) -> dict[str, Callable[[], BaseChatModel]]:
    """Return a model with these outcomes, one after the other, as `own` of a pool takes it."""

    def messages() -> Iterator[AIMessage]:
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome

    return {"mine.py:model": lambda: GenericFakeChatModel(messages=messages())}


class Refused(Exception):
    """An error as clients of providers raise it: it has a status."""

    def __init__(self, status: int) -> None:
        super().__init__("no")
        self.status_code = status


def test_its_reply_comes_with_tokens_and_the_reason_of_its_end(ask: Ask, asked: Asked) -> None:
    message = AIMessage(
        "0.4",
        usage_metadata={"input_tokens": 7, "output_tokens": 2, "total_tokens": 9},
        response_metadata={"finish_reason": "stop", "model_name": "mine-2"},
    )
    [said] = asked(SPEC, ask(), own=saying(message))
    assert said[:5] == ("0.4", "stop", 7, 2, None)
    assert said.model == "mine-2"
    assert said.sent.keys() == {"model", ASKED_ON}, "its settings are the function's affair"
    assert said.cached_tokens is None, "it does not tell"


def test_its_cached_tokens_are_counted(ask: Ask, asked: Asked) -> None:
    tokens = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    message = AIMessage("0.4", usage_metadata=tokens | {"input_token_details": {"cache_read": 5}})
    [said] = asked(SPEC, ask(), own=saying(message))
    assert said.cached_tokens == 5


@pytest.mark.parametrize(
    ("metadata", "finish"),
    [
        ({"stop_reason": "max_tokens"}, "length"),
        ({"stop_reason": "end_turn"}, "stop"),
        ({"done_reason": "length"}, "length"),
        ({}, ""),
    ],
)
def test_providers_have_words_of_their_own_for_the_end(
    metadata: dict[str, Any], finish: str, ask: Ask, asked: Asked
) -> None:
    [said] = asked(SPEC, ask(), own=saying(AIMessage("0.4", response_metadata=metadata)))
    assert said.finish == finish


class Roomy(FakeListChatModel):
    """A model that says how much room it was given."""

    max_tokens: int | None = None

    def _call(self, *args: Any, **kwargs: Any) -> str:
        return f"room for {kwargs['max_tokens']}"


def test_a_model_that_declares_max_tokens_is_given_the_room_of_the_call(
    ask: Ask, asked: Asked
) -> None:
    own = {SPEC.model: lambda: Roomy(responses=["?"])}
    said = asked(SPEC, [ask("a"), ask("b", 1, room=77)], own=own)
    assert [one.text for one in said] == ["room for 1024", "room for 77"]
    assert [one.sent["max_tokens"] for one in said] == [1024, 77]


def test_a_model_that_does_not_is_given_nothing_but_the_words(ask: Ask, asked: Asked) -> None:
    [said] = asked(SPEC, ask(room=77), own=saying(AIMessage("0.4")))
    assert said.sent.keys() == {"model", ASKED_ON}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"temperature": 0.0}, "so that temperature would have no effect"),
        ({"reasoning_effort": "low", "extra": {"seed": 1}}, "reasoning_effort and extra would"),
        ({"api_base": "http://here/v1"}, "so that api_base would have no effect"),
        ({"structured": "schema"}, "structured: schema would have no effect on mine.py:model"),
    ],
)
def test_settings_that_have_no_effect_are_refused_before_play(
    settings: dict[str, Any], words: str
) -> None:
    pool = ModelPool({"default": ModelSpec(model=SPEC.model, **settings)}, own=saying())
    with pytest.raises(InputError, match=words):
        pool.check(["default"])


def test_the_arguments_of_a_tool_call_are_the_answer_where_nothing_is_said(
    ask: Ask, asked: Asked
) -> None:
    call = {"name": "answer", "args": {"answer": 0.4}, "id": "1"}
    [said] = asked(SPEC, ask(), own=saying(AIMessage("", tool_calls=[call])))
    assert said.text == '{"answer": 0.4}'


class Formed(GenericFakeChatModel):
    """A model that declares the form of its answers."""

    response_format: Any = None


def test_a_model_that_declares_a_form_is_given_the_schema(ask: Ask, asked: Asked) -> None:
    schema = {"type": "object", "properties": {"answer": {"const": 1}}, "required": ["answer"]}
    made = Formed(messages=iter([AIMessage('{"answer": 1}')]))
    [said] = asked(SPEC, ask(schema=schema), own={SPEC.model: lambda: made})
    assert said.sent["response_format"]["json_schema"]["schema"] == schema


def test_odd_counts_and_names_are_unknown(ask: Ask, asked: Asked) -> None:
    message = AIMessage("0.4", response_metadata={"model_name": "m\ud800", "finish_reason": 7})
    odd: Any = {"input_tokens": 10**30, "output_tokens": -1, "total_tokens": 0}
    message.usage_metadata = odd
    [said] = asked(SPEC, ask(), own=saying(message))
    assert said[:4] == ("0.4", "", None, None)
    assert said.model == "m"


def test_an_empty_reply_is_tried_again(ask: Ask, asked: Asked) -> None:
    [said] = asked(SPEC, ask(), own=saying(AIMessage(""), AIMessage("0.4")))
    assert (said.text, said.retries) == ("0.4", 1)


def test_what_may_go_better_pauses_and_what_never_will_is_refused(ask: Ask, asked: Asked) -> None:
    with pytest.raises(Paused, match="HTTP 503: Refused: no"):
        asked(SPEC.model_copy(update={"attempts": 1}), ask(), own=saying(Refused(503)))
    with pytest.raises(InputError, match=r"refused a request .* HTTP 400"):
        asked(SPEC, ask(), own=saying(Refused(400)))
    with pytest.raises(InputError, match=r"mine\.py:model: ZeroDivisionError: by zero"):
        asked(SPEC, ask(), own=saying(ZeroDivisionError("by zero")))


def test_a_function_that_makes_no_chat_model_is_refused_before_play() -> None:
    with pytest.raises(InputError, match="gave 'gpt'; expected a BaseChatModel"):
        ModelPool({"default": SPEC}, own={SPEC.model: lambda: "gpt"}).check(["default"])


def test_a_function_that_fails_is_named_with_its_line() -> None:
    def broken() -> BaseChatModel:
        raise ValueError("no such weights")

    with pytest.raises(InputError, match=r"test_langchain\.py:\d+: ValueError: no such weights"):
        ModelPool({"default": SPEC}, own={SPEC.model: broken}).check(["default"])
