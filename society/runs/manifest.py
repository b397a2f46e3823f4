"""The manifest of a run: enough to build the run again, and to show it without its scenario."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from society.config.run_config import RunConfig
from society.engine.array_digests import FIRST_RULE, DigestRule
from society.engine.component import Component
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import Complete
from society.engine.naming import Naming
from society.engine.population import Cast, Cohort
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Fold, Scenario, fact_specs
from society.errors import FileError, RunFileError, SocietyError, short_path
from society.personas.people import MOST_KEPT, kept_tables
from society.sandbox.kept_programs import KeptFolder, kept_folders, refuse_too_much

from .fork_note import ForkNote
from .structure import GameNote, RoundStructure, round_structure, rules_of

if TYPE_CHECKING:
    from society.config.build import Society

Level = Literal["full", "summary"]
HOW_TO_RECORD = (  # what level summary does not keep
    "record it in full: `society run --record full`, level='full' in Python, `record: full` in an "
    "experiment"
)
Manner = Literal["rule", "program", "model", "other"]

FORMAT = 4  # of new run files
READABLE = (2, 3, FORMAT)  # a file of another format is refused
_FULL_UP_TO = 1_000_000  # agent-rounds

# How scenarios played before they had a parameter, for runs whose manifest lacks it.
_BEFORE_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "language_village": {"perceive": "prompts", "caps": "on"},
}


class MeasureNote(BaseModel):
    """A measure in the run file, without the function that computes it.

    label: in words; "" if its name says it, and in files of before. bounds, ended: as in Measure;
    files of before have none.
    """

    name: str
    unit: str
    fold: Fold
    label: str = ""
    bounds: tuple[float | None, float | None] = (None, None)
    ended: float | None = None


class ComponentNote(BaseModel):
    """A component: its title, the kinds of questions that it answers, and how it answers them.

    answers: ("*",) for every kind. by: a rule answers for all its agents at once; other answers
    are found agent by agent, by a model or in another way. remembers: its part of a prompt is a
    list of memories.
    """

    name: str
    answers: tuple[str, ...]
    by: Manner
    remembers: bool = False


class CohortNote(BaseModel):
    """A cohort, and its seats in the first replicate.

    heritable: its columns that children inherit from their parents, public or not. components:
    their numbers, in order; in files of before there are none.
    """

    name: str
    seats: tuple[int, ...]
    heritable: tuple[str, ...] = ()
    components: tuple[int, ...] = ()


class ColumnNote(BaseModel):
    """A public column; labels: the meanings of its whole numbers; cohorts: those that have it."""

    name: str
    heritable: bool
    labels: tuple[str, ...]
    cohorts: tuple[str, ...]


class Manifest(BaseModel):
    """The inputs of a run.

    spec: the JSON of a Spec, from which the run can be set up again. horizon: rounds at most, of
    those that hold no others. extent: how far rounds within rounds go. seating: see `types`.
    columns: the public ones. components: those of all cohorts, alike ones once. game: in normal
    form, if one is played. files: the user's own files, path -> sha256. folder: of the run file
    when it was made, if it names files. prompts: templates that it may use, with their hashes.
    programs: folders of strategies, by path, with what was taken from them. tables: texts of tables
    of people, by path. objects: names of Python objects that were given. facts: words, units and
    labels of facts and public columns, by name. complete: relations whose graph links everybody
    with everybody; None in files of before. names: the words of which names of agents are made;
    files of before have the noun of the stage. forks: in the past of the run, the oldest first;
    spec, params and horizon are those after the last one. digest_rule: by which its rounds are
    digested, see society.engine.array_digests; files of before have the first.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT
    scenario: str
    spec: dict[str, Any]
    params: dict[str, Any]
    seed: int
    agents: int
    replicates: int
    horizon: int
    extent: RoundStructure | None = None
    level: Level
    measures: tuple[MeasureNote, ...]
    stage: DisplaySpec
    cohorts: tuple[CohortNote, ...]
    seating: tuple[tuple[int, ...], ...] = ()
    columns: tuple[ColumnNote, ...] = ()
    components: tuple[ComponentNote, ...] = ()
    game: GameNote | None = None
    versions: dict[str, str]
    files: dict[str, str]
    folder: str = ""
    prompts: dict[str, str] = {}
    programs: dict[str, KeptFolder] = {}
    tables: dict[str, str] = {}
    objects: tuple[str, ...] = ()
    facts: dict[str, FactSpec] = {}
    complete: tuple[str, ...] | None = None
    names: Naming | None = None
    forks: tuple[ForkNote, ...] = ()
    digest_rule: DigestRule = FIRST_RULE

    @property
    def naming(self) -> Naming:
        """The words of which names of agents are made; see society.runs.agent_names."""
        return self.names or Naming(self.stage.noun)

    @property
    def table_hashes(self) -> dict[str, str]:
        """The SHA-256 of each table of people, by path."""
        return {path: sha256(text.encode()).hexdigest() for path, text in self.tables.items()}

    @model_validator(mode="after")
    def _has_a_config(self) -> Self:
        """Refuse a spec that no configuration can be read from, before anything is shown of it."""
        _ = self.config
        return self

    @field_validator("spec")
    @classmethod
    def _of_a_scenario(cls, spec: dict[str, Any]) -> dict[str, Any]:
        scenario, parameters = spec.get("scenario"), spec.get("parameters", {})
        if not isinstance(scenario, str) or not isinstance(parameters, dict):
            raise ValueError(f"names the scenario {scenario!r:.40} and {parameters!r:.40}")
        return spec

    @model_validator(mode="after")
    def _with_seats(self) -> Self:
        last = len(self.cohorts) - 1
        if not all(_within(cohort.seats, 0, self.agents - 1) for cohort in self.cohorts) or any(
            len(row) != self.agents for row in self.seating
        ):
            raise ValueError(f"has cohorts on other seats than those of its {self.agents:,} agents")
        known = range(len(self.components))
        if any(number not in known for cohort in self.cohorts for number in cohort.components):
            raise ValueError("has cohorts with components that it does not have")
        if not all(_within(row, -1, last) for row in self.seating):
            raise ValueError("has seats of cohorts that it does not have")
        return self

    @property
    def config(self) -> RunConfig:
        """The configuration; names in it are not looked up again in the working directory.

        What a run of before had no key or parameter for is as it was then.
        """
        spec = self.spec
        if self.prompts:
            spec = {"option_order": "fixed", **spec}
        spec = {**spec, "parameters": {**self.former_parameters, **spec.get("parameters", {})}}
        return RunConfig.model_validate(spec, context={"resolved": True})

    @property
    def former_parameters(self) -> dict[str, Any]:
        """Parameters that the scenario has got since, with values by which it plays as it did."""
        own = ".py" in self.spec.get("scenario", "")
        before = {} if own else _BEFORE_PARAMETERS.get(self.scenario, {})
        return {name: value for name, value in before.items() if name not in self.params}

    def society(self, changed: Callable[[RunConfig], RunConfig] = lambda spec: spec) -> Society:
        """Build the society of the run again, with its configuration changed; raises InputError."""
        if self.objects:
            names = " and ".join(self.objects)
            was = "was given as an object" if len(self.objects) == 1 else "were given as objects"
            raise RunFileError(
                f"{names} {was} in Python and cannot be rebuilt from the file; to play it again, "
                "use society.run; to fork it or to ask its agents, write it into a file, and play "
                'that: society.run("FILE.py")'
            )
        config = changed(self.config)
        counts = [cohort.count for cohort in config.cohorts or ()]
        # Before arrays are made of sizes that the run did not have; types of a tournament are met
        # by others in replicates that it adds.
        if max(config.agents or 0, config.replicates, *counts) > self.agents * self.replicates:
            raise self._of_another_size()
        return self.with_past(config, self.forks)

    def with_past(
        self,
        config: RunConfig,
        notes: Sequence[ForkNote],
        replicate_ids: Array | None = None,
    ) -> Society:
        """Build the society of a configuration, which plays through forks; raises InputError.

        replicate_ids: as in society.runs.past_stages.with_past.
        """
        # Slow to import, and not needed to look at a run.
        from society.config.build import build

        from .past_stages import with_past

        def make(config: RunConfig) -> Society:
            setup = build(config, rehearsed=False)
            if (setup.agents, setup.replicates) != (self.agents, self.replicates):
                raise self._of_another_size()
            scenario = _with_tables(setup.scenario, self.tables)
            return replace(setup, scenario=scenario, digest_rule=self.digest_rule)

        with kept_folders(self.programs), kept_tables(self.tables):
            return with_past(make(config), notes, make, replicate_ids)

    def _of_another_size(self) -> RunFileError:
        return RunFileError(
            "the configuration in the run file is not that of a run of "
            f"{self.agents:,} agents x {self.replicates:,} replicates; take a whole copy"
        )

    def seated(self, cohorts: Iterable[str], replicate: int = 0) -> Array:
        """Mark the agents of these cohorts in a replicate, (N,) of bool."""
        types = self.types
        return self._among(types[replicate % len(types)], cohorts)

    def owners(self) -> dict[str, Array]:
        """Mark the agents that have each public column, (R, N) of bool."""
        types = self.types
        every = types[np.arange(self.replicates) % len(types)]
        return {one.name: self._among(every, one.cohorts) for one in self.columns}

    def _among(self, types: Array, cohorts: Iterable[str]) -> Array:
        names = set(cohorts)
        numbers = [number for number, note in enumerate(self.cohorts) if note.name in names]
        return np.isin(types, numbers)

    @property
    def types(self) -> Array:
        """The number of the cohort on each seat, (P, N); -1 where there is none.

        Covers the first P replicates; replicate r is seated like replicate r mod P.
        """
        if self.seating:
            return np.array(self.seating)
        types = np.full((1, self.agents), -1)
        for number, cohort in enumerate(self.cohorts):
            types[0, list(cohort.seats)] = number
        return types

    def respondent(self, replicate: int, seat: int, kind: str) -> ComponentNote | None:
        """Return the component that answers an agent's questions of a kind; None if unknown."""
        types = self.types
        number = types[replicate % len(types), seat]
        parts = self.cohorts[number].components if number >= 0 else ()
        notes = (self.components[one] for one in parts)
        return next((note for note in notes if Component.hears(kind, note.answers)), None)

    @property
    def specs(self) -> dict[str, FactSpec]:
        """Words, units and labels by name; files of before have labels with their columns only."""
        columns = {one.name: FactSpec(labels=one.labels) for one in self.columns if one.labels}
        return columns | self.facts

    @property
    def most(self) -> int:
        """The number of the last round, if nothing ends the run before."""
        return self.horizon if self.extent is None else self.extent.rounds


