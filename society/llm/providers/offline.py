"""The offline mind: a scripted resident, and no language model.

It reads the question as the script asks it, not its words, and answers in text, as models do: a
sentence, then a JSON object. Each agent keeps a temper of its own,

    answer = low + (high - low) (share + (mood - 1/2) / 5)              of a number in [low, high]
    share  = 3/10 + 2/5 temper

where temper in [0, 1) depends on (seed, replicate, agent), and mood on the address of the call as
well, so that luck does not depend on how a prompt is worded. So villages differ and nothing depends
on the order of the questions. Of the words it knows nothing but a plan of its making: if they hold
one, share is what this names. So who has a strategy follows it, if only as to how much, and
strategies can do well or badly.

Minds that cost nothing and never fail, counted like all others.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from society.engine.action_spaces import (
    Choice,
    Integer,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
    Value,
    fields,
)
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.rng import lend_generator
from society.errors import InputError
from society.text import format_number

from .budget import Budget, Use

if TYPE_CHECKING:
    from society.engine.component import Inquiry


T = TypeVar("T")

_ENDLESS = 10.0  # what lies between a bound and infinity
_ACCUSES = 0.3  # chance of naming somebody
_LETTERS = 4  # to a token, about

_OPENINGS = (
    "We should",
    "I think that all of us should",
    "Everybody here ought to",
    "From now on let us",
    "It is fair that we",
)
_DEEDS = (
    "take no more than we need",
    "leave enough for those who come after us",
    "share what is left over with whoever has least",
    "keep our efforts moderate as long as the others do",
    "put the common good before a quick gain",
    "speak up when somebody takes too much",
    "do an equal part of the work and take an equal part of the yield",
)
_REASONS = (
    "so that it lasts.",
    "because we all depend on it.",
    "for nobody can manage alone.",
    "and forgive an honest mistake.",
    "since trust is slow to grow.",
)
_STARTS = (
    "start with a little",
    "start with half of what I can give",
    "start with nearly all of it",
    "wait and see at first",
    "trust whoever I do not know yet",
)
_CHANGES = (
    "do as others have done before",
    "ask more of those who have more",
    "give less to those who gave little",
    "be patient with one bad deed, but not with two",
    "change my mind slowly",
)
_THOUGHTS = (
    "I have thought about what the others may do.",
    "Looking at how things went, this seems right to me.",
    "I would rather be careful here.",
    "This is what I can stand for.",
)


_PLANNED = re.compile(rf" to (?:{'|'.join(_STARTS)}), about (\d+) %, then to ")


class Offline:
    """Answers by rule and addressed chance."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, request: Request) -> Completion:
        """An answer in the form that was asked for."""
        if request.question is None:
            raise InputError(
                f"a call about {request.address.kind!r} has no question for the offline model; "
                "take a language model, or tape:FILE"
            )
        resident = _Resident(self._seed, request)
        text = resident.improvise() or resident.answer()
        prompt = sum(len(message.content) for message in request.messages)
        return Completion(
            text,
            prompt_tokens=prompt // _LETTERS,
            completion_tokens=len(text) // _LETTERS,
            cost=0.0,
            model="offline",
            cached_tokens=0,
        )


