"""What is piped is shortened nowhere: no sentence, list or table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.scenario import DisplaySpec

if TYPE_CHECKING:
    from tests.terminal.conftest import Hand

CROWD = 40
SAID = " ".join(f"word{number}" for number in range(60))
SHOWN = DisplaySpec(
    columns=("catch",),
    links={"punish": "fined"},
    notes={"policy": {"vote": "the plurality of {n} votes"}},
    quotes={"norm": "now holds"},
)


def story(hand: Hand, *, whole: bool) -> str:
    """A round of a crowd: numbers, fines, long norms, and a vote on many of them."""
    everybody = np.arange(CROWD)
    norms: Any = np.array([[f"{SAID} {agent}" for agent in everybody]], object)
    page = hand.page(
        1,
        hand.ask("punish", "peer", {("answer", ""): [np.roll(everybody, 1)]}),
        hand.ask("vote", "choice", {("answer", ""): [everybody], ("options", ""): norms}),
        hand.ask("trust", "choice no/yes", {("answer", ""): [everybody % 2]}),
        hand.tell("fished", {("own", "catch"): [everybody / 4], ("own", "norm"): norms}),
        hand.tell("adopted", {("common", "policy"): np.array([[f"{SAID} 0"]], object)}),
        present=[[True] * CROWD],
    )
    cohorts = [{"name": "a type with a long name", "seats": range(CROWD - 1)}]
    manifest = hand.manifest(
        stage=SHOWN,
        agents=CROWD,
        cohorts=[*cohorts, {"name": "other", "seats": [CROWD - 1]}],
    )
    first = hand.page(0, present=[[True] * CROWD])
    return hand.told(hand.recorded(first, page, manifest=manifest), whole=whole)


def test_every_agent_deed_and_sentence_is_printed_in_full(hand: Hand) -> None:
    told = " ".join(story(hand, whole=True).split())
    for agent in range(CROWD):
        assert f"agent {agent} fined agent {(agent - 1) % CROWD}" in told
        assert f'agent {agent} now holds "{SAID} {agent}"' in told
    assert f'1 for "{SAID} 39"' in told
    assert "20 yes (agent 1, agent 3, " in told
    assert "more" not in told
    assert "…" not in told


def test_a_type_that_is_wider_than_the_page_is_printed_in_full(hand: Hand) -> None:
    cohorts = [{"name": "x" * 200, "seats": [0]}, {"name": "other", "seats": [1, 2]}]
    page = hand.page(1, hand.tell("fished", {("own", "catch"): [[1, 2, 3]]}))
    manifest = hand.manifest(stage=SHOWN, cohorts=cohorts)
    told = hand.told(hand.recorded(hand.page(0), page, manifest=manifest), whole=True)
    assert "x" * 200 in told
    assert told.count(" other\n") == 2


def test_on_a_terminal_a_crowd_is_counted_and_sentences_are_cut(hand: Hand) -> None:
    told = story(hand, whole=False)
    assert "28 more" in told
    assert "…" in told


@pytest.mark.parametrize(("cap", "shown"), [(np.inf, False), (5.0, True)])
def test_a_cap_that_is_endless_is_not_shown(hand: Hand, cap: float, shown: bool) -> None:
    page = hand.page(
        1,
        hand.tell("harvested", {("common", "limit"): [[cap]], ("own", "catch"): [[6.0, 1, 2]]}),
        hand.tell("adopted", {("common", "cap"): [[cap]]}),
    )
    told = hand.told(hand.recorded(hand.page(0), page))
    assert ("\ncap " in told) == shown
    assert ("! marks a catch above the limit" in told) == shown
    assert ("6!" in told) == shown
    assert "∞" not in told
