"""How far rounds within rounds go is known before they are played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.environment import Environment, complete_graphs
from society.engine.scenario import DisplaySpec, Params
from society.engine.script import Script, Tell
from society.errors import PartError
from society.runs.manifest import manifest_of
from society.runs.structure import RoundStructure, round_structure

Nested = Callable[[Environment], Script]


def nested(sizes: tuple[int, ...], speaking: tuple[bool, ...]) -> Nested:
    """Loops of these sizes, one in another; those that speak say something in each round."""

    def play(env: Environment) -> Script:
        if not sizes:
            return
        for _ in env.rounds(sizes[0]):
            if speaking[0]:
                yield Tell("spoke")
            yield from nested(sizes[1:], speaking[1:])(env)

    return play


def table(horizon: int = 7) -> Environment:
    ids = np.arange(3)
    graphs = complete_graphs(("all",), 1, ids)
    alone = np.arange(1)
    return Environment(
        Params(), seed=1, ids=ids, replicate_ids=alone, horizon=horizon, graphs=graphs
    )


@pytest.mark.parametrize("sizes", [(3,), (1,), (2, 3), (4, 1, 2)])
def test_as_many_rounds_are_foretold_as_are_played(play: Any, sizes: tuple[int, ...]) -> None:
    for speaking in product((True, False), repeat=len(sizes)):
        script = nested(sizes, speaking)
        assert round_structure(script, table()) == RoundStructure(
            play(script).outcome.rounds, sizes
        )


def test_generations_of_games_of_rounds_are_counted_level_by_level() -> None:
    script = nested((10, 2, 12), (True, False, True))
    assert round_structure(script, table()) == RoundStructure(10 + 10 * 2 * 12, (10, 2, 12))


def test_a_loop_without_a_count_has_the_horizon() -> None:
    def script(env: Environment) -> Script:
        for _ in env.rounds(2):
            for _ in env.rounds():
                yield Tell("spoke")

    assert round_structure(script, table(horizon=7)) == RoundStructure(14, (2, 7))


def test_loops_one_after_the_other_add_up() -> None:
    def script(env: Environment) -> Script:
        yield Tell("welcomed")
        for _ in env.rounds(5):
            yield Tell("rehearsed")
        yield from nested((2, 3), (False, True))(env)
        yield Tell("thanked")

    assert round_structure(script, table()) == RoundStructure(5 + 2 * 3, (2, 3))


def test_each_loop_is_entered_once() -> None:
    entered = []

    def script(env: Environment) -> Script:
        for generation in env.rounds(1000):
            for number in env.rounds(1000):
                entered.append((generation, number))
                yield Tell("spoke")

    assert round_structure(script, table()) == RoundStructure(1_000_000, (1000, 1000))
    assert entered == [(1, 1)]


def test_donors_in_generations_play_250_rounds_of_which_ten_are_births() -> None:
    setup = build(load_config("donor_generations"))
    manifest = manifest_of(setup)
    assert manifest.horizon == 12
    assert manifest.extent == RoundStructure(250, (10, 2, 12))
    assert manifest.most == 250


def test_a_village_has_the_rounds_of_its_horizon() -> None:
    setup = build(load_config("fishing_village"))
    manifest = manifest_of(setup)
    assert manifest.extent is None
    assert manifest.most == manifest.horizon == 100


def test_all_rounds_count_towards_what_is_recorded_in_full() -> None:
    fit = {"replicates": 333, "mechanisms": [{"generations": {"fitness": "final"}}]}
    setup = build(load_config("donor_game", fit))  # of 12 agents, 250 rounds
    assert manifest_of(setup).level == "full"
    setup = build(load_config("donor_game", fit | {"replicates": 334}))
    assert manifest_of(setup).level == "summary"


def test_heritable_columns_are_noted_with_their_labels_and_owners() -> None:
    setup = build(load_config("donor_game"))
    notes = {one.name: one for one in manifest_of(setup).columns}
    assert notes["generosity"].heritable
    assert notes["generosity"].cohorts == ("donor",)
    assert "free_rider" in notes["policy"].labels


def broken(error: Exception) -> Society:
    """A play that raises this in its first round."""

    def play(env: Environment) -> Script:
        for _ in env.rounds(2):
            yield Tell("spoke")
            raise error

    levels = DisplaySpec(levels=("game", "round"))
    setup = build(load_config("donor_game"))
    return replace(setup, scenario=replace(setup.scenario, play=play, display=levels))


def test_what_is_wrong_with_a_play_is_left_for_the_run_to_tell() -> None:
    assert manifest_of(broken(PartError("nobody leads the game"))).extent is None


def test_a_mistake_in_a_script_is_no_unknown_extent() -> None:
    with pytest.raises(ZeroDivisionError):
        manifest_of(broken(ZeroDivisionError()))


def test_cohorts_are_noted_with_what_their_children_inherit() -> None:
    """Columns that are not public included."""
    setup = build(load_config("donor_game"))
    (donors,) = manifest_of(setup).cohorts
    assert "generosity" in donors.heritable
    assert "offered" not in donors.heritable
