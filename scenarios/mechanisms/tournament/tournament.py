"""A tournament: every type of agent meets every other one, and itself, on every seat.

Each cohort is a type. Of K types and a game of n players a match has any of the K^n assignments of
types to seats, and is a replicate; all are played `repetitions` times, each time with contracts and
mediators that the types design anew. Where a mechanism lets
partners change (society.scenarios.mechanisms.reputation.reputation), a replicate is a population
with one agent of each type for each seat, K n agents, and there are as many replicates as
repetitions.
Source: Tewolde et al. 2026 (CoopEval), section 5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from society.engine.mechanism import Play, declared_by
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.errors import ScenarioError

_MOST = 1_000_000  # matches


def cross_play(types: int, players: int, repetitions: int = 1) -> Array:
    """Every assignment of types to seats, (types^players * repetitions, players).

    Repetitions of a match stand `types^players` rows apart.

    >>> cross_play(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    matches = np.array(list(product(range(types), repeat=players)), np.int64)
    return np.tile(matches, (repetitions, 1))


def seating(play: Play, types: int, params: Any, *, own: Mapping[str, Any]) -> Array:
    """Seat all types; raises ScenarioError for a game without a number of players."""
    repetitions, players = own["repetitions"], _players(play, "tournament", params)
    if play.rematching:
        each = np.repeat(np.arange(types), players)
        return np.tile(each, (repetitions, 1))
    # Powers of integers can grow to millions of digits, those of floats cannot.
    if players * math.log(types) + math.log(repetitions) > math.log(_MOST):
        raise ScenarioError(
            f"tournament: {types} types on {players} seats make {types}^{players} matches, and "
            f"repetitions is {repetitions}; take fewer, so that at most {_MOST:,} are played"
        )
    return cross_play(types, players, repetitions)


def _players(play: Play, mechanism: str, params: Any) -> int:
    """Return the number of players of a match; raises ScenarioError if the game has none."""
    declared = declared_by(play, mechanism, acts=False)
    if declared.players is None:
        raise ScenarioError(
            f"{mechanism}: in {play.origin.__name__} all play together, so that types cannot be "
            "matched; take a game of so many players, or name cohorts and their counts instead"
        )
    return declared.players(params)


def seating_apart(play: Play, types: int, params: Any, *, own: Mapping[str, Any]) -> Array:
    """A replicate for each repetition, type and seat, all of its seats taken by that type."""
    players = _players(play, "draft_designs", params)
    each = np.repeat(np.arange(types), players)[:, None].repeat(players, 1)
    return np.tile(each, (own["repetitions"], 1))


@mechanism(chance_id="drafted", seating=seating_apart)
def draft_designs(play: Play, *, repetitions: Annotated[int, Field(ge=1)] = 1) -> Play:
    """Types of agents make their designs, each for itself and for each seat, before they meet.

    Tournaments have it played in a run of its own where a mechanism takes designs; for each of
    their repetitions anew.
    """
    declared_by(play, "draft_designs", acts=False)
    return play


@mechanism(chance_id="tournament", seating=seating)
def tournament(play: Play, *, repetitions: Annotated[int, Field(ge=1)] = 1) -> Play:
    """Every type of agent, a cohort each, meets all types, itself included, on every seat."""
    declared_by(play, "tournament", acts=False)
    return play
