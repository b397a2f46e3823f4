"""Claims of a paper as they are written down in its `claims.yaml`.

A paper has a design with rules and, mostly, one with language models: trials to be played, and
claims about them. A claim names a judge; a judge names samples of what was played. Words in braces
stand for variables: `each` gives the values of a variable, and whatever stands below is repeated
for every combination of them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from society.errors import suggest

from .comparisons import MATTERS, Metric

MindKind = Literal["models", "strategies"]
YamlPath = tuple[str | int, ...]
PageSection = Literal[
    "outcome",
    "survival",
    "tests",
    "maps",
    "evolution",
    "lives",
    "strategies",
    "reactions",
    "norms",
    "texts",
    "prompts",
    "standings",
    "conduct",
    "agreements",
    "program_play",
    "ledger",
]

_LONGEST = 60  # characters of a wrong value that are shown


class Data(BaseModel):
    """A part of `claims.yaml`: unknown keys are refused."""

    # Built when a claim is first read: every command imports this, and few read claims.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class LevelsOf(Data):
    """The levels of a factor, as far as an experiment has them.

    between: numbers in this range alone. asked: models as the paper calls them, which must have
    been asked; or_all: as far as they were, and all levels if none was. without: a model left out.
    if_none: why nothing can be said if no level is left.
    """

    trial: str
    factor: str = "model"
    at: Literal["all", "first", "middle", "last", "after first"] = "all"
    between: tuple[float, float] | None = None
    asked: tuple[str, ...] = ()
    or_all: bool = False
    without: str = ""
    if_none: str = ""


Each = dict[str, tuple[Any, ...] | LevelsOf]


class SampleSpec(Data):
    """One number for each run, or for each of several conditions.

    like: the name of a sample of the design, of which this one is a variant. trial, levels: where
    it is played; a trial that is not named is looked up in `where`. model: the level of the factor
    `model` that the paper calls so. A sample is one of
        measure              of each run; of rounds (the mean from one to another), at some places
                             in a run (their mean; 0 is the first round, 1 the last), of the last
                             round, or of a generation (the first, the last, their mean)
        scores               of all types that met in a game, or of one type, in each repetition
        constant             as often as the sample that it is compared with
        minus, ratio         of two samples
        middle               the mean of several samples, run by run
        together             several samples, one after another
        spread               distance of logarithms from their median
    and may be repeated over levels of factors: `pool` puts the samples one after another, `average`
    takes their mean run by run, and `means` the mean of each. needs: models that must be there.
    if_none: why nothing can be said if one of `means` has no number.
    """

    like: str = ""
    trial: str = ""
    levels: dict[str, Any] = Field(default_factory=dict)
    model: str = ""
    measure: str = ""
    rounds: tuple[int | str, int | str | None] | None = None
    at: tuple[float, ...] = ()
    round: Literal["last"] | None = None
    generation: Literal["first", "last", "mean"] | None = None
    scores: Metric | None = None
    type: str = ""
    constant: float | None = None
    minus: tuple[SampleSpec, SampleSpec] | None = None
    ratio: tuple[SampleSpec, SampleSpec] | None = None
    middle: tuple[SampleSpec, ...] = ()
    together: tuple[SampleSpec, ...] = ()
    spread: SampleSpec | None = None
    pool: Each = Field(default_factory=dict)
    average: Each = Field(default_factory=dict)
    means: Each = Field(default_factory=dict)
    needs: tuple[str, ...] = ()
    if_none: str = ""


class CodeSpec(Data):
    """A function MODULE.NAME of the paper's package; its arguments after the evidence."""

    code: str
    arguments: dict[str, Any] = Field(default_factory=dict, alias="with")


Notes = tuple[str | CodeSpec, ...]


class PairSpec(Data):
    """Two samples to compare. expect: what the claim says of the first.

    logs: compare logarithms, as of what multiplies. both_alive: only rounds in which both runs of a
    pair live. part: of a statement that holds only if all pairs with this part do.
    """

    name: str
    first: SampleSpec
    second: SampleSpec
    expect: Literal["greater", "not greater", "different", "alike"] = "greater"
    test: Literal["paired", "independent"] | None = None
    logs: bool = False
    both_alive: bool = False
    part: str = ""
    each: Each = Field(default_factory=dict)


class PaperNumber(Data):
    """What the paper has for a pair: a number for the first, one for the second, and where."""

    first: float
    second: float = Field(gt=0)
    where: str


class Comparisons(Data):
    """Do pairs of samples differ as the paper says?

    All pairs are corrected together, whatever their tests. holds: whether each pair is a part of
    the claim, or any of them is enough. each: repeats all pairs; by: says how the verdict depends
    on it. paper: the paper's own numbers for pairs, by their names, where it has some.
    """

    kind: Literal["comparisons"]
    pairs: tuple[PairSpec, ...]
    paper: dict[str, PaperNumber] = Field(default_factory=dict)
    test: Literal["paired", "independent"] = "paired"
    logs: bool = False
    holds: Literal["each", "any"] = "each"
    each: Each = Field(default_factory=dict)
    by: str = ""
    notes: Notes = ()


