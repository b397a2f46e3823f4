"""What can be played: a script, its parameters, default cast, measures and way of being shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from itertools import chain
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, JsonValue

from .cast import Cast
from .draws import Array
from .errors import ScenarioError
from .graph import Graph
from .history import Page
from .outside import Embedder
from .table import Table
from .talk import Script
from .wrap import Mechanism

Told = Mapping[str, Array]
Drawing = str | Mapping[str, Any] | Callable[[int, np.random.Generator], Any]
Fold = Literal["mean", "sum", "total", "last", "first"]
COURSELESS: Collection[Fold] = ("total", "first")  # of single rounds they say nothing
M = TypeVar("M", bound=Mechanism)


OF_DEFAULT_CAST: dict[str, JsonValue] = {"of_default_cast": True}


class Params(BaseModel):
    """Base of a scenario's parameters: typed, with ranges, immutable; unknown names are refused.

    A parameter that says who is in the default cast means nothing beside a scenario file's own
    `cohorts`, and is refused there, if it is marked:
    share: float = Field(0.5, json_schema_extra=OF_DEFAULT_CAST).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def of_default_cast(cls) -> set[str]:
        """Names of the parameters that are so marked."""
        fields = cls.model_fields.items()
        return {name for name, field in fields if field.json_schema_extra == OF_DEFAULT_CAST}


def mean_over(some: Array, values: Array) -> Array:
    """The mean over those marked, (R, N) -> (R,); NaN if there are none."""
    count = some.sum(1)
    total: Array = np.where(some, values, 0).sum(1)
    return total / np.where(count, count, np.nan)


@dataclass(frozen=True)
class Measure:
    """A number per replicate, computed each round from what was told in it.

    of: (facts told this round by name, table) -> (R,) or (R, 1); a round in which a fact that it
    needs is not told is not measured.
    fold: how rounds become one value: mean, sum or last over the rounds that a replicate lived;
    `total`, a sum of parts of which each alone says nothing; or `first`, the number of the first
    round in which the value is true (censored at its last round).
    """

    name: str
    unit: str
    of: Callable[[Told, Table], Array]
    fold: Fold = "mean"


class Finding(NamedTuple):
    """A number per replicate about a whole run, (R,); NaN where there is none."""

    name: str
    unit: str
    values: Array


