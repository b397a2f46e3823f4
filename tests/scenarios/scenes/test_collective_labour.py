"""A strike: what a day brings, and thresholds that carry it or do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.game_master import Outcome
from society.scenarios.scenes.strikes import tell_day

WORKER = np.array([[True, True, True, True, False, False]])
OWNER = np.array([[False, False, False, False, True, False]])


def day(works: list[int], needed: float = 0.5) -> list[float]:
    """The incomes of four workers, the owner and the referee, at a wage of 4 of 10."""
    working = np.isin(np.arange(6), works)[None]
    facts = tell_day(WORKER, working, OWNER, np.array([[4.0]]), 10.0, needed)
    income: list[float] = facts["income"].values[0].tolist()
    return income


def strike(rounds: int = 10, replicates: int = 50, **striker: Any) -> Outcome:
    """Play ten strikers, an owner who gives way, and a referee by rule."""
    cohorts = [
        {"name": "worker", "count": 10, "components": [{"striker": striker}]},
        {"name": "owner", "count": 1, "components": ["giving_owner"]},
        {"name": "referee", "count": 1, "components": ["plain_referee"]},
    ]
    said = {"agents": 12, "rounds": rounds, "replicates": replicates, "cohorts": cohorts}
    return build(load_config("collective_labour", said)).gamemaster().play()


def test_who_works_has_the_wage_and_the_owner_the_rest() -> None:
    assert day([0, 1, 2]) == [4, 4, 4, 0, 18, 0]


def test_if_too_few_work_nobody_has_anything() -> None:
    assert day([0, 1]) == [4, 4, 0, 0, 12, 0]
    assert day([0]) == [0] * 6


@pytest.mark.thorough
def test_without_anybody_bold_no_strike_begins_and_wages_fall() -> None:
    """From 5 coins by 1 a day to 0, after five days of ten: (4 + 3 + 2 + 1) / 10 of 10."""
    measures = strike(bold=0).measures
    assert measures["striking"].mean == 0
    assert measures["wage"].mean == pytest.approx(0.1)


def test_where_all_are_bold_all_strike_as_soon_as_the_wage_is_low() -> None:
    """Wages 4, 5, 4, 5, ...: at 5, which is fair, all work again, and then the wage falls."""
    measures = strike(bold=1).measures
    assert measures["striking"].mean == pytest.approx(0.5)
    assert measures["standstill"].mean == pytest.approx(0.5)
    assert measures["wage"].mean == pytest.approx(0.45)


@pytest.mark.thorough
def test_a_few_bold_ones_raise_the_wages_of_all() -> None:
    none, few = strike(bold=0).measures["wage"].mean, strike(bold=0.3).measures["wage"].mean
    assert none is not None
    assert few is not None
    assert few > none + 0.1