class CountSpec(Data):
    """Runs of which something is true: of their sample, as `is` says.

    alike: the share is within this margin of the chance; 0.1 is a tenth of it. decided: only runs
    that are 0 or 1 count; the others are noted as undecided.
    """

    name: str
    sample: SampleSpec
    true: str = Field(alias="is", pattern=r"^(<|>|==) -?[\d.]+$")
    expect: Literal["below", "above", "not below", "not above", "alike"]
    margin: float = Field(MATTERS, gt=0, lt=1)
    decided: bool = False
    each: Each = Field(default_factory=dict)


class Shares(Data):
    """Is something true of more or of fewer runs than by chance (exact binomial test)?

    All counts are corrected together, whatever their blocks.
    """

    kind: Literal["shares"]
    chance: float = Field(gt=0, lt=1)
    counts: tuple[tuple[CountSpec, ...], ...]


class Bound(Data):
    """The mean of a sample, and the range in which the paper has it; words are for the page."""

    sample: SampleSpec
    low: float = -math.inf
    high: float = math.inf
    words: str
    group: str = ""
    each: Each = Field(default_factory=dict)


class Within(Data):
    """Are means within a range? Their intervals decide."""

    kind: Literal["within"]
    means: tuple[Bound, ...]


class RuleSpec(Data):
    """A bound that all runs of a sample keep; near: to a billionth. each: several samples.

    either: false only if no run keeps it, and not shown if some do. over: samples of which one text
    speaks. beside: named samples of which the text gives means.
    """

    sample: SampleSpec
    at_least: float | None = None
    at_most: float | None = None
    exactly: float | None = None
    near: float | None = None
    either: bool = False
    words: str
    each: Each = Field(default_factory=dict)
    over: Each = Field(default_factory=dict)
    beside: dict[str, SampleSpec] = Field(default_factory=dict)


class Always(Data):
    """Does something hold in every run?

    Five runs at least, since four do alike by chance where half of all runs would. exact: why one
    run is enough: chance has no part in it.
    """

    kind: Literal["always"]
    rules: tuple[RuleSpec, ...]
    begin: str = ""
    exact: str = ""
    notes: Notes = ()


class Published(Data):
    """A row of an analysis of variance in a paper."""

    p: float
    eta_squared: float


class Direction(Data):
    """The direction of an effect: one mean above another, or the best level of `model`."""

    greater: SampleSpec | None = None
    than: SampleSpec | None = None
    highest: str = ""


class Variance(Data):
    """Is an effect of an analysis of variance as the paper has it?"""

    kind: Literal["effect"]
    factors: tuple[str, ...]
    effect: str
    published: Published
    sample: SampleSpec = SampleSpec()
    direction: Direction | None = None


class Groups(Data):
    """Do levels of the factor `model` differ as claimed (Tukey's test after an effect)?

    highest_alone: its mean is above each other. only_pair: these two differ, and all others are
    alike: none of their intervals goes beyond what matters.
    """

    kind: Literal["groups"]
    factors: tuple[str, ...]
    sample: SampleSpec = SampleSpec()
    highest_alone: str = ""
    only_pair: tuple[str, str] | None = None


class Together(Data):
    """Do other claims hold at once in one society? claims: by their ids."""

    kind: Literal["together"]
    claims: tuple[str, ...]
    name: str
    each: dict[str, tuple[Any, ...]]


class Untestable(Data):
    """A claim that cannot be tested, and the reason."""

    kind: Literal["untestable"]
    why: str


class Coded(CodeSpec):
    """A judge in the paper's package, where no general one fits; computed: it needs no samples."""

    kind: Literal["code", "computed"]


Judge = Annotated[
    Comparisons | Shares | Within | Always | Variance | Groups | Together | Untestable | Coded,
    Field(discriminator="kind"),
]


class RuleChange(Data):
    """A change of claims or of their judges after results were known.

    date: as 2026-11-23. what: was changed, and why. counts: verdicts before and after.
    """

    date: datetime.date
    what: str
    counts: str


class ClaimData(Data):
    """A claim as in society.claims.types.Claim; sample: how all samples of its judge begin."""

    claim: str
    source: str
    said: str
    judge: Judge
    id: str = ""
    under: str = ""
    ours: bool = False
    departures: tuple[str, ...] = ()
    sample: SampleSpec = SampleSpec()
    each: dict[str, tuple[Any, ...]] = Field(default_factory=dict)


class ClaimGroup(Data):
    """Claims that are repeated together, whose samples begin alike, or that share departures."""

    claims: tuple[ClaimData, ...]
    departures: tuple[str, ...] = ()
    sample: SampleSpec = SampleSpec()
    each: dict[str, tuple[Any, ...]] = Field(default_factory=dict)


