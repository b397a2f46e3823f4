"""A canal: who has water, who is elected, and what the quota does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.environment import Environment
from society.scenarios.scenes.canals import elect, tell_season


def env(*ids: int) -> Environment:
    return Environment(None, seed=1, ids=np.array(ids), replicate_ids=np.arange(1), horizon=1)


def season(wants: list[float], ids: list[int]) -> dict[str, Any]:
    warden = np.zeros((1, 4), bool)
    facts = tell_season(env(*ids), np.array([wants]), 16.0, np.array([[4.0]]), warden, warden)
    return {name: fact.values[0].tolist() for name, fact in facts.items()}


def test_water_comes_to_the_head_of_the_canal_first() -> None:
    told = season([8, 6, 4, 4], [0, 1, 2, 3])
    assert told["water"] == [8, 6, 2, 0]
    assert told["tail"] == [0.25]  # (2 + 0) / 2 of 4
    assert told["obeyed"] == [0.5]


def test_the_head_is_where_the_smallest_id_is() -> None:
    assert season([8, 6, 4, 4], [3, 2, 1, 0])["water"] == [2, 6, 4, 4]


def test_equal_shares_bring_most() -> None:
    assert season([4, 4, 4, 4], [0, 1, 2, 3])["welfare"] == [1]
    assert season([16, 0, 0, 0], [0, 1, 2, 3])["welfare"] == [0.5]


@pytest.mark.parametrize(
    ("votes", "before", "elected"),
    [
        ([1, -1, 1, 0], [], [1]),
        ([1, 0, -1, -1], [], [0]),  # of equals the smaller id
        ([1, 0, -1, -1], [1], [1]),  # or the warden before
        ([-1, -1, -1, -1], [2], [2]),
        ([-1, -1, -1, -1], [], []),
    ],
)
def test_most_votes_make_the_warden(
    votes: list[int], before: list[int], elected: list[int]
) -> None:
    warden = np.isin(np.arange(4), before)[None]
    chosen = elect(env(0, 1, 2, 3), np.array([votes]), warden)
    assert np.flatnonzero(chosen[0]).tolist() == elected


def test_honest_farmers_all_have_an_equal_share_and_others_leave_the_end_dry() -> None:
    welfare, tail = {}, {}
    for honest in (0.0, 1.0):
        cohorts = [
            {"name": "farmer", "count": 10, "components": [{"canal_farmer": {"honest": honest}}]}
        ]
        said = {"agents": 10, "cohorts": cohorts}
        measures = build(load_config("irrigation_election", said)).gamemaster().play().measures
        welfare[honest], tail[honest] = measures["welfare"].mean, measures["tail"].mean
    assert welfare == {0.0: pytest.approx(2**-0.5), 1.0: pytest.approx(1)}
    assert tail == {0.0: pytest.approx(0), 1.0: pytest.approx(1)}
