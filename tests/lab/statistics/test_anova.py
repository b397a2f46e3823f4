"""Analysis of variance: which part of the spread goes with which factor."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from society.draws import Array, generator
from society.lab.statistics import RESIDUAL, Unanswerable, anova

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
    assert (found.total_sum_of_squares, found.balanced, found.n) == (120, True, 8)
    assert (found[RESIDUAL].f, found[RESIDUAL].df) == (None, 4)


def test_one_factor_is_the_one_way_analysis_of_scipy() -> None:
    found = anova(VALUES, {"model": MODEL})
    groups = [VALUES[np.array(MODEL) == model] for model in MODELS]
    f, p = stats.f_oneway(*groups)
    assert found["model"].f == pytest.approx(f, abs=1e-8)
    assert found["model"].p == pytest.approx(p, abs=1e-8)
    assert [source.name for source in found.sources] == ["model", RESIDUAL]
    assert sum(source.sum_of_squares for source in found.sources) == pytest.approx(
        found.total_sum_of_squares
    )


def test_unequal_cells_compare_each_term_beside_all_others() -> None:
    """Type III: what the fit loses without the columns of a term, in sum-to-zero coding."""
    lake, model = contrasts(LAKE), contrasts(MODEL)
    terms = {"lake": lake, "model": model, "lake × model": lake * model}
    found = anova(VALUES, {"lake": LAKE, "model": MODEL})
    whole = unexplained(list(terms.values()))
    for left_out in terms:
        rest = [columns for name, columns in terms.items() if name != left_out]
        assert found[left_out].sum_of_squares == pytest.approx(unexplained(rest) - whole, abs=1e-8)
    assert found[RESIDUAL].sum_of_squares == pytest.approx(whole, abs=1e-8)
    assert not found.balanced


def test_labels_and_names_may_be_anything() -> None:
    strange = {"harsh": "C(x) ~ y", "rich": None}
    plain = anova(VALUES, {"lake": LAKE, "model": MODEL})
    found = anova(VALUES, {"a:b * 1": [strange[lake] for lake in LAKE], "value": MODEL})
    assert [source.name for source in found.sources[:3]] == ["a:b * 1", "value", "a:b * 1 × value"]
    for one, other in zip(found.sources, plain.sources, strict=True):
        assert one.sum_of_squares == pytest.approx(other.sum_of_squares)


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
            "all runs of a combination of a have the same value",
        ),
        (lambda: anova([NAN, 1], {"a": "xy"}), r"1 of at least 2 values \(1 more"),
    ],
)
def test_a_design_that_cannot_tell_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(Unanswerable, match=words):
        question()


def test_three_factors_and_missing_labels_are_mistakes_of_the_caller() -> None:
    with pytest.raises(ValueError, match=r"3 factors \(a, b, c\); give one or two"):
        anova([1, 2], {"a": "xy", "b": "xy", "c": "xy"})
    with pytest.raises(ValueError, match="a has 1 labels for 2 values"):
        anova([1, 2], {"a": "x"})
