"""Monty plays programs of its part of Python as the jail does, and refuses the others by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from society.errors import SandboxError
from society.sandbox.matches.match_batch import BatchResult, MatchBatch
from society.sandbox.stage_games import StageGame, stage_game
from society.sandbox.workers.monty import MontyPool
from society.sandbox.workers.program_pool import ProgramPool
from tests.sandbox.workers.test_program_pool import checked

PLAYED = """
LIMIT = 2

def enough(count):
    return count >= LIMIT

class Always:
    def act(self, history):
        return C

class Repays:
    def __init__(self, game):
        self.others = game.n_players - 1
        self.grudges = 0

    def act(self, history):
        if history.round_number and not enough(history.opponent_cooperators[-1]):
            self.grudges += 1
        return C if self.grudges < 2 else D

class Published(BaseStrategy):
    def __init__(self, game_description):
        super().__init__(game_description)
        self.rounds: int = self.game_description.n_rounds

    def __call__(self, history) -> Action:
        if history.round_number == self.rounds - 1:
            return D
        return C if sum(history.my_payoffs) >= history.round_number else D

class Rota:
    def act(self, history):
        try:
            return [C, D, C][history.round_number]
        except IndexError:
            return C if not history.opponent_actions[-1][0] else D

class Stumbles:
    def act(self, history):
        if history.round_number == 1:
            raise ValueError("no idea")
        return True if history.round_number == 2 else C

class Falls:
    def act(self, history):
        return [][1]

class Sparing:
    def act(self, history):
        return C if history.stock is not None and history.stock[-1] < 12 else D

class Endless:
    def act(self, history):
        while True:
            pass

class Arrays:
    def act(self, history):
        return C if np.mean(history.my_actions) > 0.5 else D
"""
PROGRAMS = checked(PLAYED)
ALWAYS, REPAYS, PUBLISHED, ROTA, STUMBLES, FALLS, SPARING, ENDLESS, ARRAYS = range(9)


@pytest.fixture(scope="module")
def monty() -> Iterator[MontyPool]:
    pytest.importorskip("pydantic_monty")
    with MontyPool() as pool:
        pool.load(PROGRAMS)
        yield pool


def batch(game: StageGame, *seats: list[int]) -> MatchBatch:
    table = np.array(seats)
    return MatchBatch(game, table, np.zeros(table.shape, np.uint64))


def moves(result: BatchResult) -> list[str]:
    """The moves of the first game."""
    return ["".join("DC"[int(move)] for move in seat) for seat in result.actions[0]]


def test_moves_are_those_of_the_programs(monty: MontyPool) -> None:
    result = monty.play(batch(stage_game("public_goods", 3, 5), [ALWAYS, REPAYS, FALLS]))
    assert moves(result) == ["CCCCC", "CCDDD", "DDDDD"]
    assert [one.kind for one in result.troubles] == ["error", "error", "errors"]


@pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")
@pytest.mark.parametrize("name", ["public_goods", "collective_risk", "common_pool"])
def test_monty_and_the_jail_agree(monty: MontyPool, name: str) -> None:
    rng = np.random.default_rng(3)
    game = stage_game(name, 3, 6)  # type: ignore[arg-type]
    played = batch(game, *rng.integers(0, ENDLESS, (20, 3)).tolist())
    with ProgramPool(1) as jail:
        jail.load(PROGRAMS)
        expected = jail.play(played)
    found = monty.play(played)
    assert np.array_equal(found.actions, expected.actions)
    assert {one[:5] for one in found.troubles} == {one[:5] for one in expected.troubles}


@pytest.mark.thorough
def test_a_program_without_end_is_disqualified(monty: MontyPool) -> None:
    result = monty.play(batch(stage_game("public_goods", 3, 3), [ALWAYS, ENDLESS, REPAYS]))
    assert moves(result) == ["CCC", "DDD", "CCD"]
    (trouble,) = result.troubles
    assert trouble[:5] == (0, 1, 0, ENDLESS, "jail")
    assert "time limit exceeded" in trouble.sentence


def test_a_program_that_needs_numpy_is_refused(monty: MontyPool) -> None:
    with pytest.raises(SandboxError, match="Monty cannot run Arrays, which needs numpy"):
        monty.play(batch(stage_game("public_goods", 3, 3), [ALWAYS, ARRAYS, REPAYS]))


def test_without_monty_the_line_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(SandboxError, match=r"not installed; type: pip install 'society\[monty\]'"):
        MontyPool()
