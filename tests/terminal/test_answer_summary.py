"""Answers in a history: who proposed what, who voted how, who gave points to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len

from society.engine.fact_specs import FactSpec
from society.engine.history import Step
from society.engine.scenario import DisplaySpec, Meeting

if TYPE_CHECKING:
    from tests.terminal.conftest import Hand

STAGE = DisplaySpec(columns=("payoff",), links={"punish": "fined"})
BALLOTS = "proposal 1: choice no/yes; proposal 2: choice no/yes"


def told_of(hand: Hand, *steps: Step, stage: DisplaySpec = STAGE, **changes: Any) -> list[str]:
    """The lines of a round with these steps, without its title."""
    width = changes.pop("width", 80)
    agents = changes.get("agents", 3)
    opening = hand.page(0, present=[[True] * agents])
    page = hand.page(1, *steps, present=[[True] * agents])
    run = hand.recorded(opening, page, manifest=hand.manifest(stage=stage, **changes))
    story = hand.told(run, width=width)
    return story.partition("Round 1 of 10")[2].split("\n\n")[0].splitlines()[1:]


def asked(hand: Hand, kind: str, form: str, **more: Any) -> Step:
    """A question with its answers by field; whoever is named in `who` was asked."""
    fields = more.pop("fields")
    arrays = {("answer", name): values for name, values in fields.items()}
    return hand.ask(kind, form, arrays | {(role, ""): more[role] for role in more})


@pytest.mark.parametrize(
    ("amount", "line"),
    [(10.0, "1 fined    agent 0 fined agent 2"), (0.0, "fined      nobody")],
)
def test_a_fine_of_nothing_is_no_fine(hand: Hand, amount: float, line: str) -> None:
    stage = DisplaySpec(links={"punish": "fined"}, amounts={"punish": amount})
    punish = asked(hand, "punish", "peer on net", fields={"": [[2, -1, -1]]})
    assert told_of(hand, punish, stage=stage) == [line]


def test_deeds_without_an_amount_of_their_own_are_none(hand: Hand) -> None:
    stage = DisplaySpec(links={"give to": "gave to"}, amounts={"give to": "given"})
    give = asked(hand, "give", "to: peer on net", fields={"to": [[2, 0, -1]]})
    given = hand.tell("given", {("own", "given"): [[0.0, 3.0, 0.0]]})
    assert told_of(hand, give, given, stage=stage) == ["1 gave to  agent 1 gave to agent 0"]


def test_proposals_stand_with_all_who_make_them(hand: Hand) -> None:
    form = "A0: amount -9..9; A1: amount -9..9"
    fields = {"A0": [[2.0, 0.5, 2.0]], "A1": [[-3.0, 0.0, -3.0]]}
    assert told_of(hand, asked(hand, "design_contract", form, fields=fields)) == [
        "design contract  agent 0, agent 2   A0: 2   A1: -3",
        "                 agent 1   A0: 0.50   A1: 0",
    ]


def test_votes_are_counted_and_named_proposal_by_proposal(hand: Hand) -> None:
    ballots = {"proposal 1": [[0, 1, 0]], "proposal 2": [[1, 1, 1]]}
    assert told_of(
        hand,
        asked(hand, "approve", BALLOTS, fields=ballots),
        asked(hand, "sign_contract", "choice no/yes", fields={"": [[1, 0, 0]]}),
    ) == [
        "approve        proposal 1: 1 yes (agent 1), 2 no (agent 0, agent 2)",
        "               proposal 2: all 3 yes",
        "sign contract  1 yes (agent 0), 2 no (agent 1, agent 2)",
    ]


def test_what_ballots_are_about_stands_with_them(hand: Hand) -> None:
    arrays = {
        ("common", "contract_proposals"): [[[[1.5, 0.0, -2.25], [float("nan")] * 3]]],
        ("answer", "proposal 1"): [[1, 1, 1]],
        ("answer", "proposal 2"): [[0, 0, 0]],
    }
    assert told_of(hand, hand.ask("approve", BALLOTS, arrays)) == [
        "approve    proposal 1 (1.50, 0, -2.25): all 3 yes",
        "           proposal 2 (–, –, –): all 3 no",
    ]


def test_only_those_who_were_asked_are_counted(hand: Hand) -> None:
    some = {"fields": {"": [[1, 0, 0]]}, "who": [[True, True, False]]}
    nobody = {"fields": {"": [[-1, -1, -1]]}, "who": [[False, False, False]]}
    form = "choice fined/gifted"
    assert told_of(hand, asked(hand, "choose", form, **some), asked(hand, "vote", form, **nobody))[
        :2
    ] == ["choose     1 gifted (agent 0), 1 fined (agent 1)"]


def test_who_is_back_is_asked_from_then_on(hand: Hand) -> None:
    away = hand.tell("parted", {("gone", ""): [[False, False, True]]})
    home = hand.tell("rejoined", {("back", ""): [[False, False, True]]})
    sign = asked(hand, "sign", "choice no/yes", fields={"": [[1, 1, 0]]})
    assert told_of(hand, away, sign, home, sign)[1:] == [
        "sign       all 2 yes",
        "sign       2 yes (agent 0, agent 1), 1 no (agent 2)",
    ]


def test_points_are_told_with_those_who_get_them(hand: Hand) -> None:
    form = "other_1: whole 0..3; other_2: whole 0..3"
    arrays = {
        ("own", "whom"): [[[1, 2], [0, 2], [0, 1]]],
        ("answer", "other_1"): [[3, 0, 1]],
        ("answer", "other_2"): [[0, 0, 2]],
    }
    assert told_of(hand, hand.ask("fine", form, arrays)) == [
        "fine       agent 0 → agent 1 (3)",
        "           agent 2 → agent 0 (1), agent 1 (2)",
    ]
    nothing = {key: np.zeros((1, 3)) for key in arrays if key[0] == "answer"}
    assert told_of(hand, hand.ask("fine", form, arrays | nothing)) == ["fine       nobody"]


def test_moves_and_what_the_stage_names_are_not_told_twice(hand: Hand) -> None:
    deeds = "deed: choice give/take; amount: amount 0..inf"
    mix: Any = [[[0.5, 0.5]] * 3]
    assert told_of(
        hand,
        asked(hand, "move", "mix over A0/A1", fields={"": mix}),
        asked(hand, "effort", "amount 0..1", fields={"": [[0.5, 0.5, 0.5]]}),
        asked(hand, "donate", deeds, fields={"deed": [[0, 1, 0]], "amount": [[1.0, 2.0, 3.0]]}),
        asked(hand, "punish", "peer on see", fields={"": [[-1, -1, -1]]}),
    ) == ["fined      nobody"]


def test_pairs_are_followed_by_the_columns_that_they_do_not_hold(hand: Hand) -> None:
    meeting = Meeting("partner", "deed", ("gave {spent}",), holds="payoff")
    stage = DisplaySpec(columns=("payoff", "spent", "contract_transfer"), meeting=meeting)
    facts = {
        ("own", "partner"): [[1, 0]],
        ("own", "deed"): [[0, 0]],
        ("own", "payoff"): [[4, 2]],
        ("own", "spent"): [[1, 0]],
        ("own", "contract_transfer"): [[-1, 1]],
    }
    first, *rest = told_of(hand, hand.tell("met", facts), stage=stage, agents=2, cohorts=[])
    assert first == "agent 0  4  gave 1  ↔ agent 1  2  gave 0"
    assert [line.replace("━", "").split() for line in rest] == [
        ["contract", "transfer"],
        ["agent", "0", "-1"],
        ["agent", "1", "1"],
    ]


def test_every_exchange_of_messages_is_quoted(hand: Hand) -> None:
    stage = DisplaySpec(quotes={"say": "says"})
    first, second = (
        hand.ask("say", "words up to 9", {("answer", ""): np.array([said], object)})
        for said in (["hello", "", "yes"], ["bye", "", "yes"])
    )
    assert told_of(hand, first, second, stage=stage) == [
        'say        agent 0 says "hello"',
        '           agent 2 says "yes"',
        'say        agent 0 says "bye"',
        '           agent 2 says "yes"',
    ]


def test_of_a_crowd_only_the_few_are_named(hand: Hand) -> None:
    crowd: dict[str, Any] = {"agents": 40, "cohorts": []}
    votes = asked(hand, "sign", "choice no/yes", fields={"": [[1] * 30 + [0] * 10]})
    words = " ".join(" ".join(told_of(hand, votes, **crowd)).split())
    assert words.startswith("sign 30 yes, 10 no (agent 30, agent 31, ")
    form, each = "A0: amount 0..99; A1: amount 0..99", [np.arange(40.0)]
    lines = told_of(hand, asked(hand, "design", form, fields={"A0": each, "A1": each}), **crowd)
    assert len(lines) == 13
    assert lines[-1].strip() == "and 28 more"


@pytest.mark.parametrize("width", [20, 40, 80])
def test_labels_of_others_are_shown_harmlessly_on_any_terminal(hand: Hand, width: int) -> None:
    nasty = "choice [red]x/\x1b[2J"
    votes = asked(hand, "approve\x1b", nasty, fields={"": [[0, 1, 1]]})
    lines = told_of(hand, votes, width=width)
    assert all(cell_len(line) <= width for line in lines)
    assert "\x1b" not in "".join(lines)
    assert "[red]x" in "".join(line.strip() for line in lines)


def test_of_many_proposals_a_dozen_that_most_approve_of_are_told(hand: Hand) -> None:
    names = [f"proposal {number}" for number in range(1, 15)]
    ballots = {name: [[1, number > 2, number > 2]] for number, name in enumerate(names, start=1)}
    form = "; ".join(f"{name}: choice no/yes" for name in names)
    lines = told_of(hand, asked(hand, "approve", form, fields=ballots))
    assert [line.partition("proposal ")[2] for line in lines] == [
        *(f"{number}: all 3 yes" for number in range(3, 15)),
        "",
    ]
    assert lines[-1].strip() == "and 2 more"


def test_a_verdict_is_told_in_the_words_of_its_fields_without_what_is_empty(hand: Hand) -> None:
    form = "transfers: words up to 4000 in rows; minutes: count 0..60; story: words up to 600"
    fields = {
        "transfers": np.array([["", "", "0 gives 1 coin to 1"]], object),
        "minutes": [[0, 0, 5]],
        "story": np.array([["", "", ""]], object),
    }
    specs = {"resolve transfers": FactSpec("What changes hands")}
    step = asked(hand, "resolve", form, fields=fields, who=[[False, False, True]])
    (line,) = told_of(hand, step, facts=specs, width=120)
    assert line == ("resolve    agent 2   What changes hands: 0 gives 1 coin to 1   minutes: 5")