def manifest_of(
    setup: Society, level: Level | None = None, env: Environment | None = None
) -> Manifest:
    """Make the manifest of a run; without a level: full up to a million agent-rounds."""
    env, scenario, cast = env or setup.environment(), setup.scenario, setup.cast()
    components, parts = _components(cast)
    every = [*cast, *(cohort for stage in setup.past for cohort in stage.society.cast())]
    nested = _extent(scenario, env)
    size = env.replicates * env.agents * (nested.rounds if nested else setup.rounds)
    return Manifest(
        scenario=scenario.name,
        spec=setup.spec.model_dump(mode="json"),
        params=setup.params.model_dump(mode="json"),
        seed=env.seed,
        agents=env.agents,
        replicates=env.replicates,
        horizon=setup.rounds,
        extent=nested,
        level=level or ("full" if size <= _FULL_UP_TO else "summary"),
        measures=tuple(
            MeasureNote(
                name=measure.name,
                unit=measure.unit,
                fold=measure.fold,
                label=measure.label,
                bounds=measure.bounds,
                ended=measure.ended,
            )
            for measure in scenario.measures
        ),
        stage=scenario.display.resolved(env.params),
        cohorts=tuple(map(partial(_cohort, env), cast, parts)),
        seating=_seating(env),
        columns=_columns(every),
        components=components,
        game=rules_of(env),
        versions=library_versions() | {one.package: one.version for one in setup.plugins},
        files=dict(setup.files),
        prompts=setup.words.hashes() if setup.models_named else {},
        programs=_programs(every),
        tables=_tables(every),
        objects=setup.objects,
        facts=fact_specs(scenario, every),
        complete=tuple(name for name, graph in env.graphs.items() if isinstance(graph, Complete)),
        names=setup.naming,
        digest_rule=env.digest_rule,
    )


