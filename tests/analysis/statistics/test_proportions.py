"""Counts of runs against chance, and against each other, by hand."""

from __future__ import annotations

import pytest

from society.analysis.statistics import NotEstimable, SuccessCount, binomial, fisher


def test_ten_heads_of_ten_by_hand() -> None:
    """2 / 2^10; Clopper and Pearson's lower bound is the tenth root of 0.025."""
    found = binomial(SuccessCount(10, 10), 0.5)
    assert found.share == 1.0
    assert found.p == pytest.approx(2 / 1024)
    assert found.interval == pytest.approx((0.025**0.1, 1.0, 0.95))


def test_no_takeover_in_a_hundred_runs_is_fewer_than_one_in_twelve() -> None:
    """(11/12)^100 below, and as unlikely counts above, together less than 0.001."""
    found = binomial(SuccessCount(0, 100), 1 / 12)
    assert (11 / 12) ** 100 < found.p < 0.001
    assert binomial(SuccessCount(0, 10), 1 / 12).p > 0.4


def test_five_of_five_against_none_of_five_by_hand() -> None:
    """One table of 252 on each side."""
    found = fisher(SuccessCount(5, 5), SuccessCount(0, 5))
    assert (found.shares, found.difference) == ((1.0, 0.0), 1.0)
    assert found.p == pytest.approx(2 / 252)
    assert found.interval.low > 0.3


def test_one_of_five_against_none_of_five_is_nothing() -> None:
    found = fisher(SuccessCount(1, 5), SuccessCount(0, 5))
    assert found.p == pytest.approx(1.0)
    assert found.interval.low < 0 < found.interval.high


def test_no_runs_have_no_share() -> None:
    with pytest.raises(NotEstimable, match="a share of 0 runs"):
        binomial(SuccessCount(0, 0), 0.5)
    with pytest.raises(NotEstimable, match="a share of 0 runs"):
        fisher(SuccessCount(0, 0), SuccessCount(1, 2))


def test_more_hits_than_runs_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="3 of 2 runs"):
        binomial(SuccessCount(3, 2), 0.5)
