"""Contracts and mediators where there is no game in normal form: the village, the donor game."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.scenario import wrap_scenario
from society.errors import ScenarioError
from society.scenarios.donor.donor_game import donor_game
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.mediation.mediation import mediation
from society.scenarios.mechanisms.quota.quota import quota
from society.scenarios.mechanisms.repetition.repetition import repetition
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded
    from tests.scenarios.mechanisms.conftest import Models, Parties

# Whoever does not fish at all gets 6 fish, and whoever fishes with all its might owes 6.
RESTRAINT = {"0": 6.0, "0.25": 3.0, "0.5": 0.0, "0.75": -3.0, "1": -6.0}
CALM = {"0.25": 1.0, "0.5": 0.5, "0.75": 0.5, "1": 0.2}
NO_LAW: dict[str, Any] = {  # three villagers, who catch 15 fish at full effort and eat nothing
    "vote": "none",
    "social_learning": False,
    "punish_until": 0,
    "effort_rule": "trait",
    "consumption": 0,
    "wealth": 10,
}


def village(parties: Parties, mechanisms: Any, rounds: int = 1, **said: Any) -> Played:
    usual: dict[str, Any] = {
        "design_contract": [RESTRAINT] * 3,
        "approve_contracts": ["1"] * 3,
        "sign_contract": [1] * 3,
        "design_mediator": [CALM] * 3,
        "approve_mediators": ["2"] * 3,
        "delegate": [0] * 3,
        "effort": [0.0, 0.375, 1.0],
        "propose": [99.0] * 3,
    }
    at = {"params": NO_LAW, "rounds": rounds}
    return parties(fishing_village, mechanisms, at=at, **usual | said)


def wealth(over: Played) -> list[list[float]]:
    return [told[0].tolist() for told in over.told("wealth")]


def test_a_contract_over_efforts_changes_what_the_villagers_own(parties: Parties) -> None:
    """Due are 6, 1.5 (half-way between 3 and 0) and -6: 6 + 2.25, 1.5 - 0 and -6 - 3.75."""
    free = village(parties, [])
    over = village(parties, [(contracts, {})])
    paid = [8.25, 1.5, -9.75]
    assert over.told("contract_transfer")[0].tolist() == [paid]
    assert wealth(over)[0] == pytest.approx(np.add(wealth(free)[0], paid))


def test_it_is_made_once_and_holds_in_every_round(parties: Parties) -> None:
    free = village(parties, [], rounds=3)
    over = village(parties, [(contracts, {})], rounds=3)
    asked = [step.kind for step in over.pages[0].steps if step.sort == "ask"]
    assert asked == ["design_contract", "approve_contracts", "sign_contract", "propose"]
    for number in (1, 2, 3):
        gained = np.subtract(wealth(over)[number - 1], wealth(free)[number - 1])
        assert gained == pytest.approx(np.multiply([8.25, 1.5, -9.75], number))


def test_whoever_cannot_pay_starves_and_the_others_settle_among_themselves(
    parties: Parties,
) -> None:
    """In round 2 two are left: 6 and 1.5 are due, and each gets what is due less the other's."""
    at = {**NO_LAW, "ends_on": "collapse", "catchability": 0.001}
    over = parties(
        fishing_village,
        [(contracts, {})],
        design_contract=[{name: 3 * value for name, value in RESTRAINT.items()}] * 3,
        approve_contracts=["1"] * 3,
        sign_contract=[1] * 3,
        effort=[0.0, 0.375, 1.0],
        propose=[99.0] * 3,
        at={"params": at, "rounds": 2},
    )
    first, second = over.told("contract_transfer")
    assert first[0].tolist() == pytest.approx([24.75, 4.5, -29.25])
    assert over.pages[1].present.tolist() == [[True, True, False]]
    assert second[0].tolist() == pytest.approx([13.5, -13.5, 0])


def test_villagers_by_rule_are_not_touched_by_a_contract_that_nobody_signs(
    parties: Parties,
) -> None:
    free = village(parties, [])
    over = village(parties, [(contracts, {})], sign_contract=[1, 0, 1])
    assert wealth(over) == wealth(free)


def test_a_mediator_fishes_for_those_who_delegate(parties: Parties) -> None:
    """Two of three delegate: 2/3 lies between 0.5 and 0.75, and the mediator takes 0.5 there."""
    over = village(parties, [(mediation, {})], delegate=[1, 0, 1])
    assert over.told("effort")[0].tolist() == [[0.5, 0.375, 0.5]]
    everybody = village(parties, [(mediation, {})], delegate=[1, 1, 1])
    assert everybody.told("effort")[0].tolist() == [[0.2] * 3]
    assert everybody.outcome.values["mediators"].tolist() == [1]


