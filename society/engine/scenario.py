"""Scenarios: a script with its parameters, default cast, measures and display."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, is_dataclass, replace
from dataclasses import fields as dataclass_fields
from functools import partial
from inspect import isasyncgenfunction, iscoroutinefunction
from itertools import chain
from typing import (
    Annotated,
    Any,
    Concatenate,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    get_args,
    overload,
)

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from society.errors import ArgumentError, ScenarioError, suggest
from society.former_names import with_current_parameters
from society.notebook_pages import html_table

from .component import snake_case
from .environment import Environment
from .fact_specs import UNSPECIFIED, FactSpec
from .gateway import TextEmbedder
from .graph import Graph, count_true
from .history import Page
from .mechanism import Play, PlayFunction, as_play, hook_play
from .parameters import parameters_of
from .population import Cast
from .post_mortem import PostMortem
from .rng import Array
from .signatures import check_signature

P = ParamSpec("P")
T = TypeVar("T")
RoundFacts = Mapping[str, Array]
Drawing = str | Mapping[str, Any] | Callable[[int, np.random.Generator], Any]
Fold = Literal["mean", "sum", "total", "last", "first"]
Direction = Literal["more", "less"]
COURSELESS: Collection[Fold] = ("total", "first")  # of single rounds they say nothing


OF_DEFAULT_CAST: dict[str, JsonValue] = {"of_default_cast": True}
LIVE: dict[str, JsonValue] = {"live": True}
Live = Annotated[T, Field(json_schema_extra=LIVE)]  # of a parameter that a fork may change


class Params(BaseModel):
    """Base of a scenario's parameters: typed, with ranges, immutable; unknown names are refused.

    A parameter that says who is in the default cast means nothing beside a scenario file's own
    `cohorts`, and is refused there, if it is marked:
    share: float = Field(0.5, json_schema_extra=OF_DEFAULT_CAST). One that may change while a
    society lives is marked by its type, growth: Live[float]: the script reads it from env.params in
    every round, or it is handed to components, which are then made anew.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def of_default_cast(cls) -> set[str]:
        """Names of the parameters that shape the default cast only."""
        return cls._marked(OF_DEFAULT_CAST)

    @classmethod
    def live(cls) -> set[str]:
        """Names of the parameters that a fork may change."""
        return cls._marked(LIVE)

    @classmethod
    def _marked(cls, mark: Mapping[str, JsonValue]) -> set[str]:
        marks = {name: field.json_schema_extra for name, field in cls.model_fields.items()}
        return {
            name
            for name, given in marks.items()
            if isinstance(given, dict) and mark.items() <= given.items()
        }


def mean_over(some: Array, values: Array) -> Array:
    """The mean over those marked, (R, N) -> (R,); NaN if there are none."""
    count = count_true(some)
    flags = some.dtype == values.dtype == bool  # which are counted faster than added
    total: Array = count_true(some & values) if flags else np.where(some, values, 0).sum(1)
    return total / np.where(count, count, np.nan)


@dataclass(frozen=True)
class Measure:
    """A number per replicate, computed each round from what was told in it.

    of: (facts told this round by name, env) -> (R,) or (R, 1); a round in which a fact that it
    needs is not told is not measured.
    fold: how rounds become one value: mean, sum or last over the rounds that a replicate lived;
    `total`, a sum of parts of which each alone says nothing; or `first`, the number of the first
    round in which the value is true (censored at its last round). Where the last round gives NaN,
    as when nobody is there any more, `last` is the value of the last round that gives a number,
    and the estimate counts such replicates.
    label: a noun phrase for axes and sentences; "" if its name says it, without underscores.
    bounds: the least and the most that is possible, None where there is no such bound; a unit that
    begins with "share" has 0 and 1. ended: its value in rounds after a replicate has ended, such
    as 0 for a catch; None where it has none, as then means are those of the replicates that go on.
    Raises ArgumentError for a fold that is none, bounds the wrong way round, and a function of
    other arguments.
    """

    name: str
    unit: str
    of: Callable[[RoundFacts, Environment], Array]
    fold: Fold = "mean"
    label: str = ""
    bounds: tuple[float | None, float | None] = (None, None)
    ended: float | None = None

    def __post_init__(self) -> None:
        if self.fold not in get_args(Fold):
            hint = suggest(self.fold, get_args(Fold))
            raise ArgumentError(f"fold={self.fold!r} of the measure {self.name!r}; {hint}")
        least, most = self.bounds
        if least is not None and most is not None and not least < most:
            raise ArgumentError(
                f"bounds={self.bounds!r} of the measure {self.name!r}; the first one must be less"
            )
        check_signature(self.of, f"the function of measure {self.name!r}", "told", "env")


