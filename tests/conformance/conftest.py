"""Every scenario in settings as different as can be, and every preset: found, not listed.

A new scenario is varied by itself: its choices and switches take each of their values, its numbers
are halved and doubled, its lists cut to one entry, on every kind of graph, with one agent, with
two, and with more. Where it refuses such a society, some more agents or another value of one
parameter are tried; what has not been tried then is tried on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, get_args, get_origin
from zlib import crc32

import numpy as np
import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from society.config.build import Society, build
from society.config.graph_families import FAMILIES
from society.config.registry import scenarios
from society.config.run_config import load_config
from society.engine.agents import RunContext
from society.engine.environment import Environment
from society.engine.population import Cast, Population
from society.engine.scenario import Scenario
from society.engine.script import Script
from society.engine.tape import Answerer
from society.errors import InputError
from society.index import presets
from society.scenarios.programs.program_params import DilemmaOfPrograms
from society.scenarios.scenes.scene import SceneParams

if TYPE_CHECKING:
    from society.llm.prompt_files import Prompts
    from tests.conftest import Played, Recorded

SIZE = {"replicates": 12, "rounds": 12}
TURNS = {"replicates": 4, "rounds": 6}  # where agents act one after the other
SHORT = {"replicates": 3, "rounds": 3}  # where rounds are played again and again
SMALL = {"replicates": 2, "rounds": 2}  # where minds are asked one by one, or a round is many games
CROWD = 32  # agents, of scenarios that have hundreds of them
PATCHY = {"function": f"{Path(__file__).with_name('patchy.py')}:patchy"}
SETTINGS: Sequence[tuple[int, Any]] = (  # agents, graph
    (1, "complete"),
    (2, "complete"),
    (1, PATCHY),
    (3, PATCHY),
    (7, PATCHY),
    *((10, family) for family in FAMILIES if family not in ("file", "function")),
)

GRAPHLESS = ((2, "complete"), (3, PATCHY), (7, PATCHY))

# A mechanism needs a place to stand on, which is not to be found by itself.
CAPPED = {"quota": {"kind": "effort", "at": 0.5}}
REPEATED = {"repetition": {"games": 2}}
DYING = {"ends_on": "horizon", "wealth": 2}
LANGUAGE = {"parameters": {"minds": "language", "games": 1}, "agents": 4}
RULES: Sequence[Mapping[str, Any]] = (
    {"selection": "truncation", "strategies": "advice"},
    {"selection": "truncation", "strategies": "advice", "overlapping": False},
    {"selection": "proportional", "phenotype": "share"},
    {"selection": "tournament", "strategies": "parent"},
    {"selection": "fermi"},
    {"selection": "moran", "strategies": "advice"},
    {"selection": "none"},
)


def evolving(fitness: str, **given: Any) -> dict[str, Any]:
    return {"generations": {"fitness": fitness, "count": 3, **given}}


# Lives begin with calls to models, and go on in chains of thoughts.
THINKERS = [
    {
        "name": "thinkers",
        "count": 4,
        "components": [
            *("persona", "formative_memories", "personal_norm", "observation", "plan"),
            *({"relationships": {"every": 1}}, "situation"),
            {"language_policy": {"faculties": "chain"}},
        ],
    }
]

MECHANISMS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("fishing_village", {"mechanisms": [CAPPED]}),
    ("fishing_village", {"mechanisms": [REPEATED]}),
    ("fishing_village", {"mechanisms": [evolving("wealth", fold="last", selection="moran")]}),
    ("fishing_village", {"mechanisms": [CAPPED, REPEATED, evolving("wealth", selection="fermi")]}),
    ("fishing_village", {"mechanisms": [evolving("catch", fold="sum")], "parameters": DYING}),
    ("language_village", {"mechanisms": [evolving("wealth", fold="last")], "agents": 4}),
    ("language_village", {"mechanisms": [evolving("wealth", fold="last")], "cohorts": THINKERS}),
    *(("donor_game", {"mechanisms": [evolving("final", **rule)]}) for rule in RULES),
    ("donor_game", {"mechanisms": [evolving("final", **RULES[0])], **LANGUAGE}),
)


HERE = Path(__file__).parent
DILEMMAS = YAML(typ="safe").load(HERE / "dilemmas.yaml")

# Where minds are asked one by one, few rounds are played, and somebody must go in them.
HARD_TIMES = {"ends_on": "horizon", "wealth": 1, "consumption": 6}


class Case(NamedTuple):
    """A society to be tried: a scenario or preset, and changes to it."""

    source: str
    changes: Mapping[str, Any]

    def __str__(self) -> str:
        graph = self.changes.get("graph", "")
        mechanisms = [
            word
            for part in self.changes.get("mechanisms", [])
            for name, given in part.items()
            for word in (name, given.get("selection", ""))
        ]
        words = [self.changes.get("agents", ""), "patchy" if isinstance(graph, dict) else graph]
        name = Path(self.source).stem
        return " ".join(str(word) for word in [name, *words, *mechanisms] if word)

    def setup(self, *, rehearsed: bool = True) -> Society:
        return build(load_config(self.source, self.changes), rehearsed=rehearsed)


def legal_values(scenario: Scenario, name: str) -> list[Any]:
    """Values of a parameter to be tried, the default first."""
    default = scenario.params().model_dump(mode="json")[name]
    parts = _parts(scenario.params.model_fields[name].annotation)
    options = [option for part in parts for option in _options(part, default)]
    schema = scenario.params.model_json_schema()["properties"][name]
    options += [option for part in schema.get("anyOf", ()) for option in part.get("enum", ())]
    legal = [default]
    for option in options:
        try:
            scenario.params(**{name: option})
        except ValidationError:
            continue
        if option not in legal:
            legal.append(option)
    return legal


@cache
def _sharers(name: str, annotation: str) -> list[str]:
    return [
        other
        for other, scenario in scenarios().items()
        if name in scenario.params.of_default_cast()
        and str(scenario.params.model_fields[name].annotation) == annotation
    ]


def _sharing(scenario: Scenario, name: str) -> list[str]:
    return _sharers(name, str(scenario.params.model_fields[name].annotation))


def own_part(scenario: Scenario, name: str, legal: list[Any]) -> list[Any]:
    """The default, and those of the other values that this one of several scenarios tries."""
    sharers = _sharing(scenario, name)
    if len(sharers) < 2:
        return legal
    return [legal[0], *legal[1:][sharers.index(scenario.name) :: len(sharers)]]


def _parts(annotation: Any) -> tuple[Any, ...]:
    """X | Y -> X, Y."""
    union = get_origin(annotation) in (Union, UnionType)
    return get_args(annotation) if union else (annotation,)


def _options(kind: Any, default: Any) -> list[Any]:
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if isinstance(default, list):
        return [default[:1]]
    if kind is bool:
        return [False, True]
    if kind in (int, float) and default:
        return [default / 2, default * 2] if kind is float else [default // 2, default * 2]
    return [0, 0.5, 5] if kind in (int, float) else [None]


def variants(scenario: Scenario) -> list[Case]:
    """The settings; over them each parameter takes all its values, in an order of its own."""
    legal = {
        name: own_part(scenario, name, legal_values(scenario, name))
        for name in scenario.params.model_fields
    }
    orders = {
        name: np.random.default_rng(place).permutation(len(SETTINGS)) % len(values)
        for place, (name, values) in enumerate(legal.items())
    }
    cases = []
    for number, (agents, graph) in enumerate(SETTINGS):
        if not scenario.relations and (agents, graph) not in GRAPHLESS:
            continue  # it has no graph; many agents are tried with the others
        chosen = {name: values[orders[name][number]] for name, values in legal.items()}
        changes: dict[str, Any] = {"agents": agents, "parameters": chosen, "seed": number}
        if scenario.relations:
            changes["graph"] = graph
            if agents > 2 and len(scenario.relations) > 1:
                changes["graphs"] = {scenario.relations[-1]: PATCHY}
        cases.append(playable(Case(scenario.name, changes), legal))
    return [*cases, *(of_its_own(scenario, *what, legal) for what in untried(cases, legal))]


Legal = Mapping[str, Sequence[Any]]
_MORE = 6  # so that whole matches can be made of some agents
HELPED: dict[str, dict[str, Any]] = {}  # the value that made the last such society playable


def refused(case: Case) -> bool:
    """Check whether such a society cannot be played."""
    try:
        game = altered(case, **SHORT).setup(rehearsed=False).gamemaster()
        game.scenario.play(game.env)
    except InputError:
        return True
    return False


def playable(case: Case, legal: Legal) -> Case:
    """Return the case, or one with more agents; else one with all parameters that go together."""
    parameters, agents = case.changes["parameters"], case.changes["agents"]
    crowds = [altered(case, agents=agents + more) for more in range(_MORE)]
    for whole in crowds:
        if not refused(whole):
            return whole
    usual = {name: values[0] for name, values in legal.items()}
    # Choices first: they are what usually makes the difference.
    names = sorted(legal, key=lambda name: not isinstance(usual[name], str))
    others = [{}, HELPED.get(case.source, {})]
    others += [{name: value} for name in names for value in legal[name]]
    starts = ((more, altered(one, parameters=usual | more)) for more in others for one in crowds)
    HELPED[case.source], found = next(start for start in starts if not refused(start[1]))
    for name, value in parameters.items():
        if found.changes["parameters"][name] == value:
            continue
        more = altered(found, parameters={**found.changes["parameters"], name: value})
        found = found if refused(more) else more
    return found


def altered(case: Case, **changes: Any) -> Case:
    return case._replace(changes={**case.changes, **changes})


def untried(cases: Sequence[Case], legal: Legal) -> list[tuple[str, Any]]:
    """Values of parameters that are in none of the cases."""
    tried = [case.changes["parameters"] for case in cases]
    return [
        (name, value)
        for name, values in legal.items()
        for value in values
        if all(parameters[name] != value for parameters in tried)
    ]


def of_its_own(scenario: Scenario, name: str, value: Any, legal: Legal) -> Case:
    """The value in an otherwise usual society."""
    usual = {other: values[0] for other, values in legal.items()}
    changes = {"agents": min(scenario.agents, CROWD), "parameters": {**usual, name: value}}
    return playable(Case(scenario.name, changes), {**legal, name: [value]})


def every_case() -> list[Case]:
    cases = [case for scenario in scenarios().values() for case in variants(scenario)]
    cases += [Case(preset, {}) for preset in presets()]
    cases.append(Case("language_village", {"agents": 5, "parameters": HARD_TIMES}))
    cases += [Case(source, changes) for source, changes in MECHANISMS]
    cases += [Case(said["scenario"], said) for said in DILEMMAS]
    cases.append(Case(str(HERE / "recorded.yaml"), {"replicates": 2, "rounds": 2}))
    cases.append(Case(str(HERE / "people.yaml"), {}))
    return [sized(case) for case in cases]


def sized(case: Case) -> Case:
    """Return the case at a size that is played in a moment: few replicates, rounds and games."""
    spec = load_config(case.source, case.changes)
    said = set(case.changes)
    if any(name in part for part in spec.mechanisms for name in ("tournament", "draft_designs")):
        said.add("replicates")  # the types say how many matches there are
    if spec.mechanisms and scenarios()[spec.scenario].rounds == 1:
        said.add("rounds")  # what is repeated is one game

    def within(sizes: Mapping[str, int]) -> dict[str, Any]:
        return {name: most for name, most in sizes.items() if name not in said}

    small = altered(case, **within(SMALL))
    setup = small.setup(rehearsed=False)
    if setup.agents > CROWD and not setup.spec.cohorts:
        case = altered(case, agents=CROWD)
    asked, again = setup.models_named, len(setup.scenario.display.levels) > 1
    many_games = isinstance(setup.params, DilemmaOfPrograms)
    most = TURNS if isinstance(setup.params, SceneParams) else SIZE
    size = within(SMALL if asked or many_games else SHORT if again else most)
    stages = [
        {name: fewer(given, 2 if asked else 3) for name, given in part.items()}
        for part in setup.spec.mechanisms
    ]
    found = altered(case, **size, **({"mechanisms": stages} if stages else {}))
    PARTS[id(found)] = _named_parts(setup)
    return found


def _named_parts(setup: Society) -> set[object]:
    names = {name for part in setup.spec.mechanisms for name in part}
    kinds = {type(part) for cohort in setup.cast() for part in cohort.components}
    return {setup.scenario.name} | names | kinds


def fewer(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Return settings of a mechanism with fewer generations, games and repetitions."""
    many = ("count", "games", "repetitions")
    return {name: min(value, most) if name in many else value for name, value in given.items()}


