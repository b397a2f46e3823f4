"""An experiment: one society under several conditions, as a file describes it.

    base: fishing_village
    replicates: 100
    factors:
      fine: [2, 10, 18]
      lake: {harsh: {growth: 0.2}, rich: {growth: 0.6}}

Factors are crossed. A level is a value of the setting that its factor is called after, or a label
with all settings that it stands for. What else a scenario file may say stands beside `base` and
holds for all conditions. Under common random numbers replicate r draws the same ones in each, so
that conditions can be compared in pairs (Law 2015, Simulation Modeling and Analysis, 11.2).
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field
from pydantic.json_schema import models_json_schema

from society.config.build import Society, build
from society.config.defaults import DefaultsFile
from society.config.registry import scenarios
from society.config.run_config import (
    FileSection,
    RunConfig,
    Setting,
    load_config,
    override,
    read_setting,
    read_settings,
    sort_general_first,
)
from society.config.yaml_source import Source, read_yaml
from society.engine.parameters import Issue, ValidationIssues, unknown_name, validate
from society.engine.scenario import Scenario
from society.errors import FileError, InputError, ScenarioError, short_path, suggest
from society.index import experiments, presets
from society.llm.providers.settings import Limits
from society.runs.manifest import Level

from .analysis_plan import AnalysisPlan
from .coding_plan import CodingPlan, read_rubric
from .factors import (
    FactorLevel,
    Label,
    LevelsSpec,
    factor_levels,
    format_label,
    independent_seed,
    is_coding_file,
    refuse_clashes,
    run_file_name,
)

RandomNumbers = Literal["common", "independent"]

_MOST = 10_000  # conditions
Factors = Mapping[str, Label]


class _Said(FileSection):
    """The part of an experiment file that no scenario file has."""

    base: str | dict[str, Any]
    name: Annotated[str, Field(pattern=r"^[\w.-]+$")] | None = None
    factors: dict[str, LevelsSpec] = Field({})
    conditions: dict[str, dict[str, Any] | None] = Field({})
    random_numbers: RandomNumbers = "common"
    record: Level | None = None
    analysis: AnalysisPlan = AnalysisPlan()
    coding: CodingPlan | None = None
    limits: Limits | None = None


def file_schema() -> dict[str, Any]:
    """Return one JSON Schema for scenario files and experiment files, as editors can use it."""
    reference = "#/$defs/{model}"
    _, schema = models_json_schema(
        [(RunConfig, "validation"), (_Said, "validation")], ref_template=reference
    )
    definitions = schema["$defs"]
    scenario, experiment = definitions.pop("RunConfig"), definitions.pop("_Said")
    shared = {key: one for key, one in scenario["properties"].items() if key != "scenario"}
    experiment["properties"] = {**shared, **experiment["properties"]}
    for title, one in (("Scenario file", scenario), ("Experiment file", experiment)):
        one["title"] = title
        one["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario and experiment files of society",
        "anyOf": [{"$ref": "#/$defs/Scenario"}, {"$ref": "#/$defs/Experiment"}],
        "$defs": {**definitions, "Scenario": scenario, "Experiment": experiment},
    }


class Condition(NamedTuple):
    """One way in which the society is played.

    name: "fine=2,lake=harsh", unique. file: of its run, in the folder of the sweep.
    """

    name: str
    factors: Factors
    setup: Society
    file: str


class Experiment(NamedTuple):
    """A file that was read, and the conditions that it describes.

    text: the file. levels: of each factor, in order. limits: over all conditions together; None if
    each run keeps those of its scenario file. analysis: with its gaps filled.
    """

    name: str
    text: str
    random_numbers: RandomNumbers
    levels: Mapping[str, tuple[Label, ...]]
    conditions: tuple[Condition, ...]
    analysis: AnalysisPlan
    coding: CodingPlan | None
    limits: Limits | None
    record: Level | None


def read_experiment(
    file: Path,
    settings: Sequence[Setting] = (),
    instead: Mapping[str, Any] | None = None,
    defaults: DefaultsFile | None = None,
) -> Experiment:
    """Read an experiment file, or one that comes with the program; raises InputError.

    All conditions are checked. settings: of the command line, for all conditions. instead: what
    stands in place of what the file says under some keys; `factors`: of the levels of some.
    defaults: fill in what nobody says, except hard stops.
    """
    if not file.suffix and not file.exists():
        name = str(file)
        if name in {*presets(), *scenarios()}:
            raise ScenarioError(
                f"{name} is a scenario, which has no conditions; play it by: society run {name}"
            )
        file = _shipped(name)
    if file.suffix == ".py":
        shown = short_path(file)
        raise ScenarioError(
            f"{shown} is Python, and an experiment is a YAML file; play a scenario by: society run "
            f"{shown}; to compare conditions of it, write base: {shown} and factors: into one"
        )
    said, positions = read_yaml(file)
    origin = Source(short_path(file), positions)
    if not isinstance(said, dict) or "base" not in said:
        if isinstance(said, dict) and "scenario" in said:
            shown = origin.found
            raise ScenarioError(
                f"{shown} is a scenario file, which has no conditions; play it by: "
                f"society run {shown}; to compare conditions of it, write base: {shown} and "
                "factors: into another file"
            )
        words = "is not an experiment; begin with base: SCENARIO, then list factors"
        raise origin.refusal([Issue((), words)])
    given = dict(instead or {})
    if "factors" in given:
        given["factors"] = {**(said.get("factors") or {}), **given["factors"]}
    for key in given:
        origin = origin.said_again((key,))
    try:
        return _Reading(file, said, origin, settings, given, defaults).experiment()
    except ValidationIssues as refused:
        raise origin.refusal(refused.faults) from None


def _shipped(name: str) -> Path:
    """Return the file of an experiment that comes with the program."""
    if name not in experiments():
        raise FileError(
            f"there is no file and no experiment {name!r}; {suggest(name, experiments())}"
        )
    return experiments()[name]


class _Reading:
    """An experiment file on its way to its conditions."""

    def __init__(
        self,
        file: Path,
        said: Mapping[str, Any],
        origin: Source,
        settings: Sequence[Setting],
        instead: Mapping[str, Any],
        defaults: DefaultsFile | None = None,
    ) -> None:
        self.file, self.origin, self.folder = file, origin, file.resolve().parent
        said = {**said, **instead}
        own = {key: value for key, value in said.items() if key in _Said.model_fields}
        self.said = validate(_Said, own, "key", {"folder": self.folder})
        self.rest = {key: value for key, value in said.items() if key not in own}
        self.settings, self.instead, self.defaults = settings, instead, defaults
        self.base = read_setting("base", self.said.base, ("base",), origin)
        self.bases = dict[str, RunConfig]()  # by what names them, and where

    def experiment(self) -> Experiment:
        self._check_keys()
        if self.said.coding is not None:
            read_rubric(self.said.coding.rubric)
        choices = list(self._choices())
        count = math.prod(map(len, choices))
        if count > _MOST:
            words = f"makes {count:,} conditions; at most {_MOST:,} can be played in one sweep"
            raise ValidationIssues(Issue(("factors",), words, True))
        conditions = self._conditions(list(itertools.product(*choices)))
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

    def _analysis(self, levels: Mapping[str, Sequence[Label]], played: Scenario) -> AnalysisPlan:
        """Fill the gaps; raises ValidationIssues."""
        measures = [measure.name for measure in played.measures]
        try:
            more = played.post_analysis is not None or self.said.coding is not None
            return self.said.analysis.completed(levels, measures, more=more)
        except ValidationIssues as refused:
            raise ValidationIssues(*(fault.under("analysis") for fault in refused.faults)) from None

    def _check_keys(self) -> None:
        """Raise ValidationIssues for what neither an experiment nor a scenario file may say."""
        legal = {*_Said.model_fields, *RunConfig.model_fields} - {"scenario"}
        if "scenario" in self.rest:
            raise ValidationIssues(
                Issue(("scenario",), "an experiment names its scenario by base", True)
            )
        wrong = [unknown_name((key,), "key", legal) for key in self.rest if key not in legal]
        if self.said.factors and self.said.conditions:
            words = "list conditions or cross factors; a factor may have labels, as conditions have"
            wrong.append(Issue(("conditions",), words, True))
        if wrong:
            raise ValidationIssues(*wrong)

    def _choices(self) -> Iterator[list[FactorLevel]]:
        """The levels of each factor."""
        for name, levels in self.said.factors.items():
            yield factor_levels(name, levels, ("factors", name), self.origin)
        if self.said.conditions:
            yield factor_levels("condition", self.said.conditions, ("conditions",), self.origin)

    def _conditions(self, crossed: Sequence[tuple[FactorLevel, ...]]) -> list[Condition]:
        """Each checked; raises ScenarioError with all that is wrong."""
        found, wrong = list[Condition](), dict[str, None]()
        for chosen in crossed:
            try:
                found.append(self._condition(chosen))
            except InputError as error:
                wrong |= dict.fromkeys(str(error).splitlines())
        odd = [*_unequal(found, self.said.random_numbers), *_in_one_file(found)]
        wrong |= dict.fromkeys(f"{self.origin.found}: {words}" for words in odd)
        if wrong:
            lines = list(wrong)
            more = [f"and {len(lines) - 5} more"] if len(lines) > 5 else []
            raise ScenarioError("\n".join(lines[:5] + more))
        return found

    def _condition(self, chosen: tuple[FactorLevel, ...]) -> Condition:
        factors = {choice.factor: choice.label for choice in chosen}
        name = ",".join(
            format_label(label) if self.said.conditions else f"{factor}={format_label(label)}"
            for factor, label in factors.items()
        )
        name = name or (self.said.name or self.file.stem)
        refuse_clashes(chosen)
        given = [one for choice in chosen for one in choice.settings]
        bases = [one for one in given if one.key == "base"]
        own = [one for one in given if one.key != "base"]
        beside = read_settings(self.rest, (), self.origin)
        base = self._base([self.base, *bases][-1])
        spec = override(base, [*beside, *sort_general_first(own)], self.folder)
        if self.settings:
            spec = override(spec, self.settings)
        if self.defaults is not None:
            spec = self.defaults.fill(spec, stops=False)
        changes: dict[str, Any] = {}
        if self.said.limits is not None:
            changes["limits"] = Limits()  # they hold for all runs together
        if self.said.random_numbers == "independent":
            changes["seed"] = independent_seed(spec.seed, name)
        setup = build(spec.model_copy(update=changes))
        return Condition(name, factors, setup, run_file_name(name))

    def _base(self, said: Setting) -> RunConfig:
        """Read the society that `base` names or writes out; raises InputError with its place."""
        if (key := repr(said)) in self.bases:
            return self.bases[key]
        base = {"scenario": said.value} if isinstance(said.value, str) else said.value
        try:
            if not isinstance(base, Mapping) or not isinstance(base.get("scenario"), str):
                words = "expected a scenario, FILE.yaml, or a mapping that names a scenario"
                raise ScenarioError(f"got {base!r:.60}; {words}")
            spec = load_config(base["scenario"], folder=self.folder)
            if base is not said.value and ("scenario",) not in spec._source.positions:
                spec._source = spec._source.said_again(("scenario",), said.where)
            inner = {key: value for key, value in base.items() if key != "scenario"}
            if inner:
                spec = override(spec, read_settings(inner, ("base",), self.origin), self.folder)
        except InputError as error:
            first, *more = str(error).splitlines()
            if first.startswith(self.origin.found):
                raise
            raise ScenarioError("\n".join([f"{said.where} base: {first}", *more])) from None
        self.bases[key] = spec
        return spec


def _unequal(conditions: Sequence[Condition], random_numbers: RandomNumbers) -> Iterator[str]:
    """Describe the settings that conditions ought to share and do not."""
    setups = [condition.setup for condition in conditions]
    if random_numbers == "common":
        # A draw belongs to a seat, and there are seats in one condition that another lacks.
        if len({setup.agents for setup in setups}) > 1:
            yield (
                "conditions of different size share no random numbers; say "
                "random_numbers: independent"
            )
        if len({setup.seed for setup in setups}) > 1:
            yield (
                "conditions with seeds of their own share no random numbers; say seed: N beside "
                "base, or random_numbers: independent"
            )
    if len({setup.replicates for setup in setups}) > 1:
        yield "conditions have different numbers of replicates; say replicates: N beside base"


def _in_one_file(conditions: Sequence[Condition]) -> Iterator[str]:
    """Conditions whose runs would stand in the same file, also where capitals do not count."""
    taken = dict[str, str]()
    for name, _, _, file in conditions:
        if is_coding_file(file):
            yield f"condition {name} has a file of the coding of norms, {file}; rename it"
        if other := taken.get(file.casefold()):
            yield f"{other} and condition {name} would share the file {file}; rename a condition"
        taken[file.casefold()] = f"condition {name}"