class Finding(NamedTuple):
    """A number per replicate about a whole run, (R,); NaN where there is none."""

    name: str
    unit: str
    values: Array


class PostAnalysis(Protocol):
    """A run that is over, to draw conclusions from."""

    @property
    def params(self) -> Any:
        """The scenario's parameters."""
        ...

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """The graphs by relation, as they were at the start."""
        ...

    @property
    def embedder(self) -> str:
        """The embedder of texts for measures that name none themselves; "" if there is none."""
        ...

    def pages(self) -> Iterator[Page]:
        """Yield the rounds, with their lines and public columns."""
        ...

    def holders(self, column: str) -> Array:
        """Return the seats that have this public column, (N,) of bool; others have zeros."""
        ...

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d); they are kept with the run."""
        ...


@dataclass(frozen=True)
class Interventions:
    """What a fork may do to a society beside setting live parameters and changing components.

    norm: makes a norm of what an experimenter has written, in the shape in which the script takes
    it by env.imposed("norm", present); raises ValueError for words that are none. longer: whether
    there may be more or fewer rounds, since nothing but env.rounds() depends on the horizon.
    removal: whether agents may be taken out, since the script takes whoever is there, env.present.
    contradiction: why live parameters cannot become others, in words, such as a table of payoffs
    for other actions; "" where they can.
    """

    norm: Callable[[str, Environment], Any] | None = None
    longer: bool = False
    removal: bool = False
    contradiction: Callable[[Any, Any], str] | None = None


Conclusion = Callable[[PostAnalysis], Iterable[Finding]]
Seats = Callable[[int, Any], Array]  # (number of types, parameters) -> (R, N), who sits where


@dataclass(frozen=True)
class Meeting:
    """The display of pairs in which one did something to the other, by names of own facts.

    peer: the seat of everybody's partner. deed: what one did, as an index into `clauses`; "" says
    that it did nothing. A clause may hold figures, {spent}, and shares in percent, {share:%}.
    share: in [0, 1], drawn as a bar. holds: what both have afterwards. apart: flags those who came
    to nothing together. heard: an own fact of the question, (N, K), with the rounds in which the
    partner did what one was told of it, the latest first; 0 for none.
    """

    peer: str
    deed: str
    clauses: tuple[str, ...]
    share: str = ""
    holds: str = ""
    apart: str = ""
    heard: str = ""


def _refuse_single(scenario: str, name: str, given: object) -> None:
    """Raise ScenarioError for one thing where several are expected, such as "see" for ("see",)."""
    if not isinstance(given, tuple | list):
        shown = repr(given) if isinstance(given, str) else "..."
        raise ScenarioError(
            f"{name} of {scenario} is a {type(given).__name__}; write {name}=({shown},), with the "
            "comma, also for a single one"
        )


def _refuse_async(scenario: str, script: PlayFunction) -> None:
    """Raise ScenarioError for a script that is a coroutine."""
    if iscoroutinefunction(script) or isasyncgenfunction(script):
        raise ScenarioError(
            f"the script of {scenario} is `async`, and scripts await "
            f"nothing; write `def {script.__name__}(env):`, and let a component consult"
        )


def _refuse_gauge(gauge: object) -> None:
    """Raise ScenarioError unless a gauge is None, or a name with a name or a positive number."""
    if gauge is None:
        return
    name, full = gauge if isinstance(gauge, tuple | list) and len(gauge) == 2 else ("", "")
    legal = full > 0 if isinstance(full, int | float) else isinstance(full, str)
    if not (name and isinstance(name, str) and legal):
        fact = name or (gauge if isinstance(gauge, str) else "stock")
        raise ScenarioError(
            f"gauge={gauge!r:.60} of a display; write a common fact and full scale, which is a "
            f"parameter or a number above 0: gauge=({fact!r:.40}, 100)"
        )


@dataclass(frozen=True)
class DisplaySpec:
    """The display of a scenario.

    gauge: a common fact, and full scale: a parameter, or a number, such as 1 for a share.
    reference: levels worth a line in the gauge, by their words: a parameter, a common fact, or a
    function of the parameters: {"half full": lambda p: p.capacity / 2}.
    columns: own facts or public columns worth a column each.
    better: columns, gauge and measures of which more, or less, is good: {"wealth": "more"}.
    limits: columns, and the common fact that they ought not to exceed: {"catch": "cap"}.
    links: peer answers worth a line, with the verb: {"punish": "fined"}.
    amounts: what such a deed moves or takes: a parameter, or an own fact of the one who does it:
    {"punish": "fine"}. A deed of amount 0 is none, and is not shown.
    meeting: pairs worth a line each, which stand in place of the columns that they hold.
    notes: common facts worth a word each round, with the questions that choose them and how; the
    last of these asked in a round counts: {"cap": {"propose": "the median of {n} proposals"}};
    where n is 1, the noun after it loses its s.
    quotes: own facts, columns or answers in text, to be quoted when they change, with the verb:
    {"norm": "now holds"}.
    endings: what happened when a tell of this kind ended a replicate, as a clause.
    presence: the word for those who still take part: "9 of 10 present".
    levels: what rounds within rounds are called, from the outermost: ("game", "round").
    noun: what one of those who take part is called before its name: "villager". nouns: of single
    cohorts, by cohort: {"referee": "referee"} is "the referee" if it is the only one. player: the
    noun in a game of matches that stay as they are, where players are numbered by seat, from 1.
    Raises ArgumentError for a direction that is neither more nor less, and for amounts of no
    link; ScenarioError for one name in place of several.
    """

    gauge: tuple[str, str | float] | None = None
    reference: Mapping[str, str | float | Callable[[Any], float]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    better: Mapping[str, Direction] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    amounts: Mapping[str, str | float] = field(default_factory=dict)
    meeting: Meeting | None = None
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    quotes: Mapping[str, str] = field(default_factory=dict)
    endings: Mapping[str, str] = field(default_factory=dict)
    presence: str = "present"
    levels: tuple[str, ...] = ("round",)
    noun: str = "agent"
    nouns: Mapping[str, str] = field(default_factory=dict)
    player: str = ""

    def __post_init__(self) -> None:
        for name in ("columns", "levels"):
            _refuse_single("a display", name, getattr(self, name))
        _refuse_gauge(self.gauge)
        for name, direction in self.better.items():
            if direction not in get_args(Direction):
                raise ArgumentError(
                    f"better={{{name!r}: {direction!r}}} of a display; write 'more' or 'less'"
                )
        for question in self.amounts:
            if question not in self.links:
                raise ArgumentError(
                    f"amounts={{{question!r}: ...}} of a display with no such link; "
                    f"{suggest(question, self.links)}"
                )
        for words, level in self.reference.items():
            if callable(level):
                check_signature(level, f"the reference {words!r} of a display", "params")

    def resolved(self, params: Params) -> DisplaySpec:
        """Put numbers in place of parameters and functions of them, as a run file keeps them.

        Raises ScenarioError for what is no number.
        """
        levels = {
            words: _level(f"the reference {words!r}", level, params)
            for words, level in self.reference.items()
        }
        amounts = {
            question: _level(f"the amount of {question!r}", amount, params)
            for question, amount in self.amounts.items()
        }
        gauge = self.gauge
        if gauge is not None and not isinstance(gauge[1], str):
            gauge = gauge[0], float(gauge[1])
        return replace(self, gauge=gauge, reference=levels, amounts=amounts)


def _level(what: str, given: str | float | Callable[[Any], float], params: Params) -> str | float:
    """Return the number that a function or the name of a parameter stands for; a fact's name."""
    if isinstance(given, str) and given not in type(params).model_fields:
        return given
    value = getattr(params, given) if isinstance(given, str) else given
    value = value(params) if callable(value) else value
    if not isinstance(value, int | float | np.number) or not np.isfinite(value):
        named = f" {given!r}" if isinstance(given, str) else ""
        raise ScenarioError(
            f"{what} of the display{named} is {value!r:.40}; it must be a finite number"
        )
    return float(value)


