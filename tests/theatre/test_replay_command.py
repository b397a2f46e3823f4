"""`society replay` without a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.runs.runfile import Writer, manifest_of
from society.theatre.history import History


def test_without_a_terminal_the_history_is_printed_and_a_note_says_so(
    village: History, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(village.run.path)]) == 0
    printed = capfd.readouterr()
    assert "is no terminal, so the history is printed as text" in printed.err
    assert "The end, after 2 of 6 rounds." in printed.out
    assert main(["replay", str(village.run.path), "--plain"]) == 0
    assert capfd.readouterr().err == ""


def test_a_terminal_that_cannot_place_text_gets_the_history_as_text(
    village: History, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in ("__stdin__", "__stdout__", "__stderr__"):
        monkeypatch.setattr(sys, stream, SimpleNamespace(isatty=lambda: True))
    monkeypatch.setenv("TERM", "dumb")
    assert main(["replay", str(village.run.path)]) == 0
    printed = capfd.readouterr()
    assert "(TERM=dumb), so the history is printed as text" in printed.err
    assert "The end, after 2 of 6 rounds." in printed.out


def test_two_runs_side_by_side_need_a_terminal(
    village: History, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(village.run.path)
    assert main(["replay", path, "--beside", path]) == 2
    assert "is no terminal; replay each run alone" in capfd.readouterr().err
    assert main(["replay", path, "--beside", path, "--plain"]) == 2
    assert "--plain prints text; replay each run alone" in capfd.readouterr().err


def test_a_run_in_which_nothing_has_been_recorded_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.run"
    with Writer(path, manifest_of(build(load_config("fishing_village", {})))):
        pass
    assert main(["replay", str(path), "--plain"]) == 2
    assert "no round has been recorded yet" in capfd.readouterr().err
