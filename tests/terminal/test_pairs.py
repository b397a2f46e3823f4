"""Pairs of a round in a history: who did what to whom, a line each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len

from society.engine.fact_specs import FactSpec
from society.engine.scenario import DisplaySpec, Meeting

if TYPE_CHECKING:
    from society.runs.runfile import RunFile
    from tests.terminal.conftest import Hand

MEETING = Meeting(
    peer="partner",
    deed="deed",
    clauses=("", "gave {share:%}", "had nothing to give", "punished with {spent}"),
    share="share",
    holds="coins",
    apart="refused",
)
STAGE = DisplaySpec(columns=("coins", "share"), meeting=MEETING)
NAN = float("nan")
ENCOUNTERS = {
    ("seen hear", "partner"): [[1, 0, 3, 2, 5, 4]],
    ("seen hear", "deed"): [[1, 0, 0, 3, 2, 0]],
    ("own", "share"): [[0.5, NAN, NAN, 0, NAN, NAN]],
    ("own", "spent"): [[0, 0, 0, 2.5, 0, 0]],
    ("own", "coins"): [[10, 25.5, 1, 7.5, 0, 4]],
}


FACTS = {"coins": FactSpec(unit="euros"), "spent": FactSpec(unit="euros")}


def met(
    hand: Hand,
    stage: DisplaySpec = STAGE,
    agents: int = 6,
    facts: Mapping[str, FactSpec] = MappingProxyType({}),
    **told: Any,
) -> RunFile:
    """A round of encounters."""
    news = {key: told.get(key[1], values) for key, values in ENCOUNTERS.items()}
    news |= {("own", "refused"): told.get("refused", [[False] * agents])}
    page = hand.page(1, hand.tell("met", news), present=[[True] * agents])
    everybody = [{"name": "donor", "seats": list(range(agents))}]
    manifest = hand.manifest(agents=agents, cohorts=everybody, stage=stage, facts=facts)
    return hand.recorded(hand.page(0, present=[[True] * agents]), page, manifest=manifest)


def test_the_replay_says_first_what_the_number_beside_a_name_is(hand: Hand) -> None:
    assert hand.told(met(hand)).splitlines()[1] == "beside each name: coins"
    assert hand.told(met(hand, facts=FACTS)).splitlines()[1] == "beside each name: coins (euros)"


def test_figures_in_a_line_have_their_unit(hand: Hand) -> None:
    assert "punished with 2.50 euros" in hand.told(met(hand, facts=FACTS))


def lines(story: str) -> list[str]:
    """Return the lines of the first round, without its title."""
    return story.partition("Round 1 of 10")[2].split("\n\n")[0].splitlines()[1:]


def test_two_who_both_did_something_share_a_line(hand: Hand) -> None:
    """But for those who had another partner each."""
    share = [[0.5, NAN, NAN, 0, 0.25, NAN]]
    deed, partner = [[1, 2, 0, 3, 1, 2]], [[1, 0, 3, 2, 5, 3]]
    story = hand.told(met(hand, deed=deed, partner=partner, share=share))
    assert lines(story) == [
        "agent 0  10.0  gave 50 %            ━━━━━  ↔ agent 1  25.5  had nothing to give",
        "agent 3   7.5  punished with 2.50          → agent 2   1.0",
        "agent 4   0.0  gave 25 %            ━━╸    → agent 5   4.0",
        "agent 5   4.0  had nothing to give         → agent 3   7.5",
    ]


def test_before_pairs_meet_all_that_was_asked_is_shown(hand: Hand) -> None:
    """A stage that names nothing but pairs has nothing else for such a page."""
    answers = {("answer", "A0"): [[1, 2]], ("answer", "A1"): [[0, -1]]}
    form = "A0: amount; A1: amount"
    asked = hand.page(
        1, hand.ask("design_contract", form, answers), present=[[True] * 2], public={}
    )
    everybody = [{"name": "player", "seats": [0, 1]}]
    stage = DisplaySpec(meeting=Meeting(peer="partner", deed="deed", clauses=("gave",)))
    manifest = hand.manifest(agents=2, cohorts=everybody, stage=stage)
    before = hand.page(0, present=[[True] * 2])
    first, *rest = lines(hand.told(hand.recorded(before, asked, manifest=manifest)))
    assert first.split() == ["design", "contract", "A0", "design", "contract", "A1"]
    assert [line.split() for line in rest] == [
        ["agent", "0", "1", "━━━━━", "0"],
        ["agent", "1", "2", "━━━━━━━━━━", "-1"],
    ]


def test_each_pair_has_a_line_in_place_of_the_roll(hand: Hand) -> None:
    assert lines(hand.told(met(hand))) == [
        "agent 0  10.0  gave 50 %            ━━━━━  → agent 1  25.5",
        "agent 3   7.5  punished with 2.50          → agent 2   1.0",
        "agent 4   0.0  had nothing to give         → agent 5   4.0",
    ]


def test_who_refused_or_met_nobody_is_told_with_what_they_have(hand: Hand) -> None:
    apart = [[False, False, True, True, False, False]]
    run = met(hand, partner=[[1, 0, -1, -1, -1, -1]], refused=apart)
    assert lines(hand.told(run))[1:] == [
        "2 refused  agent 2 1.0   agent 3 7.5",
        "2 alone    agent 4 0.0   agent 5 4.0",
    ]


def test_a_round_without_encounters_has_the_roll(hand: Hand) -> None:
    page = hand.page(1, hand.tell("paid", {("own", "coins"): [[1, 2, 3]]}))
    run = hand.recorded(hand.page(0), page, manifest=hand.manifest(stage=STAGE))
    assert [line.replace("━", "").replace("╸", "").split() for line in lines(hand.told(run))] == [
        ["type", "coins"],
        ["agent", "0", "altruist", "1"],
        ["agent", "1", "altruist", "2"],
        ["agent", "2", "selfish", "3"],
    ]


def test_without_holdings_and_shares_the_deed_is_told_alone(hand: Hand) -> None:
    bare = replace(STAGE, meeting=replace(MEETING, share="", holds="", apart=""))
    assert lines(hand.told(met(hand, bare)))[0] == "agent 0  gave 50 %            → agent 1"


def test_a_figure_that_was_not_told_is_a_dash(hand: Hand) -> None:
    odd = replace(MEETING, clauses=("", "gave {fish} for {love:%}"))
    assert "agent 0  10.0  gave – for – %" in hand.told(met(hand, replace(STAGE, meeting=odd)))


def test_of_a_crowd_a_dozen_pairs_and_the_quantiles_are_told(hand: Hand) -> None:
    agents = 100
    peer = np.arange(agents) ^ 1
    told = {
        "partner": [peer],
        "deed": [(np.arange(agents) + 1) % 2],
        "share": [np.full(agents, 0.25)],
        "spent": [np.zeros(agents)],
        "coins": [np.arange(agents)],
        "refused": [np.zeros(agents, bool)],
    }
    page = hand.page(
        1,
        hand.tell("met", {("own", name): values for name, values in told.items()}),
        present=[[True] * agents],
    )
    manifest = hand.manifest(agents=agents, cohorts=[], stage=STAGE)
    opening = hand.page(0, present=[[True] * agents])
    told_lines = lines(hand.told(hand.recorded(opening, page, manifest=manifest)))
    assert len([line for line in told_lines if "gave 25 %" in line]) == 12
    assert told_lines[12] == "and 38 more pairs"
    assert any(line.strip().startswith("median") for line in told_lines)


def test_on_a_narrow_terminal_bars_go_first_and_then_the_table(hand: Hand) -> None:
    run = met(hand)
    assert lines(hand.told(run, width=57))[0] == (
        "agent 0  10.0  gave 50 %            → agent 1  25.5"
    )
    assert lines(hand.told(run, width=40))[0] == "agent 0 10.0 gave 50 % → agent 1 25.5"


@pytest.mark.parametrize("width", [20, 24, 40, 57, 80, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_line_is_longer_than_the_terminal_is_wide(hand: Hand, width: int, encoding: str) -> None:
    run = met(hand, coins=[[30720.0] * 6])
    for line in hand.told(run, width=width, encoding=encoding).splitlines():
        assert cell_len(line) <= width


def test_clauses_and_names_of_others_are_shown_and_never_obeyed(hand: Hand) -> None:
    nasty = "[bold]{share.__class__}{0.real}[/] \x1b[2J"
    odd = replace(MEETING, clauses=("", nasty), apart=nasty)
    text = hand.told(met(hand, replace(STAGE, meeting=odd)), width=120)
    assert r"[bold]{share.__class__}{0.real}[/] \x1b[2J" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
