"""The forms an answer can take: what is legal, and what stands where nobody answered.

`settle` brings raw answers, (R, N) or (R, N, K), into the legal range; what has no nearest legal
value raises ValueError with the reason and the offending entries. `hint` tells a language mind what
to answer, and `parse` reads its reply: the answer alone, or {"answer": ...} at the end of thoughts.
"""

from __future__ import annotations

import functools
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from .draws import Array
from .errors import Unparsed
from .graph import NOBODY, Graph
from .meaning import (
    NO_ONE,
    NONE,
    YES_OR_NO,
    nothing,
    number,
    numbered,
    option,
    peer,
    plain,
    unwrapped,
)
from .reading import (
    Legal,
    answer,
    filled,
    filled_in,
    named,
    prepared,
    quoted,
    speech,
    unnamed,
    unread,
)
from .wording import clean, fenced

Graphs = Mapping[str, Graph]

_ROUNDED = 0.0015  # of the sum of a mix: three times 33.3 percent are 100


class Illegal(ValueError):
    """An answer without a nearest legal value; `where` marks the entries, (R, N) of bool."""

    def __init__(self, where: Array, expected: str) -> None:
        super().__init__(expected)
        self.where = where


def _refuse(where: Array, expected: str) -> None:
    if where.any():
        raise Illegal(where, expected)


