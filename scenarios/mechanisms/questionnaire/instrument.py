"""An instrument: the items of a questionnaire, and the scales that are made of them.

    likert   a whole number x from 1 to `points`;  reversed: points + 1 - x
    choice   one of `options`
    number   a number x from `low` to `high`;      reversed: low + high - x
    open     words

The score of a scale is the mean or the sum of its items, with reversed ones turned round; of
somebody who has not answered all of them there is none. An item that is `optional` may be left
unanswered on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from society.engine.action_spaces import Choice, Integer, Real, Text, Value
from society.engine.parameters import Issue, Words
from society.engine.rng import Array
from society.errors import suggest
from society.text import format_number

NO_ANSWER = "no answer"  # what may be said to an optional item
_NOTHING = np.array(None, object)

Kind = Literal["likert", "choice", "number", "open"]
_NAME = r"[A-Za-z][A-Za-z0-9_]{0,39}"


def _check_name(name: str) -> str:
    if not re.fullmatch(_NAME, name):
        raise ValueError(
            f"got {name!r:.60}; expected a letter, then at most 39 letters, figures and underscores"
        )
    return name


Name = Annotated[
    str, AfterValidator(_check_name), WithJsonSchema({"type": "string", "pattern": f"^{_NAME}$"})
]

# What each kind of item must say, and may say.
_KEYS: Mapping[Kind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "likert": (("points",), ("labels",)),
    "choice": (("options",), ()),
    "number": (("low", "high"), ("unit",)),
    "open": ((), ("limit",)),
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class QuestionnaireItem(_Part):
    """One question, and the form of its answer.

    labels: of a likert item's points, all in order, or some by number. limit: the longest answer to
    an open item, in characters.
    """

    id: Name
    text: Words
    kind: Kind
    points: Annotated[int, Field(ge=2, le=101)] = 0
    labels: list[str] | dict[int, str] = {}
    options: Annotated[list[Words], Field(min_length=2)] = []
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    limit: Annotated[int, Field(ge=1, le=10_000)] = 400
    reversed: bool = False
    optional: bool = False

    @model_validator(mode="after")
    def _fits_its_kind(self) -> QuestionnaireItem:
        needed, allowed = _KEYS[self.kind]
        given = self.model_fields_set
        for name in needed:
            if name not in given:
                raise ValueError(f"{self.id} is a {self.kind} item and has no {name}; add it")
        every = {key for keys in _KEYS.values() for key in (*keys[0], *keys[1])}
        for name in sorted((every & given) - {*needed, *allowed}):
            homes = " and ".join(kind for kind, keys in _KEYS.items() if name in keys[0] + keys[1])
            raise ValueError(
                f"{self.id} is a {self.kind} item and has {name}, which belongs to {homes} items; "
                "leave it out, or change the kind"
            )
        if self.reversed and self.kind in ("open", "choice"):
            raise ValueError(
                f"{self.id} is reversed, and the answer to an item of kind {self.kind} has no "
                "score to turn round; leave reversed out"
            )
        if self.kind == "number" and not self.low < self.high:
            raise ValueError(
                f"{self.id} takes numbers from {self.low:g} to {self.high:g}; let low be below high"
            )
        self._check_labels()
        return self

    def _check_labels(self) -> None:
        labels = self.labels
        if isinstance(labels, list) and labels and len(labels) != self.points:
            raise ValueError(
                f"{self.id} has {len(labels)} labels for {self.points} points; give one for each, "
                "or some by number: {1: never, 5: always}"
            )
        for point in labels if isinstance(labels, dict) else ():
            if not 1 <= point <= self.points:
                raise ValueError(
                    f"{self.id} has a label for point {point}; its points run from 1 to "
                    f"{self.points}"
                )
        if len({option.strip(" .").casefold() for option in self.options}) < len(self.options):
            raise ValueError(
                f"{self.id} has an option twice; let all options differ, and not in capitals, "
                "blanks or full stops alone"
            )
        for option in self.options:
            if "/" in option or "; " in option or option == NO_ANSWER:
                raise ValueError(
                    f"{self.id} has the option {option!r}; options hold no slash and no semicolon, "
                    f"and {NO_ANSWER!r} is what `optional: true` adds"
                )

    @property
    def reach(self) -> tuple[float, float] | None:
        """The lowest and the highest score of an answer; None if answers have no scores."""
        if self.kind == "likert":
            return 1.0, float(self.points)
        return (self.low, self.high) if self.kind == "number" else None

    def form(self) -> Value:
        """Return the form in which the answer is asked for."""
        if self.kind == "number":
            return Real(self.low, self.high, optional=self.optional)
        if self.kind == "open":
            return Text(self.limit)
        if self.kind == "likert" and not self.optional:
            return Integer(1, self.points)
        labels = self.options or [str(point) for point in range(1, self.points + 1)]
        return Choice(*labels, *([NO_ANSWER] if self.optional else []), ordered=not self.options)

    def read(self, settled: Array, answered: Array) -> Array:
        """Return answers as they were meant: numbers, NaN for none; or words, None for none.

        settled: as the form gives them, (R, N). answered: who has given one, (R, N).
        """
        if self.kind == "open":
            unsaid = np.frompyfunc(_says_nothing, 1, 1)(settled).astype(bool)
            words: Array = np.where(answered & ~unsaid, settled, _NOTHING)
            return words
        if self.kind == "choice":
            labels = np.array([*self.options, None], object)  # None: no answer
            chosen: Array = np.where(answered, labels[np.where(answered, settled, 0)], _NOTHING)
            return chosen
        numbers = settled.astype(float)
        if self.kind == "likert" and self.optional:
            numbers = np.where(settled == self.points, np.nan, numbers + 1)
        return np.where(answered, numbers, np.nan)

    def read_none(self, shape: tuple[int, ...]) -> Array:
        """Return the answers where nobody has given one."""
        return np.full(shape, np.nan) if self.reach else np.full(shape, None, object)

    def scored(self, answers: Array) -> Array:
        """Return the answers to an item with scores, turned round if it is reversed."""
        assert self.reach is not None
        return sum(self.reach) - answers if self.reversed else answers

    def shown(self, answer: object) -> str:
        """Return an answer as it is told in an interview."""
        if answer is None or answer != answer:
            return NO_ANSWER
        if isinstance(answer, str):
            return answer
        assert isinstance(answer, int | float)
        return f"{format_number(float(answer))} {self.unit}".rstrip()

    @property
    def legend(self) -> str:
        """The meaning of the points of a likert item: "1 = never, 5 = always"; else ""."""
        labels = self.labels
        numbered = labels if isinstance(labels, dict) else dict(enumerate(labels, 1))
        return ", ".join(f"{point} = {label}" for point, label in sorted(numbered.items()))


class Scale(_Part):
    """A scale: the items that it is made of, and how."""

    items: Annotated[list[str], Field(min_length=1)]
    score: Literal["mean", "sum"] = "mean"


class Instrument(_Part):
    """A questionnaire; name: in columns and records, by default that of its file.

    note: where it comes from, and whether it is validated; for readers of reports, not for those
    who answer.
    """

    name: Name = "questionnaire"
    title: Words
    note: str = ""
    instructions: str = ""
    items: Annotated[list[QuestionnaireItem], Field(min_length=1)]
    scales: dict[str, Scale] = {}

    def item(self, id: str) -> QuestionnaireItem:
        """Return the item with an id."""
        return next(item for item in self.items if item.id == id)

    @property
    def legend(self) -> str:
        """The meaning of the points, if it is the same for all likert items; else ""."""
        legends = {item.legend for item in self.items if item.kind == "likert"}
        return legends.pop() if len(legends) == 1 else ""

    def wording(self, item: QuestionnaireItem, *, alone: bool) -> str:
        """Return the text of an item, with its unit and the meaning of its points.

        alone: whether it is asked alone; beside others the meaning that all share is said once.
        """
        legend = item.legend if alone or item.legend != self.legend else ""
        silent = f"or: {NO_ANSWER}" if item.optional and item.kind == "open" else ""
        more = "; ".join(filter(None, (legend, item.unit, silent)))
        return f"{item.text} ({more})" if more else item.text

    def issues(self) -> Iterator[Issue]:
        """Yield what items and scales have wrong with each other."""
        ids = [item.id for item in self.items]
        for place, one in enumerate(ids):
            if one in ids[:place]:
                words = f"two items have the id {one!r}; give each item its own"
                yield Issue(("items", place, "id"), words)
        for name, scale in self.scales.items():
            here = "scales", name
            if not name.isidentifier():
                words = f"a scale is called {name!r}; take letters, figures and underscores"
                yield Issue(here, words)
            if name in ids:
                yield Issue(here, f"{name!r} is an item and a scale; give them different names")
            for place, one in enumerate(scale.items):
                at = (*here, "items", place)
                if one not in ids:
                    yield Issue(at, f"there is no item {one!r}; {suggest(one, dict.fromkeys(ids))}")
                elif one in scale.items[:place]:
                    yield Issue(at, f"{one!r} stands twice in this scale; leave it out once")
                elif self.item(one).reach is None:
                    kind = self.item(one).kind
                    words = f"{one!r} is an item of kind {kind}, which has no score; leave it out"
                    yield Issue(at, words)
            reaches = {self.item(one).reach for one in scale.items if one in ids} - {None}
            if len(reaches) > 1:
                spans = " and ".join(
                    f"{low:g} to {high:g}" for low, high in sorted(filter(None, reaches))
                )
                yield Issue(
                    (*here, "items"),
                    f"its items run from {spans}; take items of one range, or make several scales",
                )

    def scores(self, answers: Mapping[str, Array]) -> dict[str, Array]:
        """Return the score of everybody on each scale, NaN where an item was not answered.

        answers: by item, numbers of one shape, NaN for none.
        """
        found = {}
        for name, scale in self.scales.items():
            every = self.scored_items(name, answers)
            found[name] = every.mean(0) if scale.score == "mean" else every.sum(0)
        return found

    def scored_items(self, scale: str, answers: Mapping[str, Array]) -> Array:
        """Return the answers to the items of a scale, reversed ones turned round, (K, ...)."""
        items = [self.item(one) for one in self.scales[scale].items]
        return np.stack([item.scored(answers[item.id]) for item in items])


class AskedOccasion(NamedTuple):
    """An occasion on which an instrument was given.

    played: the rounds that were over; label: "before", "round 5", "end".
    """

    label: str
    played: int


def _says_nothing(said: Any) -> bool:
    return not isinstance(said, str) or said.strip(" .").lower() in ("", NO_ANSWER)
