"""`society run --watch` and `society replay` of a run under way, on a real terminal."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from society.cli.runs import _can_watch
from society.runs.runfile import open_run_file

pytest.importorskip("pty", reason="there are no pseudo-terminals on this system")

from tests.pseudo_terminal import ROOT, PseudoTerminal, Screen

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed

SOCIETY = [sys.executable, "-m", "society"]
RULES = [*SOCIETY, "run", "fishing_village", "--rounds", "5", "--seed", "3"]
ROUNDS, SLOW = 3, 1.0  # seconds of an answer, in which a theatre opens


def begun(provider: Provider) -> list[str]:
    """The words that begin a run of language agents, whose answers take a while."""
    return [
        *SOCIETY, "run", "language_village", "--agents", "4", "--rounds", str(ROUNDS),
        *("--model", "openai/slow", "--api-base", provider.url, "--out", "a.run"),
        *("--set", "norm_embedder=hashing", "ends_on=horizon"),
    ]  # fmt: skip


def opened(screen: Screen) -> bool:
    return screen.alternate and "● live" in screen.text


def over(screen: Screen) -> bool:
    return screen.alternate and screen.lines[0].endswith("finished")


def child_of(process: int) -> int:
    """Return the only child of a process, whichever of its threads has begun it."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    (child,) = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    return child


def cursor_is_back(terminal: PseudoTerminal) -> bool:
    return "\x1b[?25h" in terminal.received.rpartition("\x1b[?25l")[2]


