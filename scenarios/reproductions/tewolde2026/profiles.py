"""The games of CoopEval as its theorem sees them: what all prefer to which equilibrium.

Strategies of the theorem switch between the profile in which all cooperate and the equilibrium in
which all are worse off.
Source: Tewolde et al. 2026 (CoopEval), table 1 and appendix D.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from society.scenarios.games import travellers_dilemma as travellers
from society.scenarios.games import two_by_two
from society.scenarios.games.game import Game, Profile
from society.scenarios.games.public_goods import PublicGood
from society.scenarios.reproductions.tewolde2026.one_shot_deviations import (
    Decisions,
    lowest_threshold,
)
from society.scenarios.reproductions.tewolde2026.trigger_strategies import (
    TriggerNorm,
    decide_under_repetition,
    decide_under_reputation,
    pure_profile,
)

FEW = 2  # agents of each seat, of whom all labels can be listed
HUNTERS = (np.array([0.6, 0.4]),) * 2  # the mixed equilibrium of stag hunt

GAMES: dict[str, Game] = {
    "prisoner's dilemma": two_by_two.PRISONERS_DILEMMA,
    "public goods": PublicGood(3, 1.5),
    "trust": two_by_two.TRUST,
    "traveller's dilemma": travellers.travellers_game(travellers.TravellersDilemma()),
    "stag hunt": two_by_two.STAG_HUNT,
}


def grim_trigger(game: Game, window: int | None = None) -> list[Decisions]:
    """Grim trigger between cooperation and equilibrium of a game."""
    target, fallback = profiles(game)
    return decide_under_repetition(game, target, pure_profile(game, fallback), window)


def norm_in_population(game: Game, norm: TriggerNorm, count: int = FEW) -> list[Decisions]:
    """A norm between cooperation and equilibrium of a game."""
    return decide_under_reputation(game, *profiles(game), norm, count)


def from_d(
    holds: Callable[[Iterable[Decisions], float], bool], players: list[Decisions]
) -> float | None:
    """The lowest continuation probability from which on something holds of all."""
    return lowest_threshold(lambda d: holds(players, d))


def profiles(game: Game) -> tuple[Profile, Profile]:
    """Return the profile of cooperation, and the equilibrium that is worse for all."""
    assert game.cooperation is not None  # as in all of GAMES
    assert game.equilibrium is not None
    return game.cooperation, game.equilibrium