class Afterword(Protocol):
    """A run that is over, to draw conclusions from."""

    @property
    def params(self) -> Any:
        """The scenario's parameters."""
        ...

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """By relation, as they were at the start."""
        ...

    def pages(self) -> Iterator[Page]:
        """Its rounds, with their lines and public columns."""
        ...

    def holders(self, column: str) -> Array:
        """Whose public column this is, (N,) of bool; others have zeros, or nothing, there."""
        ...

    def embedded(self, embedder: Embedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d); they are kept with the run."""
        ...


Conclusion = Callable[[Afterword], Iterable[Finding]]
Seats = Callable[[int, Any], Array]  # (number of types, parameters) -> (R, N), who sits where


@dataclass(frozen=True)
class Meeting:
    """How pairs are shown of whom one did something to the other, by the names of own facts.

    peer: the seat of everybody's partner. deed: what one did, as an index into `clauses`; "" says
    that it did nothing. A clause may hold figures, {spent}, and shares in percent, {share:%}.
    share: in [0, 1], drawn as a bar. holds: what both have afterwards. apart: flags those who came
    to nothing together.
    """

    peer: str
    deed: str
    clauses: tuple[str, ...]
    share: str = ""
    holds: str = ""
    apart: str = ""


@dataclass(frozen=True)
class Stage:
    """How a scenario wants to be shown.

    gauge: a common fact, and the parameter that is full scale.
    columns: own facts or public columns worth a column each.
    limits: columns, and the common fact that they ought not to exceed: {"catch": "cap"}.
    links: peer answers worth a line, with the verb: {"punish": "fined"}.
    meeting: pairs worth a line each, which stand in place of the columns that they hold.
    notes: common facts worth a word each round, with the questions that choose them and how; the
    last of these asked in a round counts: {"cap": {"propose": "the median of {n} proposals"}}.
    quotes: own facts, columns or answers in text, to be quoted when they change, with the verb:
    {"norm": "now holds"}.
    endings: what happened when a tell of this kind ended a replicate, as a clause.
    presence: the word for those who still take part: "9 of 10 present".
    levels: what rounds within rounds are called, from the outermost: ("game", "round").
    """

    gauge: tuple[str, str] | None = None
    columns: tuple[str, ...] = ()
    limits: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    meeting: Meeting | None = None
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    quotes: Mapping[str, str] = field(default_factory=dict)
    endings: Mapping[str, str] = field(default_factory=dict)
    presence: str = "present"
    levels: tuple[str, ...] = ("round",)


class Drafts(NamedTuple):
    """How designs that many matches share are made in a run of their own, before those matches.

    parameter: of the mechanism, that takes the designs: {type: [of seat 1, of seat 2, ...]}, None
    for one that could not be read. stage: the parameter, and its value, under which designs are all
    that is asked for; in replicate r of n seats of seat r mod n alone. told: the own fact that then
    holds a design as JSON, "" where there is none.
    """

    parameter: str
    stage: tuple[str, str]
    told: str


@dataclass(frozen=True, eq=False)
class Scenario:
    """A script and all that it needs to be played.

    graph: the default for all relations, as in a scenario file: "ring", {"kind": "small_world",
    "rewiring": 0.2}, or a function (agents, numpy Generator) -> networkx graph. graphs: the same
    for single relations.
    afterword: what can be said when a run is over, and costs too much to be measured each round.
    in_words: the scenario that language minds play in its place, or the parameters that make it
    theirs. layers: the mechanisms that it is wrapped in, from the inside. seats: the type of
    agent, as the number of its cohort, that sits on each seat of each replicate; None where cohorts
    take seats in order, the same in all replicates. drafts: which designs are still to be made, by
    the place of the mechanism that takes them. mingling: whether partners change, so that a
    replicate is a population and no match.
    """

    name: str
    play: Callable[[Table], Script]
    params: type[Params]
    cast: Callable[[Any, int], Cast]
    measures: tuple[Measure, ...] = ()
    relations: tuple[str, ...] = ()
    agents: int = 10
    rounds: int = 100
    stage: Stage = Stage()
    graph: Drawing = "complete"
    graphs: Mapping[str, Drawing] = field(default_factory=dict)
    in_words: str | Mapping[str, JsonValue] = ""
    afterword: Conclusion | None = None
    layers: tuple[Layer, ...] = ()
    seats: Seats | None = None
    drafts: Mapping[int, Drafts] = field(default_factory=dict)
    mingling: bool = False

    @property
    def summary(self) -> str:
        """The first line of the script's docstring."""
        return (self.play.__doc__ or "").strip().partition("\n")[0]

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Names of those that it is wrapped in, from the inside."""
        return tuple(layer.name for layer in self.layers)


def scenario(
    *,
    cast: Callable[[Any, int], Cast],
    params: type[Params] = Params,
    measures: tuple[Measure, ...] = (),
    relations: tuple[str, ...] = (),
    agents: int = 10,
    rounds: int = 100,
    stage: Stage = Stage(),
    graph: Drawing = "complete",
    graphs: Mapping[str, Drawing] | None = None,
    in_words: str | Mapping[str, JsonValue] = "",
    afterword: Conclusion | None = None,
) -> Callable[[Callable[[Table], Script]], Scenario]:
    """Turn a script into a scenario of the same name."""

    def named(play: Callable[[Table], Script]) -> Scenario:
        name, own = play.__name__, dict(graphs or {})
        return Scenario(
            name,
            play,
            params,
            cast,
            measures,
            relations,
            agents,
            rounds,
            stage,
            graph,
            own,
            in_words,
            afterword,
        )

    return named


class Epilogue(Protocol):
    """What a mechanism concludes from a run that is over; own: its parameters, as given."""

    def __call__(self, after: Afterword, *, own: Mapping[str, Any]) -> Iterable[Finding]: ...


class Seating(Protocol):
    """Who sits where in a scenario, (R, N) of numbers of types; own: as in Epilogue."""

    def __call__(
        self, scenario: Scenario, types: int, params: Any, *, own: Mapping[str, Any]
    ) -> Array: ...


class Measuring(Protocol):
    """What a mechanism measures, if that depends on its parameters; own: as in Epilogue."""

    def __call__(self, *, own: Mapping[str, Any]) -> Iterable[Measure]: ...


class Composition(Protocol):
    """The mechanisms that a mechanism is made of; own: as in Epilogue."""

    def __call__(self, *, own: Mapping[str, Any]) -> Iterable[Part]: ...


@dataclass(frozen=True)
class Additions:
    """What a mechanism brings along, beside what it makes of the play.

    measuring: measures beside `measures`, by its parameters. levels: of rounds around those of the
    play. quotes, columns, endings: as in Stage.
    afterword: as in Scenario; it is given the parameters of the mechanism as well. seating: says
    who sits where, and so how many agents and replicates there are; stands outermost. drafts: says
    which designs a tournament makes beforehand. mingling: as in Scenario. parts: the mechanisms
    that it is made of.
    """

    measures: tuple[Measure, ...] = ()
    measuring: Measuring | None = None
    relations: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    quotes: Mapping[str, str] = field(default_factory=dict)
    endings: Mapping[str, str] = field(default_factory=dict)
    afterword: Epilogue | None = None
    seating: Seating | None = None
    drafts: Drafts | None = None
    mingling: bool = False
    parts: Composition | None = None


@dataclass(frozen=True)
class Layer:
    """A mechanism with its parameters, as it stands around a play."""

    wrap: Mechanism
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.wrap.__name__

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.wrap.__doc__ or "").strip().partition("\n")[0]

    @property
    def added(self) -> Additions:
        """What it brings along."""
        added: Additions = getattr(self.wrap, "brings", Additions())
        return added

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All of them, those that were not given as well."""
        own = signature(self.wrap).parameters.values()
        defaults = {one.name: one.default for one in own if one.kind is one.KEYWORD_ONLY}
        return {**defaults, **self.given}

    @property
    def parts(self) -> tuple[Part, ...]:
        """Those that it is made of."""
        return () if self.added.parts is None else tuple(self.added.parts(own=self.given))


