"""The theatre shows the command of a fork, and names its file by what it changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from society.errors import InputError
from society.runs.runfile import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.forking import describe_fork, fork_path, fork_words
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


def test_forks_of_a_run_with_a_long_name_have_files_of_their_own(
    village: History, tmp_path: Path
) -> None:
    path = tmp_path / f"{'long-' * 11}name.run"
    shutil.copy(village.run.path, path)
    with open_run_file(path) as run:
        long = History(run)
        files = {
            fork_path(long, View(round=number, change=change)).name
            for number in (1, 2)
            for change in ("", "fine=0", "growth=0.5")
        }
    assert len(files) == 6
    assert path.name not in files
    assert max(map(len, files)) == len("x.run") + 59


def test_changes_that_a_file_name_cannot_tell_apart_have_files_of_their_own(
    village: History,
) -> None:
    changes = ["--norm 5", "--norm -5", "--norm '5'", "--norm 'take less'", "--norm take-less"]
    assert len({fork_path(village, View(round=2, change=one)) for one in changes}) == 5


def test_a_run_that_only_has_the_name_of_a_fork_is_not_shown_as_one(village: History) -> None:
    with pytest.raises(InputError, match=r"small\.run is there, and is no fork of this run"):
        describe_fork(village.run, village, View(round=2))
