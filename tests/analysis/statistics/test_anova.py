"""Analysis of variance: which part of the spread goes with which factor."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from society.analysis.statistics import NotEstimable, anova
from society.engine.rng import Array, generator

pytestmark = pytest.mark.filterwarnings("error")
NAN = math.nan

MODELS = ["small", "large", "thinking"]
# 2 x 3 cells of 2 to 6 runs each.
LAKE = [lake for lake, runs in (("harsh", 9), ("rich", 15)) for _ in range(runs)]
MODEL = [MODELS[place] for place in (0, 0, 1, 1, 1, 1, 2, 2, 2, *(0,) * 6, *(1,) * 4, *(2,) * 5)]
VALUES = generator(4, "test anova").normal(20, 5, len(LAKE)) + 3 * (np.array(MODEL) == "large")


def contrasts(labels: list[str]) -> Array:
    """Sum-to-zero coding, a column for each level but the last."""
    levels = list(dict.fromkeys(labels))
    codes: Array = np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])
    return np.stack([codes[levels.index(label)] for label in labels])


def unexplained(blocks: list[Array]) -> float:
    """The squared residuals of a least-squares fit with an intercept."""
    design = np.column_stack([np.ones(len(VALUES)), *blocks])
    fit = design @ np.linalg.lstsq(design, VALUES, rcond=None)[0]
    return float(((VALUES - fit) ** 2).sum())


def test_four_cells_by_hand() -> None:
    """Means 1 3 / 5 11 of two runs each, +-1: SS 72, 32, 8 and 8 within; F = SS / (8 / 4)."""
    found = anova(
        [0, 2, 2, 4, 4, 6, 10, 12],
        {"fine": [2, 2, 2, 2, 10, 10, 10, 10], "lake": ["h", "h", "r", "r"] * 2},
    )
    assert [source.sum_of_squares for source in found.sources] == pytest.approx([72, 32, 8, 8])
    assert [source.f for source in found.sources[:3]] == pytest.approx([36, 16, 4])
    assert [source.eta_squared for source in found.sources] == pytest.approx(
        [72 / 120, 32 / 120, 8 / 120, 8 / 120]
    )
    assert found["fine"].partial_eta_squared == pytest.approx(72 / 80)
    assert found["fine"].p == pytest.approx(stats.f.sf(36, 1, 4))
    assert (found.balanced, found.n) == (True, 8)
    assert (found.residual.f, found.residual.df) == (None, 4)


def test_one_factor_is_the_one_way_analysis_of_scipy() -> None:
    found = anova(VALUES, {"model": MODEL})
    groups = [VALUES[np.array(MODEL) == model] for model in MODELS]
    f, p = stats.f_oneway(*groups)
    assert found["model"].f == pytest.approx(f, abs=1e-8)
    assert found["model"].p == pytest.approx(p, abs=1e-8)
    assert [source.name for source in found.sources] == ["model", "residual"]
    assert sum(source.eta_squared for source in found.sources) == pytest.approx(1)


def test_unequal_cells_compare_each_term_beside_all_others() -> None:
    """Type III: what the fit loses without the columns of a term, in sum-to-zero coding."""
    lake, model = contrasts(LAKE), contrasts(MODEL)
    terms = {"lake": lake, "model": model, "lake × model": lake * model}
    found = anova(VALUES, {"lake": LAKE, "model": MODEL})
    whole = unexplained(list(terms.values()))
    for left_out in terms:
        rest = [columns for name, columns in terms.items() if name != left_out]
        assert found[left_out].sum_of_squares == pytest.approx(unexplained(rest) - whole, abs=1e-8)
    assert found.residual.sum_of_squares == pytest.approx(whole, abs=1e-8)
    assert not found.balanced


def test_labels_and_names_may_be_anything() -> None:
    strange = {"harsh": "C(x) ~ y", "rich": None}
    plain = anova(VALUES, {"lake": LAKE, "model": MODEL})
    found = anova(VALUES, {"a:b * 1": [strange[lake] for lake in LAKE], "value": MODEL})
    assert [source.name for source in found.sources[:3]] == ["a:b * 1", "value", "a:b * 1 × value"]
    for one, other in zip(found.sources, plain.sources, strict=True):
        assert one.sum_of_squares == pytest.approx(other.sum_of_squares)


def test_a_factor_may_be_called_like_the_error() -> None:
    found = anova(VALUES, {"residual": MODEL})
    assert found["residual"].f == anova(VALUES, {"model": MODEL})["model"].f
    assert found.residual.df == len(VALUES) - 3


def test_levels_are_told_apart_by_their_words() -> None:
    found = anova([1, 2, 5, 6], {"fine": [1, 1, True, True]})
    assert [margin.level for margin in found.margins["fine"]] == ["1", "True"]


def test_margins_are_means_of_the_means_of_cells() -> None:
    """Cells of 1 run (10) and 3 runs (mean 2): 6, of the variance 1/4 (1 + 1/3) = 1/3."""
    found = anova([10, 1, 2, 3, 0, 1], {"a": "xxxxyy", "b": "ummmum"})
    first, _ = found.margins["a"]
    assert (first.level, first.mean, first.n) == ("x", 6, 4)
    assert first.weight == pytest.approx(3)
    assert not found.balanced


# Replicates that share random numbers


def test_two_conditions_in_blocks_are_a_paired_t_test() -> None:
    """Differences 1, 2, 6: mean 3, variance 7, t^2 = 9 / (7 / 3)."""
    found = anova([2, 4, 13, 1, 2, 7], {"fine": "xxxyyy"}, blocks=[0, 1, 2] * 2)
    assert found["fine"].f == pytest.approx(27 / 7)
    assert found["fine"].p == pytest.approx(stats.ttest_rel([2, 4, 13], [1, 2, 7]).pvalue)
    assert [(source.name, source.df) for source in found.sources] == [
        *[("fine", 1), ("replicates", 2), ("residual", 2)]
    ]


def test_blocks_are_fitted_as_one_more_factor_without_interactions() -> None:
    """2 x 3 cells of 4 replicates, one cell twice: what a column for each replicate explains."""
    lake = [*"hhhhhh" * 4, *"rrr" * 4]
    model = [*"sslltt" * 4, *"slt" * 4]
    block = [*np.repeat(range(4), 6).tolist(), *np.repeat(range(4), 3).tolist()]
    values = generator(9, "blocks").normal(10, 2, 36) + 3 * np.array(block)
    columns = [contrasts(lake), contrasts(model)]
    terms = [*columns, columns[0] * columns[1], contrasts([str(one) for one in block])]
    found = anova(values, {"lake": lake, "model": model}, block)

    def left(*blocks: Array) -> float:
        design = np.column_stack([np.ones(36), *blocks])
        return float(np.linalg.lstsq(design, values, rcond=None)[1][0])

    assert found.residual.df == 36 - 6 - 3
    assert found.residual.sum_of_squares == pytest.approx(left(*terms))
    for place, source in enumerate(found.sources[:4]):
        without = left(*terms[:place], *terms[place + 1 :])
        assert source.sum_of_squares == pytest.approx(without - left(*terms))
    assert found["model"].f == pytest.approx(
        (found["model"].sum_of_squares / 2) / (found.residual.sum_of_squares / 27)
    )


def test_luck_is_no_error_and_no_effect() -> None:
    """Luck of +-100 moves no F; it is most of all spread."""
    values, fine = np.array([2.0, 4, 13, 1, 2, 7]), {"fine": "xxxyyy"}
    lucky = values + np.tile([-100, 100, 0], 2)
    plain, found = (anova(one, fine, [0, 1, 2] * 2) for one in (values, lucky))
    assert found["fine"].f == pytest.approx(plain["fine"].f)
    assert found["replicates"].eta_squared > 0.99


def test_a_replicate_that_misses_a_value_is_left_out_everywhere() -> None:
    found = anova([2, 4, 13, NAN, 1, 2, 7, 99], {"fine": "xxxxyyyy"}, [0, 1, 2, 3] * 2)
    assert found["fine"].f == pytest.approx(27 / 7)
    assert (found.n, found.dropped) == (6, 2)


def test_the_order_of_runs_and_factors_changes_nothing() -> None:
    turned = anova(VALUES[::-1], {"model": MODEL[::-1], "lake": LAKE[::-1]})
    plain = anova(VALUES, {"lake": LAKE, "model": MODEL})
    same = {"lake": "lake", "model": "model", "lake × model": "model × lake"}
    for name, other in same.items():
        assert turned[other].f == pytest.approx(plain[name].f)


def test_runs_without_a_value_are_left_out_with_their_labels() -> None:
    gaps = anova([*VALUES, NAN], {"lake": [*LAKE, "moon"], "model": [*MODEL, "small"]})
    plain = anova(VALUES, {"lake": LAKE, "model": MODEL})
    assert (gaps.sources, gaps.dropped) == (plain.sources, 1)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: anova([1, 2, 3], {"a": "xxx"}), "a has one level, x; a factor needs at least 2"),
        (lambda: anova([1, 2], {"a": "xy"}), "1 run in each of 2 combinations of a"),
        (
            lambda: anova([1, 2, 3, 4], {"a": "xxyy", "b": "uvuu"}),
            "1 of the 4 combinations of a and b have no run",
        ),
        (
            lambda: anova([1, 1, 9, 9], {"a": "xxyy"}),
            "all runs of each level have the same value; without",
        ),
        (lambda: anova([NAN, 1], {"a": "xy"}), r"1 of at least 2 values \(1 more"),
        (
            lambda: anova([1, 5, 2, 6], {"a": "xyxy"}, [0, 0, 1, 1]),
            "of each level have the same value, but for the effect of their replicate",
        ),
        (
            lambda: anova([1, NAN, NAN, 6], {"a": "xyxy"}, [0, 0, 1, 1]),
            "none of 2 replicates has a value in all of 2 conditions",
        ),
    ],
)
def test_a_design_that_cannot_tell_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        question()


def test_three_factors_and_missing_labels_are_mistakes_of_the_caller() -> None:
    with pytest.raises(ValueError, match=r"3 factors \(a, b, c\); give one or two"):
        anova([1, 2], {"a": "xy", "b": "xy", "c": "xy"})
    with pytest.raises(ValueError, match="a has 1 labels for 2 values"):
        anova([1, 2], {"a": "x"})
