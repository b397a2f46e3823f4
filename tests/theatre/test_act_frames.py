"""Frames of lines of descent, tournaments, networks and folders of runs, kept as text.

`SOCIETY_GOLDEN=rewrite pytest tests/theatre/test_act_frames.py` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from society.terminal.console import TerminalStyle
from society.theatre.conditions_data import RunsFolder
from society.theatre.conditions_panel import FolderView, draw_folder
from society.theatre.draw import draw
from society.theatre.frame import Frame, Size
from society.theatre.history import History
from society.theatre.view import View

FRAMES = Path(__file__).parent / "act_frames"
SIZES = {80: Size(80, 24), 120: Size(120, 40)}
STYLE = TerminalStyle("utf-8", 80)
SCREENS = {
    "lineage": ("chain", View(round=8, screens=("lineage",), row=1)),
    "lineage_by_share": ("chain", View(round=8, screens=("lineage",), arranged="phenotype")),
    "network_of_donors": ("chain", View(round=7, screens=("graph",))),
    "network_of_neighbours": ("ring", View(round=3, screens=("graph",))),
    "ranking": ("rivals", View(screens=("ranking",), row=1, column=1)),
    "selection": ("rivals", View(screens=("ranking",), arranged="selection")),
    "matches": ("rivals", View(screens=("ranking", "matches"), row=1, column=1, top=2)),
}


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_screens_look_as_they_did(name: str, width: int, request: pytest.FixtureRequest) -> None:
    run, view = SCREENS[name]
    history: History = request.getfixturevalue(run)
    assert_as_kept(f"{name}.{width}.txt", draw(history, view, SIZES[width], STYLE))


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize(
    ("name", "view"), [("conditions", FolderView(row=1)), ("replicates", FolderView(replicate=1))]
)
def test_folders_look_as_they_did(
    name: str, view: FolderView, width: int, swept: RunsFolder
) -> None:
    assert_as_kept(f"{name}.{width}.txt", draw_folder(swept, view, SIZES[width], STYLE))


@pytest.mark.parametrize("name", SCREENS)
def test_screens_fill_every_size_and_are_ascii_where_that_is_all_there_is(
    name: str, request: pytest.FixtureRequest
) -> None:
    run, view = SCREENS[name]
    history: History = request.getfixturevalue(run)
    for size in (Size(60, 16), Size(80, 24), Size(200, 60)):
        frame = draw(history, view, size, TerminalStyle("ascii", 80))
        assert frame.plain.isascii()
        assert {line.cell_len for line in frame.lines} == {size.width}


def assert_as_kept(name: str, frame: Frame) -> None:
    """Compare a frame with the one that is kept, or keep it."""
    file = FRAMES / name
    if os.environ.get("SOCIETY_GOLDEN") == "rewrite":
        file.write_text(frame.plain, encoding="utf-8")
    assert frame.plain == file.read_text(encoding="utf-8")
