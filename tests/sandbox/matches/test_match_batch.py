"""Batches give the moves of a slow runner, whatever is known already and however they are split."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from society.sandbox.matches import automata
from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, play_batch
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import GameName, stage_game
from tests.benchmarks.strategy_corpus import HEADER, Interface, Kind
from tests.benchmarks.strategy_corpus import strategies as corpus
from tests.sandbox.slow_runner import load_programs, play_slowly
from tests.sweeps import all_but

AWKWARD = """
class Tit:
    def __init__(self, game):
        self.most = game.n_players - 1

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[-1] * 2 >= self.most else D


class Grim:
    def __init__(self, game):
        self.angry = False

    def act(self, history):
        if history.round_number > 0 and history.opponent_cooperators[-1] < 1:
            self.angry = True
        return D if self.angry else C


class Lucky:
    def act(self, history):
        return C if random.random() < 0.5 else D


class LuckyFromTheStart:
    def __init__(self, game):
        self.rounds = [random.randint(0, 20) for _ in range(8)]

    def act(self, history):
        return C if history.round_number in self.rounds else D


class Numpy:
    def act(self, history):
        chance = history.my_payoffs.mean() / 4 if history.round_number else 0.5
        return C if np.random.random() < chance else D


class ErrsFirst:
    def act(self, history):
        return C if history.opponent_cooperators[-1] else D