class Drafts(NamedTuple):
    """The stage in which designs that many matches share are made, in a run before those matches.

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

    facts: words, units and labels of facts, public columns and answers, by name.
    graph: the default for all relations, as in a scenario file: "ring", {"kind": "small_world",
    "rewiring": 0.2}, or a function (agents, numpy Generator) -> networkx graph. graphs: the same
    for single relations.
    post_analysis: findings about a run that is over, if they cost too much to be measured each
    round. post_mortem: what can be told of the end of a replicate from its record.
    language_variant: the scenario that language models play in its place, or the parameters that
    make it theirs. layers: the mechanisms that it is wrapped in, from the inside. seats: the
    type of agent, as the number of its cohort, that sits on each seat of each replicate; None where
    cohorts take seats in order, the same in all replicates. separable: the author's word that
    nothing in script and measures looks at another replicate or at shared data, so that replicates
    may be played apart while models answer slowly. interventions: what a fork may do to it.
    agents: how many by default, N; rounds: how many at most. Raises ScenarioError for what is
    not of its type.
    """

    name: str
    play: PlayFunction
    _: KW_ONLY
    cast: Callable[[Any, int], Cast]
    params: type[Params] = Params
    measures: tuple[Measure, ...] = ()
    relations: tuple[str, ...] = ()
    agents: int = 10
    rounds: int = 100
    display: DisplaySpec = DisplaySpec()
    facts: Mapping[str, FactSpec] = field(default_factory=dict)
    graph: Drawing = "complete"
    graphs: Mapping[str, Drawing] = field(default_factory=dict)
    language_variant: str | Mapping[str, JsonValue] = ""
    post_analysis: Conclusion | None = None
    post_mortem: PostMortem | None = None
    layers: tuple[Layer, ...] = ()
    seats: Seats | None = None
    separable: bool = False
    interventions: Interventions = Interventions()

    def __post_init__(self) -> None:
        given: Any = self.params
        if not (isinstance(given, type) and issubclass(given, Params)):
            name = getattr(given, "__name__", repr(given))
            raise ScenarioError(
                f"params={name} of {self.name} is no class of parameters; write "
                f"`class {name}(Params):`, and give the class itself"
            )
        for name in ("measures", "relations"):
            _refuse_single(self.name, name, getattr(self, name))
        for name in ("agents", "rounds"):
            if not isinstance(number := getattr(self, name), int | np.integer) or number < 1:
                raise ScenarioError(
                    f"{name} of {self.name}: got {number!r:.40}; expected a whole number of at "
                    "least 1"
                )
        name = getattr(self.cast, "__name__", "function")
        check_signature(self.cast, f"cast={name} of {self.name}", "params", "count")
        check_signature(as_play(self.play).origin, f"the script of {self.name}", "env")
        _refuse_async(self.name, as_play(self.play).origin)
        for name, spec in self.facts.items():
            if not isinstance(spec, FactSpec):
                raise ScenarioError(
                    f"facts of {self.name}: {name!r} is {spec!r:.40}; write "
                    f"{name!r}: FactSpec({spec!r:.40}, unit=...)"
                )
        if isinstance(self.language_variant, Scenario):
            raise ScenarioError(
                f"language_variant of {self.name} is a scenario; give its name, "
                f"{self.language_variant.name!r}"
            )

    def _repr_html_(self) -> str:
        """Its parameters and measures, for a notebook."""
        rows = [
            *(
                ("parameter", name, "" if one.is_required() else str(one.get_default()), "")
                for name, one in self.params.model_fields.items()
            ),
            *(("measure", one.name, "", one.unit) for one in self.measures),
        ]
        return html_table(f"{self.name}: {self.summary}", ("", "name", "default", "unit"), rows)

    @property
    def summary(self) -> str:
        """The first line of the script's docstring."""
        return first_line(as_play(self.play).origin)

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Names of those that it is wrapped in, from the inside."""
        return tuple(layer.name for layer in self.layers)


def fact_specs(scenario: Scenario, cast: Cast) -> dict[str, FactSpec]:
    """Return all words, units and labels: the scenario's, completed by those of public columns."""
    columns = (one for cohort in cast for part in cohort.components for one in part.columns)
    specs = {one.name: one.spec for one in columns if one.public and one.spec != UNSPECIFIED}
    for name, own in scenario.facts.items():
        specs[name] = own.completed(specs.get(name, UNSPECIFIED))
    return specs


