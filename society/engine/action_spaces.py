"""The forms an answer can take: what is legal, and what stands where nobody answered.

`settle` brings raw answers, (R, N) or (R, N, K), into the legal range; what has no nearest legal
value raises ValueError with the reason and the offending entries. How an answer is asked for in
words, and read from them, is known to society.llm.parsing alone.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from society.errors import ArgumentError

from .graph import NOBODY, Graph
from .rng import Array

Graphs = Mapping[str, Graph]


class Legal(NamedTuple):
    """The options and peers that one agent may name in an answer, as it is shown them.

    options: of a choice: each open option as text -> its index; of fixed labels none need be given.
    peers: the name of each peer whom the agent sees -> its seat. Both stand in the order in which
    they are shown. rounded: whether bounds of numbers are shown in few figures, rounded inwards;
    all within the bounds stays legal.
    """

    options: Mapping[str, int] = MappingProxyType({})
    peers: Mapping[str, int] = MappingProxyType({})
    rounded: bool = False


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
    silent: Any  # what stands where nobody was asked
    width: int | None = None  # how many numbers make one answer; None for a single value
    alike = True  # whether all hear the same bounds

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "code" not in vars(cls):
            cls.code = cls.__name__.lower()

    def flat(self, said: Any, asked: Array, replicate: Array) -> Array:
        """Return an answer as one value per member, (M,) or (M, K).

        asked: (M,) of bool; what the others say does not matter. replicate: of each member, (M,).
        Raises ValueError.
        """
        wanted = np.dtype(self.dtype)
        given = np.asarray(said, wanted if wanted.kind == "O" else None)
        shape = asked.shape if self.width is None else (*asked.shape, self.width)
        if given.shape != shape:
            given = _spread(given, shape)
        if wanted.kind != "O" and given.dtype.kind not in "biuf":
            raise ValueError("what is no number")
        if wanted.kind == "i" and given.dtype.kind == "f":
            whole = np.isfinite(given) & (given == np.rint(given))
            if (asked & ~whole).any():
                raise ValueError("what is no whole number")
            given = np.where(whole, given, self.silent)
        return given.astype(wanted, copy=False)

    def among(self, each: Callable[[Array], Array]) -> Value:
        """The same form as some agents hear it; `each` picks their bounds.

        `each` takes (R, N) or (R, 1) and gives (M,), or the entry of one agent.
        """
        return self

    @abstractmethod
    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Bring answers into the legal range; raises Illegal.

        Entries outside `asked` may hold anything.
        raw: (R, N) or (R, N, K); asked, present: (R, N) of bool.
        """

    @abstractmethod
    def form(self) -> str:
        """The reply in words, for transcripts and digests."""

    def expected(self) -> str:
        """The reply in words, for messages."""
        return self.form()


def _spread(values: Array, shape: tuple[int, ...]) -> Array:
    """One value for all, or one for each."""
    if values.ndim and values.shape != shape:
        raise ValueError(f"shape {values.shape} instead of {shape}")
    return np.broadcast_to(values, shape)


_PLAIN = int, float


