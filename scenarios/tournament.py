"""A tournament: every type of agent meets every other one, and itself, on every seat.

Each cohort is a type. Of K types and a game of n players a match has any of the K^n assignments of
types to seats, and is a replicate; all are played `repetitions` times. Where a mechanism lets
partners change (society.scenarios.reputed), a replicate is a population with one agent of each type
for each seat, K n agents, and there are as many replicates as repetitions.
Source: Tewolde et al. 2026 (CoopEval), section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from society.draws import Array
from society.errors import ScenarioError
from society.scenario import Additions, Scenario, brings
from society.wrap import Play, declared_by, mechanism

_MOST = 1_000_000  # matches


def cross_play(types: int, players: int, repetitions: int = 1) -> Array:
    """Every assignment of types to seats, (types^players * repetitions, players).

    Repetitions of a match stand `types^players` rows apart.

    >>> cross_play(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    matches = np.array(list(product(range(types), repeat=players)), np.int64)
    return np.tile(matches, (repetitions, 1))


def seating(scenario: Scenario, types: int, params: Any, *, own: Mapping[str, Any]) -> Array:
    """Who sits where; raises ScenarioError for a game without a number of players."""
    declared, repetitions = declared_by(scenario.play, "tournament"), own["repetitions"]
    if declared.players is None:
        raise ScenarioError(
            f"tournament: in {scenario.name} all play together, so that types cannot be matched; "
            "take a game of so many players, or name cohorts and their counts without a tournament"
        )
    players = declared.players(params)
    if "reputed" in scenario.mechanisms:
        each = np.repeat(np.arange(types), players)
        return np.tile(each, (repetitions, 1))
    if types**players * repetitions > _MOST:
        raise ScenarioError(
            f"tournament: {types} types on {players} seats make {types**players:,} matches, "
            f"{repetitions} times; take fewer, so that there are {_MOST:,} at most"
        )
    return cross_play(types, players, repetitions)


@brings(Additions(seating=seating))
@mechanism
def tournament(play: Play, *, repetitions: Annotated[int, Field(ge=1)] = 1) -> Play:
    """Every type of agent, a cohort each, meets all types, itself included, on every seat."""
    declared_by(play, "tournament")
    return play
