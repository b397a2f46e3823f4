"""What language models are told of contracts and mediators, and what they are not told."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.scenarios.mechanisms.conftest import Worded

LANGUAGE: dict[str, Any] = {"parameters": {"minds": "language", "thinking": False}}
BOTH = [{"mediation": {}}, {"contracts": {"bound": 20}}]
SAID = {
    "design_contract": '{"A0": 2, "A1": -1.5}',
    "approve_contracts": '{"proposal 1": "yes", "proposal 2": "no"}',
    "sign_contract": "yes",
    "design_mediator": '{"1": "A1", "2": "A0"}',
    "approve_mediators": '{"proposal 1": "no", "proposal 2": "yes"}',
}
SECRET = re.compile("prisoner|dilemma|cooperat|defect|offline|7", re.IGNORECASE)
PAYMENTS = (
    "- Whoever plays A0 gets 2 points from the other player.\n"
    "- Whoever plays A1 pays 1.5 points to the other player.\n"
)
PLAN = "- If one player delegates: A1.\n- If all delegate: A0 for each of them.\n"


def pair(worded: Worded, **changes: str) -> dict[tuple[str, int], str]:
    return worded("prisoners_dilemma", BOTH, SAID | changes, **LANGUAGE)


def test_who_designs_a_contract_knows_what_it_may_say_and_how_it_is_chosen(worded: Worded) -> None:
    words = pair(worded)["design_contract", 0]
    for said in (
        "You A1, the other player A0: you get 3 points, the other player 0 points.",
        "A number above 0 is what the one who takes that action gets in all from the other",
        "A number below 0 is what that one pays in all to the other player.",
        "it is in force only if everybody signs it",
        "The proposal with the most approvals wins; chance decides between equals.",
        "No payment may be above 20 points or below -20 points.",
        '- "A1": a number from -20 to 20',
    ):
        assert said in words


def test_who_votes_sees_all_proposals_and_whose_they_are(worded: Worded) -> None:
    words = pair(worded)["approve_contracts", 1]
    assert f"Proposal 1, by player 1:\n{PAYMENTS}\nProposal 2, by player 2:\n{PAYMENTS}\n" in words
    words = pair(worded)["approve_mediators", 0]
    assert f"Proposal 1, by player 1:\n{PLAN}\nProposal 2, by player 2:\n{PLAN}\n" in words


def test_who_signs_knows_what_and_that_one_no_is_enough(worded: Worded) -> None:
    words = pair(worded)["sign_contract", 1]
    assert f"the contract that player 1 proposed has won:\n{PAYMENTS}" in words
    assert "If anybody does not, the game is played without a contract." in words


def test_who_moves_knows_what_is_in_force(worded: Worded) -> None:
    words = pair(worded)["move", 0]
    assert (
        "A contract is in force, since everybody has signed it; player 1 had proposed it" in words
    )
    assert PAYMENTS in words
    assert '"delegate" is one more of your actions' in words
    assert f"Player 2 proposed it, and a vote has chosen it. This is what it does:\n{PLAN}" in words
    assert '{"A0": <percent>, "A1": <percent>, "delegate": <percent>}' in words


def test_who_moves_knows_who_did_not_sign(worded: Worded) -> None:
    words = pair(worded, sign_contract="no")["move", 0]
    assert "No contract is in force, and nothing is paid." in words
    assert "that player 1 had proposed, but player 1 and player 2 did not sign it" in words


def test_a_contract_by_seat_names_players_and_three_share_payments(worded: Worded) -> None:
    design = {f"A0, seat {seat}": 3 for seat in (1, 2, 3)}
    design |= {f"A1, seat {seat}": 0 for seat in (1, 2, 3)}
    said = {"design_contract": json.dumps(design)}
    stages = [{"contracts": {"form": "seat"}}]
    words = worded("public_goods", stages, said, **LANGUAGE)["sign_contract", 1]
    for line in (
        "- If player 1 plays A0, it gets 3 points in all from the others, in equal parts.",
        "- If you play A0, you get 3 points in all from the others, in equal parts.",
        "- If player 3 plays A1, it neither gets nor pays anything.",
    ):
        assert line in words


def test_a_mediator_by_seat_names_an_action_for_each(worded: Worded) -> None:
    words = worded("trust", [{"mediation": {"form": "seat"}}], **LANGUAGE)["approve_mediators", 0]
    assert "for you, A" in words
    assert "for player 2, whichever of them do." in words


def test_where_nothing_was_proposed_that_is_said(worded: Worded) -> None:
    designs = {"player": [None, None]}
    stages = [{"mediation": {"designs": designs}}, {"contracts": {"designs": designs}}]
    words = worded("stag_hunt", stages, **LANGUAGE)["move", 0]
    assert "You could have agreed on a contract, but nobody has proposed one." in words
    assert "There could have been a mediator to delegate to, but nobody has proposed one." in words
    assert "<percent>" in words
    assert '"delegate"' not in words


def test_a_missing_proposal_has_its_place_on_the_ballot(worded: Worded) -> None:
    designs = {"player": [None, {"A0": 1, "A1": 0}]}
    stages = [{"contracts": {"designs": designs}}]
    words = worded("stag_hunt", stages, **LANGUAGE)["approve_contracts", 0]
    assert "Proposal 1 is missing; your answer about it does not count." in words
    assert "Proposal 2, by player 2:\n- Whoever plays A0 gets 1 point from" in words


def test_no_question_names_the_game_or_how_long_it_lasts(worded: Worded) -> None:
    stages = [*BOTH, {"repetition": {"games": 7}}]
    prompts = worded("prisoners_dilemma", stages, SAID, **LANGUAGE)
    assert {kind for kind, _ in prompts} == {*SAID, "move"}
    for words in prompts.values():
        assert "You play this game again and again" in words
        assert not SECRET.search(words)
        assert "\n\n\n" not in words


def test_villagers_are_told_in_fish(worded: Worded) -> None:
    people = [{"name": "people", "count": 3, "components": [{"language_policy": {}}]}]
    said = {
        "design_contract": '{"0": 5, "0.25": 0, "0.5": 0, "0.75": 0, "1": -5}',
        "sign_contract": "yes",
        "delegate": "no",
    }
    words = worded("fishing_village", BOTH, said, cohorts=people, rounds=1)
    payment = "- Whoever fishes with effort 0 gets 5 fish in all from the others, in equal parts."
    for kind in ("approve_contracts", "sign_contract", "delegate", "effort"):
        assert payment in words[kind, 1]
    assert "- If 25 % of those who can delegate do: effort 0." in words["approve_mediators", 1]
    assert "Do you leave this decision to the mediator?" in words["delegate", 1]


def test_donors_are_told_in_shares_of_what_they_own(worded: Worded) -> None:
    words = worded("donor_game", [{"mediation": {}}], agents=4, rounds=2, **LANGUAGE)
    assert "which part of its units each of them gives, from 0 to 1" in words["design_mediator", 0]
    assert "% of what each of them owns is given." in words["delegate", 0]
    assert "You are the donor. Do you leave this decision to the mediator?" in words["delegate", 0]
