"""Every mechanism around every other one: what is played pays, what makes no sense says so.

Player 1 cooperates, player 2 defects or has a mediator do so, and all else is fixed as well,
whatever was seen or said. So each mechanism adds the same to what they get, alone or together with
others (ADDS), and what any two of them pay can be said without playing them; and what is told and
measured of each is as if it stood alone.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.graph import NOBODY
from society.errors import ScenarioError
from society.scenarios.donor.donor_game import donor_game
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms import all_mechanisms
from society.scenarios.mechanisms.correlation_device.correlation_device import Recommendation
from society.scenarios.village.fishing_village import fishing_village
from society.scenarios.village.principles.village_lines import INSIDE_OUT

if TYPE_CHECKING:
    from society.engine.history import Page, Step
    from tests.conftest import Played
    from tests.scenarios.mechanisms.conftest import Actors

PROFILES = [Recommendation(profile=profile, probability=0.5) for profile in ([0, 1], [1, 0])]
GIVEN: dict[str, Any] = {
    "institution_choice": {"options": ["baseline", "peer_punishment"]},
    "correlation_device": {"profiles": PROFILES},
    "repetition": {"games": 2},
    "reputation": {"games": 2},
}
BARE = np.array([0.0, 3.0])
# What each adds: the contract moves 2 points from who defects; player 1 spends a point on fining
# player 2, who gives it 2 points; both choose fines. Who delegates alone defects, as it would.
ADDS = {
    "contracts": (2.0, -2.0),
    "peer_punishment": (-1.0, -3.0),
    "peer_reward": (2.0, -2.0),
    "institution_choice": (-1.0, -3.0),
}
DRAWN = {"recommended_action", "followed", "contract_proposer", "mediator_proposer"}
# A row for each inner mechanism, a column for each outer one in the same order: + plays, else why
# it does not.
TABLE = """
baseline           + + + + + + + + + + +
repetition         + s s + + + + + + + 1
reputation         + s s p p + + + + + m
contracts          + + + t + + + + + + +
mediation          + + + + t + + + + + +
peer_punishment    + + + + + t + + + + t
peer_reward        + + + + + + t + + + +
cheap_talk         + + + + + + + d + + +
leadership         + + + + f + + + l + +
correlation_device + + + + + + + + + t +
institution_choice + + c c c t c c c c t
"""
REASONS = {
    "s": "both show what happened in earlier games; name one of them",
    "p": "around reputation, where those who agree on something part after one game",
    "t": "and so does prisoners_dilemma",  # it would measure the same twice
    "d": "players talk in this play already; name the mechanism once",
    "l": "somebody leads in this play already; name the mechanism once",
    "f": "before anybody moves; name mediation before leadership",
    "1": "the rules are chosen for one round, and this play has 2",
    "c": "players choose the rules of this play.* name it as part of each option",
    "m": "4 agents make 2 matches; take 2 agents, and replicates for more matches",
}
CELLS = {name: cells for name, *cells in (row.split() for row in TABLE.strip().splitlines())}
PAIRS = {
    (inner, outer): cell
    for inner, cells in CELLS.items()
    for outer, cell in zip(CELLS, cells, strict=True)
}


@cache  # many compare with the same few
def matched(actors: Actors, *names: str) -> Played:
    """Two players, or two pairs of them where partners change."""
    pairs = 2 if "reputation" in names else 1
    return actors(
        prisoners_dilemma,
        *((getattr(all_mechanisms, name), GIVEN.get(name, {})) for name in names),
        agents=2 * pairs,
        at={"replicates": 8},
        move=[0, 2] * pairs,  # the last action, where nobody mediates
        say=["I take A0.", "So do I."] * pairs,
        fine=[[1], [0]] * pairs,
        give=[[0], [2]] * pairs,
        choose=["peer_punishment"] * 2 * pairs,
        design_contract=[[0, -2]] * 2 * pairs,
        approve_contracts=[["yes", "yes"]] * 2 * pairs,
        sign_contract=["yes"] * 2 * pairs,
        design_mediator=[["A1", "A0"]] * 2 * pairs,
        approve_mediators=[["yes", "yes"]] * 2 * pairs,
    )


def test_the_table_has_all_mechanisms_for_games() -> None:
    """The others are for amounts, for generations of agents, and for types of them.

    A questionnaire pays nothing; tests of its own have it within and around others. Principles
    and turnover are for villages.
    """
    others = {"quota", "generations", "draft_designs", "tournament", "questionnaire", "turnover"}
    others |= {*INSIDE_OUT}
    assert set(CELLS) == set(all_mechanisms.__all__) - others


@pytest.mark.parametrize(("inner", "outer"), [pair for pair in PAIRS if PAIRS[pair] == "+"])
def test_two_mechanisms_pay_what_each_adds(actors: Actors, inner: str, outer: str) -> None:
    over = matched(actors, inner, outer)
    expected = BARE + sum(np.array(ADDS.get(name, (0, 0))) for name in (inner, outer))
    paid = over.told("payoff")
    assert len(paid) == (2 if {inner, outer} & {"repetition", "reputation"} else 1)
    assert all(one.reshape(-1, 2).tolist() == [expected.tolist()] * (one.size // 2) for one in paid)
    assert over.outcome.measures["payoff"].mean == pytest.approx(expected.mean())


@pytest.mark.parametrize(
    ("inner", "outer"),
    [pair for pair in PAIRS if PAIRS[pair] == "+" and "reputation" not in pair],
)
def test_what_is_told_and_measured_of_each_is_as_if_it_stood_alone(
    actors: Actors, inner: str, outer: str
) -> None:
    """But for what chance decides anew, in each game and under each option."""
    bare, both = matched(actors), matched(actors, inner, outer)
    anew = DRAWN if {"repetition", "institution_choice"} & {inner, outer} else set()
    for name in (inner, outer):
        alone = matched(actors, name)
        for fact in paid_with(alone) - paid_with(bare) - anew:
            np.testing.assert_array_equal(both.told(fact)[0], alone.told(fact)[0], fact)
        for measure in set(alone.outcome.values) - set(bare.outcome.values) - anew:
            values = alone.outcome.values[measure]
            np.testing.assert_array_equal(both.outcome.values[measure], values, measure)


def paid_with(over: Played) -> set[str]:
    """Names of the facts that are told with payoffs."""
    return {name for step in over.steps if step.kind == "played" for _, name in step.arrays}


@pytest.mark.parametrize(
    "outer",
    ["baseline", "mediation", "peer_punishment", "leadership", "repetition", "institution_choice"],
)
def test_each_is_recommended_what_is_told_afterwards(actors: Actors, outer: str) -> None:
    """The last to be asked in a game are those under fines, which win; both profiles are drawn."""
    over = matched(actors, "correlation_device", outer)
    asked = {page.number: step.arrays for page in over.pages for step in moves(page)}
    for told, asked_then in zip(over.told("recommended_action"), asked.values(), strict=True):
        np.testing.assert_array_equal(told, asked_then["own", "recommended_action"])
        assert set(map(tuple, told.tolist())) == {(0, 1), (1, 0)}


def moves(page: Page) -> list[Step]:
    return [step for step in page.steps if step.kind == "move"]


@pytest.mark.parametrize(("inner", "outer"), [pair for pair in PAIRS if PAIRS[pair] != "+"])
def test_what_makes_no_sense_is_refused_with_the_reason(
    actors: Actors, inner: str, outer: str
) -> None:
    with pytest.raises(ScenarioError, match=REASONS[PAIRS[inner, outer]]):
        matched(actors, inner, outer)


def fished(actors: Actors, *names: str) -> Played:
    """Two rounds of four villagers, of whom the first works hardest."""
    options: dict[str, Any] = {"options": ["baseline", "peer_punishment"]}
    given = {"quota": {"kind": "effort", "at": 0.5}, "institution_choice": options}
    return actors(
        fishing_village,
        *((getattr(all_mechanisms, name), given.get(name, {})) for name in names),
        agents=4,
        at={"rounds": 2},
        effort=[0.8, 0.2, 0.2, 0.2],
        watch=[0.0] * 4,
        punish=[NOBODY] * 4,
        imitate=[NOBODY] * 4,
        propose=[99.0] * 4,
        vote=[0] * 4,
        delegate=[0] * 4,
        say=["Good morning."] * 4,
        fine=[[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]],
        give=[[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
        design_contract=[[0, 0, 0, 0, -3]] * 4,
        approve_contracts=[["yes"] * 4] * 4,
        sign_contract=["yes"] * 4,
        design_mediator=[[0.1] * 4] * 4,
        approve_mediators=[["yes"] * 4] * 4,
    )


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("baseline", [0, 0, 0, 0]),
        ("contracts", [-0.6, 0.2, 0.2, 0.2]),  # 0.8 lies a fifth of the way from .75 to 1
        ("mediation", [0, 0, 0, 0]),
        ("peer_punishment", [-6, -1, -1, 0]),
        ("peer_reward", [-1, 1, 0, 0]),
        ("cheap_talk", [0, 0, 0, 0]),
        ("leadership", [0, 0, 0, 0]),
    ],
)
def test_in_the_village_wealth_is_what_is_paid(
    actors: Actors, name: str, added: list[float]
) -> None:
    bare, over = fished(actors).told("wealth"), fished(actors, name).told("wealth")
    for number, (before, after) in enumerate(zip(bare, over, strict=True), 1):
        assert (after - before)[0] == pytest.approx(number * np.array(added))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("reputation", "all who are there play together"),
        ("correlation_device", "what is played has no list of actions for each player"),
        ("institution_choice", "what is played has no list of actions for each player"),
    ],
)
def test_in_the_village_some_have_no_meaning(actors: Actors, name: str, reason: str) -> None:
    with pytest.raises(ScenarioError, match=reason):
        fished(actors, name)


def gave(actors: Actors, *names: str) -> Played:
    given = {"institution_choice": {"options": ["baseline", "peer_punishment"]}}
    return actors(
        donor_game,
        *((getattr(all_mechanisms, name), given.get(name, {})) for name in names),
        agents=4,
        at={"rounds": 3},
        donate=[5.0, 1.0, 0.0, 2.0],
        delegate=[0] * 4,
        say=["Good morning."] * 4,
        design_mediator=[[0.1] * 4] * 4,
        approve_mediators=[["yes"] * 4] * 4,
    )


@pytest.mark.parametrize("name", ["baseline", "mediation", "cheap_talk"])
def test_the_donor_game_goes_on_as_it_would(actors: Actors, name: str) -> None:
    bare, over = gave(actors).told("final"), gave(actors, name).told("final")
    assert [one.tolist() for one in over] == [one.tolist() for one in bare]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("reputation", "all who are there play together"),
        ("contracts", "what was promised might not be there when it is due"),
        ("peer_punishment", "this play takes no payments"),
        ("peer_reward", "this play takes no payments"),
        ("leadership", "not everybody is asked for a move at the same time"),
        ("correlation_device", "what is played has no list of actions for each player"),
        ("institution_choice", "what is played has no list of actions for each player"),
    ],
)
def test_in_the_donor_game_some_have_no_meaning(actors: Actors, name: str, reason: str) -> None:
    with pytest.raises(ScenarioError, match=reason):
        gave(actors, name)
