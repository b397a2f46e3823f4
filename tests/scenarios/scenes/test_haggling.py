"""Haggling, and what its prices make of the gains from trade."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.environment import Environment
from society.engine.game_master import Outcome
from society.scenarios.scenes.bargains import BargainPairs, pair_up, tell_gains


def hagglers(seller: Any, buyer: Any, **changes: Any) -> Outcome:
    """Play one pair of hagglers by rule in many replicates."""
    cohorts = [
        {"name": "seller", "count": 1, "components": [{"haggler": seller}]},
        {"name": "buyer", "count": 1, "components": [{"haggler": buyer}]},
    ]
    said = {"agents": 2, "rounds": 8, "cohorts": cohorts, **changes}
    return build(load_config("haggling", said)).gamemaster().play()


def test_pairs_go_by_id_and_the_last_one_is_left_over() -> None:
    sells = np.array([[True, False, True, False, False]])
    env = Environment(None, seed=1, ids=np.arange(5), replicate_ids=np.arange(1), horizon=1)
    pairs = pair_up(env, sells)
    assert pairs.number.tolist() == [[0, 0, 1, 1, -1]]
    assert pairs.partner.tolist() == [[1, 0, 3, 2, -1]]
    env.ids = np.array([4, 1, 0, 3, 2])  # sellers are now the agents 0 and 4, buyers 1, 2, 3
    assert pair_up(env, sells).partner.tolist() == [[4, 2, 1, -1, 0]]


def test_a_price_splits_the_gain_of_a_pair() -> None:
    """The good is worth 4 to its seller and 10 to its buyer; at 9 the seller has 5 of 6."""
    pairs = BargainPairs(np.array([[0, 0, -1]]), np.array([[1, 0, -1]]))
    facts = tell_gains(
        pairs,
        np.array([[True, False, False]]),
        np.array([[4.0, 10.0, 7.0]]),
        np.array([[9.0, 9.0, np.nan]]),
    )
    said = {name: fact.values[0].tolist() for name, fact in facts.items()}
    assert said["gain"] == said["possible"] == [6, 6, 0]
    assert said["lean"][:2] == [pytest.approx(2 / 3)] * 2
    assert np.isnan(said["lean"][2])
    assert said["dealt"] == [1]


def test_a_deal_without_a_gain_is_a_loss_and_counts_as_one() -> None:
    pairs = BargainPairs(np.array([[0, 0]]), np.array([[1, 0]]))
    facts = tell_gains(
        pairs, np.array([[True, False]]), np.array([[8.0, 5.0]]), np.full((1, 2), 6.0)
    )
    assert facts["gain"].values.tolist() == [[-3, -3]]
    assert facts["possible"].values.tolist() == [[0, 0]]


def test_patient_hagglers_deal_wherever_there_is_a_gain() -> None:
    """P(v > c) = 1 - 12^2 / (2 16^2) = 0.719 for c in [0, 16] and v in [4, 20]; s.e. 0.01."""
    measures = hagglers({}, {}, replicates=2000).measures
    assert measures["deals"].mean == pytest.approx(0.71875, abs=0.04)
    assert measures["surplus"].mean == pytest.approx(1)
    assert measures["lean"].mean == pytest.approx(0, abs=0.01)


def test_whoever_gives_way_more_slowly_takes_more_of_the_gain() -> None:
    slow, fast = {"patience": 6}, {"patience": 2}
    leans = [
        hagglers(seller, buyer, replicates=200).measures["lean"].mean
        for seller, buyer in ((slow, fast), (fast, slow))
    ]
    assert leans[0] is not None
    assert leans[1] is not None
    assert leans[0] > 0.1
    assert leans[1] < -0.1


def test_without_time_to_give_way_nobody_deals() -> None:
    wide = {"markup": 40, "patience": 50}
    assert hagglers(wide, wide, rounds=1, replicates=50).measures["deals"].mean == 0


def test_coins_go_to_the_seller_and_the_good_to_the_buyer() -> None:
    """The hard rules of an inventory hold for what a script hands over as well."""
    setup = build(
        load_config(
            "haggling",
            {
                "agents": 2,
                "replicates": 50,
                "cohorts": [
                    {"name": "seller", "count": 1, "components": ["haggler"]},
                    {"name": "buyer", "count": 1, "components": ["haggler"]},
                ],
            },
        )
    )
    seen: list[Any] = []

    class Pages:
        def page(self, page: Any) -> None:
            seen.append(page)

    setup.gamemaster([Pages()]).play()
    for page in seen:
        for step in page.steps:
            if ("own", "goods") in step.arrays:
                assert (step.arrays["own", "goods"].sum(1) == 1).all()
                np.testing.assert_allclose(step.arrays["own", "coins"].sum(1), 20)