class Part(NamedTuple):
    """A mechanism within another one; it is in force for who knows a fact with this value."""

    fact: str
    value: Any
    layer: Layer


def brings(additions: Additions) -> Callable[[M], M]:
    """Say what a mechanism brings along; stands above @mechanism."""

    def marked(wrap: M) -> M:
        wrap.brings = additions  # type: ignore[attr-defined]
        return wrap

    return marked


def wrapped(scenario: Scenario, wrap: Mechanism, **given: Any) -> Scenario:
    """A scenario in a mechanism, with what that brings along.

    Raises ScenarioError for a measure that both have, and where the scenario is seated already.

    >>> from society.scenarios.donor_game import donor_game
    >>> from society.scenarios.generations import generations
    >>> wrapped(donor_game, generations, count=3).stage.levels
    ('generation', 'game', 'round')
    """
    added: Additions = getattr(wrap, "brings", Additions())
    more = () if added.measuring is None else tuple(added.measuring(own=given))
    measures = (*added.measures, *more)
    _refuse_twice(scenario, wrap.__name__, measures)
    if scenario.seats is not None:
        raise ScenarioError(
            f"{wrap.__name__} stands around {scenario.mechanisms[-1]}, which says who sits where; "
            f"name {scenario.mechanisms[-1]} last"
        )
    stage, seating = scenario.stage, added.seating
    concluding = None if added.afterword is None else partial(added.afterword, own=given)
    return replace(
        scenario,
        play=wrap(scenario.play, **given),
        measures=(*scenario.measures, *measures),
        relations=tuple(dict.fromkeys((*scenario.relations, *added.relations))),
        stage=replace(
            stage,
            levels=(*added.levels, *stage.levels),
            columns=tuple(dict.fromkeys((*stage.columns, *added.columns))),
            quotes={**stage.quotes, **added.quotes},
            endings={**stage.endings, **added.endings},
        ),
        afterword=_both(scenario.afterword, concluding),
        layers=(*scenario.layers, Layer(wrap, given)),
        drafts=_to_be_made(scenario, added.drafts, given),
        seats=None if seating is None else partial(seating, scenario, own=given),
        mingling=scenario.mingling or added.mingling,
    )