class Value(ABC):
    """The form of one value per agent.

    code: its name in run files and digests, which stays when the class is renamed; a class that
    states none has the own name in small letters.
    """

    code: ClassVar[str] = ""
    dtype: ClassVar[DTypeLike]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "code" not in vars(cls):
            cls.code = cls.__name__.lower()

    @property
    @abstractmethod
    def silent(self) -> Any:
        """What stands where nobody was asked."""

    @property
    def width(self) -> int | None:
        """How many numbers make one answer; None for a single value."""
        return None

    def flat(self, said: Any, asked: Array, replicate: Array) -> Array:
        """What a component said as one value per member, (M,) or (M, K); raises ValueError.

        asked: (M,) of bool; what the others say does not matter. replicate: of each member, (M,).
        """
        wanted = np.dtype(self.dtype)
        given = np.asarray(said, wanted if wanted.kind == "O" else None)
        given = _spread(given, asked.shape if self.width is None else (*asked.shape, self.width))
        if wanted.kind != "O" and given.dtype.kind not in "biuf":
            raise ValueError("what is no number")
        if wanted.kind == "i" and given.dtype.kind == "f":
            whole = np.isfinite(given) & (given == np.rint(given))
            if (asked & ~whole).any():
                raise ValueError("what is no whole number")
            given = np.where(whole, given, self.silent)
        return given.astype(wanted, copy=False)

    def among(self, each: Callable[[Array], Array]) -> Value:
        """The same form as some agents hear it; `each` picks their bounds."""
        return self

    @abstractmethod
    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Into the legal range; raises Illegal. Entries outside `asked` may hold anything."""

    @abstractmethod
    def form(self) -> str:
        """The reply in words, for transcripts and digests."""

    @abstractmethod
    def hint(self, legal: Legal) -> str:
        """The answer as it is asked for: "a number from 0 to 1"; the bounds are scalars."""

    @abstractmethod
    def taken(self, said: Any, legal: Legal) -> Any:
        """The answer that a JSON value or words give, or None."""

    def known(self, legal: Legal) -> Collection[str]:
        """Plain words that are an answer where a line says nothing else."""
        return NONE

    def parse(self, text: str, legal: Legal) -> Any:
        """The answer in a reply; raises Unparsed, or CutOff if the reply stops before its end."""
        ready = prepared(text)
        given = answer(ready, self.known(legal))
        value = None if given is None else self.taken(given.said, legal)
        if value is None:
            raise unread(ready, given, self.hint(legal))
        return value


def _spread(values: Array, shape: tuple[int, ...]) -> Array:
    """One value for all, or one for each."""
    if values.ndim and values.shape != shape:
        raise ValueError(f"shape {values.shape} instead of {shape}")
    return np.broadcast_to(values, shape)


@dataclass(frozen=True, eq=False)
class _Bounded(Value):
    """A number in [low, high]; the bounds are scalars, (R, 1) or (R, N)."""

    low: Any = 0
    high: Any = np.inf

    def __post_init__(self) -> None:
        if not np.all(np.less_equal(self.low, self.high)):
            raise ValueError(
                f"{type(self).__name__} between low={self.low} and high={self.high}; "
                "give numbers, low at most as large as high"
            )

    @property
    def bounds(self) -> dict[str, Array]:
        """The bounds that differ between agents or replicates, by name."""
        both = {"low": self.low, "high": self.high}
        return {name: np.asarray(bound) for name, bound in both.items() if np.ndim(bound)}

    def among(self, each: Callable[[Array], Array]) -> Value:
        picked = {name: each(bound) for name, bound in self.bounds.items()}
        return replace(self, **picked) if picked else self

    def form(self) -> str:
        span = "within bounds of its own" if self.bounds else f"{self.low}..{self.high}"
        return f"{self.code} {span}"

    def _span(self) -> str:
        """The bounds in words; none are named where there is none."""
        low, high = float(self.low), float(self.high)
        if math.isinf(high):
            return "" if math.isinf(low) else f" of at least {low:g}"
        return f" of at most {high:g}" if math.isinf(low) else f" from {low:g} to {high:g}"

    def _said(self, said: Any) -> float | None:
        """A number within the bounds: one beyond them may be meant in another unit (75 for 0.75).

        A percentage is read where the bounds make it one of two things: of 1, or of 100.
        """
        low, high = float(self.low), float(self.high)
        value = number(said, whole=high if low == 0 else math.nan)
        if value is None:
            return None
        # Whoever repeats a bound as it was shown, with six figures, means the bound.
        within = min(low, float(f"{low:g}")) <= value <= max(high, float(f"{high:g}"))
        return value if within else None


@dataclass(frozen=True, eq=False)
class Amount(_Bounded):
    """A real number in [low, high]; NaN, if it is optional, where somebody states none."""

    optional: bool = False

    code = "amount"
    dtype = float

    @property
    def silent(self) -> float:
        return math.nan if self.optional else 0.0

    def flat(self, said: Any, asked: Array, replicate: Array) -> Array:
        """None is no amount."""
        given = np.asarray(said)
        if self.optional and given.dtype.kind == "O":
            given = np.where(given == np.asarray(None), math.nan, given)
            if all(isinstance(entry, int | float | np.number) for entry in given.flat):
                given = given.astype(float)
        return super().flat(given, asked, replicate)

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        if not self.optional:
            _refuse(np.isnan(raw) & asked, "a number")
        return np.clip(raw, self.low, self.high)

    def form(self) -> str:
        return f"{super().form()} or none" if self.optional else super().form()

    def hint(self, legal: Legal) -> str:
        return f"a number{self._span()}{', or none' if self.optional else ''}"

    def taken(self, said: Any, legal: Legal) -> float | None:
        return math.nan if self.optional and nothing(said) else self._said(said)


class Whole(_Bounded):
    """A whole number in [low, high]; fractions go to the nearest, halves to the even one."""

    code = "whole"
    dtype = float
    silent = 0

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        near = np.clip(np.rint(np.where(asked, raw, self.silent)), self.low, self.high)
        _refuse(~np.isfinite(near), "a number")
        return near.astype(np.int64)

    def hint(self, legal: Legal) -> str:
        return f"a whole number{self._span()}"

    def taken(self, said: Any, legal: Legal) -> int | None:
        """A fraction is no misprint of a whole number, so it is not read."""
        value = self._said(said)
        return int(value) if value is not None and value.is_integer() else None


def _check_labels(labels: Sequence[str]) -> None:
    """Raises ValueError for what a form, from which labels are read back, could not tell apart."""
    for label in labels:
        if "/" in label or "; " in label:
            raise ValueError(f"label {label!r} holds a slash or a semicolon; use other signs")


class Choice(Value):
    """One of several options; the answer is the option's index.

    `options` are labels (the same everywhere), or an array (R, K) whose rows may differ, with
    None (or NaN, for numbers) where a replicate has fewer than K.
    """

    code = "choice"
    dtype = np.int64
    silent = NOBODY

    def __init__(self, *labels: str, options: Array | None = None) -> None:
        if bool(labels) == (options is not None):
            raise ValueError("give labels, or an array of options: one of the two")
        _check_labels(labels)
        self.fixed = options is None
        self.options = np.array([labels], object) if options is None else np.array(options)
        # NaN differs from itself; None is asked for by name.
        self.open = (self.options == self.options) & (self.options != np.asarray(None))

    def flat(self, said: Any, asked: Array, replicate: Array) -> Array:
        """Labels are turned into indices."""
        labels = np.asarray(said)
        if labels.dtype.kind not in "OU":
            return super().flat(labels, asked, replicate)
        labels = _spread(labels, asked.shape)
        offered = self.options if len(self.options) == 1 else self.options[replicate]
        fits = offered == labels[:, None]
        strange = asked & ~fits.any(1)
        if strange.any():
            raise ValueError(repr(labels[strange].tolist()[0]))
        return np.where(asked, fits.argmax(1), NOBODY)

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        index = np.where(asked, raw, 0)
        inside = (index >= 0) & (index < self.options.shape[1])
        table = np.broadcast_to(self.open, (len(raw), self.open.shape[1]))
        legal = inside & np.take_along_axis(table, np.where(inside, index, 0), 1)
        _refuse(asked & ~legal, f"{self.form()}, the index of an open option")
        return index

    def form(self) -> str:
        return f"{self.code} {'/'.join(self.options[0])}" if self.fixed else self.code

    def hint(self, legal: Legal) -> str:
        """Options stand there as data, since agents may have written them; single words are bare.

        Options that look alike are as many lines: the answer may be their number.
        """
        labels = list(self._offered(legal))
        shown = [fenced(label) for label in labels]
        if numbered(labels):
            lines = [f"{place}. {label}" for place, label in enumerate(shown, 1)]
            return "\n".join(["the number of one of these:", *lines])
        return f"one of these: {', '.join(label[1:-1] for label in shown)}"

    def taken(self, said: Any, legal: Legal) -> int | None:
        return option(said, self._offered(legal))

    def known(self, legal: Legal) -> Collection[str]:
        return YES_OR_NO | {plain(label) for label in self._offered(legal)}

    def _offered(self, legal: Legal) -> Mapping[str, int]:
        """Labels as text -> indices."""
        if not self.fixed:
            return legal.options
        return {str(label): index for index, label in enumerate(self.options[0])}


@dataclass(frozen=True, eq=False)
class Peer(Value):
    """A neighbour on `graph` who takes part, or NOBODY; the answer is the peer's seat."""

    graph: str

    code = "peer"
    dtype = np.int64
    silent = NOBODY

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        nodes = np.flatnonzero((raw != NOBODY) & asked)
        peers = raw.reshape(-1)[nodes]
        seats = raw.shape[1]
        legal = (peers >= 0) & (peers < seats)
        inside = np.where(legal, peers, 0)
        legal &= graphs[self.graph].connects(nodes, inside)
        legal &= present.reshape(-1)[nodes - nodes % seats + inside]
        if not legal.all():
            illegal = np.zeros(raw.shape, bool)
            illegal.reshape(-1)[nodes[~legal]] = True
            raise Illegal(illegal, f"a present neighbour on graph {self.graph!r}, or NOBODY")
        return raw

    def form(self) -> str:
        return f"{self.code} on {self.graph}"

    def hint(self, legal: Legal) -> str:
        names = "".join(f"{name}, " for name in legal.peers)
        return f"one of these names: {names}or nobody" if names else "nobody, as you see no one"

    def taken(self, said: Any, legal: Legal) -> int | None:
        return peer(said, legal.peers)

    def known(self, legal: Legal) -> Collection[str]:
        return NO_ONE | {plain(name) for name in legal.peers}


