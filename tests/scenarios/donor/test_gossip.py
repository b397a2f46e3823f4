"""What agents say about each other, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.components.donor.opinions import Opinions
from society.engine.calls import Request
from society.engine.component import AgentGroup, Column, Component, News
from society.engine.graph import NOBODY
from society.engine.population import Cast, Cohort
from society.errors import PartError
from society.scenarios.donor.donor_game import donor_game

if TYPE_CHECKING:
    from tests.conftest import Play

    from .conftest import Game, Net, Speaking

NAMES = ["Ann", "Bob", "Cid", "Dee", "Eve", "Flo"]
SIX: dict[str, Any] = {
    "agents": 6,
    "rounds": 6,
    "games": 1,
    "medium": "review",
    "review": NAMES,
}


# Reviews


def test_who_met_a_donor_writes_and_the_line_is_about_the_donor(donors: Game) -> None:
    over = donors(**SIX)
    for number, round_ in enumerate(over.gifts()):
        review = over.facts("reviewed", "review")[number][0]
        assert {donor: review[donor] for donor, _ in round_} == {
            donor: NAMES[recipient] for donor, recipient in round_
        }
        assert all(review[recipient] == "" for _, recipient in round_)
        asked = over.facts("review", "")[number][0]
        assert {int(seat) for seat in np.flatnonzero(asked)} == {r for _, r in round_}


def test_donors_read_the_latest_lines_about_their_recipient(donors: Game) -> None:
    """In round 6 the recipient has given in rounds 5, 3 and 1; two lines are shown."""
    over = donors(**SIX, trace=2)
    (donor, recipient), *_ = over.gifts()[5]
    wrote = [NAMES[dict(over.gifts()[number])[recipient]] for number in (4, 2)]
    assert over.asked("reviews")[5][0, donor].tolist() == wrote
    assert over.asked("reviews")[0][0, donor].tolist() == ["", ""]


def test_reviews_take_the_place_of_traces(donors: Game) -> None:
    over = donors(**SIX)
    assert over.asked("trace_share")[5].shape == (1, 6, 0)


def test_who_writes_knows_the_donor_and_what_came_of_it(donors: Game) -> None:
    over = donors(**SIX, donate=0.5)
    (donor, recipient), *_ = over.gifts()[0]
    facts = {
        name: over.facts("review", name)[0][0, recipient]
        for name in ("donor", "share", "received", "taken")
    }
    assert facts == {"donor": donor, "share": 0.5, "received": 10, "taken": 0}
    assert over.facts("review", "round")[2].tolist() == [[3]]


def test_who_says_nothing_leaves_the_lines_as_they_were(donors: Game) -> None:
    silent = {**SIX, "review": ["Ann", "", "", "", "", ""]}
    over = donors(**silent, trace=6)
    for reviews in over.asked("reviews"):
        assert set(reviews.ravel()) <= {"Ann", ""}
    lines = over.asked("reviews")[5]
    assert ((lines == "Ann").sum(2) <= 1).all()  # seat 0 meets each donor once


def test_of_a_past_that_is_not_known_no_line_is_read(donors: Game) -> None:
    over = donors(**SIX, known=0)
    assert set(over.asked("reviews")[5].ravel()) == {""}


def test_reviews_of_one_game_are_not_read_in_the_next(donors: Game) -> None:
    over = donors(**{**SIX, "games": 2})
    assert set(over.asked("reviews")[6].ravel()) == {""}


def test_reviews_in_words_have_no_control_signs_and_the_unreadable_is_silence(
    speaking: Speaking,
) -> None:
    def says(request: Request) -> str:
        if request.address.kind == "donate":
            return "1"
        return "A friend.\x1b[31m\u202e" if request.address.agent else ""

    spoken = speaking(says, agents=12, rounds=12, medium="review")
    lines = {line for told in spoken.donors.facts("reviewed", "review") for line in told.ravel()}
    assert "" in lines
    assert any("A friend." in line for line in lines)
    assert not any("\x1b" in line or "\u202e" in line for line in lines)
    assert spoken.ledger("review")[2] == 6  # agent 0, whenever it has met a donor


# Gossip


class Ear(Component):
    """Keeps how many neighbours named somebody bad, and whom they named last."""

    notices = ("gossiped",)
    columns = (Column("heard", int, public=True), Column("of", int, public=True))

    def notice(self, tell: News, agents: AgentGroup) -> None:
        bad = tell.facts.seen("good").everyone() == 0
        about = tell.facts.seen("about").everyone()
        agents["heard"] = bad.sum(1)
        agents["of"] = np.nanmax(np.where(bad, about, NOBODY), axis=1)


def test_gossip_is_heard_by_those_who_see_the_speaker(donors: Game, net: Net) -> None:
    """Seats 0-1-2-3 on a line; 1 speaks ill of 0, and 0 and 2 hear it."""
    line = {"graphs": {"hear": net(nx.path_graph(4))}}
    over = donors(
        Ear(),
        agents=4,
        rounds=1,
        games=1,
        gossip=True,
        whispers=[NOBODY, 0, NOBODY, NOBODY],
        at=line,
    )
    assert over.facts("gossiped", "about")[0].tolist() == [[NOBODY, 0, NOBODY, NOBODY]]
    assert over.over.column("of") == [0, NOBODY, 0, NOBODY]
    assert over.over.column("heard") == [1, 2, 2, 1]  # whoever names nobody is heard as well


def test_gossip_may_be_about_neighbours_only(donors: Game, net: Net) -> None:
    line = {"graphs": {"hear": net(nx.path_graph(4))}}
    with pytest.raises(PartError, match="a present neighbour on graph 'hear', or NOBODY"):
        donors(agents=4, rounds=1, gossip=True, whispers=[3, 0, 1, 2], at=line)


def test_nobody_gossips_where_it_is_not_the_custom(donors: Game) -> None:
    assert donors().facts("gossip", "round") == []
    asked = donors(gossip=True, games=1).facts("gossip", "round")
    assert [number.tolist() for number in asked] == [[[number]] for number in range(1, 13)]


def test_gossip_in_words_that_cannot_be_read_names_nobody(speaking: Speaking) -> None:
    def says(request: Request) -> str:
        return "1" if request.address.kind == "donate" else "You know whom I mean."

    spoken = speaking(says, gossip=True)
    assert spoken.ledger("gossip") == (4, 2, 2)
    assert spoken.donors.facts("gossiped", "about")[0].tolist() == [[NOBODY, NOBODY]]


def test_donors_by_rule_who_gossip_have_opinions_to_pass_on(play: Play) -> None:
    over = play(donor_game, agents=6, rounds=6, params={"gossip": True})
    assert all((about != NOBODY).all() for about in over.told("about"))
    assert len(set(over.pages[-1].public["norm"].ravel())) > 1
    assert "policy" in play(donor_game, agents=6, rounds=6).pages[-1].public


def donation(play: Play, cast: Cast | None = None, **params: Any) -> float:
    over = play(
        donor_game, cast=cast, agents=12, rounds=12, params={"gossip": True, **params}, replicates=9
    )
    return float(over.outcome.values["donation"].mean())


def test_what_donors_by_rule_say_and_see_makes_a_difference_to_what_they_give(play: Play) -> None:
    """In the cast that they have if nobody says otherwise: who sees nothing thinks good of all."""
    usual = donation(play)
    assert usual != donation(play, known=0.3)
    cast = [Cohort("donor", 12, (Opinions("any"),))]
    assert usual == donation(play, cast)
    assert usual != donation(play, cast, gossip=False)
