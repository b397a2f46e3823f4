"""Points given away: out of one's own, and worth the same or more to who gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.peer_incentives.peer_reward import peer_reward

if TYPE_CHECKING:
    from tests.scenarios.mechanisms.conftest import Actors


def test_a_gift_is_taken_from_who_gives_it(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (peer_reward, {}), move=[0, 1], give=[[0], [2]])
    assert over.told("payoff")[0].tolist() == [[0 + 2, 3 - 2]]
    assert over.outcome.measures["give_spent"].mean == 1


def test_a_gift_may_be_worth_more_to_who_gets_it(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (peer_reward, {"worth": 4}), move=[0, 0], give=[[1], [2]])
    assert over.told("payoff")[0].tolist() == [[2 - 1 + 8, 2 - 2 + 4]]


@pytest.mark.parametrize("gifts", [[[0, 0], [0, 0], [0, 0]], [[1, 3], [2, 0], [3, 3]]])
def test_gifts_that_are_worth_the_same_change_no_total(
    actors: Actors, gifts: list[list[int]]
) -> None:
    """Two of three give: 1 + 1 + 2 points, whoever has them then."""
    over = actors(public_goods, (peer_reward, {}), agents=3, move=[0, 0, 1], give=gifts)
    assert over.told("payoff")[0].sum() == 4
    assert over.told("give_spent")[0].sum() == over.told("give_received")[0].sum()