class Trial(Data):
    """An experiment to be played.

    file: the name of one in the folder `experiments` beside the scenarios. title: on the page of
    the reproduction, which shows these chapters of its report, and measures over_time. instead:
    what stands in place of what the file says under some keys; `factors`: of the levels of some.
    quick: more of that, for a quick look; {here}: the paper's own folder. keep: of some factors the
    levels that are played, of all that minds stand for; a trial that keeps none is left out.
    beside: other trials whose conditions are shown together with these, by name, and the levels
    that they have of factors which they lack.
    """

    name: str
    file: str
    title: str
    chapters: tuple[PageSection, ...] = ("outcome",)
    over_time: tuple[str, ...] = ()
    instead: dict[str, Any] = Field(default_factory=dict)
    quick: dict[str, Any] = Field(default_factory=dict)
    keep: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    beside: dict[str, dict[str, str]] = Field(default_factory=dict)


class Where(Data):
    """The trial in which conditions with these levels are played."""

    levels: dict[str, tuple[Any, ...]]
    trial: str


class Reading(Data):
    """A reading of a paper that says two things: all is played and judged by each of them.

    name: goes behind the names of trials; "" for that of the trials as they stand. under: in words,
    at claims and titles. parameters: what differs.
    """

    name: str = ""
    under: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)

    def trial(self, name: str) -> str:
        """Return the name of a trial that is played by this reading."""
        return f"{name}-{self.name}" if self.name else name


class DesignData(Data):
    """The trials to play with one sort of minds, and the claims about them.

    judging: how, a paragraph each. changes: after results were known. readings: all trials are
    played, and all claims judged, once for each. repeat_trials: as `each`, of all trials together.
    aliases: other names of a model. samples: named ones. where: the first row that fits says where
    a sample without a trial is played. sections: functions of the package that make further
    sections of the page from the evidence, or raise InsufficientEvidence. minds: a function of the
    package that turns models into settings. main_claims: those whose effects are shown by reading,
    by their words. asks: whether these minds are models to be asked, or folders of strategies that
    models wrote.
    """

    judging: tuple[str, ...] = ()
    changes: tuple[RuleChange, ...] = ()
    trials: tuple[Trial, ...]
    repeat_trials: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    readings: tuple[Reading, ...] = (Reading(),)
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    samples: dict[str, SampleSpec] = Field(default_factory=dict)
    where: tuple[Where, ...] = ()
    claims: tuple[ClaimGroup, ...]
    sections: tuple[str, ...] = ()
    main_claims: tuple[str, ...] = ()
    minds: str = ""
    asks: MindKind = "models"


class PaperData(Data):
    """A paper and what it takes to reproduce it.

    institutions: trials and claims of ours on what the paper leaves out, with rules;
    institutions_language: with language models. texts: shared parts, for YAML's anchors.
    """

    name: str
    paper: str
    texts: dict[str, Any] = Field(default_factory=dict)
    rules: DesignData
    language: DesignData | None = None
    institutions: DesignData | None = None
    institutions_language: DesignData | None = None


class Problem(NamedTuple):
    """A fault at one place of `claims.yaml`; name: the key itself is wrong."""

    place: YamlPath
    words: str
    name: bool = False


def problems(error: ValidationError, values: Any, root: type[Data] = PaperData) -> list[Problem]:
    """List the faults that pydantic found in values of the root, each with its place in them."""
    return list(dict.fromkeys(_problem(detail, values, root) for detail in error.errors()))


def _problem(detail: Mapping[str, Any], values: Any, root: type[Data]) -> Problem:
    *around, last = detail["loc"]
    place = _place(detail["loc"], values)
    if detail["type"] == "extra_forbidden":
        hint = suggest(str(last), _keys(around, root))
        return Problem(place, f"there is no key {last!r}; {hint}", name=True)
    if detail["type"] == "missing":
        return Problem(place, f"{last} is missing; add it")
    got, words = repr(detail["input"]), str(detail["msg"])
    shown = got if len(got) <= _LONGEST else f"{got[:_LONGEST]}..."
    return Problem(place, f"got {shown}; {words[0].lower()}{words[1:]}")


def _place(loc: Sequence[str | int], values: Any) -> YamlPath:
    """Find the place of a value, without the branches of types that pydantic adds."""
    place: YamlPath = ()
    for part in loc:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            continue
        place = (*place, part)
    return place


def _keys(loc: Sequence[str | int], root: type[Data]) -> list[str]:
    """The keys that may stand at a place."""
    models: list[type[Data]] = [root]
    for part in map(str, loc):
        inner = [one.model_fields[part] for one in models if part in one.model_fields]
        kinds = [one for one in models if part in str(one.model_fields.get("kind"))]
        models = [one for field in inner for one in _models(field.annotation)] or kinds or models
    return [field.alias or name for one in models for name, field in one.model_fields.items()]


def _models(annotation: Any) -> Iterator[type[Data]]:
    """All models in a type."""
    if isinstance(annotation, type) and issubclass(annotation, Data):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
