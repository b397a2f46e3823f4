"""Statistics against worked examples of textbooks and papers, to the digits that they print.

Data sets that are also R's own (sleep, ToothGrowth, PlantGrowth, and the examples of its rank
tests) are compared with what its manual pages print.
"""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.statistics import (
    Simulation,
    SurvivalTimes,
    anova,
    cohens_kappa,
    correct_p_values,
    detectable_difference,
    effect,
    friedman,
    kaplan_meier,
    krippendorffs_alpha,
    kruskal_wallis,
    log_rank,
    mann_whitney,
    mean,
    paired,
    percent_agreement,
    restricted_mean,
    share,
    student,
    tukey,
    welch,
    wilcoxon,
)
from society.engine.rng import Array

pytestmark = pytest.mark.filterwarnings("error")

# Hours of sleep gained with two drugs, by the same ten patients (Student 1908, Biometrika 6).
DEXTRO = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
LAEVO = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

# Weeks in remission; True: still in remission when last seen (Freireich et al. 1963, Blood 21).
MERCAPTOPURINE = SurvivalTimes(
    [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35],
    [place in (3, 5, 7, 8, 11, 12, 13, 16, 17, 18, 19, 20) for place in range(21)],
)
PLACEBO = SurvivalTimes(
    [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23], [False] * 21
)

# Dried weight of plants, g (Dobson 1983, An Introduction to Statistical Modelling).
PLANTS = {
    "ctrl": [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14],
    "trt1": [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69],
    "trt2": [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26],
}

# Length of teeth by supplement and dose in mg (Crampton 1947; Bliss 1952).
TEETH = {
    ("VC", 0.5): [4.2, 11.5, 7.3, 5.8, 6.4, 10, 11.2, 11.2, 5.2, 7],
    ("VC", 1.0): [16.5, 16.5, 15.2, 17.3, 22.5, 17.3, 13.6, 14.5, 18.8, 15.5],
    ("VC", 2.0): [23.6, 18.5, 33.9, 25.5, 26.4, 32.5, 26.7, 21.5, 23.3, 29.5],
    ("OJ", 0.5): [15.2, 21.5, 17.6, 9.7, 14.5, 10, 8.2, 9.4, 16.5, 9.7],
    ("OJ", 1.0): [19.7, 23.3, 23.6, 26.4, 20, 25.2, 25.8, 21.2, 14.5, 27.3],
    ("OJ", 2.0): [25.5, 26.4, 22.4, 24.5, 24.8, 30.9, 26.4, 27.3, 29.4, 23],
}

# Four observers, twelve units (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, C).
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def scores(mean: float, sd: float, n: int) -> Array:
    """n values, evenly spaced, of exactly this mean and standard deviation."""
    even: Array = np.linspace(-1, 1, n)
    even *= sd / even.std(ddof=1)
    return even + mean


def test_sleep_gained_with_two_drugs_as_independent_groups() -> None:
    """R: t = -1.8608, df = 17.776, p = 0.07939, 95 % interval -3.3654832 to 0.2054832."""
    found = welch(DEXTRO, LAEVO)
    assert found.t == pytest.approx(-1.8608, abs=5e-5)
    assert found.df == pytest.approx(17.776, abs=5e-4)
    assert found.p == pytest.approx(0.07939, abs=5e-6)
    assert found.interval[:2] == pytest.approx((-3.3654832, 0.2054832), abs=5e-8)
    pooled = student(DEXTRO, LAEVO)
    assert (pooled.df, pooled.p) == pytest.approx((18, 0.07919), abs=5e-6)


def test_sleep_gained_with_two_drugs_by_the_same_patients() -> None:
    """R: t = -4.0621, df = 9, p = 0.002833, 95 % interval -2.4598858 to -0.7001142."""
    found = paired(DEXTRO, LAEVO)
    assert (found.difference, found.df) == pytest.approx((-1.58, 9))
    assert found.t == pytest.approx(-4.0621, abs=5e-5)
    assert found.p == pytest.approx(0.002833, abs=5e-7)
    assert found.interval[:2] == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)


def test_the_same_patients_as_blocks() -> None:
    """F(1, 9) = t^2."""
    drugs = {"drug": ["dextro"] * 10 + ["laevo"] * 10}
    found = anova([*DEXTRO, *LAEVO], drugs, blocks=[*range(10)] * 2)
    assert found["drug"].f == pytest.approx(4.0621**2, abs=5e-4)
    assert (found["drug"].p, found.residual.df) == pytest.approx((0.002833, 9), abs=5e-7)


def test_the_mean_gain_of_sleep_has_the_interval_of_student() -> None:
    """R, one sample: mean 2.33, 95 % interval 0.8976775 to 3.7623225."""
    found = mean(LAEVO)
    assert (found.mean, found.n) == pytest.approx((2.33, 10))
    assert found.interval[:2] == pytest.approx((0.8976775, 3.7623225), abs=5e-8)


