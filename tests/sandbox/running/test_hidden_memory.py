"""Programs that hide what they remember, draw or read play as a slow runner lets them play."""

from __future__ import annotations

import numpy as np
import pytest

from society.sandbox.checker import check_programs
from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.match_batch import MatchBatch, play_batch
from society.sandbox.stage_games import stage_game
from tests.sandbox.running.hidden_memory import HISTORIES, LUCK, MEMORIES, Hidden
from tests.sandbox.running.memory_attempts import ATTEMPTS
from tests.sandbox.slow_runner import load_last, load_programs, play_slowly

OTHERS = """
class Lucky:
    def act(self, history):
        return C if random.random() < 0.5 else D

class Alternates:
    def act(self, history):
        return C if history.round_number % 2 else D
"""
SEATS = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 2], [0, 1, 2], [1, 1, 0], [2, 2, 0]] * 3)


# Some of the attempts, and all of them in groups.
FEW, GROUPS = ATTEMPTS[::40], [ATTEMPTS[place::12] for place in range(12)]


def label(hidden: Hidden) -> str:
    return " ".join(hidden.text.split())[:60]


@pytest.mark.parametrize("hidden", [*MEMORIES, *LUCK, *HISTORIES], ids=label)
def test_tables_give_the_moves_of_a_slow_runner(hidden: Hidden) -> None:
    programs = load_programs(hidden.source)[-1:] + load_programs(OTHERS)
    game = stage_game("common_pool" if "the_stock" in hidden.text else "public_goods", 3, 6)
    batch = MatchBatch(game, SEATS, np.arange(SEATS.size, dtype=np.uint64).reshape(SEATS.shape))
    expected, _ = play_slowly(programs, batch)
    tables = AutomatonTables()
    for _ in range(2):
        found = play_batch(programs, batch, tables, lambda _: None)
        assert found.actions.tolist() == expected


def plays_as_it_does_alone(text: str) -> None:
    """Compare two games of batches, in two orders, with a slow runner."""
    if not check_programs(text)[-1].accepted:
        return
    programs = [load_last(text), *load_programs(OTHERS)]
    for name in ("public_goods", "common_pool"):
        game = stage_game(name, 3, 6)
        seeds = np.arange(SEATS.size, dtype=np.uint64).reshape(SEATS.shape)
        expected, _ = play_slowly(programs, MatchBatch(game, SEATS, seeds))
        tables = AutomatonTables()
        for step in (1, -1):
            batch = MatchBatch(game, SEATS[::step], seeds[::step])
            found = play_batch(programs, batch, tables, lambda _: None)
            assert found.actions.tolist() == expected[::step], text


def test_some_attempts_to_remember_play_as_they_do_alone() -> None:
    for text in FEW:
        plays_as_it_does_alone(text)


@pytest.mark.thorough
@pytest.mark.parametrize("attempts", GROUPS, ids=range(len(GROUPS)))
def test_attempts_to_remember_play_as_they_do_alone(attempts: tuple[str, ...]) -> None:
    for text in attempts:
        plays_as_it_does_alone(text)


@pytest.mark.parametrize("hidden", MEMORIES, ids=label)
def test_a_hidden_memory_is_reported(hidden: Hidden) -> None:
    assert check_programs(hidden.source)[-1].keeps_state


@pytest.mark.parametrize("hidden", LUCK, ids=label)
def test_hidden_luck_is_reported(hidden: Hidden) -> None:
    assert check_programs(hidden.source)[-1].random


def test_what_a_class_draws_takes_nothing_from_the_luck_of_others() -> None:
    """All programs of a worker take turns with one generator."""
    biased = "class Biased:\n    bias = random.random()\n\n    def act(self, history):\n"
    biased += "        return C if self.bias < 0.5 else D\n"
    lucky = "class Lucky:\n    luck = [1]\n    def act(self, history):\n"
    lucky += "        return C if random.random() < 0.5 else D\n"
    game = stage_game("public_goods", 3, 12)
    moves = []
    for text in (lucky + biased, lucky):
        programs = load_programs(text)
        seats = np.array([[0, len(programs) - 1, 0]])
        batch = MatchBatch(game, seats, np.array([[1, 2, 3]], np.uint64))
        result = play_batch(programs, batch, AutomatonTables(), lambda _: None)
        moves.append(result.actions[0, [0, 2]].tolist())
    assert moves[0] == moves[1]
