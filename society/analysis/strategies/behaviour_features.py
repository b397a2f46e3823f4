"""How strategies behave: their cooperation in every context of a small game.

Four players play five rounds. A context is what a strategy's three opponents did so far, whichever
of them did it: 1 + 4 + 20 + 120 + 816 = 961 contexts of zero to four rounds. A feature is the share
of games in which a strategy cooperates in a context. Each of the 816 sets of opponents' histories
is played: once, or 50 times by strategies that draw; shorter contexts occur in several of them.
Source: Willis et al. 2026, section 4.2, whose code keeps one of these where we take the mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, cast

import numpy as np

from society.engine.rng import Array, generator
from society.sandbox.checker import check_file
from society.sandbox.loaded_program import Interface, LoadedProgram
from society.sandbox.match_batch import MatchBatch, Trouble
from society.sandbox.pool import ProgramPool
from society.sandbox.stage_games import GameName, stage_game

PLAYERS, ROUNDS = 4, 5
ROLLOUTS = 50  # games of a strategy that draws, in each context
_HISTORIES = 2 ** (ROUNDS - 1)  # of one opponent
_GAMES_AT_ONCE = 40_000

Context = tuple[str, ...]  # of each opponent, in order of the alphabet: ("CC", "CD", "DD")

_SCRIPT = """
class Script{number:02}:
    def act(self, history):
        return C if {number} >> history.round_number & 1 else D
"""

_REFERENCES = """
class AlwaysC:
    def act(self, history):
        return C

class AlwaysD:
    def act(self, history):
        return D

class Tosses:
    def act(self, history):
        return C if random.random() < 0.5 else D
"""
_CONDITIONAL = """
class {first}{first}{least}:
    def act(self, history):
        if history.round_number == 0:
            return {first}
        return {then} if history.opponent_cooperators[-1] >= {least} else {other}
"""


class Behaviour(NamedTuple):
    """Features of strategies, (S, 961), and every call that gave no move."""

    features: Array
    troubles: Sequence[Trouble]


@cache
def contexts() -> tuple[Context, ...]:
    """List all contexts, shorter ones first.

    >>> len(contexts()), contexts()[:3]
    (961, (('', '', ''), ('C', 'C', 'C'), ('C', 'C', 'D')))
    """
    return tuple(dict.fromkeys(sorted(_met(), key=lambda one: (len(one[0]), one))))


def _met() -> Iterator[Context]:
    for histories in _opponents():
        for length in range(ROUNDS):
            yield _seen(histories, length)


def _opponents() -> list[tuple[int, ...]]:
    """List all sets of three histories, each as the bits of its rounds."""
    return list(combinations_with_replacement(range(_HISTORIES), PLAYERS - 1))


def _seen(histories: tuple[int, ...], length: int) -> Context:
    moves = ("".join("DC"[one >> at & 1] for at in range(length)) for one in histories)
    return tuple(sorted(moves))


@cache
def _context_numbers() -> Array:
    """The context in which each round of each game is played, (816, 5)."""
    number = {one: place for place, one in enumerate(contexts())}
    return np.array([[number[_seen(h, t)] for t in range(ROUNDS)] for h in _opponents()])


@cache
def last_cooperators() -> Array:
    """How many opponents cooperated last in each context, (961,); NaN in the first round."""
    return np.array([sum(h.endswith("C") for h in one) if one[0] else np.nan for one in contexts()])


def measure_behaviour(
    pool: ProgramPool, programs: Sequence[LoadedProgram], game: GameName, *, seed: int = 0
) -> Behaviour:
    """Play every context with each program; raises SandboxError.

    The pool has these programs, and scripted opponents, loaded afterwards. A program's luck depends
    on the seed and its name alone.
    """
    pool.load([*programs, *_scripts()])
    features, troubles = np.empty((len(programs), len(contexts()))), list[Trouble]()
    for some in _portions(programs):
        batch = _batch(programs, some, game, seed)
        result = pool.play(batch)
        troubles += result.troubles
        games = 0
        for number in some:
            end = games + _rollouts(programs[number]) * len(_opponents())
            features[number] = _mean_by_context(result.actions[games:end, 0])
            games = end
    return Behaviour(features, troubles)


def _rollouts(program: LoadedProgram) -> int:
    return ROLLOUTS if program.random else 1


def _portions(programs: Sequence[LoadedProgram]) -> Iterator[list[int]]:
    """Split programs, by their numbers, into portions that are played together."""
    portion, games = list[int](), 0
    for number, program in enumerate(programs):
        portion.append(number)
        games += _rollouts(program) * len(_opponents())
        if games >= _GAMES_AT_ONCE:
            yield portion
            portion, games = [], 0
    if portion:
        yield portion


def _batch(
    programs: Sequence[LoadedProgram], some: Sequence[int], game: GameName, seed: int
) -> MatchBatch:
    """All games of some programs, each on the first seat, against scripted opponents."""
    scripted = np.array(_opponents()) + len(programs)
    seats, seeds = [], []
    for number in some:
        rows = np.tile(scripted, (_rollouts(programs[number]), 1))
        seats.append(np.column_stack([np.full(len(rows), number), rows]))
        draws = generator(seed, f"behaviour {programs[number].name}")
        seeds.append(draws.integers(0, 2**64, seats[-1].shape, np.uint64))
    single = stage_game(game, PLAYERS, ROUNDS)
    return MatchBatch(single, np.concatenate(seats), np.concatenate(seeds))


def _mean_by_context(cooperates: Array) -> Array:
    """Average moves, (rollouts * 816, 5), over all games in which a context occurs, (961,)."""
    rollouts = len(cooperates) // len(_opponents())
    share = cooperates.reshape(rollouts, -1).mean(0)
    places = _context_numbers().ravel()
    mean: Array = np.bincount(places, share) / np.bincount(places)
    return mean


def load_text(text: str) -> list[LoadedProgram]:
    """Check and load programs of our own; their fallback is to defect."""
    return [
        LoadedProgram(
            name=one.name,
            code=cast(Any, one.code),
            source=one.source,
            interface=cast(Interface, one.interface),
            fallback="D",
            random=one.random,
            keeps_state=one.keeps_state,
            reads=one.reads,
        )
        for one in check_file(text)
    ]


@cache
def _scripts() -> tuple[LoadedProgram, ...]:
    """Opponents that play one history each, whatever they see."""
    text = "".join(_SCRIPT.format(number=number) for number in range(_HISTORIES))
    return tuple(load_text(text))


REFERENCE_NAMES = ("A-C", "A-D", "Rnd(.5)", *(f"{k}({n})" for k in ("CC", "CD") for n in (1, 2, 3)))


@cache
def reference_programs() -> tuple[LoadedProgram, ...]:
    """Strategies that others are held against, in the order of REFERENCE_NAMES.

    CC(n) cooperates at first, and then if at least n opponents cooperated last; CD(n) defects at
    first, and then if at least n opponents cooperated last, and else cooperates.
    """
    conditional = (
        _CONDITIONAL.format(first=first, then=first, other="DC"[first == "D"], least=least)
        for first in "CD"
        for least in (1, 2, 3)
    )
    return tuple(load_text("".join([_REFERENCES, *conditional])))