class Mix(Value):
    """A mixed strategy over `actions`: probabilities, (R, N, K)."""

    code = "mix"
    dtype = float
    silent = 0.0

    def __init__(self, *actions: str) -> None:
        _check_labels(actions)
        self.actions = actions

    @property
    def width(self) -> int:
        return len(self.actions)

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        shares = list(np.moveaxis(raw, -1, 0))  # one by one: numpy is slow along short axes
        total, least = functools.reduce(np.add, shares), functools.reduce(np.minimum, shares)
        legal = (least >= 0) & (np.abs(total - 1) <= 1e-9)
        _refuse(asked & ~legal, "probabilities that sum to 1")
        # What sums to 1 but for rounding stays as it is, so that replay settles to the same bits.
        off = legal & (np.abs(total - 1) > self.width * 2.0**-50)
        if off.any():
            raw = raw / np.where(off, total, 1)[..., None]
        return raw if asked.all() else np.where(asked[..., None], raw, self.silent)

    def form(self) -> str:
        return f"{self.code} over {'/'.join(self.actions)}"

    def hint(self, legal: Legal) -> str:
        shares = ", ".join(f"{json.dumps(action)}: <percent>" for action in self.actions)
        return f"a JSON object {{{shares}}} of whole percentages that sum to 100"

    def taken(self, said: Any, legal: Legal) -> list[float] | None:
        try:
            return self._shares(said) if isinstance(said, Mapping) else None
        except ValueError:
            return None

    def parse(self, text: str, legal: Legal) -> list[float]:
        ready = prepared(text)
        entries = filled_in(ready, self.actions)
        if not entries:
            raise unread(ready, None, self.hint(legal))
        try:
            return self._shares(entries)
        except ValueError as wrong:
            raise Unparsed(f"got {quoted(entries)}, {wrong}; expected {self.hint(legal)}") from None

    def _shares(self, said: Mapping[str, Any]) -> list[float]:
        """Percentages or probabilities, one for each action; a wrong sum is never mended.

        Raises ValueError, saying what is wrong. What has no figure may stand beside them: a reason.
        """
        strange = unnamed(said, self.actions)
        if strange is not None:
            raise ValueError(f"where {quoted(strange)} is no action")
        entries = named(said.items(), self.actions)
        shares = [_share(entries, action) for action in self.actions]
        total = math.fsum(shares)
        marked = any(isinstance(entry, str) and "%" in entry for entry in entries.values())
        wholes = (100,) if marked else (1, 100)
        if not any(math.isclose(total, whole, rel_tol=_ROUNDED) for whole in wholes):
            raise ValueError(f"which sums to {total:g}")
        return [share / total for share in shares]


