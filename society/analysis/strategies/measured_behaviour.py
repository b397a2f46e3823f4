"""Strategies of folders, their behaviour played out in the jail, and strategies to compare with.

Behaviour is the cooperation in 961 contexts (society.sandbox.matches.behaviour). A set is what one
model wrote in one attitude. Source: Willis et al. 2026, section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, cast, get_args

import numpy as np

from society.engine.rng import Array, generator
from society.errors import SandboxError, short_path
from society.sandbox.checker import check_programs
from society.sandbox.matches.behaviour import (
    HISTORIES,
    LUCKY_GAMES,
    MULTISETS,
    OPPONENTS,
    ROUNDS,
    behaviour_batch,
    behaviour_features,
    opponents_source,
)
from society.sandbox.matches.match_batch import MatchBatch, Trouble
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import GameName, stage_game
from society.sandbox.strategy_folder import StrategyFolder
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.strategy_pool import Gene

_GAMES_AT_ONCE = 40_000

_UNCONDITIONAL = """
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
class Starts{first}{least}:
    def act(self, history):
        if history.round_number == 0:
            return {first}
        return {first} if history.opponent_cooperators[-1] >= {least} else {first}.flip()
"""


class StrategySet(NamedTuple):
    """Strategies that a model wrote in one attitude, and their features, (S, 961).

    failing: strategies that gave no move in some context.
    """

    names: Sequence[str]
    features: Array
    failing: Sequence[str]


class Behaviour(NamedTuple):
    """Features of programs, (P, 961), and every call that gave no move."""

    features: Array
    troubles: Sequence[Trouble]


def measure_behaviour(
    pool: ProgramPool, programs: Sequence[LoadedProgram], game: GameName, *, seed: int = 0
) -> Behaviour:
    """Play every context with each program; raises SandboxError, as for those that see sources.

    The pool has other programs loaded afterwards. The luck of a program depends on the seed and its
    name alone.
    """
    for one in programs:
        if one.sees_sources:
            raise SandboxError(
                f"{one.name} reads or simulates its co-players, and its behaviour is measured "
                "against stated moves, which have no source; leave it out"
            )
    pool.load([*programs, *_opponents()])
    features, troubles = [], list[Trouble]()
    for some in _portions(programs):
        batches = [_batch(programs, number, game, seed) for number in some]
        result = pool.play(_joined(batches))
        troubles += result.troubles
        ends = np.cumsum([len(one.seats) for one in batches])[:-1]
        features += [behaviour_features(one) for one in np.split(result.actions, ends)]
    return Behaviour(np.array(features), troubles)


def _portions(programs: Sequence[LoadedProgram]) -> Iterator[list[int]]:
    """Split programs, by their numbers, into portions that are played together."""
    portion, games = list[int](), 0
    for number, program in enumerate(programs):
        portion.append(number)
        games += _repetitions(program) * len(MULTISETS)
        if games >= _GAMES_AT_ONCE:
            yield portion
            portion, games = [], 0
    if portion:
        yield portion


def _repetitions(program: LoadedProgram) -> int:
    return LUCKY_GAMES if program.random else 1


def _batch(programs: Sequence[LoadedProgram], number: int, game: GameName, seed: int) -> MatchBatch:
    draws = generator(seed, f"behaviour of {programs[number].name}")
    shape = _repetitions(programs[number]), len(MULTISETS)
    seeds = draws.integers(2**64, size=shape, dtype=np.uint64)
    return behaviour_batch(stage_game(game, OPPONENTS + 1, ROUNDS), number, len(programs), seeds)


def _joined(batches: Sequence[MatchBatch]) -> MatchBatch:
    return replace(
        batches[0],
        seats=np.concatenate([one.seats for one in batches]),
        seeds=np.concatenate([one.seeds for one in batches]),
    )


@cache
def last_cooperators() -> Array:
    """Count the opponents who cooperated last in each context, (961,); NaN in the first round."""
    last = np.zeros((len(MULTISETS), ROUNDS))
    for place, multiset in enumerate(MULTISETS):
        last[place, 1:] = np.sum([HISTORIES[one] for one in multiset], axis=0)
    counts = behaviour_features(last[:, None])
    counts[context_lengths() == 0] = np.nan
    return counts


@cache
def context_lengths() -> Array:
    """Count the rounds that were played before each context, (961,) of int."""
    rounds = np.tile(np.arange(float(ROUNDS)), (len(MULTISETS), 1))
    return behaviour_features(rounds[:, None]).round().astype(np.int64)


def _load_text(text: str) -> tuple[LoadedProgram, ...]:
    return tuple(one.loaded("D") for one in check_programs(text))


@cache
def _opponents() -> tuple[LoadedProgram, ...]:
    return _load_text(opponents_source())


REFERENCE_NAMES = ("A-C", "A-D", "Rnd(.5)", *(f"{k}({n})" for k in ("CC", "CD") for n in (1, 2, 3)))


@cache
def _references() -> tuple[LoadedProgram, ...]:
    conditional = (_CONDITIONAL.format(first=one, least=n) for one in "CD" for n in (1, 2, 3))
    return _load_text("".join([_UNCONDITIONAL, *conditional]))


def reference_features(pool: ProgramPool, seed: int = 0) -> dict[str, Array]:
    """Measure strategies to compare with, by name, (961,) each; they do the same in all games.

    CC(n) cooperates at first, and then if at least n opponents cooperated last, else defects; CD(n)
    defects where CC(n) cooperates, and cooperates where it defects.
    """
    found = measure_behaviour(pool, _references(), "public_goods", seed=seed)
    return dict(zip(REFERENCE_NAMES, found.features, strict=True))


def measure_sets(
    pool: ProgramPool, folder: StrategyFolder, *, seed: int = 0
) -> dict[Gene, StrategySet]:
    """Measure all strategies of a folder that are accepted, set by set; raises SandboxError."""
    entries, checked = folder.manifest.strategies, folder.programs()
    if not entries:
        raise SandboxError(f"{short_path(folder.path)} lists no strategy; write some into it")
    accepted = [
        (entry, one.loaded(entry.fallback))
        for entry, one in zip(entries, checked, strict=True)
        if one.accepted
    ]
    if not accepted:
        raise SandboxError(
            f"{short_path(folder.path)}: no strategy is accepted; `society strategies check` says "
            "why"
        )
    programs = [program for _, program in accepted]
    found = measure_behaviour(pool, programs, _dilemma(folder), seed=seed)
    places: dict[Gene, list[int]] = {}
    for place, (entry, _) in enumerate(accepted):
        places.setdefault(Gene(entry.model, entry.attitude), []).append(place)
    return {name: _set(programs, found, own) for name, own in sorted(places.items())}


def _dilemma(folder: StrategyFolder) -> GameName:
    """The dilemma that strategies were written for; raises SandboxError for another scenario."""
    for game in get_args(GameName):
        if folder.manifest.game == game:
            return cast(GameName, game)
    raise SandboxError(
        f"the strategies of {short_path(folder.path)} answer in {folder.manifest.game}; behaviour "
        f"is measured in dilemmas: {', '.join(get_args(GameName))}"
    )


def _set(programs: Sequence[LoadedProgram], found: Behaviour, places: Sequence[int]) -> StrategySet:
    failing = {one.program for one in found.troubles}
    return StrategySet(
        names=[programs[place].name for place in places],
        features=found.features[list(places)],
        failing=[programs[place].name for place in places if place in failing],
    )
