"""The ways of one model on one server: found out by what it refuses, and kept for the session.

    form of the answer   a JSON schema, else any JSON object, else the arguments of a forced tool
                         call, else free text:                                `ModelSpec.structured`
    room                 `max_tokens`, or `max_completion_tokens` where the server wants that
    numbers              held within bounds, and listed in steps once a reply is out of them; where
                         schemas must have no bounds, these stand in their words only
    other settings       left out once they are refused as such; a wrong value stays an error
    roles                a system message is folded into the user's where there is no such role
    streaming            where a server gives no whole replies

A refusal costs nothing, and is no failed attempt: the request goes out again at once, changed. What
was really sent stands in the run file.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import JsonValue

from society.engine.calls import Message, Request
from society.engine.rng import seed_at
from society.errors import InputError, WiringWarning
from society.llm.parsing.schemas import follows, keeps_bounds, on_grid, without_bounds

from .api_keys import quote_stranger
from .settings import ModelSpec

Way = Literal["schema", "json", "tools", "none"]
WAYS: tuple[Way, ...] = ("schema", "json", "tools", "none")  # the best first

TOOL = "answer"
_FORM = ("response_format", "tools", "tool_choice")
_QUOTED = 300  # characters of a refusal
_MOST_FORMS = 1024  # that are kept ready

# A setting is refused as such, and not for its value.
_NOT_TAKEN = re.compile(
    r"n['o]t support|unsupported|not (?:permitted|allowed|available|accept|recognized)|unknown|"
    r"unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|does ?n['o]t (?:support|accept|take)|"
    r"deprecated|incompatible|can ?not be (?:used|set|specified)|only the default|only be set to|"
    r"invalid param",
    re.IGNORECASE,
)
_ABOUT_VALUE = re.compile(
    r"must be|between|out of range|supported values|(?:less|greater) than|at (?:most|least)",
    re.IGNORECASE,
)
_ABOUT_BOUNDS = re.compile(r"\b(?:minimum|maximum|min_?length|max_?length)\b", re.IGNORECASE)
_ABOUT_FORM = re.compile(
    r"response_?format|json_?schema|json_?object|structured|grammar|schema|\btools?\b|tool_choice|"
    r"function call|guided|the word .?json",
    re.IGNORECASE,
)
_ABOUT_SYSTEM = re.compile(
    r"system[ _](?:role|message|prompt|instruction)|role\W+system|developer instruction|"
    r"roles must alternate|only user and assistant",
    re.IGNORECASE,
)
_WANTS_STREAM = re.compile(
    r"stream\W+(?:must|should|has to|needs to|is required)|only[^.]{0,40}stream|"
    r"requires?[^.]{0,20}stream|stream\W{0,3}(?:=|to|to be)?\W{0,3}true|"
    r"non-?stream\w*[^.]{0,30}not",
    re.IGNORECASE,
)


_CONTEXT = re.compile(
    r"(?:context (?:length|window|size) (?:is|of)|max_model_len=(?:\w+=)?|"
    r"max_new_tokens` must be <=)\s*(\d{1,9})\b",
    re.IGNORECASE,
)


class Outgoing(NamedTuple):
    """A request as it goes out: its messages, its other settings, and how they came about.

    version: of the endpoint's ways. way: how the form of the answer is enforced; schema: that form.
    folded: whether the system message stands in the user's. address: of which a seed is made, that
    of the question and the number of empty replies to it, if there were any.
    """

    messages: list[dict[str, str]]
    settings: dict[str, JsonValue]
    version: int = 0
    way: Way = "none"
    schema: Mapping[str, Any] | None = None
    folded: bool = False
    address: tuple[str | int, ...] = ()


class Endpoint:
    """What one model on one server takes.

    seed: of the run. best: the best way to enforce a form that may be tried. takes_seed,
    takes_room: whether a seed, and the room of a reply, may be sent. bounds: whether the server
    holds numbers within the bounds of a schema. known: whether the best way is known to work, so
    that a refusal concerns one schema only.
    """

    def __init__(
        self,
        spec: ModelSpec,
        seed: int,
        *,
        best: Way = "schema",
        takes_seed: bool = True,
        takes_room: bool = True,
        bounds: bool = False,
        known: bool = False,
    ) -> None:
        self._spec, self._seed, self._bounds = spec, seed, bounds
        self._way: Way = best if spec.structured == "auto" else spec.structured
        if not spec.extra.keys().isdisjoint(_FORM):  # the user's own form stands for all questions
            self._way = "none"
        self._sure = known  # whether the way is known to work
        self._bounded = True  # whether schemas may state bounds
        self._refused_schemas: set[str] = set()
        self._without: set[str] = set()
        self._seeded = takes_seed and "seed" not in spec.extra
        self._room, self._takes_room = "max_tokens", takes_room and spec.max_tokens is not None
        self._folds = spec.roles == "user-only"
        self._streams = False
        self._version = 0
        self._prepare()

    def _prepare(self) -> None:
        """Make ready what all requests share."""
        self._version += 1
        spec = self._spec
        given: dict[str, JsonValue] = {
            "temperature": spec.temperature,
            self._room: spec.max_tokens,
            "reasoning_effort": spec.reasoning_effort,
        }
        if self._streams:
            given |= {"stream": True, "stream_options": {"include_usage": True}}
        shared = {name: value for name, value in given.items() if value is not None} | spec.extra
        self._shared = {name: one for name, one in shared.items() if name not in self._without}
        self._forms: dict[str, dict[str, JsonValue]] = {}
        self._seeds = self._seeded and "seed" not in self._without

    def outgoing(self, request: Request, empty: int = 0) -> Outgoing:
        """Return a request as this endpoint takes it.

        empty: replies without words so far. Each changes the seed, or the next would be as empty.
        """
        settings = {**self._shared}
        if request.room is not None and self._takes_room:
            settings[self._room] = request.room
        address = (*request.address, empty) if empty else request.address
        if self._seeds:
            settings["seed"] = seed_at(self._seed, address)
        way: Way = "none"
        if request.schema is not None and (way := self._way_for(request.schema)) != "none":
            settings |= self._form(request.schema, way)
        messages: Sequence[Message] = request.messages
        folded = self._folds and any(message.role == "system" for message in messages)
        if folded:
            messages = fold_system(messages)
        said = [{"role": role, "content": content} for role, content in messages]
        return Outgoing(said, settings, self._version, way, request.schema, folded, address)

    def _way_for(self, schema: Mapping[str, Any]) -> Way:
        refused = self._refused_schemas
        return "none" if refused and json.dumps(schema) in refused else self._way

    def _form(self, schema: Mapping[str, Any], way: Way) -> dict[str, JsonValue]:
        """Return the settings that enforce a schema; kept, since a grid has hundreds of entries."""
        key = json.dumps(schema)
        form = self._forms.get(key)
        if form is None:
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            held = schema if self._bounds else on_grid(schema)
            form = form_settings(held if self._bounded else without_bounds(held), way)
            self._forms[key] = form
        return form

    def adapt(self, sent: Outgoing, words: str) -> bool:
        """Change the ways after a refusal, if it says how; tell whether to send again.

        words: of the server. Of many requests that are refused together the first changes the ways,
        and the others go out again as it did.
        """
        if sent.version != self._version:
            return True
        change = self._change(sent, words)
        if change:
            self._prepare()
            said, _, _ = words.partition("\n")  # the rest is the body, for what it names
            self._say(f"{change}; it said: {quote_stranger(said[:_QUOTED])}")
        return bool(change)

    def _change(self, sent: Outgoing, words: str) -> str:
        """Change what is refused, and describe that; "" if nothing can be changed."""
        named = [name for name in sent.settings if re.search(rf"\b{re.escape(name)}\b", words)]
        if "stream" not in sent.settings and _WANTS_STREAM.search(words):
            self._streams = True
            return "takes requests for streams only, so replies are streamed"
        wanted = "max_completion_tokens" in words and "is too large" not in words
        if wanted and self._room in sent.settings and self._room == "max_tokens":
            self._room = "max_completion_tokens"
            return "is given max_completion_tokens in place of max_tokens"
        if self._may_fold(sent) and _ABOUT_SYSTEM.search(words):
            self._folds = True
            return "has no system role, so system messages stand in the user's"
        if _NOT_TAKEN.search(words):
            if self._bounded and sent.way in ("schema", "tools") and _ABOUT_BOUNDS.search(words):
                self._bounded = False
                return "refuses bounds in schemas, so they stand in words only"
            # Those of the form are met below, and the room is needed: limits count on it.
            for name in () if _ABOUT_VALUE.search(words) else named:
                if name not in (*_FORM, "max_tokens", "max_completion_tokens", "stream"):
                    self._without.add(name)
                    return f"is asked without {name}, which it refuses"
        if sent.way != "none" and self._spec.structured == "auto" and _ABOUT_FORM.search(words):
            return self._weaken(sent)
        return ""

    def _may_fold(self, sent: Outgoing) -> bool:
        system = any(message["role"] == "system" for message in sent.messages)
        return system and self._spec.roles == "auto"

    def _weaken(self, sent: Outgoing) -> str:
        """Go on to the next way; a schema refused where others are taken is left out alone."""
        if self._sure:
            self._refused_schemas.add(json.dumps(sent.schema))
            return "refuses one of the schemas, so these questions are asked without"
        self._way = WAYS[WAYS.index(sent.way) + 1]
        return f"does not take {_NAMES[sent.way]}, so the next request {_USES[self._way]}"

    def names_room(self, words: str) -> bool:
        """Tell whether a refusal is about the room of the reply."""
        return self._room in words

    def refuse_room(self, sent: Outgoing, words: str) -> None:
        """Raise InputError if the room alone is as large as the context that a server names."""
        room, context = sent.settings.get(self._room), _CONTEXT.search(words)
        if isinstance(room, int) and context and room >= int(context[1]):
            raise InputError(
                f"max_tokens is {room:,}, but model {self._spec.model} has {int(context[1]):,} "
                "tokens for prompt and reply together, so that no prompt fits; set max_tokens lower"
            )

    def learn(self, sent: Outgoing, text: str, finish: str) -> None:
        """Look at the first replies to a schema: a server that ignores it is asked otherwise.

        As long as a server is taken to bound numbers, all replies are looked at.
        """
        if sent.schema is None or sent.way == "none" or sent.version != self._version:
            return
        if finish not in ("", "stop", "tool_calls"):
            return
        if not self._sure:
            self._look_at_form(sent.way, sent.schema, text)
        if self._bounds and sent.way in ("schema", "tools") and not keeps_bounds(sent.schema, text):
            self._bounds = False
            self._prepare()
            self._say("does not hold numbers within their bounds, so they are listed in steps")

    def _look_at_form(self, way: Way, schema: Mapping[str, Any], text: str) -> None:
        # Objects of JSON mode have whatever keys the model has taken from the prompt.
        if follows({"type": "object"} if way == "json" else schema, text):
            self._sure = True
        elif self._spec.structured == "auto":
            self._way = WAYS[WAYS.index(way) + 1]
            self._prepare()
            self._say(f"ignores {_NAMES[way]}, so the next request {_USES[self._way]}")
        else:
            self._sure = True  # as far as it goes: the user has chosen it
            self._say(f"ignores {_NAMES[way]}; with `structured: auto` another way would be found")

    def _say(self, words: str) -> None:
        warnings.warn(f"model {self._spec.model} {words}", WiringWarning, stacklevel=2)


_NAMES: Mapping[Way, str] = {
    "schema": "a JSON schema of the answer",
    "json": "JSON mode",
    "tools": "a forced tool call",
}
_USES: Mapping[Way, str] = {
    "json": "asks for any JSON object",
    "tools": "forces a tool call",
    "none": "asks for free text",
}


def form_settings(schema: Mapping[str, Any], way: Way) -> dict[str, JsonValue]:
    """Return the settings that enforce a schema in one of the ways."""
    form: JsonValue = dict(schema)
    if way == "schema":
        named: JsonValue = {"name": TOOL, "strict": True, "schema": form}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if way == "json":
        return {"response_format": {"type": "json_object"}}
    tool: JsonValue = {"name": TOOL, "description": "Give the answer.", "parameters": form}
    chosen: JsonValue = {"type": "function", "function": {"name": TOOL}}
    return {"tools": [{"type": "function", "function": tool}], "tool_choice": chosen}


def fold_system(messages: Sequence[Message]) -> list[Message]:
    """Put system messages before the words of the first user message, as one text.

    >>> fold_system([Message("system", "Be brief."), Message("user", "How much?")])
    [Message(role='user', content='Be brief.\\n\\nHow much?')]
    """
    before = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    for place, message in enumerate(others):
        if message.role == "user":
            others[place] = Message("user", "\n\n".join([*before, message.content]))
            return others
    return [Message("user", "\n\n".join(before)), *others]