def _to_be_made(
    scenario: Scenario, drafts: Drafts | None, given: Mapping[str, Any]
) -> Mapping[int, Drafts]:
    """Those of a scenario, and those of a mechanism around it to which no designs are given."""
    if drafts is None or given.get(drafts.parameter) is not None:
        return scenario.drafts
    key, value = drafts.stage
    if given.get(key) == value:
        return scenario.drafts
    return {**scenario.drafts, len(scenario.layers): drafts}


def _refuse_twice(scenario: Scenario, mechanism: str, added: Iterable[Measure]) -> None:
    """Raises ScenarioError for measures that would overwrite those of the scenario."""
    twice = {measure.name for measure in scenario.measures} & {measure.name for measure in added}
    if twice:
        inner = "".join(f" in {name}" for name in scenario.mechanisms)
        raise ScenarioError(
            f"{mechanism} measures {', '.join(sorted(twice))}, and so does {scenario.name}{inner}; "
            "give measures of your own other names, or leave one of the mechanisms out"
        )


def _both(one: Conclusion | None, other: Conclusion | None) -> Conclusion | None:
    """The findings of two afterwords, one after the other."""
    if one is None or other is None:
        return one or other
    return lambda after: chain(one(after), other(after))


@dataclass(frozen=True)
class Estimate:
    """A measure over replicates; se is None below two, mean is None where nothing was measured."""

    mean: float | None
    se: float | None
    n: int
    unit: str
    censored: int = 0


def estimated(values: Array, unit: str, censored: int = 0) -> Estimate:
    """Of one value per replicate, (R,), NaN where there is none; seeds are what is replicated."""
    known = values[~np.isnan(values)]
    n = len(known)
    mean = float(known.mean()) if n else None
    se = float(known.std(ddof=1) / np.sqrt(n)) if n > 1 else None
    return Estimate(mean, se, n, unit, censored)


class Folded:
    """One measure while a run goes on: (R,) per round in, (R,) at any time out."""

    def __init__(self, fold: Fold, unit: str, replicates: int) -> None:
        self.fold, self.unit = fold, unit
        self.total = np.zeros(replicates)
        self.count = np.zeros(replicates, np.int64)
        self.latest = np.full(replicates, np.nan)  # round of the last measurement, of a `first`

    def add(self, number: int, values: Array) -> None:
        """Take in round `number`; NaN where a replicate was not measured."""
        here = ~np.isnan(values)
        if self.fold == "first":
            np.copyto(self.latest, number, where=here)
            here &= (values != 0) & (self.count == 0)
            np.copyto(self.total, number, where=here)
        elif self.fold == "last":
            np.copyto(self.total, values, where=here)
        else:
            np.add(self.total, values, out=self.total, where=here)
        self.count += here

    def strike(self, where: Array) -> None:
        """Forget these replicates, (R,) of bool or their numbers: they count as not measured."""
        self.count[where], self.latest[where] = 0, np.nan

    def values(self) -> Array:
        """(R,), NaN where nothing was measured; a `first` that did not come is the last round."""
        if self.fold == "first":
            return np.where(self.count > 0, self.total, self.latest)
        share = self.total / np.maximum(self.count, 1) if self.fold == "mean" else self.total
        return np.where(self.count > 0, share, np.nan)

    def censored(self) -> Array:
        """(R,), where a `first` had not come by the last round that was measured."""
        open_ended: Array = (self.count == 0) & ~np.isnan(self.latest)
        return open_ended & (self.fold == "first")

    def estimate(self) -> Estimate:
        """Over replicates."""
        return estimated(self.values(), self.unit, int(self.censored().sum()))
