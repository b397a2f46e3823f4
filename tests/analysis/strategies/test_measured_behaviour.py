"""Strategies of folders are played in the jail, set by set; references do what they are called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from society.analysis.strategies.compared_sets import compare_sets
from society.analysis.strategies.measured_behaviour import (
    REFERENCE_NAMES,
    context_lengths,
    last_cooperators,
    measure_behaviour,
    measure_sets,
    reference_features,
)
from society.engine.rng import Array
from society.errors import SandboxError
from society.sandbox.checker import check_programs
from society.sandbox.strategy_folder import StrategyEntry, StrategyFolder, adopt_files
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.strategy_pool import Gene

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")

STRATEGIES = """
class Strategy_COLLECTIVE_1:
    def act(self, history):
        return C

class Strategy_COLLECTIVE_2:
    def act(self, history):
        return C if random.random() < 0.9 else D

class Strategy_EXPLOITATIVE_1:
    def act(self, history):
        return D

class Strategy_EXPLOITATIVE_2:
    def act(self, history):
        if history.round_number == 3:
            raise ValueError("out of ideas")
        return C
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[ProgramPool]:
    with ProgramPool(workers=1) as found:
        yield found


@pytest.fixture(scope="module")
def references(pool: ProgramPool) -> dict[str, Array]:
    return reference_features(pool)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], StrategyFolder]:
    def write(text: str) -> StrategyFolder:
        (tmp_path / "some_model.py").write_text(text)
        return StrategyFolder(tmp_path, adopt_files(tmp_path, "public_goods"))

    return write


def test_contexts_are_counted_by_rounds_and_by_who_cooperated_last() -> None:
    assert np.bincount(context_lengths()).tolist() == [1, 4, 20, 120, 816]
    last = last_cooperators()
    assert np.isnan(last[context_lengths() == 0]).all()
    assert sorted(last[context_lengths() == 1]) == [0, 1, 2, 3]


def test_unconditional_references_have_one_value_everywhere(references: dict[str, Array]) -> None:
    assert set(references["A-C"]) == {1}
    assert set(references["A-D"]) == {0}
    assert references["Rnd(.5)"].mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("least", [1, 2, 3])
def test_conditional_references_follow_the_last_round(
    references: dict[str, Array], least: int
) -> None:
    last = last_cooperators()
    expected = np.where(np.isnan(last), True, last >= least)
    assert (references[f"CC({least})"] == expected).all()
    assert (references[f"CD({least})"] == ~expected).all()


def test_all_references_have_names(references: dict[str, Array]) -> None:
    assert tuple(references) == REFERENCE_NAMES


def test_sets_are_those_of_models_and_attitudes(
    pool: ProgramPool, folder: Callable[[str], StrategyFolder]
) -> None:
    sets = measure_sets(pool, folder(STRATEGIES))
    assert list(sets) == [Gene("some_model", "collective"), Gene("some_model", "exploitative")]
    collective, exploitative = sets.values()
    assert collective.features.mean(1) == pytest.approx([1, 0.9], abs=0.01)
    assert collective.failing == []
    assert exploitative.failing == ["Strategy_EXPLOITATIVE_2"]


def test_where_a_strategy_fails_its_fallback_is_counted(
    pool: ProgramPool, folder: Callable[[str], StrategyFolder]
) -> None:
    failing = measure_sets(pool, folder(STRATEGIES))[Gene("some_model", "exploitative")]
    fourth = failing.features[1, context_lengths() == 3]
    assert set(fourth) == {0}
    assert set(failing.features[1, context_lengths() != 3]) == {1}


@pytest.mark.thorough
def test_the_luck_of_a_strategy_depends_on_no_other(pool: ProgramPool) -> None:
    programs = [one.loaded("D") for one in check_programs(STRATEGIES)]
    together = measure_behaviour(pool, programs, "public_goods").features[1]
    alone = measure_behaviour(pool, programs[1:2], "public_goods").features[0]
    assert (together == alone).all()
    other = measure_behaviour(pool, programs[1:2], "public_goods", seed=1).features[0]
    assert (together != other).any()


def test_a_strategy_that_reads_its_co_players_has_no_behaviour_against_stated_moves(
    pool: ProgramPool,
) -> None:
    text = "class Reader:\n    def act(self, history):\n        return simulate('', '').moves[0]\n"
    programs = [one.loaded("D") for one in check_programs(text)]
    with pytest.raises(SandboxError, match="Reader reads or simulates its co-players, and its"):
        measure_behaviour(pool, programs, "public_goods")


def test_a_folder_without_an_accepted_strategy_is_refused(
    pool: ProgramPool, folder: Callable[[str], StrategyFolder]
) -> None:
    good = folder(STRATEGIES)
    (good.path / "some_model.py").write_text(STRATEGIES.replace("return C", "return open('x')"))
    only = good.manifest.model_copy(update={"strategies": good.manifest.strategies[:1]})
    with pytest.raises(SandboxError, match="no strategy is accepted"):
        measure_sets(pool, StrategyFolder(good.path, only))
    none = good.manifest.model_copy(update={"strategies": ()})
    with pytest.raises(SandboxError, match="lists no strategy; write some into it"):
        measure_sets(pool, StrategyFolder(good.path, none))


def test_two_folders_are_compared_in_one_plane(
    pool: ProgramPool, folder: Callable[[str], StrategyFolder]
) -> None:
    one = folder(STRATEGIES)
    compared = compare_sets(pool, [one, one])
    assert list(compared.plane.places) == [
        "A: some_model collective",
        "A: some_model exploitative",
        "B: some_model collective",
        "B: some_model exploitative",
    ]
    assert [pair.shift.distance for pair in compared.shifts] == [0, 0]
    assert len(compared.attitudes) == 2


@pytest.mark.thorough
def test_attitudes_in_folders_of_their_own_are_compared_within_a_game_only(
    pool: ProgramPool, folder: Callable[[str], StrategyFolder]
) -> None:
    whole = folder(STRATEGIES)
    *_, odd, even = whole.manifest.strategies

    def part(game: str, *entries: StrategyEntry) -> StrategyFolder:
        change = {"game": game, "strategies": entries}
        return StrategyFolder(whole.path, whole.manifest.model_copy(update=change))

    collective = [one for one in whole.manifest.strategies if one.attitude == "collective"]
    games = ("public_goods", "collective_risk")
    parts = [part(game, *some) for game in games for some in (collective, (odd, even))]
    compared = compare_sets(pool, parts)
    pairs = [(pair.first.folder, pair.second.folder) for pair in compared.attitudes]
    assert pairs == [(0, 1), (2, 3)]