class _Resident:
    """One agent over one question."""

    def __init__(self, seed: int, request: Request) -> None:
        assert request.question is not None, "there is a question to read"
        address = request.address
        self._question: Inquiry = request.question
        self._words = "\n".join(message.content for message in request.messages)
        self._peers = request.peers
        self._usual = 0.3 + 0.4 * _temper(seed, address.replicate, address.agent)
        occasion = "\0".join(map(str, address))
        self._rng = lend_generator(seed, f"offline\0{occasion}")

    def improvise(self) -> str:
        """Reply in the words of a form of answer that has some of its own, or ""."""
        own = getattr(self._question.reply, "improvise", None)
        return str(own(self._question.facts, self._rng)) if own else ""

    def answer(self) -> str:
        """Reply with a sentence and a JSON object."""
        values = fields(self._question.reply).items()
        answers = {name or "answer": self.value(value) for name, value in values}
        return f"{self.one_of(_THOUGHTS)} {json.dumps(answers)}"

    def one_of(self, options: Sequence[T]) -> T:
        return options[int(self._rng.random() * len(options))]

    def value(self, value: Value) -> Any:
        """Answer one part of the question; a form with words of its own improvises them."""
        if own := getattr(value, "improvise", None):
            return own(self._question.facts, self._rng)
        match value:
            case Real():
                return round(self._between(value), 3)
            case Integer():
                return round(self._between(value))
            case Choice():
                return self.one_of(_labels(self._question, value))
            case Neighbour():
                accuses = self._peers and self._rng.random() < _ACCUSES
                return self.one_of(self._peers) if accuses else "nobody"
            case MixedStrategy():
                return self._mix(value.actions)
            case Sentence():
                return self._plan(value.opening)[: value.limit]
            case Text():
                return self._norm()[: value.limit]
        raise InputError(
            f"the offline model cannot answer with {value.form()}; use a language model"
        )

    def _between(self, value: Real | Integer) -> float:
        low, high = float(value.low), float(value.high)
        if math.isinf(low):
            low = 0.0 if math.isinf(high) else high - _ENDLESS
        if math.isinf(high):
            high = low + _ENDLESS
        return low + (high - low) * self._about(self._planned())

    def _planned(self) -> float:
        """The share that the one plan in the words names; without a plan, by temper."""
        named = _PLANNED.findall(self._words)
        return int(named[0]) / 100 if len(named) == 1 else self._usual

    def _about(self, share: float) -> float:
        """A tenth more or less, by mood."""
        return min(max(share + (float(self._rng.random()) - 0.5) / 5, 0.0), 1.0)

    def _mix(self, actions: Sequence[str]) -> Mapping[str, int]:
        """Whole percentages that sum to 100."""
        cuts = np.sort(self._rng.integers(0, 101, len(actions) - 1))
        shares = np.diff(np.concatenate(([0], cuts, [100])))
        return dict(zip(actions, shares.tolist(), strict=True))

    def _norm(self) -> str:
        parts = (self.one_of(part) for part in (_OPENINGS, _DEEDS, _REASONS))
        return " ".join(parts)

    def _plan(self, opening: str) -> str:
        """A sentence of its own with a share in it, so that few agents have the same one."""
        starts, changes, reasons = (self.one_of(part) for part in (_STARTS, _CHANGES, _REASONS))
        share = round(100 * self._about(self._usual))
        return f"{opening} to {starts}, about {share} %, then to {changes}, {reasons}"


@lru_cache(maxsize=2**16)
def _temper(seed: int, replicate: int, agent: int) -> float:
    """The temper of an agent, in [0, 1)."""
    return float(lend_generator(seed, f"offline\0{replicate}\0{agent}").random())


def _labels(question: Inquiry, choice: Choice) -> list[str]:
    """The open options as text."""
    options = choice.options[0] if question.options is None else question.options
    there = (option for option in options if option is not None and option == option)
    return [option if isinstance(option, str) else format_number(option) for option in there]


class OfflineModel:
    """A mind whose answer is a function of the request. close: called at the end."""

    def __init__(
        self,
        answer: Callable[[Request], Completion],
        budget: Budget,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._answer, self._budget, self._close = answer, budget, close

    def check(self) -> None:
        """Do nothing: no key is needed."""

    @property
    def patience(self) -> float:
        """Zero: it answers at once."""
        return 0.0

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """The answer; raises Paused at a limit, and what the function raises."""
        said = self._answer(request)
        if not self._budget.limited:
            await going()
            return said
        use = Use(1, (said.prompt_tokens or 0) + (said.completion_tokens or 0))
        await self._budget.hold(use, token)
        try:
            await going()
        finally:
            self._budget.settle(use, use)
        return said

    async def close(self) -> None:
        """Close what the answers come from."""
        self._close()