@dataclass(frozen=True, eq=False)
class _Bounded(Value):
    """A number in [low, high]; the bounds are scalars, (R, 1) or (R, N).

    bounds: those that differ between agents or replicates, by name.
    Raises ArgumentError for bounds the wrong way round.
    """

    low: Any = 0
    high: Any = np.inf
    bounds: Mapping[str, Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if type(self.low) in _PLAIN and type(self.high) in _PLAIN:
            ordered = bool(self.low <= self.high)
        else:
            ordered = bool(np.all(np.less_equal(self.low, self.high)))
        if not ordered:
            raise ArgumentError(
                f"{type(self).__name__} between low={self.low} and high={self.high}; "
                "give numbers, low at most as large as high"
            )
        self._note_bounds()

    def _note_bounds(self) -> None:
        both = {"low": self.low, "high": self.high}
        bounds = {name: np.asarray(bound) for name, bound in both.items() if np.ndim(bound)}
        object.__setattr__(self, "bounds", bounds)
        object.__setattr__(self, "alike", not bounds)

    def among(self, each: Callable[[Array], Array]) -> Value:
        """The same form with the bounds of some agents, (M,) of (R, N); see Value.among."""
        if not self.bounds:
            return self
        some = copy(self)  # without another check of the same bounds
        for name, bound in self.bounds.items():
            object.__setattr__(some, name, each(bound))
        some._note_bounds()
        return some

    def form(self) -> str:
        span = "within bounds of its own" if self.bounds else f"{self.low}..{self.high}"
        return f"{self.code} {span}"

    def expected(self) -> str:
        kind = "a whole number" if isinstance(self, Integer) else "a number"
        if self.bounds:
            return f"{kind} within its own bounds"
        if self.high == math.inf:
            return f"{kind} of at least {self.low}"
        return f"{kind} from {self.low} to {self.high}"


@dataclass(frozen=True, eq=False)
class Real(_Bounded):
    """A real number in [low, high]; NaN, if it is optional, where somebody states none."""

    optional: bool = False

    code = "amount"
    dtype = float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "silent", math.nan if self.optional else 0.0)

    def flat(self, said: Any, asked: Array, replicate: Array) -> Array:
        """Return one number per member, (M,); None stands for no number if it is optional."""
        given = np.asarray(said)
        if self.optional and given.dtype.kind == "O":
            given = np.where(given == np.asarray(None), math.nan, given)
            if all(isinstance(entry, int | float | np.number) for entry in given.flat):
                given = given.astype(float)
        return super().flat(given, asked, replicate)

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Clip numbers to their bounds, (R, N) -> (R, N); raises Illegal where one is missing."""
        if not self.optional and (missing := np.isnan(raw) & asked).any():
            raise Illegal(missing, "a number")
        return np.clip(raw, self.low, self.high)

    def form(self) -> str:
        return f"{super().form()} or none" if self.optional else super().form()


class Integer(_Bounded):
    """A whole number in [low, high]; fractions go to the nearest, halves to the even one."""

    code = "whole"
    dtype = float
    silent = 0

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Round and clip, (R, N) -> (R, N) of integers; raises Illegal for what is not finite."""
        near = np.clip(np.rint(np.where(asked, raw, self.silent)), self.low, self.high)
        _refuse(~np.isfinite(near), "a number")
        return near.astype(np.int64)


def _check_labels(labels: Sequence[str]) -> None:
    """Raise ValueError for what a form, from which labels are read back, could not tell apart."""
    if len(labels) == 1 and isinstance(labels[0], list | tuple | np.ndarray):
        alone = ", ".join(map(repr, labels[0]))
        sort = type(labels[0]).__name__
        raise ArgumentError(f"labels stand one by one, not in a {sort}; write ({alone})")
    for label in labels:
        if not isinstance(label, str):
            raise ArgumentError(f"label {label!r} is a {type(label).__name__}; give text")
        if "/" in label or "; " in label:
            raise ArgumentError(f"label {label!r} holds a slash or a semicolon; use other signs")


class Choice(Value):
    """A choice between several options; the answer is the option's index.

    `options` are labels (the same everywhere), or an array (R, K) whose rows may differ, with
    None (or NaN, for numbers) where a replicate has fewer than K. ordered: the order says
    something, as on a scale, so that nobody is shown another one.
    Raises ArgumentError for labels or options that cannot be told apart.
    """

    code = "choice"
    dtype = np.int64
    silent = NOBODY

    def __init__(self, *labels: str, options: Array | None = None, ordered: bool = False) -> None:
        if bool(labels) == (options is not None):
            raise ArgumentError("give labels, or an array of options: one of the two")
        _check_labels(labels)
        self.fixed, self.ordered = options is None, ordered
        self.options = np.array([labels], object) if options is None else np.array(options)
        if self.options.ndim != 2:
            raise ArgumentError(
                f"options has shape {self.options.shape}; expected (R, K), a row for each "
                "replicate, or (1, K) for all of them: write x[None, :]"
            )
        # NaN differs from itself; None is asked for by name, where there may be one.
        self.open = self.options == self.options
        if self.options.dtype.kind == "O":
            self.open &= self.options != np.asarray(None)

    def flat(self, said: Any, asked: Array, replicate: Array) -> Array:
        """Labels are turned into indices.

        (M,) -> (M,); raises ValueError for a label that is not offered.
        """
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
        """Return indices of open options, (R, N) -> (R, N); raises Illegal for another."""
        index = np.where(asked, raw, 0)
        inside = (index >= 0) & (index < self.options.shape[1])
        count = self.open.shape[1]
        row = np.arange(len(raw))[:, None] * count if len(self.open) > 1 else 0
        legal = inside & self.open.reshape(-1).take(row + np.where(inside, index, 0))
        _refuse(asked & ~legal, f"{self.form()}, the index of an open option")
        return index

    def form(self) -> str:
        return f"{self.code} {'/'.join(self.options[0])}" if self.fixed else self.code

    def expected(self) -> str:
        return f"one of {', '.join(self.options[0])}" if self.fixed else "one of the options"