def test_a_mediator_keeps_to_a_cap_inside(parties: Parties) -> None:
    """What is legal goes up to 0.4: half of that."""
    inside = [(quota, {"kind": "effort", "at": 0.4}), (mediation, {})]
    over = village(parties, inside, delegate=[1, 0, 1])
    assert over.told("effort")[0].tolist() == [[0.2, 0.375, 0.2]]


def test_contracts_pay_for_efforts_of_a_mediator(parties: Parties) -> None:
    """Efforts 0.5, 0.375 and 0.5: due are 0, 1.5 and 0."""
    for mechanisms in ([mediation, contracts], [contracts, mediation]):
        over = village(parties, [(one, {}) for one in mechanisms], delegate=[1, 0, 1])
        assert over.told("contract_transfer")[0].tolist() == [[-0.75, 1.5, -0.75]]


def test_a_village_may_make_a_contract_in_each_of_several_games(parties: Parties) -> None:
    over = village(parties, [(contracts, {}), (repetition, {"games": 2})])
    assert [step.kind for step in over.steps].count("sign_contract") == 2
    assert wealth(over)[0] == wealth(over)[1]


def test_without_mechanisms_the_villagers_own_what_they_land(parties: Parties) -> None:
    assert wealth(village(parties, [])) == [[10, 15.625, 25]]


@pytest.mark.parametrize("name", ["contracts", "mediation"])
def test_villagers_have_no_seats_of_their_own(name: str, play: Play) -> None:
    wrap = {"contracts": contracts, "mediation": mediation}[name]
    with pytest.raises(ScenarioError, match=f"{name}: all play together.*take form: count"):
        play(wrap_scenario(fishing_village, wrap, form="seat"))


def test_in_a_village_of_sentences_others_see_what_is_owned_after_payments(models: Models) -> None:
    """What is told as wealth, what neighbours see of it, and what is owned next day, are one."""
    said = {"design_contract": json.dumps(RESTRAINT), "sign_contract": "yes"}
    minds = {"thinking": False, "norm_embedder": "hashing", "condition": "only_social_learning"}
    over = models(
        "language_village", [{"contracts": {}}], said, parameters=minds, agents=3, rounds=2
    ).over
    paid = next(step.arrays for step in over.steps if step.kind == "paid")
    transfer = paid["own", "contract_transfer"]
    assert np.abs(transfer).min() > 0.01
    assert transfer.sum() == pytest.approx(0)
    assert paid["seen learn", "payoff"].tolist() == paid["own", "wealth"].tolist()
    next_day = [step.arrays for step in over.steps if step.kind == "effort"][1]
    assert next_day["seen learn", "payoff"].tolist() == paid["own", "wealth"].tolist()


def donors(parties: Parties, delegate: list[int], **params: Any) -> Played:
    """Four with 10 units; those who give in a round may delegate."""
    return parties(
        donor_game,
        [(mediation, {"knots": 2})],
        design_mediator=[{"0.5": 0.1, "1": 0.8}] * 4,
        approve_mediators=["3"] * 4,
        delegate=delegate,
        donate=[5.0] * 4,
        at={"params": {"games": 1, **params}, "rounds": 2},
    )


def test_a_mediator_gives_for_the_donors_who_delegate_by_their_number(parties: Parties) -> None:
    both = donors(parties, [1] * 4)
    first, gives = both.told("share")[0], both.told("donor")[0]
    assert first[gives].tolist() == [0.8, 0.8]
    nobody = donors(parties, [0] * 4)
    assert nobody.told("share")[0][gives].tolist() == [0.5, 0.5]
    one = donors(parties, [int(seat == np.argmax(gives[0])) for seat in range(4)])
    assert one.told("share")[0][gives].tolist() == pytest.approx([0.1, 0.5])
    assert one.told("mediator_asked")[0].tolist() == gives.tolist()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mechanisms": [{"contracts": {}}]}, "might not be there when it is due.*`mediation`"),
        (
            {"mechanisms": [{"mediation": {}}], "parameters": {"stake": "fixed"}},
            "mediation: 'donate' asks for choice keep/give; take",
        ),
    ],
)
def test_what_makes_no_sense_for_donors_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        build(load_config("donor_game", changes))


def test_a_village_of_models_agrees_on_contracts_and_mediators(recorded: Recorded) -> None:
    """The offline mind answers every question; nothing is lost between rounds."""
    mechanisms: list[Any] = [{"mediation": {}}, {"contracts": {}}]
    people = {"name": "people", "count": 3, "components": [{"language_policy": {}}]}
    changes = {"mechanisms": mechanisms, "cohorts": [people], "rounds": 1}
    over = recorded(build(load_config("fishing_village", changes)).gamemaster())
    assert np.abs(over.told("contract_transfer")[0].sum(1)).max() < 1e-9
