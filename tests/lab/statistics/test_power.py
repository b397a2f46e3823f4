"""What n runs can find: simulation against closed forms, for pilots that are normal.

Tolerances are 4 standard errors of a simulated power, sqrt(.8 x .2 / 4,000) = .0063 each, over the
slope of the power there (about .35 per unit of sqrt(n) times the effect), and so relative to the
effect: 4 x .0063 / (.35 x 2.8) = .026.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower, TTestPower

from society.draws import generator
from society.lab.statistics import (
    Simulation,
    Unanswerable,
    detectable_difference,
    detectable_eta_squared,
)

pytestmark = pytest.mark.filterwarnings("error")
SIZES = (5, 10, 50)
NOISE = 0.026
NORMAL = stats.zscore(stats.norm.ppf((np.arange(1_000) + 0.5) / 1_000), ddof=1)
SHUFFLED = generator(8, "shuffled").permutation(NORMAL)


def effects(question: tuple[tuple[int, float | None], ...]) -> list[float]:
    return [effect for _, effect in question if effect is not None]


def test_pairs_find_what_the_noncentral_t_says() -> None:
    pilot = {"control": SHUFFLED, "treated": SHUFFLED + 2 * NORMAL + 7}
    found = detectable_difference(pilot, SIZES, paired=True)
    closed = [2 * TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05) for n in SIZES]
    assert effects(found.effects) == pytest.approx(closed, rel=NOISE)
    assert [one.runs for one in found.effects] == list(SIZES)


def test_independent_runs_find_what_the_noncentral_t_says() -> None:
    """From 10 runs on, where Welch's test and Student's, of the closed form, hardly differ."""
    found = detectable_difference({"a": NORMAL, "b": SHUFFLED}, (10, 50), paired=False)
    closed = [TTestIndPower().solve_power(nobs1=n, power=0.8, alpha=0.05) for n in (10, 50)]
    assert effects(found.effects) == pytest.approx(closed, rel=NOISE)


def test_a_factor_of_seven_levels_finds_what_the_noncentral_f_says() -> None:
    found = detectable_eta_squared({"pilot": NORMAL}, SIZES, levels=7)
    closed = [
        FTestAnovaPower().solve_power(k_groups=7, nobs=7 * n, power=0.8, alpha=0.05) for n in SIZES
    ]
    expected = [f**2 / (1 + f**2) for f in closed]
    assert effects(found) == pytest.approx(expected, rel=2 * NOISE)  # the square of an effect


def test_the_design_of_the_village_paper_finds_an_eta_squared_of_a_twentieth() -> None:
    """Three shares of altruists x seven models x ten runs: its Table 1 has effects of .02."""
    found = detectable_eta_squared({"pilot": NORMAL}, [10], levels=3, crossed_with=7)
    critical = stats.f.isf(0.05, 2, 189)

    def power(eta_squared: float) -> float:
        noncentrality = 210 * eta_squared / (1 - eta_squared)
        return float(stats.ncf.sf(critical, 2, 189, noncentrality))

    assert found[0].effect == pytest.approx(0.045, abs=0.003)
    assert power(found[0].effect or 0) == pytest.approx(0.8, abs=4 * 0.0063)


def test_an_interaction_has_its_own_degrees_of_freedom() -> None:
    """(3 - 1) x (7 - 1) = 12 of them, against 2 of the factor alone."""
    found = detectable_eta_squared(
        {"pilot": NORMAL}, [10], levels=3, crossed_with=7, interaction=True
    )
    eta_squared = found[0].effect or 0
    noncentrality = 210 * eta_squared / (1 - eta_squared)
    power = stats.ncf.sf(stats.f.isf(0.05, 12, 189), 12, 189, noncentrality)
    assert power == pytest.approx(0.8, abs=4 * 0.0063)


def test_experiments_without_spread_are_no_finding() -> None:
    """One pilot run in twenty differs: in six draws it is missing in .95^6 = .74 of experiments."""
    pilot = {"a": [0.1] * 19 + [0.7], "b": [0.1] * 19 + [0.7]}
    assert detectable_eta_squared(pilot, [3], levels=2) == ((3, None),)


def test_pairing_sees_smaller_differences_where_luck_is_shared() -> None:
    pilot = {"a": SHUFFLED, "b": SHUFFLED + 0.2 * NORMAL}
    together = effects(detectable_difference(pilot, [20], paired=True).effects)[0]
    apart = effects(detectable_difference(pilot, [20], paired=False).effects)[0]
    assert apart > 4 * together


def test_more_runs_find_less_and_a_higher_power_needs_more() -> None:
    pilot = {"a": [3, 9, 12, 40, 40], "b": [5, 9, 40, 31, 22], "c": [8, 8, 7, 9, 40]}
    found = effects(detectable_difference(pilot, [5, 10, 20, 40], paired=False).effects)
    assert all(fewer > more for fewer, more in pairwise(found))
    sure = Simulation(power=0.95)
    assert (
        effects(detectable_difference(pilot, [10], paired=False, simulation=sure).effects)[0]
        > found[1]
    )


def test_the_same_seed_gives_the_same_answer_in_the_unit_of_the_measure() -> None:
    def found(scale: float, seed: int) -> float:
        pilot = {"a": scale * NORMAL, "b": scale * SHUFFLED}
        asked = detectable_difference(pilot, [10], paired=False, simulation=Simulation(seed=seed))
        return effects(asked.effects)[0]

    assert found(1, 0) == found(1, 0) != found(1, 1)
    assert found(20, 0) == pytest.approx(20 * found(1, 0))


def test_few_pilot_runs_are_widened_by_what_their_own_mean_took() -> None:
    """Three runs about their mean have a third less variance than the runs that they stand for."""
    few = detectable_difference({"a": [-1, 0, 1], "b": [0, 0, 0]}, [400], paired=True)
    closed = TTestPower().solve_power(nobs=400, power=0.8, alpha=0.05)  # of standard deviation 1
    assert effects(few.effects) == pytest.approx([closed], rel=NOISE)


def test_pairs_of_conditions_that_do_not_vary_are_named() -> None:
    pilot = {"control": [60, 60, 60], "mild": [60, 60, 60], "none": [9, 12, 60]}
    found = detectable_difference(pilot, [10], paired=True)
    assert (found.pairs, found.left_out) == (2, ("control and mild",))


def test_two_runs_of_values_that_mostly_tie_find_nothing_however_large() -> None:
    """Nine of ten pilot runs are the same: two runs vary in a fifth of the experiments."""
    pilot = {"a": [60] * 9 + [10], "b": [60] * 10}
    found = detectable_difference(pilot, [1, 2], paired=False)
    assert [one.effect for one in found.effects] == [None, None]
    assert detectable_eta_squared(pilot, [1, 2], levels=2) == ((1, None), (2, None))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            lambda: detectable_difference({"a": [1, 2], "b": [1, 2, 3]}, [10], paired=False),
            "the pilot of a: 2 of at least 3 values",
        ),
        (
            lambda: detectable_difference({"a": [1, 2], "b": [1, 2]}, [10], paired=True),
            "the pairs: 2 of at least 3 values",
        ),
        (
            lambda: detectable_difference({"a": [1] * 3, "b": [2] * 3}, [10], paired=False),
            "no pair of 2 conditions varies in the pilot",
        ),
        (
            lambda: detectable_difference({"a": [0.1] * 3, "b": [0.3] * 3}, [10], paired=True),
            "no pair of 2 conditions varies in the pilot",
        ),
        (
            lambda: detectable_difference({"a": [1, 2, 3]}, [10], paired=False),
            "1 condition to compare; at least 2",
        ),
        (
            lambda: detectable_eta_squared({"a": [5] * 3}, [10], levels=2),
            "no condition varies in the pilot",
        ),
        (
            lambda: detectable_eta_squared({"a": [5]}, [10], levels=2),
            "the pilot of a: 1 of at least 3 values",
        ),
    ],
)
def test_a_pilot_that_tells_nothing_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(Unanswerable, match=words):
        question()