def _scenario_decorator(
    make: Callable[Concatenate[str, PlayFunction, P], Scenario],
) -> Callable[P, Callable[[PlayFunction], Scenario]]:
    """Make the decorator @scenario, which takes the fields of Scenario by name."""

    def scenario(*args: P.args, **given: P.kwargs) -> Callable[[PlayFunction], Scenario]:
        """Turn a script into a scenario of the same name; takes the fields of Scenario by name.

        Raises ScenarioError for a field that it does not have, and without a cast.
        """
        if args:
            raise ScenarioError(
                "@scenario takes values by name: write @scenario(cast=FUNCTION, ...)"
            )
        fields: Any = with_current_parameters("@scenario", given)
        legal = [one.name for one in dataclass_fields(Scenario) if one.name not in ("name", "play")]
        for name in fields:
            if name not in legal:
                raise ScenarioError(f"@scenario takes no {name!r}; {suggest(name, legal)}")
        if "cast" not in fields:
            raise ScenarioError("@scenario needs cast=FUNCTION, which gives a list of Cohort")

        def named(play: PlayFunction) -> Scenario:
            whole = as_play(play)
            return make(whole.origin.__name__, whole, *args, **fields)

        return named

    return scenario


scenario = _scenario_decorator(Scenario)


def first_line(documented: object) -> str:
    """The first line of a docstring."""
    return (documented.__doc__ or "").strip().partition("\n")[0]


