"""The battery of recipients: what is asked, what is told, and that nothing comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.donation import Donation
from society.scenario import wrapped
from society.scenarios.battery import BATTERY
from society.scenarios.donor_game import donor_game
from society.scenarios.generations import generations

if TYPE_CHECKING:
    from tests.conftest import Play

    from .conftest import Donors, Game

NAMES = [encounter.name for encounter in BATTERY]


def reaction(over: Donors) -> dict[str, list[float]]:
    """What each seat of replicate 0 gives to each recipient."""
    (told,) = over.facts("supposed", "reaction")
    return {name: told[0, :, place].tolist() for place, name in enumerate(NAMES)}


def as_the_recipient_did(ask: Any, me: Any) -> Any:
    """Gives the share that is first on the trace; half of it to a stranger."""
    shares = ask.facts["trace_share"]
    none = np.full(len(shares), 0.5)
    return none if not shares.shape[1] else np.where(np.isnan(shares[:, 0]), none, shares[:, 0])


def test_a_strategy_becomes_a_function_of_the_trace(donors: Game) -> None:
    norm = reaction(donors(agents=2, rounds=2, probe=True, donate=as_the_recipient_did))
    assert {name: gives[0] for name, gives in norm.items()} == {
        "stranger": 0.5,
        "gave nothing": 0.0,
        "gave a quarter": 0.25,
        "gave half": 0.5,
        "gave three quarters": 0.75,
        "gave all": 1.0,
        "gave nothing to one who gave nothing": 0.0,
        "gave nothing to one who gave all": 0.0,
        "gave all to one who gave nothing": 1.0,
        "gave all to one who gave all": 1.0,
        "gave half in a chain of halves": 0.5,
    }


def test_all_agents_are_asked_about_all_recipients(donors: Game) -> None:
    told = donors(agents=4, rounds=2, probe=True, donate=[0.1, 0.2, 0.3, 0.4], at={"replicates": 3})
    (values,) = told.facts("supposed", "reaction")
    assert values.shape == (3, 4, len(BATTERY))
    np.testing.assert_allclose(
        values, np.broadcast_to([[[0.1], [0.2], [0.3], [0.4]]], values.shape)
    )


def test_what_is_shown_is_a_chain_latest_first(donors: Game) -> None:
    """Of one who gave nothing to one who gave all: in the second round of a game, of 10 units."""
    place = NAMES.index("gave nothing to one who gave all")
    over = donors(agents=2, rounds=2, probe=True)
    facts = {
        name: over.facts("suppose", name)[place][0, 0].tolist()
        for name in ("trace_share", "trace_units", "trace_round")
    }
    assert facts["trace_share"][:2] == [0, 1]
    assert np.isnan(facts["trace_share"][2])
    assert facts["trace_units"] == [0, 10, 0]
    assert facts["trace_round"] == [2, 1, 0]
    assert over.facts("suppose", "round")[place].tolist() == [[3]]


@pytest.mark.parametrize(
    ("trace", "medium", "entries"), [(1, "trace", 1), (0, "trace", 0), (3, "record", 1)]
)
def test_no_more_is_shown_than_the_game_shows(
    donors: Game, trace: int, medium: str, entries: int
) -> None:
    """Of a record, what the recipient itself did."""
    over = donors(agents=2, rounds=2, probe=True, trace=trace, medium=medium)
    shown = over.facts("suppose", "trace_share")[NAMES.index("gave all to one who gave nothing")]
    assert shown[0, 0].tolist() == [1.0][:entries]


@pytest.mark.parametrize("params", [{}, {"punishment": True}, {"stake": "fixed"}], ids=str)
def test_answers_change_nothing_of_what_follows(play: Play, params: dict[str, Any]) -> None:
    """The digests of all rounds are the same with and without, for donors by every rule."""
    (with_, without) = (
        [
            page.digest
            for page in play(
                donor_game, Donation(), agents=12, rounds=12, params={**params, "probe": probe}
            ).pages
            if page.path
        ]
        for probe in (True, False)
    )
    assert with_ == without


def test_under_a_fixed_stake_reactions_are_gifts_or_none(donors: Game) -> None:
    over = donors(
        agents=2, rounds=2, probe=True, stake="fixed", cost=5, punishment=True, suppose=[1, -1]
    )
    assert all(gives == [1, 0] for gives in reaction(over).values())


def test_newborn_are_compared_with_their_elders_before_the_same_recipients(play: Play) -> None:
    """By hand: the better half lives on, and the mean reactions of both halves are subtracted."""
    society = wrapped(donor_game, generations, count=2, fitness="final", phenotype="share")
    over = play(society, Donation(), agents=12, rounds=2, params={"probe": True}, replicates=5)
    first, second = over.told("reaction")
    newborn = over.told("newborn")[1]
    bias = [
        second[k].mean(1)[newborn[k]].mean() - second[k].mean(1)[~newborn[k]].mean()
        for k in range(5)
    ]
    (page,) = [page for page in over.pages if page.path == (2,)]
    np.testing.assert_allclose(page.measures["mutation_bias"], bias, rtol=1e-12)
    (page,) = [page for page in over.pages if page.path == (1,)]
    assert np.isnan(page.measures["mutation_bias"]).all()
    assert first.shape == second.shape
