"""Agreement of raters: 1 is always, 0 is chance."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from society.analysis.statistics import (
    NotEstimable,
    Resampling,
    cohens_kappa,
    krippendorffs_alpha,
    percent_agreement,
)
from society.analysis.statistics.agreement import CodeValue, Scale, Weights
from society.engine.rng import generator

pytestmark = pytest.mark.filterwarnings("error")
FEW = Resampling(resamples=200)

FIRST = generator(6, "first").integers(1, 6, 60).tolist()
SECOND = [
    min(5, max(1, code + step)) for code, step in zip(FIRST, [0, 1, 0, -1, 0, 2] * 10, strict=True)
]
GAPPED: list[list[CodeValue]] = [
    ["kind", "kind", "cruel", "kind", None],
    ["kind", "cruel", "cruel", None, None],
    ["kind", "kind", None, None, "cruel"],
]


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_statsmodels(weights: Weights) -> None:
    table, _ = inter_rater.to_table(np.array([FIRST, SECOND]).T - 1, bins=5)
    library = inter_rater.cohens_kappa(table, wt=None if weights == "none" else weights)
    found = cohens_kappa(FIRST, SECOND, weights=weights, resampling=FEW)
    assert found.value == pytest.approx(library.kappa, abs=1e-8)
    assert found.interval.low < found.value < found.interval.high


def test_the_bootstrap_of_kappa_has_the_width_of_its_standard_error() -> None:
    """Within a fifth: 60 texts, and the standard error is one for large samples."""
    table, _ = inter_rater.to_table(np.array([FIRST, SECOND]).T - 1, bins=5)
    library = inter_rater.cohens_kappa(table)
    low, high, _ = cohens_kappa(FIRST, SECOND).interval
    assert high - low == pytest.approx(library.kappa_upp - library.kappa_low, rel=0.2)


def test_three_raters_with_gaps_by_hand() -> None:
    """Text 1: all three pairs agree. Text 2: one of three does. Text 3 has one pair, which does."""
    found = percent_agreement(GAPPED)
    assert found.value == pytest.approx(5 / 7)
    assert (found.raters, found.texts, found.dropped) == (3, 3, 2)


def test_alpha_with_gaps_by_hand() -> None:
    """Five kind and three cruel codes have 2 x 5 x 3 / 7 pairs that disagree by chance; seen: 2."""
    found = krippendorffs_alpha(GAPPED)
    assert found.value == pytest.approx(1 - 2 / (2 * 5 * 3 / 7))


def test_a_missing_code_may_be_none_or_nan() -> None:
    nan = [[math.nan if code is None else code for code in row] for row in GAPPED]
    assert krippendorffs_alpha(nan, resampling=FEW) == krippendorffs_alpha(GAPPED, resampling=FEW)


def test_perfect_agreement_is_one_whatever_the_scale() -> None:
    scales: tuple[Scale, ...] = ("nominal", "ordinal", "interval")
    for scale in scales:
        found = krippendorffs_alpha([[1, 2, 5], [1, 2, 5]], scale=scale, resampling=FEW)
        assert (found.value, found.interval.low, found.interval.high) == (1, 1, 1)


def test_raters_who_code_at_random_agree_by_chance_alone() -> None:
    """4 standard errors of kappa at 2,000 texts and two even codes: 1 / sqrt(2,000)."""
    first, second = generator(7, "chance").integers(0, 2, (2, 2_000)).tolist()
    bound = 4 / 2_000**0.5
    assert abs(cohens_kappa(first, second, resampling=FEW).value) < bound
    assert abs(krippendorffs_alpha([first, second], resampling=FEW).value) < bound


@given(
    codes=st.lists(st.tuples(*[st.sampled_from([1, 2, 3, None])] * 3), min_size=2, max_size=8),
    seed=st.integers(0, 9),
)
def test_neither_the_order_of_raters_nor_of_texts_matters(
    codes: list[tuple[int | None, ...]], seed: int
) -> None:
    rows = [list(row) for row in zip(*codes, strict=True)]
    few = Resampling(resamples=9)
    order = generator(seed, "order").permutation(len(codes))
    turned = [[row[place] for place in order] for row in rows[::-1]]
    try:
        found = krippendorffs_alpha(rows, scale="ordinal", resampling=few)
    except NotEstimable:
        with pytest.raises(NotEstimable):
            krippendorffs_alpha(turned, scale="ordinal", resampling=few)
        return
    again = krippendorffs_alpha(turned, scale="ordinal", resampling=few)
    assert found.value == pytest.approx(again.value, abs=1e-12)


def test_a_category_that_nobody_used_still_lies_between_two_others() -> None:
    """Codes 1 and 3 are two apart: with weights it counts that 2 went unused."""
    first, second = [1, 1, 3, 4], [1, 3, 3, 4]
    skipped = cohens_kappa(first, second, weights="linear", resampling=FEW)
    placed = cohens_kappa(first, second, weights="linear", categories=[1, 2, 3, 4], resampling=FEW)
    assert placed.value < skipped.value


def test_words_have_the_order_of_the_rubric() -> None:
    rubric = ["selfish", "fair", "generous"]
    first, second = (
        ["selfish", "fair", "generous", "fair"],
        ["selfish", "fair", "generous", "selfish"],
    )
    numbers = [[rubric.index(code) for code in row] for row in (first, second)]
    found = krippendorffs_alpha([first, second], scale="ordinal", categories=rubric, resampling=FEW)
    assert found == krippendorffs_alpha(numbers, scale="ordinal", resampling=FEW)


def test_the_same_seed_gives_the_same_interval() -> None:
    def drawn(seed: int) -> tuple[float, float, float]:
        return cohens_kappa(FIRST, SECOND, resampling=Resampling(seed=seed, resamples=99)).interval

    assert drawn(0) == drawn(0) != drawn(1)


def test_a_lower_level_is_narrower() -> None:
    narrow = Resampling(level=0.5, resamples=999)
    wide = Resampling(level=0.95, resamples=999)
    ends = [cohens_kappa(FIRST, SECOND, resampling=one).interval for one in (wide, narrow)]
    assert ends[0].low < ends[1].low < ends[1].high < ends[0].high
    assert ends[1].level == 0.5


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: cohens_kappa([1, 1, 1], [1, 1, 1]), "all codes of 3 texts are the same"),
        (lambda: krippendorffs_alpha([[2, 2], [2, 2]]), "all codes of 2 texts are the same"),
        (lambda: percent_agreement([[1, 2], [1, None]]), "1 of 2 texts have two codes"),
        (lambda: percent_agreement([[], []]), "0 of 0 texts have two codes; at least 2"),
    ],
)
def test_what_tells_no_agreement_from_chance_is_said(
    question: Callable[[], object], words: str
) -> None:
    with pytest.raises(NotEstimable, match=words):
        question()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: percent_agreement([[1, 2], [1]]), "rows of 2, 1 codes; give two raters or more"),
        (lambda: percent_agreement([[1, 2]]), "give two raters or more"),
        (lambda: cohens_kappa([1, 7], [1, 2], categories=[1, 2]), "7 is no category; choose from"),
        (
            lambda: krippendorffs_alpha([["low", "high"]] * 2, scale="ordinal"),
            "'high' has no place in an order; give the categories",
        ),
    ],
)
def test_tables_that_do_not_fit_are_mistakes_of_the_caller(
    question: Callable[[], object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        question()