def _share(entries: Mapping[str, Any], action: str) -> float:
    """Of one action; raises ValueError."""
    if action not in entries:
        raise ValueError(f"which must have {action!r} once")
    share = number(entries[action], whole=100)
    if share is None or share < 0:
        raise ValueError(f"where {quoted(entries[action])} is no share of {action!r}")
    return share


@dataclass(frozen=True, eq=False)
class Words(Value):
    """Text of at most `limit` characters; what is longer is cut."""

    limit: int = 400

    code = "words"
    dtype = object
    silent = ""

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        text = np.frompyfunc(lambda entry: isinstance(entry, str), 1, 1)(raw).astype(bool)
        _refuse(asked & ~text, "text")
        cut = np.frompyfunc(lambda entry, kept: entry[: self.limit] if kept else "", 2, 1)
        return np.asarray(cut(raw, asked), object)

    def form(self) -> str:
        return f"{self.code} up to {self.limit}"

    def hint(self, legal: Legal) -> str:
        return f"text of at most {self.limit} characters"

    def taken(self, said: Any, legal: Legal) -> str | None:
        """Without the quotes around it; None if nothing of it can be seen."""
        words = unwrapped(said) if isinstance(said, str) else ""
        return words if clean(words) else None

    def parse(self, text: str, legal: Legal) -> str:
        """All of it, if there is no answer in an object or behind "Answer:".

        Several paragraphs beyond the limit are thoughts, and are not taken for what is said.
        """
        ready = prepared(text)
        given = speech(ready, self.limit)
        words = None if given is None else self.taken(given.said, legal)
        if words is None:
            raise unread(ready, given, self.hint(legal))
        return words


@dataclass(frozen=True, eq=False)
class Form:
    """Several fields in one answer: components give, and the script receives, {field: values}."""

    fields: Mapping[str, Value]

    def form(self) -> str:
        return "; ".join(f"{name}: {part.form()}" for name, part in self.fields.items())

    def hint(self, legal: Legal) -> str:
        lines = [f"- {json.dumps(name)}: {part.hint(legal)}" for name, part in self.fields.items()]
        return "\n".join(["a JSON object with these fields:", *lines])

    def parse(self, text: str, legal: Legal) -> dict[str, Any]:
        """The answer to each field; raises Unparsed with the field, or CutOff."""
        ready = prepared(text)
        entries = filled(ready, list(self.fields))
        if not entries:
            raise unread(ready, None, self.hint(legal))
        answers = {}
        for name, part in self.fields.items():
            if name not in entries and not getattr(part, "optional", False):
                raise Unparsed(f"got no single {name!r}; expected {part.hint(legal)}")
            answers[name] = part.taken(entries.get(name), legal)
            if answers[name] is None:
                raise Unparsed(
                    f"got {quoted(entries[name])} for {name!r}; expected {part.hint(legal)}"
                )
        return answers


Reply = Value | Form


def heard(reply: Reply, each: Callable[[Array], Array]) -> Reply:
    """A reply as some agents hear it; `each` picks their bounds."""
    if isinstance(reply, Form):
        return Form({name: value.among(each) for name, value in reply.fields.items()})
    return reply.among(each)


def fields(reply: Reply) -> Mapping[str, Value]:
    """The values that make up a reply, by name; a plain value is one field without a name."""
    return reply.fields if isinstance(reply, Form) else {"": reply}


def silence(reply: Reply, shape: tuple[int, int]) -> dict[str, Array]:
    """What stands where nobody answered, by field: (R, N) or (R, N, K)."""
    return {
        name: np.full(
            shape if value.width is None else (*shape, value.width), value.silent, value.dtype
        )
        for name, value in fields(reply).items()
    }
