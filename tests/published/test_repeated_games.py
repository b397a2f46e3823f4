"""Repeated prisoner's dilemmas whose course is known from the literature, move by move."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.games.classic_strategies import ClassicStrategies, StrategyName
from society.engine.component import AgentGroup, Question
from society.engine.population import Cohort
from society.scenarios.games.two_by_two import prisoners_dilemma

if TYPE_CHECKING:
    from tests.conftest import Duel, Play

DETERMINISTIC: tuple[StrategyName, ...] = (
    "always_cooperate",
    "always_defect",
    "tit_for_tat",
    "suspicious_tit_for_tat",
    "tit_for_two_tats",
    "grim",
    "win_stay_lose_shift",
)
SUCKER, REWARD, PUNISHMENT, TEMPTATION = 0, 2, 1, 3


@pytest.mark.parametrize(
    ("one", "other", "moves"),
    [
        ("tit_for_tat", "always_defect", ["CDDDDDDD", "DDDDDDDD"]),
        ("tit_for_tat", "always_cooperate", ["CCCCCCCC", "CCCCCCCC"]),
        ("tit_for_tat", "grim", ["CCCCCCCC", "CCCCCCCC"]),
        ("grim", "always_defect", ["CDDDDDDD", "DDDDDDDD"]),
        # An echo that never dies down.
        ("tit_for_tat", "suspicious_tit_for_tat", ["CDCDCDCD", "DCDCDCDC"]),
        # Forgiving one defection ends it.
        ("tit_for_two_tats", "suspicious_tit_for_tat", ["CCCCCCCC", "DCCCCCCC"]),
        ("grim", "suspicious_tit_for_tat", ["CDDDDDDD", "DCDDDDDD"]),
        # Exploited every other time.
        ("win_stay_lose_shift", "always_defect", ["CDCDCDCD", "DDDDDDDD"]),
        ("win_stay_lose_shift", "suspicious_tit_for_tat", ["CDDCDDCD", "DCDDCDDC"]),
    ],
)
def test_pairings_of_deterministic_strategies(
    duel: Duel, one: StrategyName, other: StrategyName, moves: list[str]
) -> None:
    """By hand; strategies as in Axelrod 1984, The Evolution of Cooperation, chapters 1, 2 and 6."""
    assert duel(ClassicStrategies(one), ClassicStrategies(other), game=prisoners_dilemma) == moves


@pytest.mark.parametrize("other", DETERMINISTIC)
def test_tit_for_tat_loses_by_one_exploitation_at_most_and_never_wins(
    play: Play, other: StrategyName
) -> None:
    """Axelrod 1984, chapter 6: it cannot score more than its partner."""
    own, partner = totals(play, "tit_for_tat", other, rounds=200)
    assert partner - (TEMPTATION - SUCKER) <= own <= partner


@pytest.mark.thorough
def test_scores_of_a_round_robin_of_two_hundred_moves(play: Play) -> None:
    """By hand: nice strategies get 2 x 200 from each other, and 0 + 199 from a defector."""
    nice: tuple[StrategyName, ...] = ("tit_for_tat", "tit_for_two_tats", "grim", "always_cooperate")
    for one, other in product(nice, nice):
        assert totals(play, one, other, rounds=200) == [200 * REWARD, 200 * REWARD]
    lost = dict(zip(nice, (1, 2, 1, 200), strict=True))
    for strategy, times in lost.items():
        won = times * TEMPTATION + (200 - times) * PUNISHMENT
        assert totals(play, strategy, "always_defect", rounds=200) == [200 - times, won]


@pytest.mark.parametrize(
    ("strategy", "moves"),
    [
        # Two of its kind return to cooperation after one round of punishment.
        ("win_stay_lose_shift", ["CCCDCC", "CCDDCC"]),
        # Two of its kind take turns in retaliating.
        ("tit_for_tat", ["CCCDCD", "CCDCDC"]),
        ("grim", ["CCCDDD", "CCDDDD"]),
        ("tit_for_two_tats", ["CCCCCC", "CCDCCC"]),
    ],
)
def test_how_a_strategy_recovers_from_one_mistake(
    play: Play, strategy: StrategyName, moves: list[str]
) -> None:
    """Player 2 defects by mistake in round 3: Nowak and Sigmund 1993, Nature 364, figure 1."""
    parts = ClassicStrategies(strategy), Slipping(strategy)
    cast = [Cohort(f"{seat}", 1, (part,)) for seat, part in enumerate(parts)]
    over = play(prisoners_dilemma, cast=cast, agents=2, rounds=6)
    told = np.concatenate(over.told("action")).T
    assert ["".join("CD"[action] for action in one) for one in told] == moves


def test_generous_tit_for_tat_ends_an_echo_after_three_rounds_on_average(play: Play) -> None:
    """It forgives a defection with chance 1/3: Nowak and Sigmund 1992, Nature 355."""
    parts: tuple[StrategyName, ...] = ("generous_tit_for_tat", "suspicious_tit_for_tat")
    cast = [Cohort(f"{seat}", 1, (ClassicStrategies(part),)) for seat, part in enumerate(parts)]
    over = play(prisoners_dilemma, cast=cast, agents=2, rounds=60, replicates=2000)
    generous = np.stack(over.told("action"))[:, :, 0]
    # Every other round it is provoked anew, until it forgives: 3 times on average, sd 6^0.5.
    provoked = 1 + (generous == 1).sum(0)
    assert provoked.mean() == pytest.approx(3, abs=4 * (6 / 2000) ** 0.5)


class Slipping(ClassicStrategies):
    """A strategy that defects once by mistake, in the third round."""

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        mix = super().answer(ask, agents)
        return mix if agents.occasion.use != 2 else np.full_like(mix, [0, 1])


def totals(play: Play, one: StrategyName, other: StrategyName, rounds: int) -> list[float]:
    """Return the earnings of both in the end."""
    cast = [
        Cohort("one", 1, (ClassicStrategies(one),)),
        Cohort("other", 1, (ClassicStrategies(other),)),
    ]
    over = play(prisoners_dilemma, cast=cast, agents=2, rounds=rounds)
    earned: list[float] = np.concatenate(over.told("payoff")).sum(0).tolist()
    return earned
