"""Conditions are compared in words: what differs, what cannot be told apart, and no more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from society.analysis.findings.comparisons import Cell, ComparedConditions, compare_conditions
from society.analysis.findings.statements import StudyFinding
from society.analysis.findings.wording import Quantity
from society.analysis.statistics.value_scale import ValueScale
from society.engine.rng import Array
from society.experiments.factors import Label

SURVIVAL = Quantity("survival time", "rounds")


def normal(mean: float, n: int = 30, seed: int = 0, sd: float = 10.0) -> Array:
    """Draw a sample with exactly this mean and standard deviation, (n,)."""
    values = np.random.default_rng(seed).normal(size=n)
    standard: Array = (values - values.mean()) / values.std(ddof=1)
    return mean + sd * standard


def one_factor(
    factor: str, samples: Mapping[Label, Array], *, paired: bool = False, shared: str = ""
) -> ComparedConditions:
    return ComparedConditions(
        {factor: list(samples)}, {(level,): own for level, own in samples.items()}, paired, shared
    )


def said(*panels: ComparedConditions, quantity: Quantity = SURVIVAL) -> list[str]:
    return [one.sentence for one in compare_conditions(quantity, panels)]


def kinds(*panels: ComparedConditions) -> list[str]:
    return [one.kind for one in compare_conditions(SURVIVAL, panels)]


# Two conditions


def test_two_independent_conditions_that_differ_are_compared_by_welchs_test() -> None:
    panel = one_factor("fine", {2: normal(40), 18: normal(60, seed=1)})
    (sentence,) = said(panel)
    assert sentence == (
        "Survival time was higher with fine = 18 than with fine = 2: 60.0 against 40.0 rounds, a "
        "difference of 20.0 (95 % interval 14.8 to 25.2; Welch's t test, 60 runs, p < .001)."
    )


def test_common_luck_makes_pairs() -> None:
    luck = normal(0, sd=50)
    panel = one_factor("fine", {2: 40 + luck, 18: 30 + luck + normal(0, seed=1, sd=2)}, paired=True)
    (finding,) = compare_conditions(SURVIVAL, [panel])
    assert finding.sentence.startswith("Survival time was lower with fine = 18 than with fine = 2")
    assert "paired t test, 30 pairs, p < .001" in finding.sentence
    assert finding.basis.n == 30
    assert finding.basis.estimate == pytest.approx(-10)


def test_without_an_effect_the_difference_that_is_possible_is_said_and_nothing_else() -> None:
    panel = one_factor("fine", {2: normal(40), 18: normal(41, seed=1)})
    (sentence,) = said(panel)
    assert sentence == (
        "Survival time with fine = 18 and with fine = 2 cannot be told apart: 41.0 against 40.0 "
        "rounds; the difference is between -4.2 and 6.2 (95 % interval, Welch's t test, 60 runs, "
        "p = .700)."
    )
    assert "no difference" not in sentence


def test_shares_are_compared_in_percentage_points() -> None:
    quantity = Quantity.of("cooperation", "share of players", ValueScale("linear"))
    panel = one_factor("fine", {2: normal(0.4, sd=0.1), 18: normal(0.6, seed=1, sd=0.1)})
    (finding,) = compare_conditions(quantity, [panel])
    assert finding.sentence == (
        "Cooperation was higher with fine = 18 than with fine = 2: 60.0 against 40.0 %, a "
        "difference of 20.0 percentage points (95 % interval 14.8 to 25.2; Welch's t test, 60 "
        "runs, p < .001)."
    )
    assert finding.basis.estimate == pytest.approx(0.2)


def test_what_multiplies_is_compared_by_ratios() -> None:
    quantity = Quantity("wealth", "coins", ValueScale("log"))
    panel = one_factor("worth", {1: np.exp(normal(1, sd=1)), 9: np.exp(normal(4, seed=1, sd=1))})
    (sentence,) = said(panel, quantity=quantity)
    assert re.search(r"a ratio of 20 \(95 % interval 12 to 34; Welch", sentence)


# Several levels


def test_an_ordered_factor_has_a_trend_if_its_outermost_levels_differ() -> None:
    panel = one_factor("fine", {2: normal(40), 10: normal(50, seed=1), 18: normal(60, seed=2)})
    (finding,) = compare_conditions(SURVIVAL, [panel])
    assert finding.sentence.startswith(
        "Survival time rose with fine: 40.0 → 50.0 → 60.0 rounds (fine = 2, 10, 18; 2 and 18 "
        "differ by 20.0, 95 % interval "
    )
    assert finding.sentence.endswith("by Tukey).")
    assert finding.short == "survival time rose with fine"


def test_levels_that_rise_and_fall_have_no_trend() -> None:
    panel = one_factor("fine", {2: normal(40), 10: normal(60, seed=1), 18: normal(42, seed=2)})
    (sentence,) = said(panel)
    assert sentence.startswith("Survival time was higher with fine = 10 than with fine = 2, by 20")
    assert sentence.endswith("Levels differ in both directions: there is no single trend.")


def test_levels_without_an_effect_say_what_difference_is_excluded() -> None:
    panel = one_factor("fine", {2: normal(40), 10: normal(41, seed=1), 18: normal(40, seed=2)})
    (finding,) = compare_conditions(SURVIVAL, [panel])
    assert finding.kind == "no effect"
    assert "cannot be told apart by fine: 40.0 → 41.0 → 40.0 rounds" in finding.sentence
    assert "no two levels differ by more than 7.2 rounds" in finding.sentence


def test_the_best_of_unordered_levels_is_named_with_its_ties() -> None:
    panel = one_factor(
        "rule",
        {"vote": normal(60), "talk": normal(59, seed=1), "none": normal(30, seed=2)},
    )
    (sentence,) = said(panel)
    assert sentence.startswith(
        "Survival time was highest with rule = vote (60.0 rounds), not to be told apart from rule "
        "= talk (59.0 rounds), and above rule = none (30.0 rounds); the highest and the lowest "
        "differ by 30.0, 95 % interval "
    )
    assert sentence.endswith("(3 levels of rule, 30 runs each).")


def test_a_single_best_level_stands_in_the_title() -> None:
    panel = one_factor(
        "rule", {"vote": normal(60), "talk": normal(40, seed=1), "none": normal(30, seed=2)}
    )
    (finding,) = compare_conditions(SURVIVAL, [panel])
    assert finding.short == "survival time was highest with rule = vote"


# Two factors


def crossed(means: Mapping[tuple[Label, Label], float]) -> ComparedConditions:
    factors: dict[str, Sequence[Label]] = {
        "fine": list(dict.fromkeys(fine for fine, _ in means)),
        "lake": list(dict.fromkeys(lake for _, lake in means)),
    }
    samples: dict[Cell, Array] = {
        cell: normal(mean, seed=at) for at, (cell, mean) in enumerate(means.items())
    }
    return ComparedConditions(factors, samples, paired=False)


@pytest.mark.thorough
def test_an_interaction_is_told_level_by_level_in_one_sentence_where_all_rise() -> None:
    panel = crossed(
        {
            (2, "rich"): 40, (2, "harsh"): 15, (10, "rich"): 60, (10, "harsh"): 20,
            (18, "rich"): 80, (18, "harsh"): 25,
        }
    )  # fmt: skip
    (finding,) = compare_conditions(SURVIVAL, [panel])
    assert finding.sentence.startswith(
        "Survival time rose with fine: 40.0 → 60.0 → 80.0 rounds where lake = rich, 15.0 → 20.0 → "
        "25.0 rounds where lake = harsh (fine = 2, 10, 18; 30 runs each; 2 and 18 differ in each, "
        "by Tukey; the effect depends on lake: interaction, F(2, 174) = "
    )


@pytest.mark.thorough
def test_an_interaction_of_opposite_trends_has_a_sentence_for_each() -> None:
    panel = crossed(
        {
            (2, "rich"): 40, (2, "harsh"): 60, (10, "rich"): 50, (10, "harsh"): 50,
            (18, "rich"): 60, (18, "harsh"): 40,
        }
    )  # fmt: skip
    sentences = said(panel)
    assert sentences[0].startswith("Survival time rose with fine where lake = rich: 40.0 → 50.0")
    assert sentences[1].startswith("Survival time fell with fine where lake = harsh: 60.0 → 50.0")
    assert sentences[2].startswith(
        "How much survival time changes with fine depends on lake (interaction, F(2, 174) = "
    )


def test_without_an_interaction_each_factor_is_told_over_the_other() -> None:
    panel = crossed(
        {
            (2, "rich"): 40, (2, "harsh"): 30, (10, "rich"): 50, (10, "harsh"): 40,
            (18, "rich"): 60, (18, "harsh"): 50,
        }
    )  # fmt: skip
    sentences = said(panel)
    assert sentences[0].startswith("Survival time rose with fine: 35.0 → 45.0 → 55.0 rounds (fine")
    assert "over all levels of lake" in sentences[0]
    assert sentences[1].startswith("Survival time was lower with lake = harsh than with lake = ri")
    assert sentences[2].startswith("Whether the effect of fine depends on lake cannot be told (F(")


# What cannot be tested


@pytest.mark.parametrize("n", [1, 4])
def test_from_fewer_than_five_runs_nothing_is_concluded(n: int) -> None:
    panel = one_factor("fine", {2: 0.5 + np.arange(n), 18: 99.5 + np.arange(n)})
    (finding,) = compare_conditions(SURVIVAL, [panel])
    assert finding.kind == "description"
    assert finding.sentence.endswith("With fewer than 5 runs of a condition, nothing is concluded.")
    assert finding.basis.interval is None


def test_five_runs_may_show_an_effect() -> None:
    assert kinds(one_factor("fine", {2: normal(0, 5), 18: normal(99, 5)})) == ["effect"]


def test_conditions_without_spread_are_not_tested() -> None:
    (sentence,) = said(one_factor("fine", {2: np.full(9, 3.0), 18: np.full(9, 5.0)}))
    assert sentence == (
        "Survival time: between 3 rounds with fine = 2 and 5 rounds with fine = 18, of 2 "
        "conditions. Not tested: all 9 values are 5 and all 9 are 3; without spread their "
        "difference has no interval and no test."
    )


def test_a_reason_against_tests_is_said() -> None:
    panel = ComparedConditions(
        {"fine": [2, 18]}, {(2,): normal(1), (18,): normal(99)}, False, "", "b is interrupted"
    )
    (sentence,) = said(panel)
    assert sentence.endswith("of 2 conditions. Not tested: b is interrupted.")


def test_a_thousand_conditions_say_the_extremes_and_why_there_is_no_test() -> None:
    panel = one_factor("n", {f"level {place}": normal(place, 5) for place in range(1_000)})
    (sentence,) = said(panel)
    assert "with n = level 0 and " in sentence
    assert sentence.endswith(
        "of 1,000 conditions. Not tested: 1,000 conditions are too many for an analysis of "
        "variance here."
    )


def test_a_thousand_conditions_of_two_runs_say_between_which_means_they_lie() -> None:
    panel = one_factor("n", {n: np.full(2, max(float(n), 5.0)) for n in range(1_000)})
    (sentence,) = said(panel)
    assert sentence == (
        "Survival time (rounds): means from 5 (n = 0 and 5 more) to 999 (n = 999), in 1000 "
        "conditions. With fewer than 5 runs of a condition, nothing is concluded."
    )


def test_many_conditions_of_few_runs_with_one_mean_say_it_once() -> None:
    panel = one_factor("n", {n: np.full(2, 8.0) for n in range(15)})
    (sentence,) = said(panel)
    assert sentence == (
        "Survival time (rounds): a mean of 8 in all 15 conditions. With fewer than 5 runs of a "
        "condition, nothing is concluded."
    )


def test_names_of_two_hundred_characters_are_shortened() -> None:
    long = "x" * 200
    (sentence,) = said(one_factor(long, {"a" * 200: normal(1), "b" * 200: normal(99)}))
    assert len(sentence) < 700
    assert "x" * 61 not in sentence


def test_missing_values_are_no_runs() -> None:
    few = np.concatenate([normal(40, 4), np.full(20, np.nan)])
    assert kinds(one_factor("fine", {2: few, 18: normal(99)})) == ["description"]
    empty = one_factor("fine", {2: np.full(9, np.nan), 18: normal(99)})
    (sentence,) = said(empty)
    assert "none with fine = 2" in sentence


def test_the_number_of_panels_is_paid_for() -> None:
    """p = .03 is an effect alone, and none among ten panels."""
    weak = one_factor("fine", {2: normal(40), 18: normal(45.8, seed=1)})
    assert kinds(weak) == ["effect"]
    other: dict[Label, Array] = {2: normal(40), 18: normal(40, seed=1)}
    several = [weak, *(one_factor("fine", other, shared=f"lake = {k}") for k in range(9))]
    assert set(kinds(*several)) == {"no effect"}


# Properties


Samples = st.lists(st.lists(st.integers(-20, 20), min_size=2, max_size=8), min_size=2, max_size=4)


def _claims(finding: StudyFinding) -> int:
    """The direction that a sentence claims: 1, -1, or 0 for none."""
    up = re.search(r" rose with | was higher with ", finding.sentence)
    down = re.search(r" fell with | was lower with ", finding.sentence)
    return bool(up) - bool(down)


@settings(deadline=None, max_examples=60)
@given(samples=Samples, paired=st.booleans(), ordered=st.booleans())
def test_a_direction_is_claimed_only_if_its_interval_excludes_zero(
    samples: list[list[int]], paired: bool, ordered: bool
) -> None:
    least = min(map(len, samples))
    rows: dict[Label, Array] = {
        (number if ordered else f"level {number}"): np.array(own[:least] if paired else own, float)
        for number, own in enumerate(samples)
    }
    for finding in compare_conditions(SURVIVAL, [one_factor("factor", rows, paired=paired)]):
        direction, interval = _claims(finding), finding.basis.interval
        if direction:
            assert interval is not None
            assert (interval.low if direction > 0 else -interval.high) > 0
            assert finding.basis.p is not None
            assert finding.basis.p < 0.05
        if finding.kind == "effect":
            assert min(map(len, rows.values())) >= 5


def _null_share(studies: int, paired: bool) -> float:
    """The share of studies without any effect in which one is claimed."""
    claimed = 0
    for seed in range(studies):
        draws = np.random.default_rng(seed)
        shape = (3, 2, 10)
        values = draws.normal(size=shape) + (draws.normal(size=10) if paired else 0)
        cells: dict[Cell, Array] = {
            (fine, lake): values[i, j]
            for i, fine in enumerate((2, 10, 18))
            for j, lake in enumerate(("rich", "harsh"))
        }
        panel = ComparedConditions({"fine": [2, 10, 18], "lake": ["rich", "harsh"]}, cells, paired)
        claimed += "effect" in kinds(panel)
    return claimed / studies


@pytest.mark.thorough
@pytest.mark.parametrize("paired", [False, True], ids=["independent", "common luck"])
def test_where_nothing_differs_hardly_anything_is_claimed(paired: bool) -> None:
    """At a level of 5 %, of 400 studies at most 5 % and three standard errors."""
    assert _null_share(400, paired) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