class MechanismPostAnalysis(Protocol):
    """The findings of a mechanism about a run that is over; own: its parameters, as given."""

    def __call__(self, after: PostAnalysis, *, own: Mapping[str, Any]) -> Iterable[Finding]: ...


class Seating(Protocol):
    """The seating of types in a play, (R, N); own: the mechanism's parameters, as given."""

    def __call__(self, play: Play, types: int, params: Any, *, own: Mapping[str, Any]) -> Array: ...


class Measuring(Protocol):
    """Measures that depend on a mechanism's parameters; own: these, as given."""

    def __call__(self, *, own: Mapping[str, Any]) -> Iterable[Measure]: ...


class Composition(Protocol):
    """The mechanisms that a mechanism is made of; own: its parameters, as given."""

    def __call__(self, *, own: Mapping[str, Any]) -> Iterable[InnerMechanism]: ...


@dataclass(frozen=True, eq=False)
class MechanismSpec:
    """A mechanism: it is called with a play, and its parameters, and gives a play.

    source: the function or class that was written. chance_id: the name under which it draws, which
    stays when it is renamed. measuring: measures beside `measures`, by its parameters. levels: of
    rounds around those of the play. quotes, columns, endings: as in DisplaySpec. facts: as in
    Scenario, whose own ones outweigh them.
    post_analysis: as in Scenario; it is given the parameters of the mechanism as well. seating:
    says who sits where, and so how many agents and replicates there are; stands outermost. drafts:
    says which designs a tournament makes beforehand. rematching: as in Play. parts: the mechanisms
    that it is made of. separable: as in Scenario.
    """

    name: str
    source: Callable[..., Any]
    _: KW_ONLY
    chance_id: str = ""
    measures: tuple[Measure, ...] = ()
    measuring: Measuring | None = None
    relations: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    quotes: Mapping[str, str] = field(default_factory=dict)
    endings: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, FactSpec] = field(default_factory=dict)
    post_analysis: MechanismPostAnalysis | None = None
    seating: Seating | None = None
    drafts: Drafts | None = None
    rematching: bool = False
    parts: Composition | None = None
    separable: bool = False

    def __call__(self, play: PlayFunction, **given: Any) -> Play:
        """The play within this mechanism; what it declares stays unless the mechanism changes it.

        Raises TypeError for parameters that it does not take.
        """
        inner = as_play(play)
        if isinstance(self.source, type):
            made = hook_play(self.source(**given), inner, self.name)
        else:
            made = self.source(inner, **given)
        outer = made if isinstance(made, Play) else replace(inner, script=made)
        return replace(outer, rematching=True) if self.rematching else outer

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return first_line(self.source)

    @property
    def parameters(self) -> type[BaseModel]:
        """The parameters, with their types and defaults; raises ValidationIssues."""
        return parameters_of(self.source)


Brought = dict[str, Any]  # fields of MechanismSpec, as arguments of @mechanism


