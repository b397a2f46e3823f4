"""A society made ready to play: every name in its spec is looked up, every value checked.

All errors are reported together, each with its place and the legal values.
"""

from __future__ import annotations

import difflib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.engine.agents import RunContext
from society.engine.array_digests import NEWEST_RULE, DigestRule
from society.engine.calls import CallStore, Minds, Spent
from society.engine.component import Component
from society.engine.environment import Environment, complete_graphs, name_by_id
from society.engine.game_master import GameMaster
from society.engine.gateway import ModelGateway
from society.engine.graph import Graph
from society.engine.history import Recorder
from society.engine.intervention import Intervention
from society.engine.mechanism import (
    PlayFunction,
    as_play,
    public_facts,
    rehearsal_environment,
    silent_lines,
)
from society.engine.naming import Naming
from society.engine.parameters import (
    Issue,
    Keys,
    ValidationIssues,
    dotted_path,
    unknown_name,
    validate,
)
from society.engine.population import (
    Cast,
    Cohort,
    Population,
    UnansweredQuestion,
    answered_by_rule,
    cohort_seats,
    respondent,
)
from society.engine.rng import Array
from society.engine.scenario import (
    Layer,
    MechanismSpec,
    Params,
    Scenario,
    Seats,
    fact_specs,
    wrap_scenario,
)
from society.engine.script import Ask, Line, Tell
from society.engine.slices import SlicedGame, slice_replicates
from society.engine.tape import Answerer
from society.errors import (
    CastError,
    InputError,
    ScenarioError,
    SocietyError,
    UntrustedCodeError,
    definition_place,
    is_users_file,
    short_path,
    show_place,
    user_place,
)
from society.former_names import spellings, with_current_parameters
from society.llm.default_words import Wording, check_figures
from society.llm.perturbations import PERTURBATIONS, find_perturbation
from society.llm.prompt_files import MechanismTerms, Prompts, TermsPart
from society.memory.embedders import embedder_of_package
from society.plugins import Plugin, find_plugin

from .cohorts import build_components, unknown_components
from .graph_families import FAMILIES, GraphSpec, draw_graph, graph_family, parse_graph
from .hook_checks import file_of, is_foreign, source_file
from .registry import Registry, components_answering
from .rehearsal import rehearsal_stage
from .run_config import CohortConfig, RunConfig, describe_origin
from .wiring import check_wiring
from .wiring_issues import WiringIssue, WiringRefused

if TYPE_CHECKING:
    from society.llm.providers.budget import Budget
    from society.llm.providers.estimate import Counting
    from society.llm.providers.pool import ModelPool
    from society.llm.providers.settings import Limits


_MOST_LINES = 20_000  # of a dry run that looks for questions; half a second


class Drawn(NamedTuple):
    """A graph and its place in the spec: under graph, or under graphs and a relation."""

    keys: Keys
    graph: GraphSpec


class PastStage(NamedTuple):
    """A society as it was up to an intervention."""

    society: Society
    change: Intervention


