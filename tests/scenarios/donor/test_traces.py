"""What a donor is shown of the recipient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
import pytest

from society.engine.graph import NOBODY
from society.scenarios.donor import traces
from society.scenarios.donor.traces import DEEDS

if TYPE_CHECKING:
    from society.engine.rng import Array

    from .conftest import Donors, Game, Net

SEATS = np.arange(12)


class Entry(NamedTuple):
    """One entry of a trace, as a donor reads it."""

    deed: str
    share: float
    units: float
    to: int
    round: int


def entries(over: Donors, number: int, reader: int) -> list[Entry]:
    """The trace that one agent of replicate 0 is shown in one round of the first game."""
    names = ("deed", "share", "units", "to", "round")
    columns = [over.asked(f"trace_{name}")[number - 1][0, reader].tolist() for name in names]
    return [
        Entry(DEEDS[deed], *rest)
        for deed, *rest in zip(*columns, strict=True)
        if DEEDS[deed] != "none"
    ]


def shares_of(entries: list[Entry]) -> list[float]:
    return [round(entry.share, 9) for entry in entries]


# The chain


def test_a_trace_goes_from_the_recipient_to_whom_it_gave_and_on(donors: Game) -> None:
    """Six agents in halves a, b; round 1: a(i) to b(i), 2: b(i+1) to a(i), 3: a(i) to b(i+2).

    In round 4 b(0) meets a(0), who gave to b(2), who had given to a(1), who had given to b(1).
    """
    over = donors(agents=6, rounds=6, donate=SEATS[:6] / 10, games=1)
    first, second, third, fourth = (dict(round_) for round_ in over.gifts()[:4])
    b0, a0 = next(iter(fourth.items()))
    b2 = third[a0]
    a1 = second[b2]
    b1 = first[a1]
    trace = entries(over, 4, b0)
    assert shares_of(trace) == [a0 / 10, b2 / 10, a1 / 10]
    assert [entry.to for entry in trace] == [b2, a1, b1]
    assert [entry.round for entry in trace] == [3, 2, 1]
    assert trace[2].units == pytest.approx(a1)  # of an endowment of 10
    assert b0 not in {a0, b2, a1, b1}


def test_traces_grow_by_an_entry_a_round_to_their_depth(donors: Game) -> None:
    over = donors(games=1, trace=3)
    lengths = [
        {len(entries(over, number, donor)) for donor, _ in round_}
        for number, round_ in enumerate(over.gifts(), 1)
    ]
    assert lengths == [{0}, {1}, {2}, *[{3}] * 9]


@pytest.mark.parametrize("depth", [0, 1, 2, 5])
def test_a_trace_is_as_deep_as_is_wished(donors: Game, depth: int) -> None:
    over = donors(games=1, trace=depth)
    (donor, _), *_ = over.gifts()[-1]
    assert len(entries(over, 12, donor)) == depth
    assert over.asked("trace_share")[0].shape == (1, 12, depth)


@pytest.mark.parametrize("schedule", ["ordered-once", "published"])
@pytest.mark.parametrize(
    ("agents", "place"), [(2, 1), (4, 1), (6, 5), (8, 5), (10, 9), (12, 9), (14, 13)]
)
def test_the_reader_of_a_trace_comes_in_it_where_it_is_said_to(
    donors: Game, agents: int, place: int, schedule: str
) -> None:
    """First as entry 4 floor((h - 1) / 2) + 1, for halves of h."""
    over = donors(agents=agents, rounds=agents, games=1, trace=20, schedule=schedule)
    assert place == 4 * ((agents // 2 - 1) // 2) + 1
    assert 1 + min(places_of_readers(over)) == place


def test_without_repeats_no_trace_contains_its_reader(donors: Game) -> None:
    assert not places_of_readers(donors(rounds=6, games=1, trace=20, schedule="no-repeat"))


def test_where_chance_makes_pairs_the_reader_may_come_first(donors: Game) -> None:
    over = donors(games=1, trace=20, schedule="random", at={"replicates": 20})
    assert min(places_of_readers(over)) == 0


def places_of_readers(over: Donors) -> set[int]:
    """List the places of a trace at which its reader stands as recipient, counted from 0."""
    asked = zip(over.asked("trace_to"), over.facts("donate", ""), strict=True)
    found = [
        np.nonzero((to == np.arange(to.shape[1])[:, None]) & who[..., None])[2] for to, who in asked
    ]
    return set(np.concatenate(found).tolist())


def followed(over: Donors, number: int, recipient: int, depth: int) -> list[tuple[float, int, int]]:
    """The trace by its definition: share, to whom, and when, of the latest deed before each."""
    chain: list[tuple[float, int, int]] = []
    actor, before = recipient, number
    while len(chain) < depth:
        deeds = [
            (when, dict(round_)[actor])
            for when, round_ in enumerate(over.gifts(), 1)
            if when < before and actor in dict(round_)
        ]
        if not deeds:
            break
        before, to = deeds[-1]
        chain.append((float(over.told("share")[before - 1][0, actor]), to, before))
        actor = to
    return chain


def by_chance(ask: Any, me: Any) -> Array:
    """Give any share."""
    chance: Array = me.draws.uniform("share")
    return chance


@pytest.mark.parametrize("schedule", ["ordered-once", "published", "random"])
def test_traces_are_what_following_the_deeds_back_finds(donors: Game, schedule: str) -> None:
    over = donors(agents=8, rounds=8, donate=by_chance, games=1, schedule=schedule)
    for number, round_ in enumerate(over.gifts(), 1):
        for donor, recipient in round_:
            shown = [(entry.share, entry.to, entry.round) for entry in entries(over, number, donor)]
            assert shown == followed(over, number, recipient, 3)


def test_deeds_of_long_ago_are_shown_as_long_as_a_trace_leads_to_them(donors: Game) -> None:
    over = donors(agents=8, rounds=45, donate=by_chance, games=1, trace=5, schedule="random")
    for number in (20, 45):
        for donor, recipient in over.gifts()[number - 1]:
            shown = [(entry.share, entry.to, entry.round) for entry in entries(over, number, donor)]
            assert len(shown) == 5
            assert shown == followed(over, number, recipient, 5)


def test_a_record_has_all_deeds_of_a_long_game(donors: Game) -> None:
    rule = {"medium": "record", "schedule": "random"}
    over = donors(agents=4, rounds=40, donate=by_chance, games=1, **rule)
    donor, recipient = over.gifts()[39][0]
    gave = [when for when, round_ in enumerate(over.gifts()[:39], 1) if recipient in dict(round_)]
    assert len(gave) > 5
    assert [entry.round for entry in entries(over, 40, donor)] == gave[::-1]


@pytest.mark.parametrize("medium", ["trace", "record"])
def test_a_trace_is_the_same_however_often_deeds_are_let_go(
    donors: Game, monkeypatch: pytest.MonkeyPatch, medium: str
) -> None:
    """Logs of large societies have room for few rounds, which is forced upon a small one here."""
    settings: dict[str, Any] = {"rounds": 12, "games": 1, "medium": medium, "donate": SEATS / 20}
    usual = donors(**settings)
    monkeypatch.setattr(traces, "_DEEDS", 1)
    often = donors(**settings)
    shown = [entries(usual, number, reader) for number in range(1, 13) for reader in range(12)]
    assert max(map(len, shown)) == {"trace": 3, "record": 6}[medium]
    assert [
        entries(often, number, reader) for number in range(1, 13) for reader in range(12)
    ] == shown


def test_who_owned_nothing_had_nothing_to_give(donors: Game) -> None:
    """Published schedule: in round 8 the others give to those who had given all in round 6."""
    over = donors(schedule="published", games=1)
    (donor, _), *_ = over.gifts()[7]
    last, *_ = entries(over, 8, donor)
    assert (last.deed, last.units) == ("had nothing", 0.0)
    assert np.isnan(last.share)


def test_a_punishment_is_told_in_units_and_gives_a_share_of_nothing(donors: Game) -> None:
    over = donors(donate=-0.3, punishment=True, games=1)
    (donor, recipient), *_ = over.gifts()[1]
    (entry,) = entries(over, 2, donor)
    assert entry[:3] == ("punished", 0.0, 3.0)
    assert entry.round == 1
    assert entry.to == dict(over.gifts()[0])[recipient]


def test_a_gift_that_failed_looks_like_none(donors: Game) -> None:
    over = donors(execution_error=1, games=1)
    (donor, _), *_ = over.gifts()[1]
    assert [entry[:3] for entry in entries(over, 2, donor)] == [("gave", 0.0, 0.0)]


def test_nothing_of_one_game_is_known_in_the_next(donors: Game) -> None:
    over = donors(games=2)
    assert (over.asked("trace_deed")[11] > 0).any()
    assert (over.asked("trace_deed")[12] == 0).all()


# The record


def test_a_record_has_all_that_the_recipient_itself_did_latest_first(donors: Game) -> None:
    over = donors(medium="record", donate=SEATS / 20, games=1)
    (donor, recipient), *_ = over.gifts()[10]
    record = entries(over, 11, donor)
    assert shares_of(record) == [recipient / 20] * 5
    assert [entry.round for entry in record] == [10, 8, 6, 4, 2]
    assert [entry.to for entry in record] == [
        dict(over.gifts()[k])[recipient] for k in (9, 7, 5, 3, 1)
    ]


def test_a_record_has_an_entry_for_each_round_that_was_played(donors: Game) -> None:
    """Not for each that will be: its length would tell how many there are."""
    shapes = [shares.shape for shares in donors(medium="record", games=2).asked("trace_share")]
    assert shapes == [(1, 12, rounds) for rounds in range(12)] * 2


# What is not known


def line_of(net: Net, agents: int) -> dict[str, Any]:
    """Seat 0 hears of seat 1, 1 of 0 and 2, and so on."""
    return {"graphs": {"hear": net(nx.path_graph(agents))}}


def test_on_a_line_an_entry_is_known_to_the_neighbours_of_either(donors: Game, net: Net) -> None:
    """By hand: who is, or sees, the actor or the recipient; the rest of the chain goes with it."""
    over = donors(agents=8, rounds=8, games=1, at=line_of(net, 8))
    whole = donors(agents=8, rounds=8, games=1)
    seen = 0
    for number, round_ in enumerate(over.gifts(), 1):
        for reader, recipient in round_:
            actor, known = recipient, True
            true = entries(whole, number, reader)
            for shown, entry in zip(entries(over, number, reader), true, strict=True):
                known &= any(abs(reader - witness) <= 1 for witness in (actor, entry.to))
                assert (shown == entry) if known else (shown.deed == "unknown")
                actor, seen = entry.to, seen + known
    assert seen > 5


def test_an_unknown_entry_says_nothing_at_all(donors: Game, net: Net) -> None:
    nobody = {"graphs": {"hear": net(nx.empty_graph(12))}}
    over = donors(games=1, at=nobody)
    (donor, _), *_ = over.gifts()[4]
    for entry in entries(over, 5, donor):
        assert (entry.deed, entry.to, entry.round) == ("unknown", NOBODY, 0)
        assert np.isnan([entry.share, entry.units]).all()
    assert len(entries(over, 5, donor)) == 3


def test_in_a_record_one_unknown_entry_hides_no_other(donors: Game, net: Net) -> None:
    over = donors(agents=8, rounds=8, games=1, medium="record", at=line_of(net, 8))
    for number, round_ in enumerate(over.gifts(), 1):
        for reader, recipient in round_:
            met = [
                dict(deeds)[recipient]
                for deeds in over.gifts()[: number - 1]
                if recipient in dict(deeds)
            ]
            heard = [min(abs(reader - recipient), abs(reader - to)) <= 1 for to in reversed(met)]
            shown = [entry.deed == "gave" for entry in entries(over, number, reader)]
            assert shown == heard


@pytest.mark.parametrize(("q", "expected"), [(0, 0), (0.25, 0.25), (1, 1)])
def test_with_chance_q_all_is_known_and_else_nothing(
    donors: Game, q: float, expected: float
) -> None:
    """100 replicates, 6 donors, 11 rounds with a past: 6,600 chances, s.d. of 0.0053 at most."""
    over = donors(games=1, known=q, at={"replicates": 100})
    known = []
    for sort, who in zip(over.asked("trace_deed")[1:], over.facts("donate", "")[1:], strict=True):
        legible = (sort[who] == DEEDS.index("gave")) | (sort[who] == DEEDS.index("none"))
        assert (legible.all(1) | (sort[who] != DEEDS.index("gave")).all(1)).all()
        known.append(legible.all(1))
    assert np.concatenate(known).mean() == pytest.approx(expected, abs=5 * 0.0053)
    assert over.mean("final_resources") == 30_720


def test_chance_to_know_moves_no_other_chance(donors: Game) -> None:
    assert donors(known=0.5).gifts() == donors(known=1).gifts()
