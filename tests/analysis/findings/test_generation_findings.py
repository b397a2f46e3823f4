"""What became of generations: the last one beside the first, on the scale of its figure."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.findings.generation_findings import GenerationCourse, describe_courses
from society.analysis.findings.wording import Quantity
from society.analysis.statistics.value_scale import ValueScale
from society.engine.rng import Array

GIVING = Quantity("phenotype (share)")


def course(first: Array, last: Array, quantity: Quantity = GIVING) -> GenerationCourse:
    return GenerationCourse(quantity, np.stack([first, (first + last) / 2, last], axis=1))


def spread(mean: float, n: int = 8) -> Array:
    return mean + np.linspace(-0.05, 0.05, n)


def test_a_phenotype_that_fell_in_all_runs_is_said_to_have_fallen() -> None:
    last = spread(0.1)[::-1]
    (finding,) = describe_courses([course(spread(0.9), last)])
    assert finding.kind == "effect"
    assert finding.sentence.startswith(
        "Phenotype (share) fell from 0.900 in generation 1 to 0.100 in generation 3, by 0.800 (95 "
    )
    assert finding.sentence.endswith("paired t test, 8 runs, p < .001).")
    assert finding.basis.interval is not None
    assert finding.basis.interval.high < 0


def test_resources_that_multiply_change_by_a_factor() -> None:
    quantity = Quantity("fitness (final)", "units", ValueScale("log"))
    first = np.exp(spread(2.0))
    (finding,) = describe_courses([course(first, first * np.exp(spread(3.0)[::-1]), quantity)])
    assert "rose from 7.39 in generation 1 to 148.41 units in generation 3, times 20.09 " in (
        finding.sentence
    )
    assert "geometric means" in finding.sentence


def test_what_went_both_ways_cannot_be_told() -> None:
    (finding,) = describe_courses([course(spread(0.5), spread(0.5)[::-1] + 0.001)])
    assert finding.kind == "no effect"
    assert finding.sentence.startswith("Whether phenotype (share) changed cannot be told: from 0.5")


def test_few_runs_are_described_and_what_died_out_is_said() -> None:
    (finding,) = describe_courses([course(spread(0.9, 3), np.zeros(3))])
    assert finding.kind == "description"
    assert finding.sentence.endswith(
        "in generation 3 (mean of 3 runs: too few to conclude anything). It was 0 in "
        "generation 3 of all 3 runs."
    )


def test_a_single_run_is_told_as_one() -> None:
    (finding,) = describe_courses([course(np.array([0.9]), np.array([0.1]))])
    assert "was 0.900 in generation 1 and 0.100 in generation 3 (1 run: too few" in finding.sentence


def test_societies_that_died_out_are_no_part_of_the_comparison() -> None:
    first, last = spread(0.9), spread(0.1)[::-1].copy()
    last[:5] = np.nan
    (finding,) = describe_courses([course(first, last)])
    assert finding.basis.n == 3


def test_shares_are_percent_and_their_differences_percentage_points() -> None:
    quantity = Quantity.of("phenotype (share)", "share of what it owns", ValueScale("linear"))
    (finding,) = describe_courses([course(spread(0.9), spread(0.1)[::-1], quantity)])
    assert finding.sentence.startswith(
        "Phenotype (share) fell from 90.0 % in generation 1 to 10.0 % in generation 3, by 80.0 "
        "percentage points (95 % interval "
    )
    assert finding.basis.estimate == pytest.approx(-0.8)  # in the unit of the measure


def test_what_is_no_generation_is_named_by_when_it_was_taken() -> None:
    values = np.stack([spread(0.6), spread(0.9)], axis=1)
    norms = GenerationCourse(Quantity("alignment of norms"), values, "", "round 1", "round 50")
    (finding,) = describe_courses([norms])
    assert "in round 1" in finding.sentence
    assert "in round 50" in finding.sentence


def test_a_p_that_was_adjusted_says_so_where_its_interval_leaves_out_zero() -> None:
    """Two tests: p = .04 of one alone is .08 by Holm, and its interval is still that of one."""
    steps = np.array([-1.0, 1.0, 3.0, 1.0, 4.0, -1.5, 2.0, 1.2])
    steps = steps - steps.mean() + 2.5 * steps.std(ddof=1) / np.sqrt(8)  # t(7) = 2.5: p = .041
    first = np.full(8, 10.0)
    found = describe_courses([course(first, first + steps), course(spread(0.5), spread(0.5)[::-1])])
    assert found[0].kind == "no effect"
    assert found[0].basis.interval is not None
    assert found[0].basis.interval.low > 0
    assert found[0].sentence.endswith("paired t test, 8 runs, p = .082 by Holm over all tests).")
