"""Facts of several entries for each agent never break what is shown of a round."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from society.engine.scenario import DisplaySpec
from society.terminal.live import Live
from tests.terminal.table_text import without_bars

if TYPE_CHECKING:
    from society.runs.runfile import RunFile
    from tests.terminal.conftest import Hand

REACTION = [[[0.0, 0.5], [1, np.nan], [0.25, 1]]]


def told(hand: Hand, **stage: Any) -> RunFile:
    page = hand.page(
        1,
        hand.tell(
            "supposed",
            {
                ("own", "reaction"): REACTION,
                ("own", "reviews"): np.array([[["kind", "fair"], ["", ""], ["mean", ""]]], object),
                ("common", "battery"): [[[1, 2, 3]]],
                ("own", "coins"): [[1, 2, 3]],
            },
        ),
    )
    manifest = hand.manifest(stage=DisplaySpec(**stage))
    return hand.recorded(hand.page(0), page, manifest=manifest)


def test_a_scenario_that_names_nothing_shows_what_has_one_entry(hand: Hand) -> None:
    text = hand.told(told(hand))
    assert "coins" in text
    assert "reaction" not in text
    assert "battery" not in text


def test_what_a_scenario_names_is_shown_entry_by_entry(hand: Hand) -> None:
    text = hand.told(
        told(
            hand,
            columns=("reaction", "coins"),
            notes={"battery": {}},
            quotes={"reviews": "is said to be"},
        )
    )
    lines = without_bars(text.splitlines())
    assert "agent 0 altruist 0.00/0.50 1" in lines
    assert "agent 1 altruist 1.00/– 2" in lines
    assert 'reviews agent 0 is said to be "kind/fair"' in lines
    assert 'battery "1/2/3"' in lines


def test_a_gauge_of_several_entries_is_not_drawn(hand: Hand) -> None:
    run = told(hand, gauge=("battery", "capacity"), columns=("coins",))
    assert "battery" not in hand.told(run)
    file = io.StringIO()
    with Live(run.manifest, Console(file=file)) as live:
        for page in run.pages():
            live.page(page)
        live.console.print(live._picture())
    assert "battery" not in file.getvalue()
