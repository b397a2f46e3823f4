"""Whatever a referee wants, nothing comes from nowhere, and nobody is in two places."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from society.scenarios.scenes.consequences import Inventory, Places
from tests.conftest import _play
from tests.scenarios.scenes.conftest import Judge, Talker, stages

if TYPE_CHECKING:
    from tests.conftest import Played

GOODS = Inventory(("coins", "fish"), start={"coins": {0: 4, 2: 3}}, stock={"fish": 6})
TOWN = Places(("hut", "ford", "town"), paths={"hut": ["ford"], "ford": ["hut", "town"]})
names = st.sampled_from([f"agent {k}" for k in range(3)])
holders = st.one_of(names, st.just("stock"))
gifts = st.builds(
    lambda giver, amount, item, taker: f"{giver} gives {amount} {item} to {taker}",
    holders,
    st.integers(0, 7),
    st.sampled_from(["coins", "fish"]),
    holders,
)
moves = st.builds(
    lambda who, place: f"{who} goes to {place}", names, st.sampled_from(["hut", "ford", "town"])
)
rulings = st.fixed_dictionaries(
    {
        "transfers": st.lists(gifts, max_size=4).map("; ".join),
        "moves": st.lists(moves, max_size=3).map("; ".join),
    }
)


def played(verdicts: list[dict[str, Any]]) -> Played:
    staged = stages.__wrapped__(_play)  # type: ignore[attr-defined]
    talker = Talker({0: ["On."] * 4})
    over: Played = staged(talker, Judge(*verdicts), GOODS, TOWN, turns=4)
    return over


@given(st.lists(rulings, min_size=8, max_size=8))
def test_there_is_always_as_much_of_everything(verdicts: list[dict[str, Any]]) -> None:
    over = played(verdicts)
    coins, fish, left = (over.told(name) for name in ("coins", "fish", "fish_left"))
    assert {int(one.sum()) for one in coins} == {7}
    assert {int(one.sum() + rest.sum()) for one, rest in zip(fish, left, strict=True)} == {6}
    assert min(one.min() for one in (*coins, *fish, *left)) >= 0


@given(st.lists(rulings, min_size=8, max_size=8))
def test_everybody_is_in_one_place_and_goes_along_paths(verdicts: list[dict[str, Any]]) -> None:
    places = [one[0, :3].astype(int) for one in played(verdicts).told("place")]
    for before, after in pairwise(places):
        assert (np.abs(after - before) <= 1).all()  # hut - ford - town
