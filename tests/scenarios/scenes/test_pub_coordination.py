"""An evening in pubs: the worth of being together, by rules and in words."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.game_master import Outcome
from society.errors import InputError
from society.llm.providers.free_minds import FreeMinds
from society.scenarios.scenes.meetings import best_welfare, tell_meeting


def evening(stubborn: float = 0.0, **changes: Any) -> Outcome:
    """Play friends and a referee by rule."""
    agents = changes.pop("agents", 6)
    cohorts = [
        {
            "name": "friend",
            "count": agents - 1,
            "components": [{"pub_goer": {"stubborn": stubborn}}],
        },
        {"name": "referee", "count": 1, "components": ["plain_referee"]},
    ]
    said = {"agents": agents, "cohorts": cohorts, **changes}
    return build(load_config("pub_coordination", said)).gamemaster().play()


def test_an_hour_is_worth_the_friends_there_and_the_favourite() -> None:
    """Two in pub 1, of whom one likes it best, one in pub 2, one in the street; a referee."""
    place, favourite = np.array([[1, 1, 2, 0, -1]]), np.array([[1, 2, 2, 1, np.nan]])
    who = np.array([[True, True, True, True, False]])
    facts = tell_meeting(place, favourite, who, 3.0)
    assert facts["joy"].values.tolist() == [[4, 1, 3, 0, 0]]
    assert facts["together"].values.tolist() == [[0.5]]
    # All in one pub: 4 * 3 + 3 * 2 = 18.
    assert facts["welfare"].values.tolist() == [[8 / 18]]


@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.floats(0, 12),
)
def test_no_way_to_go_out_is_better_than_the_best(favourites: list[int], bonus: float) -> None:
    """Against all ways to send up to five friends to three pubs."""
    best = 0.0
    for going in product(range(3), repeat=len(favourites)):
        sizes = [going.count(pub) for pub in range(3)]
        likes = sum(one == two for one, two in zip(going, favourites, strict=True))
        best = max(best, sum(n * (n - 1) for n in sizes) + bonus * likes)
    fans = np.array([[favourites.count(pub) for pub in range(3)]])
    if best > 0:
        assert best_welfare(fans, bonus)[0] == pytest.approx(best)


def test_friends_who_follow_those_whom_they_hear_all_meet() -> None:
    measures = evening(replicates=50, parameters={"order": "fixed"}).measures
    assert measures["coordinated"].mean == 1
    assert measures["overruled"].mean == 0


def test_friends_who_insist_do_not_meet() -> None:
    """Of five with three favourites, on average 2.6 have the commonest one: share 0.52."""
    measures = evening(1.0, replicates=100).measures
    assert measures["coordinated"].mean == pytest.approx(0.52, abs=0.06)


def test_all_at_once_nobody_hears_where_the_others_go() -> None:
    """In the first hour, so that each is in its favourite pub."""
    measures = evening(replicates=100, rounds=1, parameters={"order": "at_once"}).measures
    assert measures["coordinated"].mean == pytest.approx(0.52, abs=0.06)


def test_who_begins_in_two_places_is_refused() -> None:
    starts = {"the Crown": [0, 1], "the Mill": [1]}
    with pytest.raises(InputError, match="agent 1 begins at the Crown and at the Mill"):
        evening(parameters={"starts": starts})


def test_an_evening_without_a_referee_is_refused() -> None:
    cohorts = [{"name": "friend", "count": 3, "components": ["pub_goer"]}]
    said = {"agents": 3, "cohorts": cohorts}
    with pytest.raises(InputError, match="needs a cohort called 'referee'"):
        build(load_config("pub_coordination", said)).gamemaster().play()


class Counting(FreeMinds):
    """The offline mind, which counts calls by kind."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.kinds: list[str] = []

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        self.kinds.append(request.address.kind)
        return await super().call(request, going, token)


@pytest.mark.parametrize("friends", [5, 10])
@pytest.mark.parametrize(
    ("order", "each"), [("at_once", 1), ("fixed", 1), ("initiative", 2), ("referee", 2)]
)
def test_a_turn_takes_at_most_two_calls_of_each_and_one_of_the_referee(
    friends: int, order: str, each: int
) -> None:
    """Also where the referee names who is next, which it is asked as often as friends act."""
    said = {"agents": friends + 1, "rounds": 3, "parameters": {"order": order}}
    setup = build(load_config("pub_coordination", said))
    minds = Counting(setup.seed)
    setup.gamemaster(minds=minds).play()
    assert len(minds.kinds) <= 3 * (each * friends + 1)
    assert minds.kinds.count("resolve") <= 3