class MechanismDecorator(Protocol[P]):
    """The type of @mechanism, with the fields of MechanismSpec by name or with none of them."""

    @overload
    def __call__(
        self, source: Callable[..., Any], /, *args: P.args, **given: P.kwargs
    ) -> MechanismSpec: ...

    @overload
    def __call__(
        self, *args: P.args, **given: P.kwargs
    ) -> Callable[[Callable[..., Any]], MechanismSpec]: ...


def _mechanism_decorator(
    make: Callable[Concatenate[str, Callable[..., Any], P], MechanismSpec],
) -> MechanismDecorator[P]:
    """Make the decorator @mechanism."""
    spec: Callable[..., MechanismSpec] = make

    def mechanism(source: Callable[..., Any] | None = None, /, **given: Any) -> Any:
        """Turn a function (play, *, parameters) -> script, or a class with hooks, into a mechanism.

        It takes the fields of MechanismSpec by name. A class takes its parameters as fields, and is
        made a frozen dataclass if it is none. It has on_move(ask), which gives the question for a
        move in place of this one; or on_payoff(tell, payoff), which gives what is added to
        everybody's payoff, (R, N) both; or begin(env, play), which gives an object with these hooks
        for a single run, and can refuse the play.
        """
        brought = with_current_parameters("@mechanism", given)
        if source is None:
            return lambda written: mechanism(written, **brought)
        name = source.__name__
        if isinstance(source, type):
            name = snake_case(name)
            source = source if is_dataclass(source) else dataclass(frozen=True)(source)
        return spec(name, source, **{"chance_id": name, **brought})

    return cast(MechanismDecorator[P], mechanism)


mechanism = _mechanism_decorator(MechanismSpec)


def brings(brought: Brought) -> Callable[[MechanismSpec], MechanismSpec]:
    """Add to what a mechanism brings along; the former way, above a bare @mechanism."""
    return lambda spec: replace(spec, **with_current_parameters("@mechanism", brought))


