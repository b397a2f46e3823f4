"""Models of the user's own, which FILE.py:function makes: a chat model, or a function that answers.

A chat model gets messages, as any provider does. A function also gets the question itself, so that
it need not read our English: what is asked and known, the form of the answer, and its address.

    def model():                                   # FILE.py:model, called once for a run
        async def answer(asked: OwnQuestion) -> object:
            return 0.3 if asked.kind == "effort" else "nobody"
        return answer
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from inspect import isawaitable
from typing import Any, NamedTuple, Protocol

from society.engine.action_spaces import ActionSpace
from society.engine.calls import Address, Message, Request
from society.engine.rng import Array, seed_at
from society.errors import (
    InputError,
    PartError,
    SocietyError,
    short_path,
)

from .api_keys import quote_stranger
from .endpoint import Endpoint, Outgoing
from .responses import Failed, Reply, ResponsePlace, checked_reply, http_error
from .settings import ModelSpec

# Of our settings; the function makes these choices.
_NO_EFFECT = ("api_base", "temperature", "reasoning_effort", "extra")


class OwnQuestion(NamedTuple):
    """A question as a function is asked it.

    kind: "effort". facts: by name, also those that prompts do not show. reply: the form of the
    answer; options: of a choice, else None; peers: names that an answer may give. schema: of the
    answer as JSON, None for free text. messages: the same in words, with the reason of a repair.
    address: whose question it is, which turn; no two calls of a run have the same. seed: of 31
    bits, from the run's seed, the address and the number of empty answers so far. room: tokens for
    the answer, None for no bound.
    """

    kind: str
    facts: Mapping[str, Any]
    reply: ActionSpace | None
    options: Array | None
    peers: tuple[str, ...]
    schema: Mapping[str, Any] | None
    messages: tuple[Message, ...]
    address: Address
    seed: int
    room: int | None


class AnswerFunction(Protocol):
    """A function that answers: text, which is read like a model's, or a value that JSON can say.

    A value is the answer itself; a mapping holds those of several fields, or of a mixed strategy.
    """

    def __call__(self, asked: OwnQuestion) -> Awaitable[object] | object: ...


def refuse_idle_settings(spec: ModelSpec, *, takes_form: bool = False) -> None:
    """Raise InputError for settings that would have no effect on a model of the user's.

    takes_form: whether it can be sent the form of an answer.
    """
    if not takes_form and spec.structured not in ("auto", "none"):
        raise InputError(
            f"structured: {spec.structured} would have no effect on {short_path(spec.model)}: a "
            "function gets the schema with each question, and a chat model only if its class has a "
            "field response_format; leave it out"
        )
    given = [name for name in _NO_EFFECT if getattr(spec, name) not in (None, {})]
    if given:
        raise InputError(
            f"{short_path(spec.model)} makes its model itself, so that {' and '.join(given)} would "
            "have no effect; set it in the function, and leave it out here"
        )


def own_error(error: Exception, place: ResponsePlace) -> Exception:
    """Clients of providers say a status; what is neither that nor the network is a mistake."""
    status = getattr(error, "status_code", None)
    said = f"{type(error).__name__}: {error}"
    words = quote_stranger(said)
    if isinstance(status, int):
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return http_error(status, said, headers, place)
    if isinstance(error, OSError | TimeoutError):
        return Failed(words)
    return InputError(f"{place.model}: {words}")


class FunctionModel:
    """A function of the user's that answers."""

    def __init__(self, spec: ModelSpec, answer: AnswerFunction, seed: int) -> None:
        name = short_path(spec.model)
        self.place = ResponsePlace(name, name, "its environment variable")
        self._spec, self._answer, self._seed = spec, answer, seed
        self._room = spec.max_tokens
        idle = spec.model_copy(update={"max_tokens": None, "structured": "none", "extra": {}})
        self.endpoint = Endpoint(idle, seed, takes_seed=False)

    def check(self) -> None:
        """Raise InputError for settings that would have no effect."""
        refuse_idle_settings(self._spec)

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """The answer, in one attempt."""
        asked = request.question
        question = OwnQuestion(
            request.address.kind,
            asked.facts if asked else {},
            asked.reply if asked else None,
            asked.options if asked else None,
            request.peers,
            request.schema,
            request.messages,
            request.address,
            seed_at(self._seed, sent.address),
            request.room or self._room,
        )
        try:
            said = self._answer(question)
            said = await said if isawaitable(said) else said
        except SocietyError:
            raise
        except Exception as error:  # a function of the user's may raise anything
            raise own_error(error, self.place) from None
        return checked_reply(self._in_words(said), "stop", (None, None, None), self.place.model)

    def _in_words(self, said: object) -> str:
        """An answer as text; raises PartError for what JSON cannot say."""
        if isinstance(said, str):
            return said
        try:
            value = said.tolist() if hasattr(said, "tolist") else said
            return json.dumps(value if isinstance(value, Mapping) else {"answer": value})
        except (TypeError, ValueError) as error:
            raise PartError(
                f"{self.place.model} answered with what JSON cannot say: {error}; give text, "
                "numbers, or lists and dictionaries of these"
            ) from error

    async def close(self) -> None:
        """Do nothing: what it opens is its own affair."""
