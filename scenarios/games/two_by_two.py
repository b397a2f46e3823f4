"""Two players, two actions: four small games with large problems.

Points of (player 1, player 2):

    prisoner's dilemma      A0      A1        trust                A0       A1
        A0                 2, 2    0, 3         A0 (gives)       10, 10    0, 20
        A1                 3, 0    1, 1         A1 (keeps)        6, 2     4, 4

    stag hunt               A0      A1        matching pennies     A0       A1
        A0                 5, 5    0, 3         A0                1, -1   -1, 1
        A1                 3, 0    3, 3         A1               -1, 1     1, -1

In the prisoner's dilemma A1 strictly dominates A0. In trust, player 1 decides whether to entrust
player 2 with more, who decides, without knowing, whether to share the returns: A1 dominates for
player 2, and so for player 1. In stag hunt both cooperating is an equilibrium, too, but a risky
one. Matching pennies has no cooperation, and one equilibrium, in mixed strategies.
Source: Tewolde et al. 2026 (CoopEval), table 1 and appendix; Skyrms 2004, The Stag Hunt.
"""

from __future__ import annotations

import numpy as np

from society.engine.environment import Environment
from society.engine.rng import Array
from society.engine.scenario import Measure, RoundFacts, scenario
from society.engine.script import Script
from society.scenarios.games.game import NormalForm, Profile, number_labels
from society.scenarios.games.normal_form import (
    LANGUAGE,
    MEASURES,
    PAIRED,
    PAIRED_FACTS,
    PAYOFF,
    GameParams,
    in_matches,
    play_game,
    players,
)
from society.scenarios.games.player_matching import match_players

COOPERATE: Profile = (0, 0)
DEFECT: Profile = (1, 1)


def _game(
    cells: list[list[tuple[float, float]]],
    cooperation: Profile | None = COOPERATE,
    equilibrium: Profile | None = DEFECT,
) -> NormalForm:
    return NormalForm(np.array(cells, float), number_labels(2, 2), cooperation, equilibrium)


PRISONERS_DILEMMA = _game([[(2, 2), (0, 3)], [(3, 0), (1, 1)]])
TRUST = _game([[(10, 10), (0, 20)], [(6, 2), (4, 4)]])
STAG_HUNT = _game([[(5, 5), (0, 3)], [(3, 0), (3, 3)]])
MATCHING_PENNIES = _game([[(1, -1), (-1, 1)], [(-1, 1), (1, -1)]], None, None)


def points_won(told: RoundFacts, env: Environment) -> Array:
    """Points of player 1, weighted, mean over matches, (R, 1)."""
    points = match_players(env, 2).gathered(told["payoff"])[:, :, 0]
    weighted: Array = told["weight"] * points.mean(1, keepdims=True)
    return weighted


WON = Measure(
    "won",
    "points of player 1, weighted over rounds",
    points_won,
    "total",
    label="points of player 1",
)
of_two = scenario(
    params=GameParams,
    cast=players,
    measures=MEASURES,
    agents=2,
    rounds=1,
    display=PAIRED,
    facts=PAIRED_FACTS,
    language_variant=LANGUAGE,
)


@of_two
@in_matches(lambda p: PRISONERS_DILEMMA)
def prisoners_dilemma(env: Environment) -> Script:
    """Each gets more by defecting, and both get less if both defect."""
    return play_game(env)


@of_two
@in_matches(lambda p: TRUST)
def trust(env: Environment) -> Script:
    """A trustor may hand over points that grow, and a trustee may share or keep the proceeds."""
    return play_game(env)


@of_two
@in_matches(lambda p: STAG_HUNT)
def stag_hunt(env: Environment) -> Script:
    """The stag takes both hunters; a hare takes one, and is safe."""
    return play_game(env)


@scenario(
    params=GameParams,
    cast=players,
    measures=(PAYOFF, WON),
    agents=2,
    rounds=1,
    display=PAIRED,
    facts=PAIRED_FACTS,
    language_variant=LANGUAGE,
)
@in_matches(lambda p: MATCHING_PENNIES)
def matching_pennies(env: Environment) -> Script:
    """One wins if both show the same side, the other one if not: a control without cooperation.

    What player 1 gets, player 2 loses, so that the mean payoff is 0 but for what mechanisms add.
    """
    return play_game(env)
