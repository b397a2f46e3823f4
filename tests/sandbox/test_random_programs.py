"""Programs by chance play in batches as one by one, and with guards as in plain Python."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.match_batch import MatchBatch, play_batch
from society.sandbox.running.step_budget import RuleBroken
from society.sandbox.stage_games import stage_game

from .program_play import four_players, plain_code, play
from .random_programs import program
from .slow_runner import load_last, load_programs, play_slowly

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

OTHERS = """
class Lucky:
    def act(self, history):
        return C if random.random() < 0.5 else D

class Alternates:
    def act(self, history):
        return C if history.round_number % 2 else D
"""
SEATS = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 2], [0, 1, 2], [1, 1, 0]] * 3)
QUICK, MANY = range(8), range(8, 1_008, 40)


def moves_agree(seed: int) -> None:
    """Compare batches, in two orders and with what tables know, with a slow runner."""
    programs = [load_last(program(seed)), *load_programs(OTHERS)]
    game = stage_game("common_pool" if seed % 2 else "public_goods", 3, 7)
    seeds = np.arange(SEATS.size, dtype=np.uint64).reshape(SEATS.shape)
    expected, _ = play_slowly(programs, MatchBatch(game, SEATS, seeds))
    tables = AutomatonTables()
    for order in (np.arange(len(SEATS)), np.random.default_rng(seed).permutation(len(SEATS))):
        batch = MatchBatch(game, SEATS[order], seeds[order])
        found = play_batch(programs, batch, tables, lambda _: None)
        assert found.actions.tolist() == [expected[one] for one in order], program(seed)


def decided(found: CheckedProgram, code: Any) -> str:
    """Play a game; an error that the program raises is how it ends."""
    try:
        return play(found, code, four_players("public_goods"))
    except (RuleBroken, RecursionError):
        return "rule"
    except Exception:  # which of two errors comes first is no matter
        return "error"


def guards_change_nothing(seed: int) -> None:
    """Compare guarded code with plain Python, also where two errors stand in one expression.

    Guards look a method up after its arguments, so that another of the two comes first; handlers
    that tell errors apart make a difference of it, and then take all errors.
    """
    text = program(seed)
    if not _agree(text):
        assert _agree(re.sub(r"except \([^)]*\):|except \w+:", "except Exception:", text)), text


def _agree(text: str) -> bool:
    found = check_programs(text)[-1]
    guarded = decided(found, found.code)
    return guarded == "rule" or guarded == decided(found, plain_code(found, text))


def test_programs_by_chance_play_as_one_by_one() -> None:
    for seed in QUICK:
        moves_agree(seed)


def test_guards_change_no_decision_of_programs_by_chance() -> None:
    for seed in QUICK:
        guards_change_nothing(seed)


@pytest.mark.thorough
@pytest.mark.parametrize("first", MANY)
def test_many_programs_by_chance_play_as_one_by_one(first: int) -> None:
    for seed in range(first, first + 40):
        moves_agree(seed)
        guards_change_nothing(seed)
