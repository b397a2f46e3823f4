"""Rank tests are those of scipy, with effects that can be read off a picture."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from society.analysis.statistics import (
    NotEstimable,
    friedman,
    kruskal_wallis,
    mann_whitney,
    wilcoxon,
)

pytestmark = pytest.mark.filterwarnings("error")
NAN = math.nan

tied = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=8)


def test_every_long_run_beats_every_short_one() -> None:
    found = mann_whitney([5, 6, NAN, 7], [1, 2])
    assert (found.u, found.common_language, found.cliffs_delta) == (6, 1, 1)
    assert found.p == pytest.approx(2 / 10)  # both ends of the 10 ways to place two among five
    assert (found.n, found.dropped) == ((3, 2), (1, 0))


@given(first=tied, second=tied)
def test_the_common_language_effect_counts_pairs(first: list[float], second: list[float]) -> None:
    pairs = np.sign(np.subtract.outer(first, second))
    try:
        found = mann_whitney(first, second)
    except NotEstimable:
        assert not pairs.any()
        return
    assert found.cliffs_delta == pytest.approx(pairs.mean())
    assert found.common_language == pytest.approx(((pairs + 1) / 2).mean())
    assert found.p == pytest.approx(stats.mannwhitneyu(first, second).pvalue, abs=1e-8)


def test_signed_ranks_by_hand() -> None:
    """Differences 1, 2, -3, 4 have the ranks 1, 2, 3, 4: 7 above zero, 3 below."""
    found = wilcoxon([2, 4, 1, 8, 9, NAN], [1, 2, 4, 4, 9, 1])
    assert (found.w, found.rank_biserial) == pytest.approx((3, (7 - 3) / 10))
    assert (found.n, found.equal, found.dropped) == (4, 1, 1)
    assert found.p == pytest.approx(stats.wilcoxon([1, 2, -3, 4]).pvalue, abs=1e-8)


def test_three_groups_as_scipy_compares_them() -> None:
    groups = {"a": [1.0, 4, 4], "b": [2.0, 9, NAN], "c": [7.0, 7, 8, 8]}
    found = kruskal_wallis(groups)
    library = stats.kruskal([1, 4, 4], [2, 9], [7, 7, 8, 8])
    assert (found.h, found.p) == pytest.approx(tuple(library), abs=1e-8)
    assert (found.df, found.n, found.dropped) == (2, 9, 1)
    assert found.epsilon_squared == pytest.approx(found.h / 8)


def test_three_conditions_of_four_replicates_by_hand() -> None:
    """Ranks 1 2 3, 1 2 3, 2 1 3 and 1 2 3 sum to 5, 7, 12: 12 / (4 x 3 x 4) x 218 - 3 x 4 x 4."""
    found = friedman({"a": [1, 1, 5, 1, 8], "b": [2, 7, 4, 2, 9], "c": [3, 8, 9, 9, NAN]})
    assert (found.chi_squared, found.df) == pytest.approx((6.5, 2))
    assert found.p == pytest.approx(math.exp(-6.5 / 2))
    assert found.kendalls_w == pytest.approx(6.5 / (4 * 2))
    assert (found.n, found.dropped) == (4, 1)


def test_the_rounding_of_last_bits_has_no_rank() -> None:
    """0.1 + 0.2 is not 0.3."""
    same, other = [0.1 + 0.2, 1], [0.3, 2]
    assert wilcoxon(same, other).equal == 1
    assert mann_whitney(same, other).u == 1.5
    assert kruskal_wallis({"a": same, "b": other}) == kruskal_wallis({"a": [3, 10], "b": [3, 20]})
    rows = {"a": same, "b": other, "c": [0.3, 3]}
    assert friedman(rows) == friedman({"a": [3, 10], "b": [3, 20], "c": [3, 30]})
    with pytest.raises(NotEstimable, match="all 10 pairs are equal"):
        wilcoxon([0.1 + 0.2] * 10, [0.3] * 10)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: mann_whitney([60, 60], [60]), "all 3 values are 60; there are no ranks"),
        (lambda: mann_whitney([], [1]), "the first sample: 0 of at least 1"),
        (lambda: wilcoxon([1, 2], [1, 2]), "all 2 pairs are equal; there are no ranks"),
        (lambda: wilcoxon([1, 2], [1, 2, 3]), "2 and 3 replicates make no pairs"),
        (lambda: kruskal_wallis({"a": [1, 1], "b": [1]}), "all 3 values are 1"),
        (lambda: kruskal_wallis({"a": [1, 2]}), "1 group to compare"),
        (lambda: kruskal_wallis({"a": [1], "b": [NAN]}), "b: 0 of at least 1"),
        (lambda: friedman({"a": [1, 2], "b": [2, 1]}), "2 conditions: Friedman's test takes 3"),
        (
            lambda: friedman({"a": [1, 2], "b": [1, 2], "c": [1, 2]}),
            "all 3 conditions are equal in all 2 replicates",
        ),
        (
            lambda: friedman({"a": [1], "b": [NAN], "c": [1]}),
            r"with a value in all conditions: 0 of at least 1 values \(1 more",
        ),
        (lambda: friedman({"a": [1], "b": [1, 2], "c": [1]}), "of 1 to 2 replicates make no"),
    ],
)
def test_what_has_no_order_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        question()