def test_a_standardised_difference_of_two_groups_of_fifty() -> None:
    """Borenstein et al. 2009, Introduction to Meta-Analysis, chapter 4: d .5970, g .5924."""
    found = effect(scores(103, 5.5, 50), scores(100, 4.5, 50))
    assert found.d == pytest.approx(0.5970, abs=5e-5)
    assert found.g == pytest.approx(0.5924, abs=5e-5)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_shares_with_the_score_interval(count: int, n: int, low: float, high: float) -> None:
    """Newcombe 1998, Statistics in Medicine 17, Table I, method 3."""
    assert share(count, n).interval[:2] == pytest.approx((low, high), abs=5e-5)


def test_remission_with_and_without_mercaptopurine() -> None:
    """Kleinbaum and Klein 2012, Survival Analysis, chapter 2: log-rank 16.793, medians 23 and 8."""
    treated, control = kaplan_meier(MERCAPTOPURINE), kaplan_meier(PLACEBO)
    assert list(treated.times) == [6, 7, 10, 13, 16, 22, 23]
    assert treated.survival == pytest.approx(
        [0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482], abs=5e-5
    )
    assert (treated.median, treated.median_interval) == (23, (13, None))
    assert control.median == 8
    found = log_rank({"6-MP": MERCAPTOPURINE, "placebo": PLACEBO})
    assert (found.chi_squared, found.df) == pytest.approx((16.793, 1), abs=5e-4)
    assert found.events == {"6-MP": 9, "placebo": 21}


def test_the_mean_remission_up_to_the_last_week_seen() -> None:
    """R's survfit prints a restricted mean of 23.29 with standard error 2.83."""
    found = restricted_mean(kaplan_meier(MERCAPTOPURINE))
    assert found.until == 35
    assert (found.mean, found.se) == pytest.approx((23.29, 2.83), abs=5e-3)


def test_teeth_by_supplement_and_dose() -> None:
    """R: F(1, 54) = 15.572, F(2, 54) = 92.000, F(2, 54) = 4.107, p = .000231, 0, .021860."""
    values = [length for cell in TEETH.values() for length in cell]
    factors: dict[str, list[object]] = {
        "supplement": [supplement for supplement, _ in TEETH for _ in range(10)],
        "dose": [dose for _, dose in TEETH for _ in range(10)],
    }
    found = anova(values, factors)
    assert [source.name for source in found.sources] == [
        "supplement",
        "dose",
        "supplement × dose",
        "residual",
    ]
    assert [source.df for source in found.sources] == [1, 2, 2, 54]
    squares = [source.sum_of_squares for source in found.sources]
    assert squares == pytest.approx([205.35, 2426.43, 108.32, 712.11], abs=5e-3)
    assert [source.f for source in found.sources[:3]] == pytest.approx(
        [15.572, 92.000, 4.107], abs=5e-4
    )
    assert found["supplement"].p == pytest.approx(0.000231, abs=5e-7)
    assert found["supplement × dose"].p == pytest.approx(0.021860, abs=5e-7)
    assert found["dose"].eta_squared == pytest.approx(2426.43 / 3452.21, abs=5e-6)
    assert found["dose"].partial_eta_squared == pytest.approx(
        2426.43 / (2426.43 + 712.11), abs=5e-6
    )


def test_plants_under_three_treatments() -> None:
    """R: F(2, 27) = 4.846, p = .01591; TukeyHSD -.371 (p .391), .494 (p .198), .865 (p .012)."""
    values = [weight for group in PLANTS.values() for weight in group]
    found = anova(values, {"group": [name for name in PLANTS for _ in range(10)]})["group"]
    assert found.f == pytest.approx(4.846, abs=5e-4)
    assert found.p == pytest.approx(0.01591, abs=5e-6)
    compared = tukey(PLANTS)
    assert [pair.difference for pair in compared.pairs] == pytest.approx([0.371, -0.494, -0.865])
    assert [pair.p for pair in compared.pairs] == pytest.approx(
        [0.3908711, 0.1979960, 0.0120064], abs=5e-7
    )
    assert compared.pairs[2].interval[:2] == pytest.approx((-1.5562161, -0.1737839), abs=5e-7)
    assert compared.letters == {"trt2": "a", "ctrl": "ab", "trt1": "b"}


def test_permeability_of_two_membranes() -> None:
    """Hollander and Wolfe 1973, p. 69: W = 35, one-sided p = .1272."""
    term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    early = [1.15, 0.88, 0.90, 0.74, 1.21]
    found = mann_whitney(term, early)
    assert (found.u, found.p / 2) == pytest.approx((35, 0.1272), abs=5e-5)
    assert (found.common_language, found.cliffs_delta) == pytest.approx((0.7, 0.4))


