"""Small runs kept as text, so that a change in them is read like code.

`make golden` (or SOCIETY_GOLDEN=rewrite pytest tests/golden) writes the text anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from society.runs.runfile import Writer, manifest_of, open_run
from society.scenario_file import load
from society.spec import prepared
from society.theatre.plain import history

HERE = Path(__file__).parent


def replayed(folder: Path, scenario: str, changes: Mapping[str, Any]) -> str:
    """The printed history of a run that went through a run file."""
    setup = prepared(load(scenario, changes))
    game = setup.gamemaster()
    writer = Writer(folder / "golden.run", manifest_of(setup, game))
    game.recorders = [writer]
    game.play()
    writer.close("finished")
    text = io.StringIO()
    history(open_run(folder / "golden.run"), Console(file=text, width=80))
    return text.getvalue()


def test_a_small_village_is_told_as_it_was(tmp_path: Path) -> None:
    """Four poor villagers, three rounds: fines, imitation, and one who is fined to death."""
    poor = {"population": "mixed", "wealth": 2, "consumption": 3, "punishers": "text"}
    rules = {"effort_rule": "trait", "ends_on": "collapse"}
    changes = {"agents": 4, "rounds": 3, "seed": 9, "parameters": poor | rules}
    told, kept = replayed(tmp_path, "fishing_village", changes), HERE / "fishing_village.txt"
    if os.environ.get("SOCIETY_GOLDEN") == "rewrite":
        kept.write_text(told, encoding="utf-8")
    assert told == kept.read_text(encoding="utf-8")
