"""Who meets whom, and who gives."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest

from society.engine.graph import NOBODY
from society.errors import ScenarioError
from society.scenarios.donor.pairing import Schedule, refuse_infeasible, round_shift

if TYPE_CHECKING:
    from .conftest import Game, Net

EVEN = [2, 4, 6, 8, 10, 12, 14]


@pytest.mark.parametrize("agents", EVEN)
def test_every_ordered_pair_gives_exactly_once(donors: Game, agents: int) -> None:
    """Of two halves of h there are 2 h^2 ordered pairs, h in each of N = 2 h rounds."""
    rounds = donors(agents=agents, rounds=agents, games=1).gifts()
    gifts = Counter(gift for round_ in rounds for gift in round_)
    assert set(gifts.values()) == {1}
    assert len(gifts) == agents * agents // 2
    assert all((recipient, donor) in gifts for donor, recipient in gifts)


@pytest.mark.parametrize("agents", EVEN)
def test_a_pair_meets_again_as_late_as_it_can(donors: Game, agents: int) -> None:
    """At least h - 1 rounds later, for h partners each."""
    rounds = donors(agents=agents, rounds=agents, games=1).gifts()
    met: dict[frozenset[int], list[int]] = {}
    for number, round_ in enumerate(rounds):
        for gift in round_:
            met.setdefault(frozenset(gift), []).append(number)
    assert all(len(when) == 2 for when in met.values())
    assert min(second - first for first, second in met.values()) >= agents // 2 - 1


def test_the_rounds_of_twelve_agents_turn_as_stated() -> None:
    turns = [round_shift("ordered-once", number, 6) for number in range(1, 13)]
    assert [turn for turn, _ in turns] == [0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 0]
    assert [first_gives for _, first_gives in turns] == [True, False] * 6


@pytest.mark.parametrize("agents", EVEN)
def test_without_repeats_nobody_meets_anybody_twice(donors: Game, agents: int) -> None:
    rounds = donors(agents=agents, rounds=agents // 2, games=1, schedule="no-repeat").gifts()
    pairs = Counter(frozenset(gift) for round_ in rounds for gift in round_)
    assert set(pairs.values()) == {1}
    assert len(pairs) == (agents // 2) ** 2


@pytest.mark.parametrize("schedule", ["ordered-once", "no-repeat", "random"])
def test_everybody_is_in_one_pair_of_which_one_gives(donors: Game, schedule: Schedule) -> None:
    over = donors(agents=12, rounds=6, schedule=schedule, at={"replicates": 5})
    for partner, gives in zip(over.told("partner"), over.told("donor"), strict=True):
        assert (np.take_along_axis(partner, partner, 1) == np.arange(12)).all()
        assert (np.take_along_axis(gives, partner, 1) == ~gives).all()


@pytest.mark.parametrize("agents", EVEN)
def test_who_gives_receives_next(donors: Game, agents: int) -> None:
    rounds = donors(agents=agents, rounds=agents, games=1).told("donor")
    assert all((one == ~other).all() for one, other in pairwise(rounds))


def test_the_published_schedule_has_the_turn_broken_in_the_middle(donors: Game) -> None:
    """12 agents: the half that gives in round 6 gives in round 7, too."""
    rounds = donors(schedule="published", games=1).told("donor")
    assert [bool((one == other).all()) for one, other in pairwise(rounds)] == [
        *[False] * 5,
        True,
        *[False] * 5,
    ]


def test_the_second_lap_of_the_published_schedule_is_the_first_with_roles_exchanged(
    donors: Game,
) -> None:
    rounds = donors(schedule="published", games=1).gifts()
    back = [sorted((recipient, donor) for donor, recipient in round_) for round_ in rounds[6:]]
    assert [sorted(round_) for round_ in rounds[:6]] == back


def test_the_second_game_is_the_first_with_roles_exchanged(donors: Game) -> None:
    rounds = donors(games=2).gifts()
    back = [sorted((recipient, donor) for donor, recipient in round_) for round_ in rounds[12:]]
    assert [sorted(round_) for round_ in rounds[:12]] == back


def test_halves_are_chance_and_differ_between_replicates_and_seeds(donors: Game) -> None:
    """Of 100 replicates, about half give seat 0 the first turn: 50 plus or minus 4 s.d. of 5."""
    over = donors(rounds=1, games=1, at={"replicates": 100})
    assert 30 < over.told("donor")[0][:, 0].sum() < 70
    other = donors(rounds=1, games=1, at={"replicates": 100, "seed": 2})
    assert (over.told("donor")[0] != other.told("donor")[0]).any()


# Random pairs


def test_random_pairs_are_pairs_of_neighbours(donors: Game, net: Net) -> None:
    graph = nx.random_regular_graph(3, 20, seed=1)
    over = donors(
        agents=20, rounds=30, schedule="random", games=1, at={"graphs": {"meet": net(graph)}}
    )
    gifts = [gift for round_ in over.gifts() for gift in round_]
    assert all(graph.has_edge(*gift) for gift in gifts)
    assert {frozenset(gift) for gift in gifts} == {frozenset(edge) for edge in graph.edges}


def test_on_the_complete_graph_all_partners_and_roles_come_equally_often(donors: Game) -> None:
    """Seat 0 has 3 partners and 2 roles in 3,000 replicates: chi-square above 25.7 by 1e-4."""
    over = donors(agents=4, rounds=1, schedule="random", games=1, at={"replicates": 3_000})
    met = zip(over.told("partner")[0][:, 0], over.told("donor")[0][:, 0], strict=True)
    counts = Counter(met)
    assert len(counts) == 6
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 25.7


def test_on_a_star_one_pair_meets_and_all_others_sit_out(donors: Game, net: Net) -> None:
    star = net(nx.star_graph(5))
    over = donors(agents=6, rounds=40, schedule="random", games=1, at={"graphs": {"meet": star}})
    for partner in over.told("partner"):
        ray = int(partner[0, 0])
        assert 1 <= ray <= 5
        assert partner[0, ray] == 0
        assert (partner[0] == NOBODY).sum() == 4
    assert over.mean("sat_out") == pytest.approx(4 / 6)


def test_who_sits_out_is_not_asked_and_keeps_what_it_has(donors: Game, net: Net) -> None:
    lonely = nx.Graph([(0, 1)])
    lonely.add_nodes_from([2, 3])
    over = donors(
        agents=4, rounds=3, schedule="random", games=1, at={"graphs": {"meet": net(lonely)}}
    )
    assert not np.any([who[0, 2:] for who in over.facts("donate", "")])
    assert over.told("resources")[-1][0, 2:].tolist() == [10, 10]
    assert over.told("partner_life")[-1][0, 2:].tolist() == [NOBODY, NOBODY]
    assert over.asked("recipient")[0][0, 2:].tolist() == [NOBODY, NOBODY]
    assert np.isnan(over.asked("recipient_resources")[0][0, 2:]).all()


def test_nobody_sits_out_on_a_complete_graph(donors: Game) -> None:
    assert donors(agents=8, rounds=5, schedule="random").mean("sat_out") == 0


# What cannot be met


@pytest.mark.parametrize(
    ("agents", "rounds", "schedule", "words"),
    [
        (5, 4, "random", "got 5 agents, who cannot all be paired; give an even number, as 4 or 6"),
        (1, 1, "random", "got 1 agents, who cannot all be paired; give an even number, as 2"),
        (0, 1, "random", "got 0 agents, who cannot all be paired; give an even number, as 2"),
        (
            12,
            13,
            "ordered-once",
            "schedule ordered-once has at most 12 rounds for 12 agents, as halves give in turn, "
            "and 13 were asked for; take 12 rounds, 14 agents, or schedule random",
        ),
        (12, 20, "published", "take 12 rounds, 20 agents, or schedule random"),
        (12, 12, "no-repeat", "take 6 rounds, 24 agents, or schedule ordered-once"),
        (12, 13, "no-repeat", "take 6 rounds, 26 agents, or schedule random"),
    ],
)
def test_a_schedule_that_cannot_be_met_names_the_limit_and_what_would_do(
    agents: int, rounds: int, schedule: Schedule, words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        refuse_infeasible(schedule, agents, rounds)


@pytest.mark.parametrize("agents", EVEN)
def test_what_is_recommended_can_be_had(agents: int) -> None:
    limits: dict[Schedule, int] = {"ordered-once": agents, "no-repeat": agents // 2}
    for schedule, most in limits.items():
        refuse_infeasible(schedule, agents, most)
        with pytest.raises(ScenarioError, match=f"take {most} rounds"):
            refuse_infeasible(schedule, agents, most + 1)
    refuse_infeasible("random", agents, 1_000)


@pytest.mark.parametrize("schedule", ["ordered-once", "no-repeat", "published"])
def test_a_schedule_for_all_is_refused_on_a_graph_of_some(
    donors: Game, net: Net, schedule: Schedule
) -> None:
    ring = net(nx.cycle_graph(4))
    with pytest.raises(
        ScenarioError, match=f"schedule {schedule} pairs everybody .* take schedule random"
    ):
        donors(agents=4, rounds=1, schedule=schedule, at={"graphs": {"meet": ring}})


@pytest.mark.parametrize("schedule", ["ordered-once", "no-repeat", "published", "random"])
def test_a_graph_that_says_who_hears_of_whom_goes_with_any_schedule(
    donors: Game, net: Net, schedule: Schedule
) -> None:
    ring = net(nx.cycle_graph(4))
    played = donors(agents=4, rounds=2, schedule=schedule, at={"graphs": {"hear": ring}})
    assert [len(givers) for givers in played.gifts()] == [2, 2, 2, 2], "half, then the others"
