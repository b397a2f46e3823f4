"""Public goods: what one gives is multiplied and shared by all, whoever gave.

Of n players each contributes its endowment of one point (A0) or keeps it (A1). If k contribute,

    payoff = r k / n            of those who contribute
    payoff = r k / n + 1        of those who keep

and with a factor 1 < r < n keeping dominates, though all would be better off if nobody did. If
r < 1, all are better off if nobody contributes; if r = n, it makes no difference to oneself whether
one does, and if r > n, contributing dominates. Where only some of a match play
(society.scenarios.mechanisms.institution_choice.institution_choice), n is their number; who is
alone keeps. Source: Tewolde et al. 2026 (CoopEval), n = 3 and r = 1.5; Olson 1965, The Logic of
Collective Action.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.rng import Array
from society.engine.scenario import Live, scenario
from society.engine.script import Script
from society.sandbox.stage_games import StageGame, stage_game
from society.scenarios.games.game import ABSENT, Game, Profile, number_labels
from society.scenarios.games.normal_form import (
    ALONE,
    FACTS,
    LANGUAGE,
    MEASURES,
    GameParams,
    in_matches,
    play_game,
)
from society.scenarios.games.normal_form import players as cast


@dataclass(frozen=True, eq=False)
class PublicGood(Game):
    """The game of n players with a factor r.

    >>> PublicGood(3, 1.5).paid(np.array([[0, 0, 0], [0, 1, 1]])).tolist()
    [[1.5, 1.5, 1.5], [0.5, 1.5, 1.5]]
    """

    size: int
    factor: float

    @property
    def actions(self) -> tuple[tuple[str, ...], ...]:  # type: ignore[override]
        return number_labels(*[2] * self.size)

    @property
    def cooperation(self) -> Profile:  # type: ignore[override]
        return (0,) * self.size

    @property
    def equilibrium(self) -> Profile | None:  # type: ignore[override]
        """All keep, which dominates; none is given where contributing pays at least as much."""
        return (1,) * self.size if self.factor < self.size else None

    @property
    def single(self) -> StageGame:
        """The dilemma of one round; raises ValueError where contributing is none."""
        return stage_game("public_goods", self.size, 1, factor=self.factor)

    def paid(self, profile: Array) -> Array:
        keeps: Array = profile != 0
        size: Array | int = self.size
        if (profile == ABSENT).any():
            here = profile != ABSENT
            size = here.sum(-1, keepdims=True)
            keeps = here & (keeps | (size == 1))
        gives = size - keeps.sum(-1, keepdims=True)
        paid: Array = self.factor * gives / np.maximum(size, 1) + keeps
        return paid


class PublicGoods(GameParams):
    """Symbols are those of the docstring above."""

    players: int = Field(3, ge=2, le=1_000, description="n, players in a match")
    factor: Live[float] = Field(1.5, gt=0, description="r, factor by which contributions grow")
    open_source: bool = Field(
        False, description="whether programs read each other's sources, and may simulate each other"
    )


@scenario(
    params=PublicGoods,
    cast=cast,
    measures=MEASURES,
    agents=3,
    rounds=1,
    display=ALONE,
    facts=FACTS,
    language_variant=LANGUAGE,
)
@in_matches(lambda p: PublicGood(p.players, p.factor))
def public_goods(env: Environment) -> Script:
    """Contributions are multiplied and shared by all, whoever contributed (Olson 1965)."""
    return play_game(env)
