"""Programs do in the jail what they do in this process: the harmless play, attacks are stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest

from society.sandbox.matches.live_calls import DecisionCall
from society.sandbox.matches.match_batch import MatchBatch
from society.sandbox.running.runnable_program import Failure
from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.program_pool import ProgramPool
from tests.sandbox.attack_programs import FAILED, STOPPED, Attack
from tests.sandbox.harmless_programs import COUNTS, FULL, OTHERS, SOCIETY
from tests.sandbox.program_play import four_players, only_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")

HARMLESS = (*COUNTS, *FULL, *SOCIETY)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProgramPool]:
    with ProgramPool(2, JailLimits(silence=2.0)) as started:
        yield started


class Seat:
    """One harmless program at a table where the others do as OTHERS says."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.game = four_players(HARMLESS[index].game)
        self.actions = np.zeros((0, 4), bool)
        self.payoffs = np.zeros((0, 4))
        self.stock = [self.game.first_stock]
        self.moves = ""

    def call(self) -> DecisionCall:
        stock = None if self.stock[0] is None else np.array(self.stock)
        path = self.actions, self.payoffs, stock
        return DecisionCall(self.index, 5, "table", self.game, *path)

    def add(self, cooperates: bool) -> None:
        """Play the round to its end."""
        count = (*OTHERS, 0)[len(self.actions)]
        round_actions = np.array([cooperates, *(seat < count for seat in range(3))])
        now = self.stock[-1]
        paid = self.game.paid(round_actions, now)
        after = self.game.next_stock(round_actions, now)
        self.actions = np.vstack([self.actions, round_actions])
        self.payoffs = np.vstack([self.payoffs, paid])
        self.stock.append(None if after is None else float(after))
        self.moves += "DC"[cooperates]


@cache
def jailed_moves(pool: ProgramPool) -> Sequence[str]:
    """The moves that the harmless programs make in the jail, round by round."""
    pool.load([only_program(one.text, one.name).loaded("D") for one in HARMLESS])
    seats = [Seat(index) for index in range(len(HARMLESS))]
    for _ in range(len(OTHERS) + 1):
        outcomes = pool.decide([seat.call() for seat in seats])
        assert [one.failure for one in outcomes if one.failure] == []
        for seat, outcome in zip(seats, outcomes, strict=True):
            seat.add(outcome.value)
    return [seat.moves for seat in seats]


@pytest.mark.parametrize("index", range(len(HARMLESS)), ids=[one.name for one in HARMLESS])
def test_a_harmless_program_makes_the_same_moves_in_the_jail(pool: ProgramPool, index: int) -> None:
    assert jailed_moves(pool)[index] == HARMLESS[index].moves


Failures = Sequence[Failure]


@cache
def jailed_failures(pool: ProgramPool, attacks: tuple[Attack, ...]) -> list[Failures]:
    """Why attacks gave no move, in four rounds of a game, all in the same workers."""
    pool.load([only_program(one.source).loaded("D") for one in attacks])
    game = four_players("public_goods")
    actions = np.array([[True] * 4, [False] * 4, [True] * 4])
    failures: list[list[Failure]] = [[] for _ in attacks]
    for rounds in range(4):
        path = actions[:rounds], game.paid(actions[:rounds])
        calls = [DecisionCall(one, 5, "table", game, *path) for one in range(len(attacks))]
        for found, outcome in zip(failures, pool.decide(calls), strict=True):
            found += [outcome.failure] if outcome.failure else []
    return list(failures)


def label(attack: Attack) -> str:
    """Name an attack by its aim and its last line."""
    return f"{attack.aim}: {attack.text.strip().splitlines()[-1][:50]}"


@pytest.mark.parametrize("attack", STOPPED, ids=label)
def test_a_broken_rule_is_told_from_the_jail(pool: ProgramPool, attack: Attack) -> None:
    last = jailed_failures(pool, STOPPED)[STOPPED.index(attack)][-1]
    assert last.kind == "rule"
    assert attack.sentence in last.sentence


@pytest.mark.parametrize("attack", FAILED, ids=label)
def test_an_attack_on_what_is_frozen_is_an_error_in_the_jail(
    pool: ProgramPool, attack: Attack
) -> None:
    failures = jailed_failures(pool, FAILED)[FAILED.index(attack)]
    assert {one.kind for one in failures} <= {"error", "errors"}
    assert attack.sentence in failures[-1].sentence


SLOW = """
class Slow:
    def act(self, history):
        spread = np.arange(3).std
        for _ in range(45_000):
            spread()
        return C if history.round_number % 7 else D


class Quick:
    def act(self, history):
        return C if history.round_number % 2 else D
"""


@pytest.mark.thorough
def test_calls_that_are_each_a_bit_too_slow_are_blamed_on_their_program() -> None:
    game = four_players("public_goods", 40)
    batch = MatchBatch(game, np.array([[1, 0, 1, 1], [1, 1, 1, 1]]), np.zeros((2, 4), np.uint64))
    with ProgramPool(1, JailLimits(silence=1.0, longest_per_decision=0.01)) as pool:
        pool.load([only_program(SLOW, name).loaded("D") for name in ("Slow", "Quick")])
        result = pool.play(batch)
    assert [(one.program, one.kind) for one in result.troubles] == [(0, "jail")]
    assert result.actions[0, 0].tolist() == [False, True] * 20