@dataclass(frozen=True)
class Society:
    """A society that is ready to play.

    scenario: with its mechanisms and its cast. found: the file that it came from, or
    "comes with society". files: SHA-256 of the user's .py and graph files, by path. drawings:
    graphs by relation.
    models: the user's functions that make a model, by FILE.py:NAME. own: objects that were
    given in Python. objects: names of those in use, for which the spec is not enough. wiring: what
    is probably not wired as it was meant. past: of a fork, what was there before, the oldest first:
    it plays through these stages, and is what is described here after the last intervention.
    plugins: what it has of installed packages. digest_rule: by which its history is digested.
    """

    spec: RunConfig
    scenario: Scenario
    params: Params
    agents: int
    rounds: int
    found: str
    files: Mapping[str, str]
    drawings: Mapping[str, Drawn]
    models: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    own: Sequence[object] = ()
    objects: tuple[str, ...] = ()
    wiring: tuple[WiringIssue, ...] = ()
    past: tuple[PastStage, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    digest_rule: DigestRule = NEWEST_RULE
    _graphs_kept: dict[tuple[bytes, bytes], dict[str, Graph]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def seed(self) -> int:
        return self.spec.seed

    @property
    def first(self) -> Society:
        """The society that begins to play: this one, unless it is a fork."""
        return self.past[0].society if self.past else self

    @property
    def interventions(self) -> list[Intervention]:
        """What is changed in it while it plays, in order."""
        return [stage.change for stage in self.past]

    @property
    def replicates(self) -> int:
        seated = [one.where for one in self.cast() if one.where is not None and one.where.ndim == 2]
        return len(seated[0]) if seated else self.spec.replicates

    def cast(self) -> list[Cohort]:
        """List the cohorts that play."""
        return list(self.scenario.cast(self.params, self.agents))

    def environment(
        self, replicate_ids: Array | None = None, ids: Array | None = None
    ) -> Environment:
        """Make a new environment, with its graphs drawn and its cohorts seated; raises InputError.

        replicate_ids: (R,), instead of all replicates. ids: (N,), the agent on each seat, with its
        cohort and its place in the graphs.
        """
        replicate_ids = np.arange(self.replicates) if replicate_ids is None else replicate_ids
        ids = np.arange(self.agents) if ids is None else ids
        first = self.first
        env = Environment(
            first.params,
            seed=self.seed,
            ids=ids,
            replicate_ids=replicate_ids,
            horizon=first.rounds,
            graphs=self._graphs(replicate_ids, ids),
            facts=public_facts(first.scenario.play, first.params),
        )
        env.naming, env.levels = self.naming, self.scenario.display.levels
        env.digest_rule = self.digest_rule
        env.embedder = self.spec.embedder or ""
        env.cohorts = cohort_seats(first._seated(env), env)
        env.answered_by_rule = partial(answered_by_rule, first.cast())
        return env

    @property
    def naming(self) -> Naming:
        """The words of which the names of its agents are made."""
        return _naming(self.scenario, self.params)

    def outside(
        self,
        call_store: CallStore | None = None,
        awaiting: Callable[[int], None] | None = None,
        minds: Minds | None = None,
        limits: Limits | None = None,
    ) -> ModelGateway:
        """Make the gateway of a run to its models.

        minds: in place of those that the spec names; limits: in place of its own.
        """
        reach = self.minds if minds is None else lambda: minds
        most = (limits or self.spec.limits).max_fallbacks
        return ModelGateway(reach, call_store, awaiting, most)

    def gamemaster(
        self,
        recorders: Sequence[Recorder] = (),
        answerer: Answerer | None = None,
        *,
        env: Environment | None = None,
        outside: ModelGateway | None = None,
        minds: Minds | None = None,
    ) -> GameMaster:
        """Make a game master in an environment, a new one if none is given; raises InputError.

        outside: the gateway to models; without one, their answers are not recorded.
        """
        env = env or self.environment()
        if answerer is None:
            gateway, order = outside or self.outside(minds=minds), self.spec.option_order
            world = RunContext(env, gateway, self.first.words, order)
            answerer = Population(self.first._seated(env), world)
        return GameMaster(self.scenario, env, answerer, recorders, self.interventions)

    @property
    def separable(self) -> bool:
        """Whether slices of its replicates are played apart, so that none waits for another.

        That is worth its price where answers take time, and right where no replicate looks at
        another. The conformance suite plays each replicate of every scenario, mechanism and
        component of this program alone; of the user's, their authors say so, or nothing is known.
        """
        return self.replicates > 1 and self.has_clients and all(self._words_of_own_code)

    @property
    def says_separable(self) -> bool:
        """Whether code of the user's plays, and all of it says that replicates may be played apart.

        `society check` tries whether they may.
        """
        own = self._words_of_own_code
        return bool(own) and all(own)

    @property
    def unseparable_code(self) -> list[object]:
        """Code of the user's that plays and does not say that replicates may be played apart."""
        return [part for part, says in self._said_of_code if is_foreign(part) and not says]

    @property
    def _words_of_own_code(self) -> list[bool]:
        return [says for part, says in self._said_of_code if is_foreign(part)]

    @property
    def has_clients(self) -> bool:
        """Whether a model is asked in another way than by this program alone."""
        if not self.models_named:
            return False
        from society.llm.providers.pool import ModelPool

        pool = ModelPool(self.spec.models)
        return not {pool.spec(name).sort for name in self.models_named} <= {"offline", "tape"}

    @property
    def code(self) -> list[object]:
        """The functions and classes that play: script, mechanisms, components and measures."""
        return [part for part, _ in self._said_of_code]

    @property
    def _said_of_code(self) -> list[tuple[object, bool]]:
        """What plays, and whether it says `separable`.

        Measures stand under the word of the scenario and of the mechanisms that brought them.
        """
        scenario, layers = self.scenario, self.scenario.layers
        kinds = {type(part) for cohort in self.cast() for part in cohort.components}
        said = scenario.separable or any(layer.spec.separable for layer in layers)
        return [
            (as_play(scenario.play).origin, scenario.separable),
            *((layer.spec.source, layer.spec.separable) for layer in layers),
            *((kind, vars(kind).get("separable", False)) for kind in kinds),
            *((measure.of, said) for measure in scenario.measures),
        ]

    def sliced_game(
        self,
        recorders: Sequence[Recorder] = (),
        *,
        env: Environment | None = None,
        outside: ModelGateway | None = None,
        minds: Minds | None = None,
    ) -> SlicedGame:
        """Make a game like that of `gamemaster`, of which slices of replicates are played apart."""
        env = env or self.environment()
        gateway = outside or self.outside(minds=minds)
        games = [
            self.part_of_game(env, replicates, gateway.part())
            for replicates in slice_replicates(self.replicates)
        ]
        return SlicedGame(env, gateway, games, recorders)

    def part_of_game(
        self, env: Environment, replicates: Array, gateway: ModelGateway
    ) -> GameMaster:
        """Make a game of some replicates of an environment, which are given by their places."""
        part = self.environment(env.replicate_ids[replicates], env.ids)
        part.dry_runs = env.dry_runs
        world = RunContext(part, gateway, self.first.words, self.spec.option_order)
        agents = Population(self.first._seated(part), world)
        return GameMaster(self.scenario, part, agents, (), self.interventions)

    @property
    def words(self) -> Prompts:
        """The prompts for language agents: the user's templates, then the built-in ones."""
        homes = [Path(file).parent / "prompts" for file in self.files if file.endswith(".py")]
        own = [Path(self.spec.prompts)] if self.spec.prompts else []
        brought = [one.prompts for one in self.plugins if one.prompts]
        folders = [*own, *filter(Path.is_dir, dict.fromkeys(homes)), *dict.fromkeys(brought)]
        scenario = self.scenario
        return Prompts(
            scenario.name,
            folders,
            [*map(_terms_of, scenario.layers)],
            Wording(scenario.summary, fact_specs(scenario, self.cast())),
            find_perturbation(self.spec.perturbation) if self.spec.perturbation else None,
        )

    def unanswered(self) -> UnansweredQuestion | None:
        """Return the error that names all questions which nobody answers; None if there are none.

        The script plays with silent answers, which may be too much for one that is wrong.
        """
        try:
            _Heard(self.scenario.play, self.cast(), self.environment()).refuse_mute()
        except UnansweredQuestion as error:
            return error
        except Exception:  # of the user's script; a run of it says so
            return None
        return None

    @property
    def models_named(self) -> set[str]:
        """The models that the cast will call."""
        return {name for one in self.cast() for part in one.components for name in part.models}

    def minds(self, spent: Spent | None = None, budget: Budget | None = None) -> ModelPool | None:
        """Open the models that the cast asks; None if it asks none. Raises InputError.

        spent: the use by earlier sessions. budget: in place of the run's own.
        """
        names = self.models_named
        if not names:
            return None
        from society.llm.providers.budget import Budget
        from society.llm.providers.pool import ModelPool

        budget = budget or Budget(self.spec.limits, spent or Spent())
        pool = ModelPool(
            self.spec.models,
            budget,
            self.models,
            seed=self.past[-1].change.world.seed if self.past else self.seed,
            share=self.spec.share_identical,
            batch=self.spec.batch,
        )
        pool.check(names)
        return pool

    def counting(self) -> Counting:
        """Make minds that count what the run would ask of its models, and ask the offline one."""
        from society.llm.providers.estimate import Counting

        spec = self.spec
        return Counting(spec.models, seed=self.seed, share=spec.share_identical, batch=spec.batch)

    def _seated(self, env: Environment) -> list[Cohort]:
        """Seat the cast in an environment of some replicates, or with its agents in new seats."""
        cast = [
            cohort
            if cohort.where is None or cohort.where.ndim == 1
            else replace(cohort, where=cohort.where[env.replicate_ids])
            for cohort in self.cast()
        ]
        return cast if (env.ids == np.arange(self.agents)).all() else _reseat(cast, env.ids)

    def _graphs(self, replicate_ids: Array, ids: Array) -> dict[str, Graph]:
        """Draw a graph for each relation; relations without a graph of their own share one.

        The last ones are kept, since a run asks for them for its manifest and for its play.
        """
        key = replicate_ids.tobytes(), ids.tobytes()
        if (kept := self._graphs_kept.get(key)) is not None:
            return kept
        different = {drawing.keys: drawing for drawing in self.drawings.values()}
        drawn = {name: self._graph(one, replicate_ids, ids) for name, one in different.items()}
        graphs = {relation: drawn[drawing.keys] for relation, drawing in self.drawings.items()}
        self._graphs_kept.clear()
        self._graphs_kept[key] = graphs
        return graphs

    def _graph(self, drawing: Drawn, replicate_ids: Array, ids: Array) -> Graph:
        keys, graph = drawing
        try:
            return draw_graph(
                graph, dotted_path(keys[1:]), seed=self.seed, replicate_ids=replicate_ids, ids=ids
            )
        except InputError as error:
            raise type(error)(self.spec._source.line(Issue(keys, str(error)))) from error


def _terms_of(layer: Layer) -> MechanismTerms:
    """Return the terms of a mechanism, as prompts need them."""
    parts = [TermsPart(fact, value, _terms_of(part)) for fact, value, part in layer.parts]
    return MechanismTerms(layer.name, layer.parameters, layer.spec.summary, tuple(parts))


def _reseat(cast: Cast, ids: Array) -> list[Cohort]:
    """Move the cohorts so that agent ids[s] takes seat s."""
    ends = itertools.accumulate(cohort.count for cohort in cast)
    agent = np.arange(len(ids))
    return [
        replace(
            cohort,
            where=((agent >= end - cohort.count) & (agent < end))[ids]
            if cohort.where is None
            else cohort.where[..., ids],
        )
        for cohort, end in zip(cast, ends, strict=True)
    ]


def _bare_environment(
    scenario: Scenario, params: Params, seed: int, agents: int, rounds: int
) -> Environment:
    """Make an environment with complete graphs: one replicate, or all if cohorts have seats."""
    cast = scenario.cast(params, agents)
    seated = [one.where for one in cast if one.where is not None and one.where.ndim == 2]
    ids, replicates = np.arange(agents), np.arange(len(seated[0]) if seated else 1)
    graphs = complete_graphs(scenario.relations, len(replicates), ids)
    env = Environment(
        params,
        seed=seed,
        ids=ids,
        replicate_ids=replicates,
        horizon=rounds,
        graphs=graphs,
        facts=public_facts(scenario.play, params),
    )
    env.naming, env.levels = _naming(scenario, params), scenario.display.levels
    try:
        env.cohorts = cohort_seats(cast, env)
    except CastError as error:
        raise CastError(f"{_users_place(scenario.cast)}{error}") from error
    env.answered_by_rule = partial(answered_by_rule, cast)
    return env


def _naming(scenario: Scenario, params: Params) -> Naming:
    """Return the words of names; where matches stay as they are, players have their seats."""
    display, play = scenario.display, as_play(scenario.play)
    if play.name_life is not name_by_id:
        return Naming(display.noun, display.nouns, by_life=True)
    of_match = play.declared.players if play.declared else None
    if display.player and of_match and not play.rematching:
        return Naming(display.player, display.nouns, of_match(params))
    return Naming(display.noun, display.nouns)


def _unknown_names(setup: Society, heard: _Heard) -> tuple[WiringIssue, ...]:
    """Find names in the user's prompts that may be no variables; raises InputError for sure ones.

    Prompts of questions that rules answer are never rendered, and may say what they like.
    """
    if not setup.words.folders:
        return ()
    cast = setup.cast()
    in_words = {
        kind: facts
        for kind, facts in heard.asked.items()
        if any(_asked_in_words(cohort, kind) for cohort in cast)
    }
    found = setup.words.unknown_names(in_words, heard.told)
    issues = [
        WiringIssue(
            one.words, "error" if one.sure and heard.complete else "warning", one.file, one.line
        )
        for one in found
    ]
    if errors := [str(issue) for issue in issues if issue.severity == "error"]:
        raise InputError("\n".join(errors))
    return tuple(issues)


def _asked_in_words(cohort: Cohort, kind: str) -> bool:
    """Tell whether a language mind of a cohort answers a kind of question."""
    parts = (part for part in cohort.components if part.hears(kind, part.answers))
    part = next(parts, None)
    return part is not None and bool(part.models)


def _users_place(function: Callable[..., Any]) -> str:
    """Return the place of a user's function, "wood.py:12: "; "" for a function of ours."""
    place = definition_place(function)
    return f"{place}: " if place and is_users_file(place.rpartition(":")[0]) else ""


def _validated(model: type[Params], given: Mapping[str, Any]) -> Params:
    """Return parameters; raises ValidationIssues, also for a default that the user has mistaken."""
    params = validate(model, given)
    if is_foreign(model):
        fields = model.model_fields.items()
        defaults = {
            name: one.get_default(call_default_factory=True)
            for name, one in fields
            if name not in given and not one.is_required()
        }
        try:  # what is returned keeps them as they were written: 1 is no 1.0 in a digest
            validate(model, {**defaults, **given})
        except ValidationIssues as refused:
            file = file_of(model)
            line = source_file(file).member_line(model.__name__, "") if file else 0
            place = f" ({show_place(file, line)})" if line else ""
            raise ValidationIssues(
                *(
                    fault._replace(words=f"its default in {model.__name__}{place}: {fault.words}")
                    for fault in refused.faults
                )
            ) from None
    return params


def _refuse_no_cast(scenario: Scenario, cast: object) -> None:
    """Raise CastError for what a function of the user's gives in place of a list of cohorts."""
    if _is_cast(cast):
        return
    hint = " (is a `return` missing?)" if cast is None else ""
    shown = "a single Cohort" if isinstance(cast, Cohort) else f"{cast!r:.60}"
    raise CastError(
        f"{_users_place(scenario.cast)}the cast of {scenario.name} is {shown}{hint}; return a "
        "list of cohorts: [Cohort(NAME, COUNT, (COMPONENT(),))]"
    )


def _is_cast(cast: object) -> bool:
    """Tell whether something is a list of cohorts."""
    return isinstance(cast, list | tuple) and all(isinstance(one, Cohort) for one in cast)


def _default_agents(scenario: Scenario, params: Params) -> int:
    """Return the default number of agents: the scenario's, or that of one match."""
    declared = as_play(scenario.play).declared
    if declared is None or declared.players is None:
        return scenario.agents
    players = declared.players(params)
    return scenario.agents if scenario.agents % players == 0 else players


def _refuse_overruled(given: Iterable[str], params: type[Params]) -> None:
    """Raise ValidationIssues for parameters of the default cast, where cohorts replace it."""
    words = (
        "shapes the default cast only, and `cohorts` replace that cast; "
        "set it in the cohorts instead"
    )
    overruled = [name for name in given if name in params.of_default_cast()]
    if overruled:
        raise ValidationIssues(*(Issue((name,), words, True) for name in overruled))


class _Heard:
    """The questions and events of a script, from one dry run, and what is wrong with them.

    asked, told: their facts, by kind. complete: whether the script was heard to its end. mute: for
    each cohort, the kinds that it cannot answer. unreadable: the first sentence that cannot be
    filled in. A script that fails where nobody answers is heard up to there. Raises InputError, if
    the script does.
    """

    def __init__(self, play: PlayFunction, cast: Cast, env: Environment) -> None:
        self._cast, self._origin = cast, as_play(play).origin
        self.asked: dict[str, set[str]] = {}
        self.told: dict[str, set[str]] = {}
        self.complete = False
        self.mute: dict[str, dict[str, None]] = {}
        self.unreadable: ScenarioError | None = None
        lines = silent_lines(play, rehearsal_environment(env))
        for _ in range(_MOST_LINES):
            try:
                line = next(lines, None)
            except InputError:
                raise
            except Exception:  # of the user's script; a run of it says so
                return
            if line is None:
                self.complete = True
                return
            self._note(line, env)

    def _note(self, line: Line, env: Environment) -> None:
        if isinstance(line, Ask | Tell):
            known = self.asked if isinstance(line, Ask) else self.told
            known.setdefault(line.kind, set()).update(line.facts)
        if isinstance(line, Ask):
            self._note_mute(line, env)
        if isinstance(line, Ask | Tell) and line.text and self.unreadable is None:
            try:
                check_figures(line, env.params)
            except ScenarioError as error:
                words = f"{type(line).__name__}({line.kind!r}): {error}"
                self.unreadable = ScenarioError(f"{self._place(line)}{words}")

    def _place(self, line: Ask | Tell) -> str:
        """The place in the user's file where a line is made, "wood.py:12: "; "" if not known."""
        file = file_of(self._origin) if is_foreign(self._origin) else ""
        number = source_file(file).call_line((type(line).__name__,), line.kind, 0) if file else 0
        return f"{show_place(file, number)}: " if number else ""

    def _note_mute(self, ask: Ask, env: Environment) -> None:
        for cohort in self._cast:
            seats = env.cohorts[cohort.name]
            asked = seats if ask.who is None else ask.who & seats
            if asked.any():
                try:
                    respondent(cohort.name, cohort.components, ask.kind)
                except UnansweredQuestion:
                    self.mute.setdefault(cohort.name, {})[ask.kind] = None

    def refuse_mute(self) -> None:
        """Raise UnansweredQuestion for cohorts that are asked questions they cannot answer."""
        if self.mute:
            parts = {cohort.name: cohort.components for cohort in self._cast}
            home = self._origin.__module__
            lines = (
                _describe_mute(name, list(kinds), parts[name], home)
                for name, kinds in self.mute.items()
            )
            raise UnansweredQuestion(f"{_users_place(self._origin)}{'; '.join(lines)}")

    def refuse_unreadable(self) -> None:
        """Raise ScenarioError for a sentence with figures that nobody knows."""
        if self.unreadable is not None:
            raise self.unreadable


def _describe_mute(cohort: str, kinds: Sequence[str], parts: Sequence[Component], home: str) -> str:
    """Name the questions that a cohort cannot answer, and the components that would answer them.

    home: the module of the script, which may define components as well.
    """
    able, modules = [], [home, *(type(part).__module__ for part in parts)]
    for kind in kinds:
        found = components_answering(kind, modules)[:3]
        near = difflib.get_close_matches(kind, [one for part in parts for one in part.answers], 1)
        if near:
            part = next(part for part in parts if near[0] in part.answers)
            able.append(f"{part.title()} answers {near[0]!r}: did you mean {kind!r}?")
        elif found:
            able.append(f"{kind!r} is answered by {' or '.join(found)}")
        else:
            able.append(f"no component known answers {kind!r}: write one, answers = ({kind!r},)")
    names = ", ".join(map(repr, kinds))
    return f"nobody in cohort {cohort!r} answers {names}; {'; '.join(able)}"


def _refuse_oversized(agents: int, replicates: int, cast: Cast) -> None:
    """Raise ScenarioError for a society whose columns this machine has no memory for."""
    columns = max((sum(len(part.columns) for part in one.components) for one in cast), default=0)
    needed = 8 * agents * replicates * (columns + 1)  # the columns, and an answer
    if needed > (memory := _installed_memory()):
        raise ScenarioError(
            f"{agents:,} agents x {replicates:,} replicates need at least {needed / 2**30:,.0f} "
            f"GiB for {columns} columns and an answer; this machine has {memory / 2**30:,.0f} GiB; "
            "take fewer agents or replicates"
        )


def _installed_memory() -> int:
    """Bytes of memory of this machine; 64 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 2**36


def _refuse_untold(words: Prompts) -> None:
    """Raise ScenarioError for a mechanism that prompts would not describe."""
    for name in words.mute():
        raise ScenarioError(
            f"{name} changes the game, but no prompt describes it to language agents; describe it "
            f"in prompts/{name}/terms.md beside its file, or in the first line of its docstring"
        )


def _refuse_unasked(given: Iterable[str], cast: Cast, name: str) -> None:
    """Raise ScenarioError or ValidationIssues for models that no component asks."""
    asked = {model for cohort in cast for part in cohort.components for model in part.models}
    if given and not asked:
        raise ScenarioError(
            f"no agent in {name} asks a model; add the component language_policy to a cohort, "
            "or leave the model out"
        )
    unasked = [model for model in given if model not in asked]
    if unasked:
        names = sorted(asked)
        words = (
            f"no component asks the model {{}}; models in use: {', '.join(names)}; set one with "
            f"--set models.{names[0]}.model=M"
        )
        # --model sets `model` of the default model, and nothing else.
        raise ValidationIssues(*(Issue((one, "model"), words.format(one)) for one in unasked))


def build(
    spec: RunConfig, own: Iterable[object] = (), *, rehearsed: bool = True, everything: bool = False
) -> Society:
    """Look up and check everything that a spec names; raises InputError.

    own: scenarios, components, mechanisms and graph functions that the spec may name, beside the
    built-in ones and those of its files. rehearsed: check how they are wired; not for a run that
    was checked when it began. everything: check how our own parts are wired, too. So in a notebook:

    >>> import numpy as np
    >>> from society.config.run_config import load_config
    >>> from society.engine.component import Component
    >>> class Miser(Component):
    ...     answers = ("effort",)
    ...     def answer(self, ask, me):
    ...         return np.full(len(me), 0.1)
    >>> misers = {"name": "misers", "count": 10, "replace": {"harvest": "miser"}}
    >>> spec = load_config("fishing_village", {"cohorts": [misers], "replicates": 5, "rounds": 20})
    >>> outcome = build(spec, own=[Miser]).gamemaster().play()
    >>> outcome.measures["over_use"].mean
    0.0
    """
    setup = _Preparation(spec, own).setup()
    return with_wiring_checked(setup, everything=everything) if rehearsed else setup


def recast(setup: Society, changes: Sequence[CohortConfig]) -> Society:
    """Give cohorts of a society other components; raises InputError.

    changes: entries as in a scenario file, by the names of cohorts; what they do not say stays.
    """
    return _Preparation(setup.spec, setup.own).recast(setup, changes) if changes else setup


def with_wiring_checked(setup: Society, *, everything: bool = False) -> Society:
    """Check how a society is wired, and note what is probably wrong in it; raises WiringRefused."""
    scenario, spec = setup.scenario, setup.spec

    def bare(params: Params, rounds: int) -> Environment:
        return _bare_environment(scenario, params, spec.seed, setup.agents, rounds)

    found = check_wiring(
        scenario,
        setup.params,
        setup.cast(),
        rehearsal_stage(bare, setup.rounds, scenario.rounds),
        words=lambda: setup.words,
        files=[file for file in setup.files if file.endswith(".py")],
        own_cast=None if spec.cohorts is None else _cohort_places(spec),
        everything=everything,
    )
    if any(issue.severity == "error" for issue in found):
        raise WiringRefused(found)
    return replace(setup, wiring=(*setup.wiring, *found))


def _cohort_places(spec: RunConfig) -> dict[str, tuple[str, int]]:
    """Return file and line of each cohort that a scenario file lists, by its name."""
    places = {
        cohort.name: _place_in_file(spec, "cohorts", index)
        for index, cohort in enumerate(spec.cohorts or ())
    }
    return {name: place for name, place in places.items() if place[0]}


def _place_in_file(spec: RunConfig, *keys: str | int) -> tuple[str, int]:
    """Return file and line of a value; "" and 0 if it is in no scenario file."""
    position = spec._source.positions.get(keys)
    file, _, place = ("" if position is None else position.value).partition(".yaml:")
    return (f"{file}.yaml", int(place.partition(":")[0])) if place else ("", 0)


@contextmanager
def _blamed(spec: MechanismSpec, scenario: Scenario) -> Iterator[None]:
    """Turn whatever a mechanism of the user's raises while it wraps into a ScenarioError."""
    try:
        yield
    except (SocietyError, ValidationIssues):
        raise
    except Exception as error:  # a mechanism of the user's may raise anything; ours goes on up
        place = user_place(error)
        if place is None:
            raise
        raise ScenarioError(
            f"{show_place(*place)}: the mechanism {spec.name} fails around {scenario.name}: "
            f"{type(error).__name__}: {error}"
        ) from error


class _Preparation:
    """Looks up and checks one spec, and collects its errors."""

    def __init__(self, spec: RunConfig, own: Iterable[object]) -> None:
        self.spec, self.own, self.found = spec, tuple(own), list[Issue]()
        self.registry = Registry(self.own)

    def setup(self) -> Society:
        spec = self.spec
        for index, file in enumerate(spec.uses):
            with self.at("uses", index):
                self.registry.add(file)
        self.refuse()  # whatever a file lacks seems to be missing wherever it is named, too
        scenario, given = self.chosen()
        stages = self.stages(scenario)
        scenario = list(stages.values())[-1]
        drawings, models = self.drawings(scenario), self.models()
        scenario, params, agents = self.peopled(scenario, given)
        rounds = spec.rounds or scenario.rounds
        _refuse_oversized(agents, spec.replicates, scenario.cast(params, agents))
        env = _bare_environment(scenario, params, spec.seed, agents, rounds)
        if brought := find_plugin("perturbations", spec.perturbation or "", PERTURBATIONS):
            self.registry.plugins.add(brought)
        if brought := embedder_of_package(spec.embedder or ""):
            self.registry.plugins.add(brought)
        self.begin_stages(stages, env, params)
        setup = Society(
            spec,
            scenario,
            params,
            agents,
            rounds,
            spec._source.found or describe_origin(spec.scenario),
            dict(self.registry.files),
            drawings,
            models,
            self.own,
            tuple(sorted(self.registry.objects)),
            plugins=tuple(sorted(self.registry.plugins)),
        )
        return replace(setup, wiring=(*self.check_words(setup, env), *self.unused_files()))

    def unused_files(self) -> Iterator[WiringIssue]:
        """Warn of files in `uses` of which the society has nothing."""
        for index, file in enumerate(self.spec.uses):
            if self.registry.unused(file):
                words = (
                    f"nothing that {short_path(file)} defines is used; name its components, "
                    "mechanisms or functions here, or leave it out of `uses`"
                )
                file, line = _place_in_file(self.spec, "uses", index)
                yield WiringIssue(words, "warning", file, line, shared=True)

    def chosen(self) -> tuple[Scenario, dict[str, Any]]:
        """Return the scenario, or its variant for language models, and the parameters given."""
        spec, scenario = self.spec, self.scenario()
        given = with_current_parameters(scenario.name, spec.parameters)
        if spec.models and spec.cohorts is None and scenario.language_variant:
            if isinstance(scenario.language_variant, str):
                scenario = self.registry.scenario(scenario.language_variant)
            else:
                given = {**scenario.language_variant, **given}
        return scenario, given

    def peopled(self, scenario: Scenario, given: Mapping[str, Any]) -> tuple[Scenario, Params, int]:
        """Return the scenario with its cast, the parameters and the number of agents.

        Raises all errors that were found so far.
        """
        spec, agents = self.spec, self.agents(scenario)
        with self.at("parameters"):
            params = _validated(scenario.params, given)
            if spec.agents is None and spec.cohorts is None:
                agents = _default_agents(scenario, params)
            default = scenario.cast(params, agents)
            if spec.cohorts is not None and _is_cast(default):
                _refuse_overruled(
                    with_current_parameters(scenario.name, spec.parameters), scenario.params
                )
                cast = self.cast(spec.cohorts, default, params)
                self.refuse_hidden_traits(cast, scenario)
                if scenario.seats is not None:
                    cast = self.seated(cast, scenario.seats, params)
                    agents = cast[0].count
                scenario = replace(scenario, cast=lambda params, agents: cast)
        if self.found and spec.cohorts is not None:
            self.name_components(spec.cohorts)
        self.refuse()
        _refuse_no_cast(scenario, scenario.cast(params, agents))
        with self.at("models"):
            _refuse_unasked(spec.models, scenario.cast(params, agents), scenario.name)
        self.refuse()
        return scenario, params, agents

    def begin_stages(
        self, stages: Mapping[Keys, Scenario], env: Environment, params: Params
    ) -> None:
        """Begin the scenario, and each mechanism around it, to find errors of their own."""
        scenario = list(stages.values())[-1]
        for keys, stage in stages.items():
            layer = stage.layers[-1].spec if len(keys) > 1 else None
            with self.at(*keys), nullcontext() if layer is None else _blamed(layer, scenario):
                self.begin(stage, env, params)
            self.refuse()

    def check_words(self, setup: Society, env: Environment) -> tuple[WiringIssue, ...]:
        """Check all that agents who read are told, before any paid call; return warnings."""
        warnings: tuple[WiringIssue, ...] = ()
        spec, words = self.spec, setup.words
        in_words = any(part.models for cohort in setup.cast() for part in cohort.components)
        if not in_words and spec.prompts is None:
            return warnings
        heard = _Heard(setup.scenario.play, setup.cast(), env)
        if in_words:
            with self.at("cohorts" if spec.cohorts else "scenario"):
                heard.refuse_mute()
            with self.at("scenario"):
                heard.refuse_unreadable()
            with self.at("mechanisms"):
                _refuse_untold(words)
            self.refuse()
            words.check_parameters(setup.params, heard.asked)
            warnings = _unknown_names(setup, heard)
        if spec.prompts is not None:
            with self.at("prompts"):
                words.check(Path(spec.prompts), heard.asked)
            self.refuse()
        return warnings

    def begin(self, stage: Scenario, env: Environment, params: Params) -> None:
        """Begin a stage to find its errors; blame the rounds if another number would do.

        Raises InputError.
        """
        try:
            stage.play(env)
        except InputError as error:
            if self.spec.rounds is None:
                raise
            with suppress(InputError):
                stage.play(_bare_environment(stage, params, env.seed, env.agents, stage.rounds))
                self.found.append(Issue(("rounds",), str(error)))
                return
            raise

    def refuse(self) -> None:
        """Raise all collected errors."""
        if self.found:
            raise self.spec._source.refusal(self.found)

    @contextmanager
    def at(self, *keys: str | int) -> Iterator[None]:
        """Collect errors about the value at `keys`, and continue."""
        try:
            yield
        except ValidationIssues as refused:
            self.found += [fault.under(*keys) for fault in refused.faults]
        except UntrustedCodeError:  # no fault of the file's
            raise
        except InputError as error:
            self.found.append(Issue(keys, str(error)))

    def scenario(self) -> Scenario:
        try:
            return self.registry.scenario(self.spec.scenario)
        except InputError as error:
            if ("scenario",) not in self.spec._source.positions:
                raise
            line = self.spec._source.line(Issue(("scenario",), str(error)))
            raise type(error)(line) from error

    def stages(self, scenario: Scenario) -> dict[Keys, Scenario]:
        """Wrap the scenario in one mechanism after another; return each stage by its place."""
        stages: dict[Keys, Scenario] = {("scenario",): scenario}
        for index, part in enumerate(self.spec.mechanisms):
            for name, given in part.items():
                with self.at("mechanisms", index):
                    spec = self.registry.mechanism(name)
                    given = with_current_parameters(spec.name, given)
                    for one in spellings("mechanism", spec.name):
                        given |= self.spec.drafts.get(one, {})
                    with self.at("mechanisms", index, name), _blamed(spec, scenario):
                        context = {"registry": self.registry}  # an option may name a mechanism
                        taken = dict(validate(spec.parameters, given, context=context))
                        scenario = wrap_scenario(scenario, spec, **taken)
                        stages["mechanisms", index] = scenario
        return stages

    def seated(self, cast: list[Cohort], seats: Seats, params: Params) -> list[Cohort]:
        """Seat each type of agent where a mechanism puts it; its count is the number of seats."""
        spec, index = self.spec, len(self.spec.mechanisms) - 1
        with self.at("mechanisms", index):
            types = seats(len(cast), params)
            cast = [
                replace(cohort, count=types.shape[1], where=types == number)
                for number, cohort in enumerate(cast)
            ]
        words = {
            "agents": "leave agents out, since each cohort is a type of agent",
            "replicates": "leave replicates out, and set how often types meet by repetitions",
            "count": "leave count out, since each cohort is a type of agent",
        }
        said: dict[Keys, bool] = {
            ("agents",): spec.agents is not None,
            ("replicates",): spec.replicates != 1,
        }
        for number, cohort in enumerate(spec.cohorts or ()):
            said["cohorts", number, "count"] = cohort.count != 1
        name = next(iter(spec.mechanisms[index]))
        wrong = [keys for keys, given in said.items() if given]
        self.found += [
            Issue(keys, f"{name} assigns the seats; {words[str(keys[-1])]}") for keys in wrong
        ]
        return cast

    def agents(self, scenario: Scenario) -> int:
        spec = self.spec
        if scenario.seats is not None:
            if spec.cohorts is None:
                words = (
                    f"{scenario.mechanisms[-1]} matches types of agents; name each type in cohorts"
                )
                self.found.append(Issue(("mechanisms",), words))
            return scenario.agents
        if spec.cohorts is None:
            return spec.agents or scenario.agents
        total = sum(cohort.count for cohort in spec.cohorts)
        if spec.agents not in (None, total):
            words = (
                f"got {spec.agents}, but the counts of the cohorts sum to {total}; "
                "change the counts, or leave agents out"
            )
            self.found.append(Issue(("agents",), words))
        return total

    def drawings(self, scenario: Scenario) -> dict[str, Drawn]:
        """Return the graph of each relation, with its place in the spec."""
        spec, relations = self.spec, scenario.relations
        for relation in spec.graphs:
            if relation not in relations:
                self.found.append(unknown_name(("graphs", relation), "relation", relations))
        if spec.graph and not relations:
            words = f"{scenario.name} has no relation that a graph could limit; leave the graph out"
            self.found.append(Issue(("graph",), words))
        said: dict[Keys, Any] = {("graph",): spec.graph or scenario.graph}
        # One graph given for all overrides the scenario's graphs for single relations.
        single = spec.graphs if spec.graph else {**scenario.graphs, **spec.graphs}
        said |= {("graphs", relation): graph for relation, graph in single.items()}
        drawn = {keys: Drawn(keys, self.graph(keys, graph)) for keys, graph in said.items()}
        return {name: drawn.get(("graphs", name), drawn["graph",]) for name in relations}

    def models(self) -> dict[str, Callable[[], Any]]:
        """Look up the functions of the user's and of packages that make a model."""
        found = {}
        for name, model in self.spec.models.items():
            if model.sort == "own":
                with self.at("models", name, "model"):
                    found[model.model] = self.registry.model(model.model)
        return found

    def graph(self, keys: Keys, said: Any) -> GraphSpec:
        """Check the kind and parameters of a graph, and look up the user's function."""
        with self.at(*keys):
            graph = parse_graph(said)
            given = graph.parameters
            if graph.kind == "file" and isinstance(given.get("file"), str):
                self.registry.bytes_of(given["file"])
            if graph.kind == "function" and isinstance(given.get("function"), str):
                found = {"function": self.registry.function(given["function"])}
                graph = parse_graph({"kind": graph.kind, **given, **found})
            graph_family(graph)
            if brought := find_plugin("graphs", graph.kind, FAMILIES):
                self.registry.plugins.add(brought)
            return graph
        return GraphSpec(kind="complete")  # stands in for a wrong one

    def refuse_hidden_traits(self, cast: Sequence[Cohort], scenario: Scenario) -> None:
        """Refuse columns from a table that would be hidden behind facts of the same name."""
        for index, cohort in enumerate(cast):
            for part in (part for part in cohort.components if part.kept_tables):
                for name in (one.name for one in part.columns if one.name in scenario.facts):
                    table = short_path(next(iter(part.kept_tables)))
                    words = (
                        f"{table}, line 1: a column is called {name!r}, and {scenario.name} tells "
                        "a fact of that name, which would hide it; rename the column"
                    )
                    self.found.append(Issue(("cohorts", index), words))

    def name_components(self, cohorts: Sequence[CohortConfig]) -> None:
        """Look up the components of a cast that other mistakes keep from being made."""
        known = {(fault.path, fault.words) for fault in self.found}
        for index, said in enumerate(cohorts):
            for fault in unknown_components(said, self.registry):
                if (fault := fault.under("cohorts", index))[:2] not in known:
                    self.found.append(fault)

    def recast(self, setup: Society, changes: Sequence[CohortConfig]) -> Society:
        """Return a society some of whose cohorts have other components; raises InputError."""
        for index, file in enumerate(self.spec.uses):
            with self.at("uses", index):
                self.registry.add(file)
        self.registry.scenario(self.spec.scenario)
        cast, names = setup.cast(), [cohort.name for cohort in setup.cast()]
        for said in changes:
            keys = "cohorts", said.name
            if said.name not in names:
                self.found.append(unknown_name(keys, "cohort", names))
                continue
            place = names.index(said.name)
            if "count" in said.model_fields_set and said.count != cast[place].count:
                words = f"got {said.count}, but a cohort keeps its {cast[place].count} agents"
                self.found.append(Issue((*keys, "count"), words))
            with self.at(*keys):
                parts = build_components(said, [cast[place]], setup.params, self.registry)
                cast[place] = replace(cast[place], components=parts)
        self.refuse()
        scenario = replace(setup.scenario, cast=lambda params, agents: cast)
        files = {**setup.files, **self.registry.files}
        brought = tuple(sorted({*setup.plugins, *self.registry.plugins}))
        recast = replace(setup, scenario=scenario, files=files, plugins=brought)
        heard = _Heard(scenario.play, cast, recast.environment())
        heard.refuse_mute()
        return recast

    def cast(self, cohorts: list[CohortConfig], default: Cast, params: Params) -> list[Cohort]:
        cast = []
        for index, said in enumerate(cohorts):
            if said.name in [other.name for other in cohorts[:index]]:
                words = f"two cohorts are called {said.name!r}; give each cohort its own name"
                self.found.append(Issue(("cohorts", index, "name"), words))
            with self.at("cohorts", index):
                parts = build_components(said, default, params, self.registry)
                for file in (file for part in parts for file in part.files):
                    self.registry.bytes_of(file)  # so that its hash is kept
                cast.append(Cohort(said.name, said.count, parts))
        return cast
