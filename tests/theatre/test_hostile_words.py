"""Words of agents are data: no frame holds a sign that a terminal obeys, and lines stay aligned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import society
from society import Ask, Cohort, Component, Environment, Script, Tell, common, own, scenario
from society.engine.action_spaces import Text
from society.runs.reader import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.keys import press
from society.theatre.view import View
from society.visible import visible_text

NASTY = (
    "\x1b[2J\x1b[31mred\x07 [bold]x[/] \u202eder\u200b",
    "漢字かな交じり文 " * 40,
    "שלום עולם " * 20,
    "e\u0301\u0301 👩‍👩‍👧 \u2800 \ufe0f \ud83d",
)


class Babbles(Component):
    """Says what nobody should print as it is."""

    answers = ("say",)

    def answer(self, ask: Any, me: Any) -> Any:
        """Say something else in each seat."""
        return np.array([NASTY[number % len(NASTY)] for number in range(len(me))], object)


def crowd(params: Any, count: int) -> list[Cohort]:
    return [Cohort("\x1b[7mfolk", count, (Babbles(),))]


@scenario(cast=crowd, agents=6, rounds=3)
def babel(env: Environment) -> Script:
    """A scenario of a user's, without a display."""
    for number in env.rounds():
        said = yield Ask("say", Text(400), fallback="")
        loud = np.arange(env.agents) * np.ones((env.replicates, 1)) + number
        yield Tell("said", {"words": own(said), "loudness": own(loud), "sum": common(loud.sum())})


@pytest.fixture(scope="module")
def babble(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    path: Path = tmp_path_factory.mktemp("babel") / "babel.run"
    society.run(babel, seed=1, out=path)
    with open_run_file(path) as run:
        yield History(run)


@pytest.mark.parametrize("size", [Size(60, 16), Size(80, 24), Size(121, 40), Size(200, 60)])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_frame_holds_what_a_terminal_obeys(babble: History, size: Size, encoding: str) -> None:
    style = TerminalStyle(encoding, 80)
    for keys in ([], ["tab", "down"], ["slash", "x", "enter"], ["s", "s", "down"]):
        view = View(round=2)
        for key in keys:
            view = press(babble, view, key, key if len(key) == 1 else None)
        frame = draw(babble, view, size, style)
        for line in frame.lines:
            assert visible_text(line.plain) == line.plain
            assert cell_len(line.plain) == size.width
        frame.plain.encode(encoding)


def test_what_is_typed_is_shown_but_not_obeyed(babble: History) -> None:
    view = View(typing="find", typed="\x1b[2J\u202e")
    frame = draw(babble, view, Size(80, 24), TerminalStyle("utf-8", 80))
    assert r"find: \x1b[2J\u202e" in frame.plain


def test_a_scenario_without_a_display_shows_all_that_it_tells(babble: History) -> None:
    shown = draw(babble, View(round=2), Size(120, 40), TerminalStyle("utf-8", 80)).plain
    assert "loudness" in shown
    assert "sum" in shown
    assert r"\x1b[2J\x1b[31mred" in shown