class ErrsAtZero_COLLECTIVE:
    def act(self, history):
        return [C, D][3 // int(history.opponent_cooperators.sum() - 2) % 2]


class ReturnsABool:
    def act(self, history):
        return history.round_number < 2 or C


class BreaksARule:
    def act(self, history):
        if history.round_number > 2 and history.opponent_cooperators.sum() > 3:
            return C if 2 ** (10**6) else D
        return C


class CannotStart_COLLECTIVE:
    def __init__(self, game):
        self.part = 1 / (game.n_players - 4) / (game.n_players - 3)

    def act(self, history):
        return C


class WritesDown:
    def __init__(self, game):
        self.seen = []
        self.same = self.seen

    def act(self, history):
        self.seen.append(history.my_payoffs.sum())
        return C if len(self.same) % 3 or self.same[-1] > 4 else D


class CountsInATable:
    def __init__(self, game):
        self.seen = {"bad": 0, "good": 0.0}

    def act(self, history):
        if history.round_number:
            bad = history.opponent_cooperators[-1] < 2
            self.seen["bad" if bad else "good"] += 1
        return C if self.seen["good"] >= self.seen["bad"] else D


class HoldsTheHistory:
    def __init__(self, game):
        self.past = None

    def act(self, history):
        before, self.past = self.past, history
        if before is None:
            return C
        return C if before.round_number % 2 and before.my_actions.sum() < 4 else D


class OneOfTheClass:
    shared = [0]

    def act(self, history):
        self.shared.append(1)
        return C if len(self.shared) % 3 else D


class OneIsNotTrue:
    def __init__(self, game):
        self.flag = True

    def act(self, history):
        move = C if self.flag is True else D
        self.flag = 1 if history.round_number % 3 == 1 else True
        return move


class FirstAndLast:
    def act(self, history):
        counts = history.opponent_cooperators
        if len(counts) < 3:
            return C
        return C if counts[0] <= counts[-2] or history.my_payoffs[-1] > 1.5 else D


class Windows:
    def act(self, history):
        recent = history.opponent_cooperators[-3:]
        return C if recent.sum() * 2 >= len(recent) * 3 else D


class SeesWho:
    def act(self, history):
        if history.round_number < 1:
            return C
        return C if history.opponent_actions[-1][0] or history.opponent_payoffs[-1].max() > 2 else D


class SeesTheStock:
    def act(self, history):
        if history.stock is None:
            return D
        return C if history.stock[-1] < 7.5 else D


class Totals:
    def act(self, history):
        mine = history.my_actions.sum() if history.round_number else 0
        return C if history.opponent_cooperators.sum() > 2 * mine else D


class Iterates:
    def __init__(self, game):
        self.turns = iter([C, C, D, C, D, D, C])

    def act(self, history):
        return next(self.turns, C)
"""


@cache
def awkward() -> tuple[LoadedProgram, ...]:
    return tuple(load_programs(AWKWARD))


@cache
def published(interface: Interface, game: GameName) -> tuple[LoadedProgram, ...]:
    sources = corpus(60, Kind(interface, game), seed=3)
    return tuple(load_programs(HEADER + "\n\n" + "\n\n".join(sources)))


def make_batch(
    programs: tuple[LoadedProgram, ...],
    name: GameName,
    seed: int,
    *,
    players: int = 4,
    games: int = 12,
    rounds: int = 9,
    disqualified: frozenset[int] = frozenset(),
) -> MatchBatch:
    luck = np.random.default_rng(seed)
    shape = games, players
    return MatchBatch(
        stage_game(name, players, rounds),
        luck.integers(0, len(programs), shape),
        luck.integers(0, 2**63, shape, np.uint64),
        disqualified,
    )


def play(
    programs: tuple[LoadedProgram, ...],
    batch: MatchBatch,
    tables: AutomatonTables | None = None,
) -> BatchResult:
    return play_batch(programs, batch, tables or AutomatonTables(), lambda _: None)


def assert_same(
    programs: tuple[LoadedProgram, ...], batch: MatchBatch, result: BatchResult
) -> None:
    moves, troubles = play_slowly(programs, batch)
    assert result.actions.tolist() == moves
    assert [one[:5] for one in result.troubles] == troubles


GAMES: list[GameName] = ["public_goods", "collective_risk", "common_pool"]
games = st.sampled_from(GAMES)
seeds = st.integers(0, 10_000)


@settings(max_examples=10, deadline=None)
@given(games, seeds, st.sampled_from([3, 4, 6, 10]), st.frozensets(st.integers(0, 8), max_size=2))
def test_awkward_programs_play_as_they_do_one_by_one(
    name: GameName, seed: int, players: int, disqualified: frozenset[int]
) -> None:
    batch = make_batch(awkward(), name, seed, players=players, games=6, disqualified=disqualified)
    assert_same(awkward(), batch, play(awkward(), batch))


@pytest.mark.parametrize("interface", all_but(["counts"], ["counts", "full"]))
@pytest.mark.parametrize("name", GAMES)
def test_written_strategies_play_as_they_do_one_by_one(
    interface: Interface, name: GameName
) -> None:
    programs, tables = published(interface, name), AutomatonTables()
    for seed in range(3):
        batch = make_batch(programs, name, seed, games=20, rounds=12)
        assert_same(programs, batch, play(programs, batch, tables))


@settings(max_examples=10, deadline=None)
@given(games, st.lists(seeds, min_size=2, max_size=4))
def test_what_is_known_from_other_batches_changes_nothing(name: GameName, past: list[int]) -> None:
    tables = AutomatonTables()
    for seed in past:
        batch = make_batch(awkward(), name, seed, games=5)
        known = play(awkward(), batch, tables)
    fresh = play(awkward(), batch)
    assert known.actions.tolist() == fresh.actions.tolist()
    assert known.troubles == fresh.troubles


@settings(max_examples=8, deadline=None)
@given(games, seeds)
def test_games_may_be_split_and_reordered(name: GameName, seed: int) -> None:
    batch = make_batch(awkward(), name, seed)
    whole = play(awkward(), batch)
    order = np.random.default_rng(seed).permutation(len(batch.seats))
    tables = AutomatonTables()
    for part in np.array_split(order, 3):
        piece = MatchBatch(batch.game, batch.seats[part], batch.seeds[part])
        result = play(awkward(), piece, tables)
        assert result.actions.tolist() == whole.actions[part].tolist()
        found = [(int(part[one.game]), *one[1:]) for one in result.troubles]
        expected = [tuple(one) for one in whole.troubles if one.game in part]
        assert sorted(found) == sorted(expected)


LUCKY = """
class Lucky:
    def act(self, history):
        return C if random.random() < 0.5 else D
"""
FAILING = """
class Spy:
    def act(self, history):
        if sum(history.my_actions * np.arange(len(history.my_actions))) % 5 == 2:
            return [][1]
        return C if history.opponent_cooperators[-2:].sum() % 2 else D
"""


@pytest.mark.thorough
def test_tables_that_grow_keep_failures_where_they_were() -> None:
    programs, tables = tuple(load_programs(f"{FAILING}\n{LUCKY}")), AutomatonTables()
    game = stage_game("public_goods", 4)
    for turn in range(4):
        seats = np.array([[0, 1, 1, 1]] * 40)
        seeds = np.arange(seats.size, dtype=np.uint64).reshape(seats.shape) + np.uint64(1000 * turn)
        batch = MatchBatch(game, seats, seeds)
        assert_same(programs, batch, play(programs, batch, tables))
    assert tables.of(game).size > 1024


@pytest.mark.parametrize("room", [0, 4_000, 20_000])
def test_tables_without_room_change_nothing(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automata, "MOST_BYTES", room)
    batch = make_batch(awkward(), "public_goods", 5)
    assert_same(awkward(), batch, play(awkward(), batch))


def only(name: str) -> tuple[LoadedProgram, ...]:
    return tuple(one for one in awkward() if one.name == name)


def alone(name: str, rounds: int = 5) -> BatchResult:
    game = stage_game("public_goods", 4, rounds)
    nobody = np.zeros((1, 4), np.int64)
    return play(only(name), MatchBatch(game, nobody, nobody.astype(np.uint64)))


def test_two_errors_are_told_and_the_third_ends_the_game() -> None:
    class_name, seat = "ReturnsABool", 0
    told = [one for one in alone(class_name).troubles if one.seat == seat]
    assert [(one.round, one.kind) for one in told] == [(0, "error"), (1, "error")]
    assert told[0].sentence == "it returned a value of type bool; expected C or D"
    never = [one for one in alone("ErrsAtZero_COLLECTIVE").troubles if one.seat == seat]
    assert [(one.round, one.kind) for one in never][:1] == []


def test_an_error_is_told_with_its_line_and_the_fallback_is_played() -> None:
    result = alone("ErrsFirst", rounds=3)
    assert result.troubles[0].sentence.startswith("it raised IndexError: index -1 is out of bounds")
    assert (
        AWKWARD.splitlines()[(result.troubles[0].line or 0) - 1].strip().startswith("return C if")
    )
    assert result.actions[0, 0].tolist() == [False, False, False]


def test_a_broken_rule_ends_the_game_at_once() -> None:
    result = alone("BreaksARule", rounds=6)
    told = [one for one in result.troubles if one.seat == 0]
    assert [(one.round, one.kind) for one in told] == [(3, "rule")]
    assert told[0].sentence == "it broke a rule: a whole number of more than 4,096 bits"
    assert result.actions[0, 0].tolist() == [True, True, True, False, False, False]


def test_a_program_that_cannot_start_plays_its_fallback() -> None:
    result = alone("CannotStart_COLLECTIVE", rounds=3)
    assert [(one.round, one.kind) for one in result.troubles] == [(0, "errors")] * 4
    assert result.troubles[0].sentence == "__init__: it raised ZeroDivisionError: division by zero"
    assert result.actions.all()


def test_a_program_is_called_once_for_all_games_in_which_it_sees_the_same() -> None:
    called: list[int] = []
    game = stage_game("public_goods", 4, 10)
    seats = np.zeros((50, 4), np.int64)
    batch = MatchBatch(game, seats, seats.astype(np.uint64))
    play_batch(only("Grim"), batch, AutomatonTables(), called.append)
    assert called == [0, 0]  # the first round, and all later ones
