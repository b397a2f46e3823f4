"""Coins that programs toss are looked up: a program is tried in all ways in which they can fall."""

from __future__ import annotations

import numpy as np
import pytest

from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.match_batch import MatchBatch, play_batch
from society.sandbox.stage_games import stage_game
from tests.sandbox.slow_runner import load_programs, play_slowly

TOSSING = {
    "once": "return C if random.random() < 0.3 else D",
    "mirrored": "return C if 0.3 >= random.random() else D",
    "now and then": """
        if history.round_number > 2 and random.random() > 0.6:
            return D
        return C""",
    "twice": """
        if random.random() < 0.5:
            return C if random.random() <= 0.25 else D
        return C""",
    "by what it saw": """
        seen = history.opponent_cooperators
        return C if random.random() < (seen[-1] / 3 if len(seen) else 0.5) else D""",
    "remembering": """
        self.given = getattr(self, "given", 0)
        if random.random() < 0.5:
            self.given += 1
        return C if self.given > 2 else D""",
    "numpy's truth": """
        seen = history.opponent_cooperators
        tossed = random.random() < (seen[-1] / 3 if len(seen) else 0.5)
        return C if tossed is True else D""",
    "adding up": """
        half = np.float64(0.5)
        return C if (random.random() < half) + (random.random() < half) == 2 else D""",
    "failing": """
        if random.random() < 0.2:
            return 1 / 0
        return C""",
}
OTHERWISE = {
    "many": "return C if sum(random.random() < 0.5 for _ in range(6)) > 3 else D",
    "number": "x = random.random()\n        return C if x < 0.5 else D",
    "choice": "return random.choice([C, D])",
    "both": """
        if random.random() < 0.5:
            return C
        return random.choice([C, D])""",
    "array": "return C if np.all(random.random() < np.array([0.5, 0.6])) else D",
    "numpy": "return C if np.random.random() < 0.5 else D",
}
GAME = stage_game("public_goods", 4, 10)
GAMES = 40


def play_twice(body: str) -> list[int]:
    """Play with one table, compare with a slow runner, and return the calls of both plays."""
    text = f"class Tosser:\n    def act(self, history):\n        {body.strip()}\n"
    programs, tables = load_programs(text), AutomatonTables()
    seats = np.zeros((GAMES, 4), np.int64)
    counts = []
    for turn in range(2):
        seeds = np.arange(seats.size, dtype=np.uint64).reshape(seats.shape) + np.uint64(turn)
        batch = MatchBatch(GAME, seats, seeds)
        calls: list[int] = []
        found = play_batch(programs, batch, tables, calls.append)
        expected, troubles = play_slowly(programs, batch)
        assert found.actions.tolist() == expected
        assert [one[:5] for one in found.troubles] == troubles
        counts.append(len(calls))
    return counts


@pytest.mark.parametrize("body", TOSSING.values(), ids=TOSSING)
def test_tosses_are_looked_up_and_fall_as_they_do_one_by_one(body: str) -> None:
    first, second = play_twice(body)
    assert first < GAMES * 4 * GAME.rounds / 2
    assert second <= first


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body, id=name, marks=pytest.mark.thorough if name == "array" else ())
        for name, body in OTHERWISE.items()
    ],
)
def test_other_uses_of_chance_call_the_program_each_time(body: str) -> None:
    assert play_twice(body)[1] >= GAMES * 4 * GAME.rounds


OWN_GENERATORS = ["np.random.default_rng(5)", "random.Random(5)"]


@pytest.mark.parametrize("generator", OWN_GENERATORS)
def test_a_generator_of_its_own_is_part_of_what_a_program_remembers(generator: str) -> None:
    text = f"""
class Own:
    def __init__(self, game):
        self.own = {generator}

    def act(self, history):
        return C if self.own.random() < 0.5 else D
"""
    programs, tables = load_programs(text), AutomatonTables()
    seats = np.zeros((5, 4), np.int64)
    batch = MatchBatch(GAME, seats, seats.astype(np.uint64))
    expected, _ = play_slowly(programs, batch)
    for _ in range(2):
        assert play_batch(programs, batch, tables, lambda _: None).actions.tolist() == expected


def test_a_coin_that_is_tossed_at_the_start_is_the_seats_own() -> None:
    text = """
class Born:
    def __init__(self, game):
        self.kind = random.random() < 0.5

    def act(self, history):
        return C if self.kind else D
"""
    seats = np.zeros((30, 4), np.int64)
    seeds = np.arange(seats.size, dtype=np.uint64).reshape(seats.shape)
    found = play_batch(
        load_programs(text), MatchBatch(GAME, seats, seeds), AutomatonTables(), lambda _: None
    )
    assert 40 < found.actions[..., 0].sum() < 80
    assert (found.actions == found.actions[..., :1]).all()
