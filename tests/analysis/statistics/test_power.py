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

from society.analysis.statistics import (
    Detectable,
    NotEstimable,
    Simulation,
    detectable_difference,
    detectable_partial_eta_squared,
)
from society.engine.rng import Array, generator

pytestmark = pytest.mark.filterwarnings("error")
SIZES = (5, 10, 50)
NOISE = 0.026
NORMAL = stats.zscore(stats.norm.ppf((np.arange(1_000) + 0.5) / 1_000), ddof=1)
SHUFFLED = generator(8, "shuffled").permutation(NORMAL)


def effects(question: tuple[Detectable, ...]) -> list[float]:
    return [effect for _, effect in question if effect is not None]


def normal(*shape: int) -> Array:
    """A pilot of a thousand independent runs of each condition, each of mean 0 and variance 1."""
    draws = generator(9, "normal")
    columns = [draws.permutation(NORMAL) for _ in range(int(np.prod(shape)))]
    return np.stack(columns, axis=-1).reshape(1_000, *shape)


def power(eta_squared: float, df: int, within: int, scale: float) -> float:
    """The power of the F test; scale: the noncentrality by explained and unexplained variance."""
    noncentrality = scale * eta_squared / (1 - eta_squared)
    return float(stats.ncf.sf(stats.f.isf(0.05, df, within), df, within, noncentrality))


EIGHTY = pytest.approx(0.8, abs=4 * 0.0063)


def test_pairs_find_what_the_noncentral_t_says() -> None:
    found = detectable_difference(SHUFFLED, SHUFFLED + 2 * NORMAL + 7, SIZES, paired=True)
    closed = [2 * TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05) for n in SIZES]
    assert effects(found) == pytest.approx(closed, rel=NOISE)
    assert [one.runs for one in found] == list(SIZES)


def test_independent_runs_find_what_the_noncentral_t_says() -> None:
    """From 10 runs on, where Welch's test and Student's, of the closed form, hardly differ."""
    found = detectable_difference(NORMAL, SHUFFLED, (10, 50), paired=False)
    closed = [TTestIndPower().solve_power(nobs1=n, power=0.8, alpha=0.05) for n in (10, 50)]
    assert effects(found) == pytest.approx(closed, rel=NOISE)


def test_beside_a_condition_that_never_varies_welch_has_the_freedom_of_one_sample() -> None:
    """Five runs have 4 degrees of freedom and find 1.68; Student's test, with 8, is for equals."""
    found = detectable_difference(NORMAL, np.full(1_000, 60), [5], paired=False)
    assert TTestPower().solve_power(nobs=5, power=0.8, alpha=0.05) == pytest.approx(1.682, abs=1e-3)
    assert effects(found) == pytest.approx([1.682], rel=NOISE)


def test_a_factor_of_seven_levels_finds_what_the_noncentral_f_says() -> None:
    found = detectable_partial_eta_squared(normal(1, 7), SIZES, tested=[0], blocked=False)
    closed = [
        FTestAnovaPower().solve_power(k_groups=7, nobs=7 * n, power=0.8, alpha=0.05) for n in SIZES
    ]
    expected = [f**2 / (1 + f**2) for f in closed]
    assert effects(found) == pytest.approx(expected, rel=2 * NOISE)  # the square of an effect


@pytest.mark.parametrize(("tested", "df"), [([0], 2), ([1], 6), ([0, 1], 12)])
def test_each_term_of_the_village_papers_design_has_its_own_freedom(
    tested: list[int], df: int
) -> None:
    """Three shares of altruists x seven models x ten runs."""
    pilot = normal(1, 3, 7)
    (found,) = effects(detectable_partial_eta_squared(pilot, [10], tested=tested, blocked=False))
    assert power(found, df, 189, 210) == EIGHTY
    if df == 2:
        assert found == pytest.approx(0.045, abs=0.003)  # its Table 1 has one of .036, with p = .03


