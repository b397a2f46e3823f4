"""Replies of five language models to questions about social dilemmas, as a real study got them.

1,500 replies stand in dilemmas_answers.jsonl, with what a strict parser and the study made of each.
They belong to others: this test reads them where SOCIETY_REFERENCE_DATA says, and quotes none.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.engine.action_spaces import ActionSpace, Choice, Fields, Legal, MixedStrategy, Real
from society.errors import CutOff, Unparsed
from society.llm.parsing.answers import read_reply

FOLDER = os.environ.get("SOCIETY_REFERENCE_DATA")

pytestmark = pytest.mark.skipif(not FOLDER, reason="set SOCIETY_REFERENCE_DATA to the folder")

# The order in which the study names its actions, to compare them with A0, A1, ...
ACTIONS = (
    ("COOPERATE", "DEFECT"),
    ("CONTRIBUTE", "FREE_RIDE"),
    ("STAG", "HARE"),
    ("GIVE", "KEEP"),
    ("HEADS", "TAILS"),
    ("CLAIM_0", "CLAIM_1", "CLAIM_2", "CLAIM_3"),
)
PLACE = {name: place for names in ACTIONS for place, name in enumerate(names)}

# Invalid to the strict parser, but complete and legal: read one by one, by hand.
COMPLETE = {
    "9d5db121": [0.5, 0.5],
    "10e6a1f0": [0.3, 0.7],
    "2fd84f5e": [0.1, 0.1, 0.8],
    "21754d00": [0.5, 0.25, 0.15, 0.1],
    "d6a276ba": [0.1, 0.2, 0.6, 0.1],
    "b617c41f": [0.2, 0.8, 0.0, 0.0],
    "e389f290": [0.1, 0.1, 0.8],
    "6b26ce00": {"C1": 1, "C2": 0},
    "01bcb6dd": {"C1": 1, "C2": 1},
    "c2bbaf46": {"M1": 1, "M2": 1},
    "bae70964": {"M1": 1, "M2": 1},
}
ILLEGAL = "eb80da0d"  # complete, but gives a pair of numbers where one is asked for
# Accepted by the study, though the text runs on after the object, and breaks off or rambles.
SUSPECT = {
    "7cbc9a65",
    "6bdc4ed9",
    "1295fc62",
    "922032cf",
    "acaa2442",
    "69d1fb13",
    "97b5fe53",
    "5c141540",
}

Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    assert FOLDER
    lines = Path(FOLDER, "dilemmas_answers.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def answers(rows: list[Row]) -> dict[str, Any]:
    """Our reading of each reply, by its id: an answer or an error."""
    return {row["id"]: _read(row) for row in rows}


def _read(row: Row) -> Any:
    try:
        return read_reply(_reply(row), row["response"], Legal(), "stop")
    except Unparsed as error:
        return error


def _reply(row: Row) -> ActionSpace:
    """The form of the question, from its prompt."""
    actions = re.findall(r"^- (A\d)", row["prompt"].partition("Basic game rules")[0], re.MULTILINE)
    contracts = row["mechanism"] == "contracting"
    if row["stage"] == "action":
        return MixedStrategy(
            *actions, *re.findall(r"Consider (A\d) as an additional", row["prompt"])
        )
    if row["stage"] == "sign":
        return Choice("false", "true")
    if row["stage"] == "vote":
        letter = "C" if contracts else "M"
        return Fields({f"{letter}{player}": Choice("false", "true") for player in (1, 2)})
    if contracts:
        return Fields({action: Real(-np.inf, np.inf) for action in actions})
    return Fields({str(count): Choice(*actions) for count in (1, 2)})


def _strictly(row: Row) -> Any:
    """Read a reply with the strict parser, in our form."""
    strict = row["strict_last_json_parse"]
    if row["stage"] == "action":
        return [share / 100 for share in strict.values()]
    return list(map(int, strict.values())) if isinstance(strict, dict) else int(strict)


def _bare(answer: Any) -> Any:
    return list(answer.values()) if isinstance(answer, dict) else answer


def _fits(row: Row, answer: Any) -> Any:
    """Check whether an answer leads to the study's record: the same design, or a possible draw."""
    outcome = row["study_outcome"]
    if row["stage"] == "action":
        drawn = -1 if "mediated" in outcome else PLACE[outcome["action"]]
        return answer[drawn] > 0
    if row["stage"] == "sign":
        return answer == outcome["sign"]
    if row["stage"] == "vote":
        return _bare(answer) == list(outcome["votes"].values())
    design = outcome["design"]
    if isinstance(design, dict):
        return _bare(answer) == list(design.values())
    return _bare(answer) == [PLACE[action.partition(".")[2]] for _, action in design]


def test_what_a_strict_parser_and_the_study_accept_is_read_alike_or_flagged(
    rows: list[Row], answers: dict[str, Any]
) -> None:
    accepted = [row for row in rows if row["accepted_by_study"]]
    assert len(accepted) == 1426
    flagged = {row["id"] for row in accepted if isinstance(answers[row["id"]], CutOff)}
    assert flagged == SUSPECT
    agreed = [row for row in accepted if row["id"] not in flagged]
    assert len(agreed) == 1418
    assert all(_bare(answers[row["id"]]) == _strictly(row) for row in agreed)
    assert all(_fits(row, answers[row["id"]]) for row in agreed)


def test_complete_replies_that_a_strict_parser_refuses_are_read_without_a_mistake(
    rows: list[Row], answers: dict[str, Any]
) -> None:
    """Eleven of twelve: comments in JSON, LaTeX; the twelfth is no legal answer."""
    refused = {
        row["id"]: answers[row["id"]] for row in rows if row["strict_last_json_parse"] is None
    }
    assert len(refused) == 72
    assert {name: got for name, got in refused.items() if not isinstance(got, Unparsed)} == COMPLETE
    assert str(answers[ILLEGAL]).endswith("for 'A0'; expected a number")


def test_replies_cut_off_in_their_thoughts_are_flagged(
    rows: list[Row], answers: dict[str, Any]
) -> None:
    """61 replies give no answer: 12 are empty, one is illegal, and the other 48 broke off."""
    invalid = [row for row in rows if row["strict_last_json_parse"] is None]
    unread = Counter(
        (type(answers[row["id"]]).__name__, row["response"] == "")
        for row in invalid
        if row["id"] not in COMPLETE
    )
    assert unread == {("CutOff", False): 48, ("Unparsed", True): 12, ("Unparsed", False): 1}


def test_two_more_that_the_study_refused(answers: dict[str, Any]) -> None:
    """One gives an object and stops; the other has its last object within a thought."""
    assert answers["5cd96436"] == [0.4, 0.6]
    assert isinstance(answers["1bba1201"], CutOff)


def test_every_reply_at_the_limit_of_tokens_is_cut_off(rows: list[Row]) -> None:
    for row in rows[:50]:
        with pytest.raises(CutOff, match="limit of tokens"):
            read_reply(_reply(row), row["response"], Legal(), "length")