@dataclass(frozen=True, eq=False)
class Neighbour(Value):
    """A neighbour on `graph` who takes part, or NOBODY; the answer is the peer's seat."""

    graph: str

    code = "peer"
    dtype = np.int64
    silent = NOBODY

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Return seats, (R, N) -> (R, N); raises Illegal for one that is no present neighbour."""
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

    def expected(self) -> str:
        return f"a neighbour on {self.graph}, or NOBODY"


class MixedStrategy(Value):
    """A mixed strategy over `actions`: probabilities, (R, N, K)."""

    code = "mix"
    dtype = float
    silent = 0.0

    def __init__(self, *actions: str) -> None:
        _check_labels(actions)
        self.actions = actions
        self.width: int = len(actions)

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Return probabilities that sum to 1, (R, N, K) -> (R, N, K); raises Illegal."""
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

    def expected(self) -> str:
        return f"probabilities of {', '.join(self.actions)}"


@dataclass(frozen=True, eq=False)
class Text(Value):
    """Text of at most `limit` characters; what is longer is cut."""

    limit: int = 400

    code = "words"
    dtype = object
    silent = ""

    def settle(self, raw: Array, asked: Array, graphs: Graphs, present: Array) -> Array:
        """Return texts, cut at the limit, (R, N) -> (R, N); raises Illegal for what is none."""
        text = np.frompyfunc(lambda entry: isinstance(entry, str), 1, 1)(raw).astype(bool)
        _refuse(asked & ~text, "text")
        cut = np.frompyfunc(lambda entry, kept: entry[: self.limit] if kept else "", 2, 1)
        return np.asarray(cut(raw, asked), object)

    def form(self) -> str:
        return f"{self.code} up to {self.limit}"

    def expected(self) -> str:
        return f"text of at most {self.limit} characters"


@dataclass(frozen=True, eq=False)
class Sentence(Text):
    """A sentence of at most `limit` characters that starts with `opening`.

    What a model says must have this form; a rule may say any text, which is cut at the limit.
    """

    opening: str = field(kw_only=True)

    code = "words"  # it reads like them in run files, but for its last words

    def form(self) -> str:
        return f"{super().form()} in one sentence"


@dataclass(frozen=True, eq=False)
class Fields:
    """Several fields in one answer: components give, and the script receives, {field: values}.

    order: the numbers of the fields in the order in which each agent is shown them, (R, N, K);
    None: all are shown them as they stand.
    """

    fields: Mapping[str, Value]
    order: Array | None = None

    @property
    def alike(self) -> bool:
        """True if all agents hear the same bounds, in the same order."""
        return self.order is None and all(value.alike for value in self.fields.values())

    def form(self) -> str:
        return "; ".join(f"{name}: {part.form()}" for name, part in self.fields.items())


ActionSpace = Value | Fields


def restrict_bounds(reply: ActionSpace, each: Callable[[Array], Array]) -> ActionSpace:
    """A reply as some agents hear it; `each` picks their bounds."""
    if isinstance(reply, Fields):
        picked = {name: value.among(each) for name, value in reply.fields.items()}
        order = None if reply.order is None else each(reply.order)
        if order is None or order.ndim > 1:
            return Fields(picked, order)
        names = list(picked)  # of a single agent
        return Fields({names[place]: picked[names[place]] for place in order.tolist()})
    return reply.among(each)


def fields(reply: ActionSpace) -> Mapping[str, Value]:
    """The values that make up a reply, by name; a plain value is one field without a name."""
    return reply.fields if isinstance(reply, Fields) else {"": reply}


def silence(reply: ActionSpace, shape: tuple[int, int]) -> dict[str, Array]:
    """Return arrays of silent values, by field: (R, N) or (R, N, K)."""
    silent = {}
    for name, value in fields(reply).items():
        wide = shape if value.width is None else (*shape, value.width)
        silent[name] = np.full(wide, value.silent, value.dtype)
    return silent