@pytest.mark.parametrize("missing", [0, 2])
def test_luck_that_conditions_share_is_no_error_of_blocks(missing: int) -> None:
    """Six conditions in ten blocks leave (6 - 1) x (10 - 1) = 45 degrees of freedom.

    The error has 5/6 of the variance of a run without its luck, since blocks have a mean. Where
    the pilot lacks conditions, the others stand for them.
    """
    pilot = normal(1, 3, 2) + 8 * SHUFFLED[:, None, None, None]
    pilot[:, 0, :missing, 0] = np.nan
    (found,) = effects(detectable_partial_eta_squared(pilot, [10], tested=[0], blocked=True))
    assert power(found, 2, 45, 60 * 5 / 6) == EIGHTY


def test_blocks_of_two_conditions_are_the_paired_t_test() -> None:
    """F = t^2, and partial eta squared is d_z^2 / (d_z^2 + 1)."""
    pilot = np.stack([SHUFFLED, SHUFFLED + 2 * NORMAL], axis=-1)[:, None]
    found = effects(detectable_partial_eta_squared(pilot, SIZES, tested=[0], blocked=True))
    closed = [TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05) for n in SIZES]
    assert found == pytest.approx([d**2 / (d**2 + 1) for d in closed], rel=2 * NOISE)


def test_replicates_are_drawn_as_whole_rows() -> None:
    """Where luck is shared inside the levels of a factor, all that it varies is in that factor.

    Of x, x, y, y the factor's half difference e has variance 1/2 in a block, the error 2 for 4 runs
    with 3 degrees of freedom. Found in .8: 2 e sqrt(n) > sqrt(2/3 F) + .84 sqrt(4 / 2).
    """
    pilot = np.stack([NORMAL, NORMAL, SHUFFLED, SHUFFLED], axis=-1).reshape(-1, 1, 2, 2)
    found = effects(detectable_partial_eta_squared(pilot, [100], tested=[0], blocked=True))
    bound = np.sqrt(2 / 3 * stats.f.isf(0.05, 1, 3 * 99))
    squared = ((bound + 0.8416 * np.sqrt(2)) / 20) ** 2
    assert found == pytest.approx([squared / (squared + 0.5)], rel=2 * NOISE)


@pytest.mark.parametrize(("blocked", "within"), [(False, 6 * 10 - 2), (True, 6 * 10 - 2 - 9)])
def test_runs_of_conditions_that_the_analysis_does_not_tell_apart_are_pooled(
    blocked: bool, within: int
) -> None:
    """Three conditions at each of two levels: ten runs of each are thirty of a level."""
    found = detectable_partial_eta_squared(normal(3, 2), [10], tested=[0], blocked=blocked)
    assert power(effects(found)[0], 1, within, 60 * (5 / 6 if blocked else 1)) == EIGHTY


@pytest.mark.parametrize(
    ("blocked", "square", "spread"),
    [(False, 10, 10), (True, (9 * 200 + 147) / 149, 9 + 3 / 4)],
)
def test_what_pooled_conditions_differ_by_is_error(
    blocked: bool, square: float, spread: float
) -> None:
    """By 6, of which 9 is the variance; but chance alone, of variance 1, moves means.

    100 runs of a level, 2 levels: their half difference e is found in .8 of the experiments if
    e sqrt(200) > sqrt(F x mean square of the error) + .84. Blocks take 49 of 198 degrees of freedom
    from the error, and a fourth of chance.
    """
    pilot = normal(2, 2) + np.array([[-3], [3]])
    found = effects(detectable_partial_eta_squared(pilot, [50], tested=[0], blocked=blocked))
    squared = (np.sqrt(3.9 * square) + 0.8416) ** 2 / 200
    assert found == pytest.approx([squared / (squared + spread)], rel=NOISE)


def test_experiments_without_spread_are_no_finding() -> None:
    """One pilot run in twenty differs: in six draws it is missing in .95^6 = .74 of experiments."""
    pilot = np.full((20, 1, 2), 0.1)
    pilot[-1] = 0.7
    assert detectable_partial_eta_squared(pilot, [3], tested=[0], blocked=False) == ((3, None),)