@pytest.mark.xdist_group("provider")
@pytest.mark.thorough
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_a_run_is_watched_to_its_end_and_its_result_stands_on_the_normal_screen(
    size: tuple[int, int], tmp_path: Path, provider: Provider
) -> None:
    provider.plan(latency=SLOW)
    words = [*begun(provider), "--watch"]
    with PseudoTerminal(words, tmp_path, size, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(opened)
        terminal.until("4 calls sent and not answered")
        provider.plan(latency=0.02)
        terminal.until(over)
        assert f"round {ROUNDS} of {ROUNDS}" in terminal.screen.lines[0]
        terminal.type("q")
        assert terminal.end() == 0
        assert not terminal.screen.alternate
        assert terminal.screen.text.rstrip().endswith("society show a.run")
        assert cursor_is_back(terminal)
    with open_run_file(tmp_path / "a.run") as run:
        assert (run.status, run.rounds) == ("finished", ROUNDS)
    assert [one.name for one in tmp_path.glob("a.run*")] == ["a.run"]


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_run_is_stopped_from_the_theatre_and_resumed_in_it(
    tmp_path: Path, provider: Provider
) -> None:
    provider.plan(latency=SLOW)
    words = [*begun(provider), "--watch"]
    with PseudoTerminal(words, tmp_path, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(opened)
        terminal.type("q")
        terminal.until("s: stop it")
        terminal.type("s")
        assert terminal.end() == 130
        screen = terminal.until(lambda screen: not screen.alternate)
    assert "society resume a.run" in screen
    provider.plan(latency=0.02)
    words = [*SOCIETY, "resume", "a.run", "--api-base", provider.url, "--watch"]
    with PseudoTerminal(words, tmp_path, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(over)
        terminal.type("q")
        assert terminal.end() == 0
    # What was paid for before is not asked again.
    assert {entry["full"] for entry in provider.log().values()} == {1}


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_theatre_that_is_closed_leaves_the_run_to_the_plain_view(
    tmp_path: Path, provider: Provider
) -> None:
    provider.plan(latency=SLOW)
    words = [*begun(provider), "--watch"]
    with PseudoTerminal(words, tmp_path, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(opened)
        terminal.type("q")
        terminal.until("close the view only")
        terminal.type("v")
        terminal.until(lambda screen: not screen.alternate and "calls sent" in screen.text)
        provider.plan(latency=0.02)
        assert terminal.end() == 0
        assert f"round {ROUNDS} of {ROUNDS}" in terminal.received.rpartition("?1049l")[2]


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_theatre_that_dies_leaves_the_run_alone(tmp_path: Path, provider: Provider) -> None:
    provider.plan(latency=SLOW)
    words = [*begun(provider), "--watch"]
    with PseudoTerminal(words, tmp_path, (100, 40), OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(opened)
        os.kill(child_of(terminal.process.pid), signal.SIGKILL)
        terminal.until(lambda screen: not screen.alternate)
        provider.plan(latency=0.02)
        assert terminal.end() == 0
        assert "the theatre ended with code -9; the run goes on" in terminal.received
        assert cursor_is_back(terminal)
    with open_run_file(tmp_path / "a.run") as run:
        assert run.status == "finished"


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_run_that_is_killed_takes_its_theatre_along(tmp_path: Path, provider: Provider) -> None:
    provider.plan(latency=SLOW)
    words = shlex.join([*begun(provider), "--watch"])
    shell = ["sh", "-c", f"{words}; echo the shell goes on; sleep 30"]
    with PseudoTerminal(shell, tmp_path, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(opened)
        os.kill(child_of(terminal.process.pid), signal.SIGKILL)
        # The shell writes into the theatre's screen, which may be gone before anybody looks at it.
        terminal.until(lambda screen: "the shell goes on" in terminal.received)
        terminal.until(lambda screen: not screen.alternate and cursor_is_back(terminal))


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_sigterm_interrupts_a_run_that_is_watched(tmp_path: Path, provider: Provider) -> None:
    provider.plan(latency=SLOW)
    words = [*begun(provider), "--watch"]
    with PseudoTerminal(words, tmp_path, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until(opened)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == 130
        assert not terminal.screen.alternate
        assert "society resume a.run" in terminal.screen.text


@pytest.mark.thorough
def test_a_run_of_rules_is_watched_after_its_end(tmp_path: Path) -> None:
    with PseudoTerminal([*RULES, "--watch"], tmp_path) as terminal:
        terminal.until(over)
        terminal.type("q")
        assert terminal.end() == 0
        assert "survival_time" in terminal.screen.text


def slices_of(process: int) -> list[int]:
    """Return the processes that play replicates for a process: forked from it, with its words."""
    said = Path(f"/proc/{process}/cmdline").read_bytes()
    tasks = Path(f"/proc/{process}/task").iterdir()
    children = [one for task in tasks for one in (task / "children").read_text().split()]
    return [int(one) for one in children if Path(f"/proc/{one}/cmdline").read_bytes() == said]


@pytest.mark.thorough
def test_a_run_on_two_cores_is_watched_stopped_and_resumed(tmp_path: Path, typed: Typed) -> None:
    """Stopped by a key in the theatre, then by Ctrl-C; no process is left either time."""
    sizes = "--seed 3 --rounds 100000 --replicates 4 --set ends_on=horizon"
    many = [*SOCIETY, "run", "fishing_village", *sizes.split(), "--workers", "2"]
    with PseudoTerminal([*many, "--out", "a.run", "--watch"], tmp_path) as terminal:
        terminal.until(opened)
        slices = slices_of(terminal.process.pid)
        terminal.type("q")
        terminal.until("s: stop it")
        terminal.type("s")
        assert terminal.end() == 130
        assert "society resume a.run" in terminal.until(lambda screen: not screen.alternate)
    assert len(slices) == 2
    assert not any(Path(f"/proc/{one}").exists() for one in slices)
    again = [*SOCIETY, "resume", "a.run", "--workers", "2", "--watch"]
    with PseudoTerminal(again, tmp_path) as terminal:
        terminal.until(opened)
        slices = slices_of(terminal.process.pid)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
        assert not terminal.screen.alternate
    assert len(slices) == 2
    assert not any(Path(f"/proc/{one}").exists() for one in slices)
    with open_run_file(tmp_path / "a.run") as run:
        assert run.status == "interrupted"
    assert typed("verify", tmp_path / "a.run").code == 0


@pytest.mark.thorough
def test_json_is_printed_alone_after_a_run_was_watched(tmp_path: Path) -> None:
    with (
        (tmp_path / "out.json").open("w") as out,
        PseudoTerminal([*RULES, "--watch", "--json"], tmp_path, stdout=out.fileno()) as terminal,
    ):
        terminal.until(over)
        terminal.type("q")
        assert terminal.end() == 0
    assert (tmp_path / "out.json").read_text().startswith('{\n  "scenario": "fishing_village"')


def test_without_a_terminal_watching_is_printing_lines(typed: Typed) -> None:
    said = typed("run", "fishing_village", "--rounds", 5, "--watch")
    assert said.err.startswith(
        "society: --watch needs a terminal, and stdin is none; lines are printed instead\n"
    )
    assert "round 5 of 5" in said.err


FRAIL = """
from society import Component

class Frail(Component):
    answers = ("effort",)

    def answer(self, ask, me):
        return [0.3, 0.3] if me.moment < 3 else [1 / 0]
"""


def test_a_run_that_fails_while_it_is_watched_says_why_and_where_it_stands(typed: Typed) -> None:
    """A rule of the user's divides by zero in round 3; the rounds before it are shown and kept."""
    Path("frail.py").write_text(FRAIL)
    Path("frail.yaml").write_text(
        "scenario: fishing_village\nrounds: 5\nuses: [frail.py]\nparameters: {ends_on: horizon}\n"
        "cohorts: [{name: folk, count: 2, replace: {harvest: frail}}]\n"
    )
    said = typed("run", "frail.yaml", "--watch", "--out", "a.run")
    assert said.code == 1
    assert "round 2 of 5" in said.err
    assert "frail.py:8: ZeroDivisionError: division by zero" in said.err
    with open_run_file(Path("a.run")) as run:
        assert (run.status, run.rounds) == ("failed", 2)


def test_windows_is_told_that_it_cannot_watch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("society.cli.runs.os", SimpleNamespace(name="nt", environ={}))
    assert not _can_watch(argparse.Namespace(quiet=False, json=False))
    words = "society: --watch does not work on Windows; lines are printed instead\n"
    assert capsys.readouterr().err == words


def test_to_watch_quietly_is_a_contradiction(typed: Typed) -> None:
    said = typed("run", "fishing_village", "--watch", "--quiet")
    assert said.code == 2
    assert said.err == (
        "society: --watch shows a run while it is played, and --quiet nothing; give one\n"
    )
    assert not Path("runs").exists()


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_run_of_another_process_is_followed_by_replay(tmp_path: Path, provider: Provider) -> None:
    provider.plan(latency=SLOW)
    surroundings = {**os.environ, "OPENAI_API_KEY": "sk-none", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*begun(provider), "--quiet"], cwd=tmp_path, env=surroundings, stderr=subprocess.DEVNULL
    ) as process:
        while not (tmp_path / "a.run").exists():
            assert process.poll() is None
            time.sleep(0.02)
        with PseudoTerminal([*SOCIETY, "replay", "a.run"], tmp_path) as terminal:
            terminal.until(opened)
            provider.plan(latency=0.02)
            terminal.until(over)
            assert f"round {ROUNDS} of {ROUNDS}" in terminal.screen.lines[0]
            terminal.type("q")
            assert terminal.end() == 0
    assert process.returncode == 0
    assert [one.name for one in tmp_path.glob("a.run*")] == ["a.run"]
