"""The least wealth with which a village lives on, against brute force and against closed forms."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from society.scenarios.village.doom import LeastWealth, least_wealth
from society.scenarios.village.fishing_village import Village
from society.scenarios.village.lake import land_catch, regrow

TINY: dict[str, Any] = {
    "capacity": 100,
    "catchability": 0.2,
    "consumption": 4,
    "growth": 0.5,
    "collapse_at": 0.1,
}


def needed(rules: list[Village], stock: float, villagers: int, efforts: int = 61) -> float:
    """The least wealth by which one of many plans of equal efforts keeps all alive."""
    plans = np.array(list(product(np.linspace(0, 1, efforts), repeat=len(rules))))
    left, wealth = np.full((len(plans), 1), stock), np.zeros(len(plans))
    least, alive = np.zeros(len(plans)), np.ones(len(plans), bool)
    for p, effort in zip(rules, plans.T, strict=True):
        catch = land_catch(p, np.tile(effort[:, None], villagers), left)
        left = regrow(p, left - catch.sum(1, keepdims=True))
        wealth += catch[:, 0] - p.consumption
        least = np.maximum(least, -wealth)
        alive &= left[:, 0] > p.collapse_at * p.capacity
    return float(least[alive].min(initial=np.inf))


def bounds_at(bounds: LeastWealth, over: int, stock: float) -> tuple[float, float]:
    """The bounds of the least wealth as they are read for a stock."""
    grid = bounds.stock[over]
    below = int(np.searchsorted(grid, stock, side="right")) - 1
    above = min(int(np.searchsorted(grid, stock)), len(grid) - 1)
    return float(bounds.low[over, above]), float(bounds.high[over, below])


@pytest.mark.parametrize("growth", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("stock", [12.0, 30.0, 55.0, 100.0])
def test_no_plan_of_equal_efforts_needs_less_and_one_needs_hardly_more(
    growth: float, stock: float
) -> None:
    p = Village.model_validate({**TINY, "growth": growth})
    low, high = bounds_at(least_wealth([p] * 3, 3), 0, stock)
    best = needed([p] * 3, stock, 3)
    assert low <= best + 1e-9
    assert high == pytest.approx(best, abs=0.15)
    assert 0 <= high - low < 0.05


@pytest.mark.parametrize(
    "later",
    [
        {"growth": 0.1},
        {"growth": 1.0, "consumption": 9},
        {"catchability": 0.05},
        {"collapse_at": 0.4},
        {"growth": 0.0, "catchability": 0.4, "consumption": 2, "collapse_at": 0.05},
    ],
    ids=str,
)
@pytest.mark.parametrize("after", [1, 2])
def test_rules_that_change_count_from_their_round_on(later: dict[str, Any], after: int) -> None:
    rules = [Village.model_validate(TINY)] * after
    rules += [Village.model_validate({**TINY, **later})] * (3 - after)
    bounds = least_wealth(rules, 3)
    for stock in (30.0, 80.0):
        low, high = bounds_at(bounds, 0, stock)
        best = needed(rules, stock, 3, efforts=41)
        assert low <= best + 1e-9
        assert high == pytest.approx(best, abs=0.25)


def test_after_a_change_only_the_new_rules_count() -> None:
    """A village in its third round of six, poor from then on, is one that has three to live."""
    rich, poor = Village(growth=0.8), Village(growth=0.2, consumption=4, collapse_at=0.2)
    both, alone = least_wealth([rich] * 3 + [poor] * 3, 10), least_wealth([poor] * 3, 10)
    for over in (4, 5, 6):
        assert bounds_at(both, over, 90.0) == bounds_at(alone, over - 3, 90.0)


def test_a_lake_that_does_not_grow_feeds_villagers_for_as_long_as_it_has_fish() -> None:
    """With 60 fish, 3 villagers who eat 4 and 10 rounds to go: 40 each to eat, 20 each to take."""
    p = Village.model_validate({**TINY, "growth": 0, "catchability": 1, "collapse_at": 0})
    low, high = bounds_at(least_wealth([p] * 10, 3), 0, 60.0)
    assert low <= 20 <= high
    assert high - low < 0.05


def test_who_owns_enough_to_eat_needs_no_effort() -> None:
    """A lake just above its collapse: who waits 10 rounds eats 40, and needs no more than that."""
    p = Village.model_validate(TINY)
    bounds = least_wealth([p] * 10, 3)
    assert bounds.savable(0, 10.1, 40.0)
    assert bounds_at(bounds, 0, 10.1)[0] < 40


def test_a_collapsed_lake_is_past_saving_but_before_the_first_round() -> None:
    p = Village.model_validate(TINY)
    bounds = least_wealth([p] * 10, 3)
    assert bounds.doomed(5, 9.9, 1e9)
    assert not bounds.doomed(0, 9.9, 1e9)


def test_a_full_lake_that_bears_all_needs_nothing() -> None:
    """45 fish a round for 10 villagers who eat 2.5 each."""
    bounds = least_wealth([Village()] * 100, 10)
    assert bounds.savable(0, 300.0, 0.0)


def test_a_poor_lake_cannot_feed_its_villagers() -> None:
    """15 fish a round are at most 1.5 a head, each eats 2.5; all start with 30, and need 75."""
    bounds = least_wealth([Village(growth=0.2)] * 100, 10)
    assert bounds.doomed(0, 300.0, 30.0)
    assert bounds_at(bounds, 0, 300.0) == pytest.approx((75.7, 76.0), abs=0.1)


def test_a_finer_grid_lies_between_the_bounds_of_a_coarse_one() -> None:
    coarse, fine = (least_wealth([Village(growth=0.3)] * 50, 10, points) for points in (501, 4_001))
    for stock in (20.0, 100.0, 250.0):
        outer, inner = bounds_at(coarse, 0, stock), bounds_at(fine, 0, stock)
        assert outer[0] - 1e-9 <= inner[0] <= inner[1] <= outer[1] + 1e-9


def test_a_lake_that_overshoots_is_refused() -> None:
    with pytest.raises(ValueError, match=r"growth 1\.5 is above 1"):
        least_wealth([Village(growth=1.5)] * 10, 10)
