"""Two frames of each scenario are kept as text, so that a change in them is seen like one in code.

`make golden` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.config.registry import scenarios
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.view import View

if TYPE_CHECKING:
    from tests.theatre.conftest import Record

HERE = Path(__file__).parent / "frames"
SIZES = (Size(80, 24), Size(120, 40))
OFFLINE = {"models": {"default": {"model": "offline"}}}
# The others are played without models.
LANGUAGE = {"language_village", "village_meeting", "strategy_writing", "persona_writing"}
LANGUAGE |= {"norm_coding", "haggling", "pub_coordination", "collective_labour", "marketplace"}
LANGUAGE |= {"irrigation_election"}


@pytest.mark.parametrize("name", sorted(scenarios()))
def test_a_scenario_is_shown_as_it_was(name: str, record: Record) -> None:
    changes: dict[str, Any] = {"rounds": 4, "seed": 1, **(OFFLINE if name in LANGUAGE else {})}
    history = record(name, changes)
    view = View(round=min(3, history.last))
    frames = [draw(history, view, size, TerminalStyle("utf-8", 80)).plain for size in SIZES]
    shown = "\n".join(frames)
    kept = HERE / f"{name}.txt"
    if os.environ.get("SOCIETY_GOLDEN") == "rewrite":
        kept.write_text(shown, encoding="utf-8")
    assert shown == kept.read_text(encoding="utf-8")


def test_every_kept_frame_is_of_a_scenario() -> None:
    assert {file.stem for file in HERE.glob("*.txt")} == set(scenarios())
