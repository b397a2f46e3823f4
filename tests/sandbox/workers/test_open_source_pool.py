"""Games of open source are the same for any number of jailed workers, and closed by default."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from society.errors import SandboxError
from society.sandbox.matches.live_calls import DecisionCall
from society.sandbox.matches.match_batch import BatchResult, MatchBatch
from society.sandbox.stage_games import stage_game
from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.monty import write_maker
from society.sandbox.workers.program_pool import ProgramPool
from tests.sandbox.matches.test_open_source import BOTS
from tests.sandbox.slow_runner import load_programs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")

PROGRAMS = load_programs(BOTS)
NAMES = [one.name for one in PROGRAMS]
GAME = stage_game("public_goods", 2, 4, factor=1.5)
PAIRS = np.array([[one, other] for one in range(5) for other in range(5)])
SEEDS = np.arange(2 * len(PAIRS), dtype=np.uint64).reshape(-1, 2)
GROWS = """
class Grows:
    def __init__(self, game):
        self.theirs = game.opponent_sources[0]

    def act(self, history):
        return simulate(self.theirs, self.theirs).moves[0]


class Hungry:
    def act(self, history):
        kept = []
        while True:
            kept.append(np.ones(250_000))
"""


def play(workers: int, batch: MatchBatch) -> BatchResult:
    with ProgramPool(workers) as pool:
        pool.load(PROGRAMS)
        return pool.play(batch)


def test_games_of_open_source_do_not_depend_on_workers_or_on_how_a_batch_is_cut() -> None:
    batch = MatchBatch(GAME, PAIRS, SEEDS, open_source=True)
    alone, three = play(1, batch), play(3, batch)
    assert alone.actions.tolist() == three.actions.tolist()
    assert alone.troubles == three.troubles == []
    fair = NAMES.index("FairBot")
    with ProgramPool(2) as pool:
        pool.load(PROGRAMS)
        some = MatchBatch(GAME, PAIRS[20:15:-1], SEEDS[20:15:-1], open_source=True)
        assert pool.play(some).actions.tolist() == alone.actions[20:15:-1].tolist()
        none, paid = np.zeros((0, 2), bool), np.zeros((0, 2))
        moves = pool.decide(
            [
                DecisionCall(fair, int(seed), "", GAME, none, paid, None, (int(other),))
                for (one, other), (seed, _) in zip(PAIRS, SEEDS, strict=True)
                if one == fair
            ]
        )
    assert [one.value for one in moves] == alone.actions[PAIRS[:, 0] == fair, 0, 0].tolist()


def test_a_closed_game_refuses_programs_that_see_sources_by_name() -> None:
    words = "CliqueBot reads or simulates its co-players, and the sources of this game are closed"
    clique = NAMES.index("CliqueBot")
    seats = np.array([[clique, NAMES.index("DefectBot")]])
    with ProgramPool(1) as pool:
        pool.load(PROGRAMS)
        with pytest.raises(SandboxError, match=words):
            pool.play(MatchBatch(GAME, seats, SEEDS[:1]))
        none, paid = np.zeros((0, 2), bool), np.zeros((0, 2))
        with pytest.raises(SandboxError, match=words):
            pool.decide([DecisionCall(clique, 1, "", GAME, none, paid)])
        kind = np.array([[NAMES.index("CooperateBot")] * 2])
        assert pool.play(MatchBatch(GAME, kind, SEEDS[:1])).actions.all()


def test_who_simulates_a_program_that_takes_all_memory_answers_for_it() -> None:
    batch = MatchBatch(stage_game("public_goods", 2, 1, factor=1.5), np.array([[0, 1]]), SEEDS[:1])
    # Steps let a program fill no gigabyte in one call, but 32 MB.
    with ProgramPool(1, JailLimits(memory=32 << 20)) as pool:
        pool.load(load_programs(GROWS))
        result = pool.play(MatchBatch(batch.game, batch.seats, batch.seeds, open_source=True))
    assert [(one.program, one.sentence) for one in result.troubles] == [
        (1, "it used more memory than a worker may"),
        (0, "it broke a rule: MemoryError in a simulation"),
    ]


def test_monty_refuses_programs_that_see_sources() -> None:
    with pytest.raises(SandboxError, match="Monty cannot run FairBot, which sees the sources"):
        write_maker(0, PROGRAMS[NAMES.index("FairBot")])