def _programs(cast: Cast) -> dict[str, KeptFolder]:
    """Return the programs that the cast runs, each once; raises SandboxError if they are many."""
    found = dict[str, KeptFolder]()
    for part in (part for cohort in cast for part in cohort.components):
        for path, folder in part.kept_folders.items():
            found[path] = found[path].joined(folder, path) if path in found else folder
    refuse_too_much(found)
    return found


def _with_tables(scenario: Scenario, tables: Mapping[str, str]) -> Scenario:
    """Let a scenario's own cast, which is made anew each time, read the tables of its run."""
    make = scenario.cast

    def cast(params: Any, agents: int) -> Cast:
        with kept_tables(tables):
            return make(params, agents)

    return replace(scenario, cast=cast) if tables else scenario


def _tables(cast: Cast) -> dict[str, str]:
    """Return the tables that the cast reads, each once; raises FileError if they are too large."""
    found = dict[str, str]()
    for part in (part for cohort in cast for part in cohort.components):
        found |= part.kept_tables
    size = sum(len(text.encode()) for text in found.values())
    if size > MOST_KEPT:
        names = ", ".join(map(short_path, found))
        raise FileError(
            f"the tables {names} have {size:,} bytes, and a run file keeps at most {MOST_KEPT:,}; "
            "draw the people that take part into files of their own: society personas draw"
        )
    return found