def test_depression_before_and_after_a_tranquilliser() -> None:
    """Hollander and Wolfe 1973, p. 29: signed ranks 40 of 45, one-sided p = .01953."""
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = wilcoxon(before, after)
    assert (found.w, found.p / 2) == pytest.approx((45 - 40, 0.01953), abs=5e-6)
    assert found.rank_biserial == pytest.approx((40 - 5) / 45)


def test_mucociliary_efficiency_of_three_groups() -> None:
    """Hollander and Wolfe 1973, p. 116: H = .77143, df = 2, p = .68."""
    found = kruskal_wallis(
        {
            "normal": [2.9, 3.0, 2.5, 2.6, 3.2],
            "obstructed": [3.8, 2.7, 4.0, 2.4],
            "asbestosis": [2.8, 3.4, 3.7, 2.2, 2.0],
        }
    )
    assert (found.h, found.df) == pytest.approx((0.77143, 2), abs=5e-6)
    assert found.p == pytest.approx(0.68, abs=5e-3)


def test_three_ways_of_rounding_first_base() -> None:
    """R, after Hollander and Wolfe 1973, p. 140: chi squared 11.143, df = 2, p = .003805."""
    out = [5.40, 5.85, 5.20, 5.55, 5.90, 5.45, 5.40, 5.45, 5.25, 5.85, 5.25]
    out += [5.65, 5.60, 5.05, 5.50, 5.45, 5.55, 5.45, 5.50, 5.65, 5.70, 6.30]
    narrow = [5.50, 5.70, 5.60, 5.50, 5.85, 5.55, 5.40, 5.50, 5.15, 5.80, 5.20]
    narrow += [5.55, 5.35, 5.00, 5.50, 5.55, 5.55, 5.50, 5.45, 5.60, 5.65, 6.30]
    wide = [5.55, 5.75, 5.50, 5.40, 5.70, 5.60, 5.35, 5.35, 5.00, 5.70, 5.10]
    wide += [5.45, 5.45, 4.95, 5.40, 5.50, 5.35, 5.55, 5.25, 5.40, 5.55, 6.25]
    found = friedman({"round out": out, "narrow angle": narrow, "wide angle": wide})
    assert (found.chi_squared, found.df) == pytest.approx((11.143, 2), abs=5e-4)
    assert found.p == pytest.approx(0.003805, abs=5e-7)


def test_false_discoveries_among_fifteen_tests() -> None:
    """Benjamini and Hochberg 1995, section 3.2: theirs finds four at .05, Bonferroni's three."""
    values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    values += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert (correct_p_values(values, "benjamini-hochberg") <= 0.05).sum() == 4
    assert (correct_p_values(values, "bonferroni") <= 0.05).sum() == 3


def test_reliability_of_four_observers_with_missing_values() -> None:
    """Krippendorff 2011: nominal .743, ordinal .815, interval .849."""
    assert krippendorffs_alpha(OBSERVERS, scale="nominal").value == pytest.approx(0.743, abs=5e-4)
    assert krippendorffs_alpha(OBSERVERS, scale="ordinal").value == pytest.approx(0.815, abs=5e-4)
    assert krippendorffs_alpha(OBSERVERS, scale="interval").value == pytest.approx(0.849, abs=5e-4)


def test_reliability_of_two_observers_with_binary_codes() -> None:
    """Krippendorff 2011, A: ten units, six of which agree; alpha .095."""
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorffs_alpha([first, second]).value == pytest.approx(0.095, abs=5e-4)
    assert percent_agreement([first, second]).value == pytest.approx(0.6)


def test_two_raters_of_fifty_proposals() -> None:
    """20 yes by both, 5 and 10 by one, 15 no by both: kappa = (.7 - .5) / (1 - .5), by hand."""
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohens_kappa(first, second).value == pytest.approx(0.4)


def test_sixty_four_runs_a_group_find_half_a_standard_deviation() -> None:
    """Cohen 1988, Table 2.4.1: n = 64 for d = .5 with power .8 at .05, two-sided.

    Pilot of normal scores. The tolerance is 4 standard errors of the simulated power, sqrt(.8 x
    .2 / 4,000), over the slope of the power there, 1 a unit of d.
    """
    from scipy.stats import norm

    pilot = norm.ppf((np.arange(500) + 0.5) / 500)
    pilot /= pilot.std(ddof=1)
    found = detectable_difference(
        pilot, pilot + 9, [64], paired=False, simulation=Simulation(seed=1)
    )
    assert found[0].effect == pytest.approx(0.5, abs=4 * 0.0063)
