"""An experiment: one society under several conditions, as a file describes it.

    base: fishing_village
    replicates: 100
    factors:
      fine: [2, 10, 18]
      lake: {harsh: {growth: 0.2}, rich: {growth: 0.6}}

Factors are crossed. A level is a value of the setting that its factor is called after, or a label
with all settings that it stands for. What else a scenario file may say stands beside `base` and
holds for all conditions. Under common random numbers replicate r has the same luck in each of them,
so that conditions can be compared in pairs (Law 2015, Simulation Modeling and Analysis, 11.2).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from society.checks import Fault, Keys, Refused, checked, unknown
from society.errors import InputError, ScenarioError, brief
from society.models.settings import Limits
from society.positions import Source, read
from society.runs.manifest import Level
from society.scenario import Scenario
from society.scenario_file import Section, Setting, Spec, amended, load
from society.spec import Setup, prepared

from .analysis import Analysis
from .coding.scheme import CodingSpec, rubric_of
from .naming import Label, filed, label_of, luck, worded

Luck = Literal["common", "independent"]
Factors = Mapping[str, Label]

_FOR_ALL = {
    "seed": "random_numbers: independent gives each condition luck of its own",
    "replicates": "all conditions have the same number",
    "limits": "they hold for all runs together",
}


def _levels(said: Any) -> Any:
    """Those of a factor, whose labels may also be numbers."""
    listed = isinstance(said, list) and said
    named = isinstance(said, Mapping) and said
    if listed or (named and all(isinstance(one, Mapping | None) for one in said.values())):
        return said
    words = "expected a list of values, or a mapping from labels to settings"
    raise ValueError(f"got {said!r:.60}; {words}")


Levels = Annotated[list[Any] | dict[Label, Any], BeforeValidator(_levels)]


class _Said(Section):
    """What only an experiment says."""

    base: str | dict[str, Any]
    name: Annotated[str, Field(pattern=r"^[\w.-]+$")] | None = None
    factors: dict[str, Levels] = Field({})
    conditions: dict[str, dict[str, Any] | None] = Field({})
    random_numbers: Luck = "common"
    record: Level | None = None
    analysis: Analysis = Analysis()
    coding: CodingSpec | None = None
    limits: Limits | None = None


class _Choice(NamedTuple):
    """One level of a factor, and where its settings were said."""

    factor: str
    label: Label
    settings: tuple[Setting, ...]


class Condition(NamedTuple):
    """One way in which the society is played.

    name: "fine=2,lake=harsh", unique. file: of its run, in the folder of the sweep.
    """

    name: str
    factors: Factors
    setup: Setup
    file: str


class Experiment(NamedTuple):
    """A file that was read, and the conditions that it describes.

    text: the file. levels: of each factor, in order. limits: over all conditions together; None if
    each run keeps those of its scenario file. analysis: with its gaps filled.
    """

    name: str
    text: str
    random_numbers: Luck
    levels: Mapping[str, tuple[Label, ...]]
    conditions: tuple[Condition, ...]
    analysis: Analysis
    coding: CodingSpec | None
    limits: Limits | None
    record: Level | None


def experiment(
    file: Path,
    changed: Callable[[Spec], Spec] = lambda spec: spec,
    instead: Mapping[str, Any] | None = None,
) -> Experiment:
    """What an experiment file says, each condition checked; raises InputError.

    changed: gives what the command line says of minds. instead: what stands in place of what the
    file says under some keys; `factors`: of the levels of some.
    """
    said, positions = read(file)
    origin = Source(brief(file), positions)
    if not isinstance(said, dict) or "base" not in said:
        words = "is no experiment; begin with base: and a scenario, and name factors"
        raise origin.refusal([Fault((), words)])
    given = dict(instead or {})
    if "factors" in given:
        given["factors"] = {**said["factors"], **given["factors"]}
    for key in given:
        origin = origin.said_again((key,))
    try:
        return _Reading(file, said, origin, changed, given).experiment()
    except Refused as refused:
        raise origin.refusal(refused.faults) from None


class _Reading:
    """An experiment file on its way to its conditions."""

    def __init__(
        self,
        file: Path,
        said: Mapping[str, Any],
        origin: Source,
        changed: Callable[[Spec], Spec],
        instead: Mapping[str, Any],
    ) -> None:
        self.file, self.origin, self.folder = file, origin, file.resolve().parent
        said = {**said, **instead}
        own = {key: value for key, value in said.items() if key in _Said.model_fields}
        self.said = checked(_Said, own, "key", {"folder": self.folder})
        self.rest = {key: value for key, value in said.items() if key not in own}
        self.changed, self.instead, self.bases = changed, instead, dict[str, Spec]()

    def experiment(self) -> Experiment:
        self._check_keys()
        if self.said.coding is not None:
            rubric_of(self.said.coding.rubric)
        crossed = list(itertools.product(*self._choices()))
        conditions = self._conditions(crossed)
        levels = {
            name: tuple(dict.fromkeys(condition.factors[name] for condition in conditions))
            for name in conditions[0].factors
        }
        said = self.said
        return Experiment(
            said.name or self.file.stem,
            self._text(),
            said.random_numbers,
            levels,
            tuple(conditions),
            self._analysis(levels, conditions[0].setup.scenario),
            said.coding,
            said.limits,
            said.record,
        )

    def _text(self) -> str:
        """The file, and in comments what stood in place of it."""
        said = [
            f"# played with {key}: {json.dumps(value)}\n" for key, value in self.instead.items()
        ]
        return "".join([self.file.read_text("utf-8-sig"), *said])

    def _analysis(self, levels: Mapping[str, Sequence[Label]], played: Scenario) -> Analysis:
        """With its gaps filled; raises Refused."""
        measures = [measure.name for measure in played.measures]
        try:
            more = played.afterword is not None or self.said.coding is not None
            return self.said.analysis.completed(levels, measures, more=more)
        except Refused as refused:
            raise Refused(*(fault.under("analysis") for fault in refused.faults)) from None

    def _check_keys(self) -> None:
        """Raises Refused for what neither an experiment nor a scenario file may say."""
        legal = {*_Said.model_fields, *Spec.model_fields} - {"scenario"}
        if "scenario" in self.rest:
            raise Refused(Fault(("scenario",), "an experiment names its scenario by base", True))
        wrong = [unknown((key,), "key", legal) for key in self.rest if key not in legal]
        if self.said.factors and self.said.conditions:
            words = "list conditions or cross factors; a factor may have labels, as conditions have"
            wrong.append(Fault(("conditions",), words, True))
        if wrong:
            raise Refused(*wrong)

    def _choices(self) -> Iterator[list[_Choice]]:
        """The levels of each factor."""
        for name, levels in self.said.factors.items():
            yield self._levels(name, levels, ("factors", name))
        if self.said.conditions:
            yield self._levels("condition", self.said.conditions, ("conditions",))

    def _levels(
        self, factor: str, levels: list[Any] | Mapping[Any, Any], keys: Keys
    ) -> list[_Choice]:
        if isinstance(levels, Mapping):
            named = [
                _Choice(factor, label, tuple(self._settings(given or {}, (*keys, label))))
                for label, given in levels.items()
            ]
        else:
            named = [
                _Choice(factor, label_of(value), (self._setting(factor, value, (*keys, index)),))
                for index, value in enumerate(levels)
            ]
        labels = [choice.label for choice in named]
        twice = {str(label) for label in labels if labels.count(label) > 1}
        if twice:
            raise Refused(Fault(keys, f"comes twice: {', '.join(sorted(twice))}"))
        return named

    def _settings(self, given: Mapping[str, Any], keys: Keys) -> Iterator[Setting]:
        """One for each key, and one for each entry of a mapping to which a base may add."""
        for key, value in given.items():
            if key in ("parameters", "models", "graphs") and isinstance(value, Mapping):
                for name, inner in value.items():
                    yield self._setting(f"{key}.{name}", inner, (*keys, key, name))
            else:
                yield self._setting(key, value, (*keys, key))

    def _setting(self, key: str, value: Any, keys: Keys) -> Setting:
        position = self.origin.positions.get(keys)
        return Setting(key, value, position.value if position else self.origin.found)

    def _conditions(self, crossed: Sequence[tuple[_Choice, ...]]) -> list[Condition]:
        """Each checked; raises ScenarioError with all that is wrong."""
        found, wrong = list[Condition](), dict[str, None]()
        for choices in crossed:
            try:
                found.append(self._condition(choices))
            except InputError as error:
                wrong |= dict.fromkeys(str(error).splitlines())
        if self.said.random_numbers == "common" and len({one.setup.agents for one in found}) > 1:
            # A draw belongs to a seat, and there are seats in one condition that another lacks.
            words = "conditions of different size share no luck; say random_numbers: independent"
            wrong[f"{self.origin.found}: {words}"] = None
        if wrong:
            lines = list(wrong)
            more = [f"and {len(lines) - 5} more"] if len(lines) > 5 else []
            raise ScenarioError("\n".join(lines[:5] + more))
        return found

    def _condition(self, choices: tuple[_Choice, ...]) -> Condition:
        factors = {choice.factor: choice.label for choice in choices}
        name = ",".join(
            worded(label) if self.said.conditions else f"{factor}={worded(label)}"
            for factor, label in factors.items()
        )
        name = name or (self.said.name or self.file.stem)
        settings = [setting for choice in choices for setting in choice.settings]
        self._refuse_clashes(choices)
        spec = self._base([setting for setting in settings if setting.key == "base"])
        own = [setting for setting in settings if setting.key != "base"]
        said = [*_general_first(self._settings(self.rest, ())), *_general_first(own)]
        spec = self.changed(amended(spec, said, self.folder))
        if self.said.limits is not None:
            spec = _kept(spec, limits=Limits())  # they hold for all runs together
        if self.said.random_numbers == "independent":
            spec = _kept(spec, seed=luck(spec.seed, name))
        return Condition(name, factors, prepared(spec), f"{filed(name)}.run")

    def _refuse_clashes(self, choices: tuple[_Choice, ...]) -> None:
        """Raises ScenarioError where two factors set the same, or one what no factor may set."""
        by: dict[str, str] = {}
        for choice in choices:
            for setting in choice.settings:
                head = setting.key.partition(".")[0]
                if head in _FOR_ALL:
                    raise ScenarioError(f"{setting.where}: {head} is no factor: {_FOR_ALL[head]}")
                other = by.setdefault(_plain(setting.key), choice.factor)
                if other != choice.factor:
                    words = f"{setting.key} is set by two factors, {other} and {choice.factor}"
                    raise ScenarioError(f"{setting.where}: {words}; leave it to one of them")

    def _base(self, chosen: Sequence[Setting]) -> Spec:
        """The society that a condition starts from."""
        said: Any = chosen[-1].value if chosen else self.said.base
        where = chosen[-1].where if chosen else str(self._setting("base", said, ("base",)).where)
        try:
            if isinstance(said, str):
                if said not in self.bases:
                    self.bases[said] = load(said, folder=self.folder)
                spec = self.bases[said]
                if ("scenario",) in spec._source.positions:
                    return spec
                return _kept(spec, source=spec._source.said_again(("scenario",), where))
            if not isinstance(said, Mapping) or not isinstance(said.get("scenario"), str):
                words = "expected a scenario, FILE.yaml, or a mapping that names a scenario"
                raise ScenarioError(f"got {said!r:.60}; {words}")
            inner = list(self._settings(said, ("base",)))
            named = [setting for setting in inner if setting.key == "scenario"]
            others = [setting for setting in inner if setting.key != "scenario"]
            return amended(load(named[0].value, folder=self.folder), others, self.folder)
        except InputError as error:
            first, *more = str(error).splitlines()
            if first.startswith(self.origin.found):
                raise
            raise ScenarioError("\n".join([f"{where} base: {first}", *more])) from None


def _general_first(settings: Iterable[Setting]) -> list[Setting]:
    """In the order in which one does not undo another: graph before graphs.learn."""
    return sorted(settings, key=lambda setting: setting.key.count("."))


def _plain(key: str) -> str:
    """The one name of a setting that has two.

    >>> _plain("parameters.fine"), _plain("model")
    ('fine', 'models.default')
    """
    key = key.removeprefix("parameters.")
    return "models.default" if key == "model" else key


def _kept(spec: Spec, source: Source | None = None, **changes: Any) -> Spec:
    """The same with some values, which need no check; and still with the places of its words."""
    changed = spec.model_copy(update=changes)
    changed._source = source or spec._source
    return changed