def _extent(scenario: Scenario, env: Environment) -> RoundStructure | None:
    """Return the structure of nested rounds, where the scenario declares them; else None."""
    if len(scenario.display.levels) == 1:
        return None
    try:
        found = round_structure(scenario.play, env)
    except SocietyError:  # The run itself meets the same error, and reports it with its place.
        return None
    return found if found.rounds else None


def _cohort(env: Environment, cohort: Cohort, parts: tuple[int, ...]) -> CohortNote:
    columns = [column for part in cohort.components for column in part.columns]
    return CohortNote(
        name=cohort.name,
        seats=tuple(np.flatnonzero(env.cohorts[cohort.name][0]).tolist()),
        heritable=tuple(column.name for column in columns if column.heritable),
        components=parts,
    )


def _components(cast: Cast) -> tuple[tuple[ComponentNote, ...], list[tuple[int, ...]]]:
    """List the components of all cohorts, alike ones once, and their numbers by cohort."""
    places: dict[tuple[str, tuple[str, ...], Manner, bool], int] = {}
    numbers = []
    for cohort in cast:
        keys = [(one.title(), one.answers, _manner(one), one.shortens) for one in cohort.components]
        numbers.append(tuple(places.setdefault(key, len(places)) for key in keys))
    notes = (
        ComponentNote(name=name, answers=answers, by=by, remembers=remembers)
        for name, answers, by, remembers in places
    )
    return tuple(notes), numbers


def _manner(part: Component) -> Manner:
    """Tell how a component answers questions."""
    if part.kept_folders:
        return "program"
    if part.overrides("answer"):
        return "rule"
    return "model" if part.models else "other"


def _within(numbers: Sequence[int], low: int, high: int) -> bool:
    """Tell whether all numbers lie from `low` to `high`."""
    return not numbers or (low <= min(numbers) and max(numbers) <= high)


def _seating(env: Environment) -> tuple[tuple[int, ...], ...]:
    """List numbers of cohorts by seat for the replicates that differ; () if all are alike."""
    types = np.full(env.present.shape, -1)
    for number, seats in enumerate(env.cohorts.values()):
        types[seats] = number
    period = _period(types)
    return () if period == 1 else tuple(map(tuple, types[:period].tolist()))


def _period(rows: Array) -> int:
    """Return the period after which rows, (R, N), repeat; R if they never do.

    >>> _period(np.array([[0, 0], [0, 1], [0, 0], [0, 1]]))
    2
    """
    count = len(rows)
    again = (step for step in range(1, count) if count % step == 0)
    return next((step for step in again if (rows[step:] == rows[:-step]).all()), count)


def _columns(cast: Cast) -> tuple[ColumnNote, ...]:
    """List the public columns of the agents, each of them once."""
    owners: dict[str, list[str]] = {}
    declared = {}
    for cohort in cast:
        for column in (one for part in cohort.components for one in part.columns if one.public):
            declared[column.name] = column
            having = owners.setdefault(column.name, [])
            if cohort.name not in having:
                having.append(cohort.name)
    return tuple(
        ColumnNote(
            name=name,
            heritable=column.heritable,
            labels=column.labels,
            cohorts=tuple(owners[name]),
        )
        for name, column in declared.items()
    )


def library_versions() -> dict[str, str]:
    """Return the versions on which the last bits of a run's numbers may depend."""
    return {
        "society": _installed_version("society"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "networkx": _installed_version("networkx"),
        "machine": platform.machine(),
    }


@cache  # a sweep writes thousands of manifests
def _installed_version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