PARTS: dict[int, set[object]] = {}  # of each case, which several tests ask for
CASES = every_case()
# A ring, a small world, complete and patchy graphs are quick; these are left to `make test-all`.
RARE_GRAPHS = {"lattice", "caveman", "random_regular", "scale_free"}


def parts_of(case: Case) -> set[object]:
    """Return the scenario and the mechanisms of a case, by name, and its kinds of components."""
    return PARTS[id(case)]


def deal_shares(cases: Sequence[Case]) -> list[set[int]]:
    """Deal cases to shares of the ways in which they are tried, for what is quick.

    A case goes to each share in which one of its parts has not been. Of those that bring nothing
    new each goes to one share of twice as many, of which half are left to `make test-all`.
    """
    been: list[set[object]] = [set() for _ in range(SHARES)]
    dealt: list[set[int]] = []
    for number, case in enumerate(cases):
        if RARE_GRAPHS & set(str(case).split()):
            dealt.append(set())
            continue
        parts = parts_of(case)
        shares = {share for share in range(SHARES) if parts - been[share]}
        if not shares and (share := number % (2 * SHARES)) < SHARES:
            shares = {share}
        for share in shares:
            been[share].update(parts)
        dealt.append(shares)
    return dealt


SHARES = 8
DEALT = deal_shares(CASES)


