"""Keys are documented, shown on screen and do not collide."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.keys import KEYS, QUIT, keys_of, press
from society.theatre.view import View

if TYPE_CHECKING:
    from tests.theatre.conftest import Record

DOCUMENT = Path(__file__).parents[2] / "docs" / "replay.md"
ALL = (*KEYS, QUIT)


def test_the_document_lists_all_keys_with_what_they_do() -> None:
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.M)
    assert rows == [(key.label, key.help) for key in ALL]


def test_no_two_keys_of_one_screen_have_the_same_name(
    pair: History, chain: History, rivals: History
) -> None:
    screens = {screen for key in ALL for screen in key.screens} | {""}
    for history, screen in product((pair, chain, rivals), screens):
        view = View(beside=True, screens=(screen,) if screen else ())
        names = Counter(name for key in keys_of(history, view) for name in key.names)
        assert [name for name, count in names.items() if count > 1] == []


def test_the_help_names_every_key_that_means_something_here(pair: History) -> None:
    for size in (Size(80, 24), Size(120, 40)):
        view = View(beside=True).open("help")
        shown = draw(pair, view, size, TerminalStyle("utf-8", 80)).plain
        here = [key for key in ALL if key.screens in ((), ("",)) and key.when(view, pair)]
        missing = [key.help for key in here if key.help not in shown]
        assert missing == []


def test_at_level_summary_only_keys_that_do_something_are_offered(record: Record) -> None:
    history = record("fishing_village", {"agents": 4, "rounds": 2, "seed": 1}, "summary")
    line = draw(history, View(), Size(200, 24), TerminalStyle("utf-8", 80)).lines[-1].plain
    words = line.split()
    assert {"choose", "sort", "eyes", "find", "open", "events"}.isdisjoint(words)
    assert {"play", "round", "jump", "fork"} <= {*words}
    assert press(history, View(), "down").agent == -1


def test_the_line_of_keys_fits_and_always_ends_with_help_and_quit(pair: History) -> None:
    for width in (60, 80, 120, 200):
        frame = draw(pair, View(), Size(width, 24), TerminalStyle("utf-8", 80))
        assert frame.lines[-1].plain.rstrip().endswith("? help  q quit")