def test_pairing_sees_smaller_differences_where_luck_is_shared() -> None:
    two = (SHUFFLED, SHUFFLED + 0.2 * NORMAL)
    together = effects(detectable_difference(*two, [20], paired=True))[0]
    apart = effects(detectable_difference(*two, [20], paired=False))[0]
    assert apart > 4 * together


def test_more_runs_find_less_and_a_higher_power_needs_more() -> None:
    two = ([3, 9, 12, 40, 40], [5, 9, 40, 31, 22])
    found = effects(detectable_difference(*two, [5, 10, 20, 40], paired=False))
    assert all(fewer > more for fewer, more in pairwise(found))
    sure = Simulation(power=0.95)
    assert effects(detectable_difference(*two, [10], paired=False, simulation=sure))[0] > found[1]


def test_the_same_seed_gives_the_same_answer_in_the_unit_of_the_measure() -> None:
    def found(scale: float, seed: int) -> float:
        two, simulation = (scale * NORMAL, scale * SHUFFLED), Simulation(seed=seed)
        return effects(detectable_difference(*two, [10], paired=False, simulation=simulation))[0]

    assert found(1, 0) == found(1, 0) != found(1, 1)
    assert found(20, 0) == pytest.approx(20 * found(1, 0))


def test_few_pilot_runs_are_widened_by_what_their_own_mean_took() -> None:
    """Three runs about their mean have a third less variance than the runs that they stand for."""
    few = detectable_difference([-1, 0, 1], [0, 0, 0], [400], paired=True)
    closed = TTestPower().solve_power(nobs=400, power=0.8, alpha=0.05)  # of standard deviation 1
    assert effects(few) == pytest.approx([closed], rel=NOISE)


def test_two_runs_of_values_that_mostly_tie_find_nothing_however_large() -> None:
    """Nine of ten pilot runs are the same: two runs vary in a fifth of the experiments."""
    tied = [60] * 9 + [10]
    found = detectable_difference(tied, [60] * 10, [1, 2], paired=False)
    assert [one.effect for one in found] == [None, None]
    pilot = np.array([[tied], [[60] * 10]]).T
    found = detectable_partial_eta_squared(pilot, [1, 2], tested=[0], blocked=False)
    assert found == ((1, None), (2, None))


def shares(pilot: list[list[float]], *, blocked: bool) -> Callable[[], object]:
    """A pilot of one factor, by replicate and level."""
    grid = np.array(pilot, float)[:, None]
    return lambda: detectable_partial_eta_squared(grid, [10], tested=[0], blocked=blocked)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            lambda: detectable_difference([1, 2], [1, 2, 3], [10], paired=False),
            "a condition of the pilot: 2 of at least 3 values",
        ),
        (
            lambda: detectable_difference([1, 2], [1, 2], [10], paired=True),
            "the pairs: 2 of at least 3 values",
        ),
        (
            lambda: detectable_difference([1] * 3, [2] * 3, [10], paired=False),
            "neither condition varies in the pilot",
        ),
        (
            lambda: detectable_difference([0.1, 0.7, 0.4], [0.4, 1.0, 0.7], [10], paired=True),
            "the difference does not vary in the pilot",
        ),
        (shares([[5, 6]] * 3, blocked=False), "no condition varies in the pilot; nothing"),
        (shares([[5, 6]], blocked=False), "a condition of the pilot: 1 of at least 3 values"),
        (
            shares([[0.1, 0.4], [0.7, 1.0], [0.4, 0.7]], blocked=True),
            "no condition varies in the pilot, but for random numbers that all share",
        ),
        (
            shares([[5, np.nan], [8, np.nan], [9, np.nan]], blocked=True),
            "no condition varies in the pilot, but for random numbers that all share",
        ),
        (
            shares([[5, 1], [8, np.nan], [9, 2], [4, np.nan]], blocked=True),
            "a condition of the pilot: 2 of at least 3 values",
        ),
    ],
)
def test_a_pilot_that_tells_nothing_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        question()


def test_a_factor_of_one_level_is_no_factor() -> None:
    with pytest.raises(NotEstimable, match="a factor that is tested needs at least 2 levels"):
        detectable_partial_eta_squared(normal(1, 1, 3), [10], tested=[0, 1], blocked=False)
