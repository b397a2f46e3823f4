"""Every scenario in settings as different as can be, and every preset: found, not listed.

A new scenario is varied by itself: its choices and switches take each of their values, its numbers
are halved and doubled, its lists cut to one entry, on every kind of graph, with one agent, with
two, and with more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, get_args, get_origin

import numpy as np
import pytest
from pydantic import ValidationError

from society.cast import Cast, Troupe
from society.catalogue import presets, scenarios
from society.families import FAMILIES
from society.gamemaster import GameMaster
from society.members import World
from society.outside import Outside
from society.scenario import Scenario
from society.scenario_file import load
from society.spec import Setup, prepared
from society.table import Table
from society.talk import Script
from society.tape import Answerer

if TYPE_CHECKING:
    from tests.conftest import Played, Recorded

SIZE = {"replicates": 30, "rounds": 12}
SMALL = {"replicates": 2, "rounds": 2}  # where minds are asked one by one
PATCHY = {"function": f"{Path(__file__).with_name('patchy.py')}:patchy"}
SETTINGS: Sequence[tuple[int, Any]] = (  # agents, graph
    (1, "complete"),
    (2, "complete"),
    (1, PATCHY),
    (3, PATCHY),
    (7, PATCHY),
    *((10, family) for family in FAMILIES if family not in ("file", "function")),
)

# A mechanism needs a place to stand on, which is not to be found by itself.
MECHANISMS: Sequence[tuple[str, Any]] = (
    ("fishing_village", {"capped": {"kind": "effort", "at": 0.5}}),
)


# Where minds are asked one by one, few rounds are played, and somebody must go in them.
HARD_TIMES = {"ends_on": "horizon", "wealth": 1, "consumption": 6}


class Case(NamedTuple):
    """A society to be tried: a scenario or preset, and changes to it."""

    source: str
    changes: Mapping[str, Any]

    def __str__(self) -> str:
        graph = self.changes.get("graph", "")
        mechanisms = [name for part in self.changes.get("mechanisms", []) for name in part]
        words = [self.changes.get("agents", ""), "patchy" if isinstance(graph, dict) else graph]
        return " ".join(str(word) for word in [self.source, *words, *mechanisms] if word)

    def setup(self) -> Setup:
        return prepared(load(self.source, self.changes))


def legal_values(scenario: Scenario, name: str) -> list[Any]:
    """Values of a parameter to be tried, the default first."""
    default = scenario.params().model_dump(mode="json")[name]
    parts = _parts(scenario.params.model_fields[name].annotation)
    options = [option for part in parts for option in _options(part, default)]
    legal = [default]
    for option in options:
        try:
            scenario.params(**{name: option})
        except ValidationError:
            continue
        if option not in legal:
            legal.append(option)
    return legal


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
    return [0, 5] if kind in (int, float) else [None]


def variants(scenario: Scenario) -> list[Case]:
    """The settings; over them each parameter takes all its values, in an order of its own."""
    chosen: list[dict[str, Any]] = [{} for _ in SETTINGS]
    for place, name in enumerate(scenario.params.model_fields):
        legal = legal_values(scenario, name)
        order = np.random.default_rng(place).permutation(len(SETTINGS)) % len(legal)
        for parameters, index in zip(chosen, order, strict=True):
            parameters[name] = legal[index]
    cases = []
    for number, ((agents, graph), parameters) in enumerate(zip(SETTINGS, chosen, strict=True)):
        changes: dict[str, Any] = {"agents": agents, "parameters": parameters, "seed": number}
        if scenario.relations:
            changes["graph"] = graph
            if agents > 2 and len(scenario.relations) > 1:
                changes["graphs"] = {scenario.relations[-1]: PATCHY}
        cases.append(Case(scenario.name, changes))
    return cases


def every_case() -> list[Case]:
    cases = [case for scenario in scenarios().values() for case in variants(scenario)]
    cases += [Case(preset, {}) for preset in presets()]
    cases.append(Case("language_village", {"agents": 5, "parameters": HARD_TIMES}))
    cases += [Case(source, {"mechanisms": [part]}) for source, part in MECHANISMS]
    return [case._replace(changes={**case.changes, **size(case)}) for case in cases]


def size(case: Case) -> dict[str, int]:
    """As many replicates and rounds as are played in a moment."""
    return SMALL if case.setup().models_named else SIZE


CASES = every_case()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=str)


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    return CASES


Perform = Callable[..., "Played"]


@pytest.fixture(scope="session")
def perform(recorded: Recorded) -> Perform:
    """`perform(case, ...)` plays it: some replicates, reseated, recast, wrapped, or on a tape."""

    def performed(
        case: Case,
        *,
        seed: int | None = None,
        replicate_ids: Sequence[int] | None = None,
        ids: Sequence[int] | None = None,
        cast: Callable[[Cast, tuple[int, int]], Cast] | None = None,
        wrap: Callable[[Script, Table], Script] | None = None,
        answerer: Callable[[GameMaster], Answerer] | None = None,
    ) -> Played:
        changes = case.changes if seed is None else {**case.changes, "seed": seed}
        setup = case._replace(changes=changes).setup()
        game = setup.gamemaster(
            replicate_ids=None if replicate_ids is None else np.array(replicate_ids),
            ids=None if ids is None else np.array(ids),
        )
        table, play = game.table, game.scenario.play
        if cast is not None:
            world = World(table, Outside(setup.minds), setup.words)
            seats = table.cohorts
            game.answerer = Troupe(cast(setup.cast(), table.present.shape), world)
            table.cohorts = seats  # scripts may ask for cohorts by name
        if wrap is not None:
            game.scenario = replace(game.scenario, play=lambda table: wrap(play(table), table))
        if answerer is not None:
            game.answerer = answerer(game)
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