def marks(number: int, way: str) -> list[pytest.MarkDecorator]:
    """Mark a way of trying a case, by the name of its test: its share depends on no other test."""
    group = pytest.mark.xdist_group(f"case {number}")
    quick = crc32(way.encode()) % SHARES in DEALT[number]
    return [group] if quick else [group, pytest.mark.thorough]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The tests of a case run in one process, so that it is played there once as it stands."""
    if "case" in metafunc.fixturenames:
        way = metafunc.function.__name__
        cases = [pytest.param(case, marks=marks(place, way)) for place, case in enumerate(CASES)]
        metafunc.parametrize("case", cases, ids=str)


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    return CASES


@pytest.fixture(scope="session")
def dealt() -> list[set[int]]:
    """Which shares of the ways each case is quickly tried in."""
    return DEALT


PartsOf = Callable[[Case], set[object]]


@pytest.fixture(scope="session", name="parts_of")
def _parts_of() -> PartsOf:
    """`parts_of(case)`: its scenario, mechanisms and kinds of components."""
    return parts_of


Sharing = Callable[[Scenario, str], list[str]]


@pytest.fixture(scope="session")
def sharing() -> Sharing:
    """`sharing(scenario, name)`: where a parameter shapes the default cast in the same way."""
    return _sharing


Built = Callable[[Case], Society]


@pytest.fixture(scope="session")
def built() -> Built:
    """`built(case)` is its society, built and rehearsed once."""
    known: dict[int, Society] = {}

    def once(case: Case) -> Society:
        if id(case) not in known:
            known[id(case)] = case.setup()
        return known[id(case)]

    return once


Perform = Callable[..., "Played"]


@pytest.fixture(scope="session")
def perform(recorded: Recorded, built: Built) -> Perform:
    """`perform(case, ...)` plays it: some replicates, reseated, recast, wrapped, or on a tape."""

    words: dict[int, Prompts] = {}  # by case: they would be compiled for each game anew

    def performed(
        case: Case,
        *,
        seed: int | None = None,
        replicate_ids: Sequence[int] | None = None,
        ids: Sequence[int] | None = None,
        cast: Callable[[Cast, tuple[int, int]], Cast] | None = None,
        wrap: Callable[[Script, Environment], Script] | None = None,
        answerer: Callable[[Cast, RunContext], Answerer] | None = None,
    ) -> Played:
        setup = built(case)
        if id(case) not in words:
            words[id(case)] = setup.words
        if seed is not None:
            setup = altered(case, seed=seed).setup(rehearsed=False)
        env = setup.environment(
            None if replicate_ids is None else np.array(replicate_ids),
            None if ids is None else np.array(ids),
        )
        game = setup.gamemaster(env=env)
        assert isinstance(game.answerer, Population)
        world = game.answerer.context
        world.words = words[id(case)]
        play = game.scenario.play
        if cast is not None:
            seats = env.cohorts
            game.answerer = Population(cast(setup.cast(), env.present.shape), world)
            env.cohorts = seats  # scripts may ask for cohorts by name
        if wrap is not None:
            game.scenario = replace(game.scenario, play=lambda env: wrap(play(env), env))
        if answerer is not None:
            game.answerer = answerer(setup.cast(), world)
        return recorded(game)

    return performed


Once = Callable[[Case], "Played"]


@pytest.fixture(scope="session")
def whole(perform: Perform) -> Once:
    """`whole(case)` is the case as it stands, played once."""
    known: dict[int, Played] = {}

    def once(case: Case) -> Played:
        if id(case) not in known:
            known[id(case)] = perform(case)
        return known[id(case)]

    return once
