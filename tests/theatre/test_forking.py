"""The theatre shows the command of a fork, and names its file by what it changes."""

from __future__ import annotations

from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.forking import fork_words
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.keys import press
from society.theatre.view import View


def typed(history: History, text: str) -> View:
    """Ask for a fork at round 2 with this change."""
    view = press(history, View(round=2), "F", "F")
    for sign in text:
        view = press(history, view, sign, sign)
    return press(history, view, "enter", None)


def test_settings_and_options_stand_in_the_command(village: History) -> None:
    path = village.run.path
    words = fork_words(village, typed(village, "fine=2 growth=1.5 --remove 3"))
    assert words[:9] == [
        "society", "fork", str(path), "--at", "2", "--set", "fine=2", "growth=1.5", "--remove"
    ]  # fmt: skip
    assert words[9:] == [
        "3", "--out", str(path.with_name("small-at-2-fine=2-growth=1.5-remove-3.run"))
    ]  # fmt: skip


def test_options_alone_need_no_settings(village: History) -> None:
    words = fork_words(village, typed(village, '--norm "take less"'))
    assert words[5:7] == ["--norm", "take less"]
    assert "--set" not in words


def test_the_command_is_shown_until_enter_asks_for_it(village: History) -> None:
    view = typed(village, "fine=2")
    shown = draw(village, view, Size(200, 24), TerminalStyle("utf-8", 80)).plain
    assert "--at 2 --set fine=2" in shown
    after = press(village, view, "enter", None)
    assert (after.asked, after.screen) == ("fork", "")


def test_a_quotation_that_does_not_end_is_refused(village: History) -> None:
    view = typed(village, "--norm 'never")
    assert (view.screen, "does not end" in view.note) == ("", True)