@dataclass(frozen=True)
class Layer:
    """A mechanism with its parameters, as it stands around a play."""

    spec: MechanismSpec
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All parameters, defaults included."""
        fields = self.spec.parameters.model_fields.items()
        defaults = {name: one.get_default(call_default_factory=True) for name, one in fields}
        return {**defaults, **self.given}

    @property
    def parts(self) -> tuple[InnerMechanism, ...]:
        """The mechanisms that it is made of."""
        return () if self.spec.parts is None else tuple(self.spec.parts(own=self.given))


class InnerMechanism(NamedTuple):
    """A mechanism within another one; it is in force for who knows a fact with this value."""

    fact: str
    value: Any
    layer: Layer


def wrap_scenario(scenario: Scenario, spec: MechanismSpec | type, **given: Any) -> Scenario:
    """Lay a mechanism around a scenario, with all that it brings along.

    spec: a class with hooks may stand here bare, for which mypy takes a decorated one.
    Raises ScenarioError for a measure that both have, and where the scenario is seated already.

    >>> from society.scenarios.donor.donor_game import donor_game
    >>> from society.scenarios.mechanisms.generations.generations import generations
    >>> wrap_scenario(donor_game, generations, count=3).display.levels
    ('generation', 'game', 'round')
    """
    spec = mechanism(spec) if isinstance(spec, type) else spec
    more = () if spec.measuring is None else tuple(spec.measuring(own=given))
    measures = (*spec.measures, *more)
    _refuse_twice(scenario, spec.name, measures)
    if scenario.seats is not None:
        raise ScenarioError(
            f"{spec.name} stands around {scenario.mechanisms[-1]}, which says who sits where; "
            f"name {scenario.mechanisms[-1]} last"
        )
    display, play = scenario.display, spec(scenario.play, **given)
    concluding = None if spec.post_analysis is None else partial(spec.post_analysis, own=given)
    return replace(
        scenario,
        play=play,
        measures=(*scenario.measures, *measures),
        relations=tuple(dict.fromkeys((*scenario.relations, *spec.relations))),
        display=replace(
            display,
            levels=(*spec.levels, *display.levels),
            columns=tuple(dict.fromkeys((*display.columns, *spec.columns))),
            quotes={**display.quotes, **spec.quotes},
            endings={**display.endings, **spec.endings},
        ),
        facts={**spec.facts, **scenario.facts},
        post_analysis=_both(scenario.post_analysis, concluding),
        layers=(*scenario.layers, Layer(spec, given)),
        seats=None if spec.seating is None else partial(spec.seating, play, own=given),
    )


def _refuse_twice(scenario: Scenario, mechanism: str, added: Iterable[Measure]) -> None:
    """Raise ScenarioError for measures that would overwrite those of the scenario."""
    twice = {measure.name for measure in scenario.measures} & {measure.name for measure in added}
    if twice:
        inner = "".join(f" in {name}" for name in scenario.mechanisms)
        raise ScenarioError(
            f"{mechanism} measures {', '.join(sorted(twice))}, and so does {scenario.name}{inner}; "
            "give measures of your own other names, or leave one of the mechanisms out"
        )


def _both(one: Conclusion | None, other: Conclusion | None) -> Conclusion | None:
    """Join the findings of two post-analyses, one after the other."""
    if one is None or other is None:
        return one or other
    return lambda after: chain(one(after), other(after))


@dataclass(frozen=True)
class Estimate:
    """A measure over replicates; se is None below two, mean is None where nothing was measured.

    censored: replicates in which what a `first` waits for had not come. earlier: those in which the
    value of a `last` is from before their last round, in which there was none.
    """

    mean: float | None
    se: float | None
    n: int
    unit: str
    censored: int = 0
    earlier: int = 0


def estimate_measure(values: Array, unit: str, censored: int = 0, earlier: int = 0) -> Estimate:
    """Estimate a mean over replicates from one value each, (R,), NaN where there is none."""
    known = values[~np.isnan(values)]
    n = len(known)
    mean = float(known.mean()) if n else None
    se = float(known.std(ddof=1) / np.sqrt(n)) if n > 1 else None
    return Estimate(mean, se, n, unit, censored, earlier)


class Folded:
    """One measure while a run goes on: (R,) per round in, (R,) at any time out."""

    def __init__(self, fold: Fold, unit: str, replicates: int) -> None:
        self.fold, self.unit = fold, unit
        self.total = np.zeros(replicates)
        self.count = np.zeros(replicates, np.int64)
        # Of a `first` or `last`: the round last measured, and the last one that could have been.
        self.latest = np.full(replicates, np.nan)
        self.due = np.full(replicates, np.nan)

    def add(self, number: int, values: Array, lived: Array | None = None) -> None:
        """Take in round `number`; NaN where a replicate was not measured.

        lived: (R,) of bool, replicates that lived in this round; None: those that were measured.
        """
        here = ~np.isnan(values)
        if self.fold not in ("first", "last") and here.all():
            self.total += values
            self.count += 1
            return
        if self.fold == "first":
            np.copyto(self.latest, number, where=here)
            here &= (values != 0) & (self.count == 0)
            np.copyto(self.total, number, where=here)
        elif self.fold == "last":
            np.copyto(self.total, values, where=here)
            np.copyto(self.latest, number, where=here)
            np.copyto(self.due, number, where=here if lived is None else lived)
        else:
            np.add(self.total, values, out=self.total, where=here)
        self.count += here

    def strike(self, where: Array) -> None:
        """Forget these replicates, (R,) of bool or their numbers: they count as not measured."""
        self.count[where], self.latest[where] = 0, np.nan

    def values(self) -> Array:
        """Return values, (R,), NaN for none; the last round for a `first` that did not come."""
        if self.fold == "first":
            return np.where(self.count > 0, self.total, self.latest)
        share = self.total / np.maximum(self.count, 1) if self.fold == "mean" else self.total
        return np.where(self.count > 0, share, np.nan)

    def censored(self) -> Array:
        """Mark replicates where a `first` had not come by the last measured round, (R,)."""
        open_ended: Array = (self.count == 0) & ~np.isnan(self.latest)
        return open_ended & (self.fold == "first")

    def earlier(self) -> Array:
        """Mark replicates whose `last` value is from before their last round, (R,)."""
        before: Array = (self.count > 0) & (self.latest < self.due)
        return before & (self.fold == "last")

    def estimate(self) -> Estimate:
        """Estimate the mean over replicates."""
        counts = int(self.censored().sum()), int(self.earlier().sum())
        return estimate_measure(self.values(), self.unit, *counts)
