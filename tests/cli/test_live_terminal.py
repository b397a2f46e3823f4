"""Runs on a real terminal: what stands on the screen meanwhile, and afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pty", reason="there are no pseudo-terminals on this system")

from tests.pseudo_terminal import PseudoTerminal

if TYPE_CHECKING:
    from tests.conftest import Provider

SOCIETY = [sys.executable, "-m", "society"]
SLOW = [
    *("run", "language_village", "--rounds", "3", "--agents", "4", "--model", "openai/slow"),
    *("--set", "norm_embedder=hashing", "ends_on=horizon"),
]


def test_a_run_of_rules_is_drawn_once_and_stays_above_its_summary(tmp_path: Path) -> None:
    words = [*SOCIETY, "run", "fishing_village", "--seed", "3", "--rounds", "5"]
    with PseudoTerminal(words, tmp_path, (80, 60)) as terminal:
        assert terminal.end() == 0
        screen = terminal.screen.text
    assert "\\x1b" not in screen
    assert screen.startswith(
        "fishing_village (comes with society) is recorded in runs/fishing_village-3.run\n"
    )
    picture, _, summary = screen.partition("fishing_village · 10 agents · seed 3 · finished")
    assert "round 5 of 5" in picture
    assert "villager 9" in picture
    assert "Round 5 of 5\n" in picture
    assert "survival_time" in summary


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_a_slow_run_shows_agents_events_and_calls_while_it_goes_on(
    size: tuple[int, int], tmp_path: Path, provider: Provider
) -> None:
    provider.plan(latency=0.1)
    words = [*SOCIETY, *SLOW, "--api-base", provider.url]
    with PseudoTerminal(words, tmp_path, size, OPENAI_API_KEY="sk-none") as terminal:
        terminal.until("4 calls sent and not answered")
        screen = terminal.until("Round 1 of 3")
        assert "\\x1b" not in screen
        assert "villager 3" in screen
        terminal.type("\x03")
        assert terminal.end() == 130
        lines = terminal.screen.lines
    assert not any(len(line) > size[0] for line in lines)


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_what_went_wrong_with_calls_is_said_and_an_interrupt_leaves_the_picture(
    tmp_path: Path, provider: Provider
) -> None:
    provider.plan(script=["503"] * 9, complaint="the kettle boils")
    words = [*SOCIETY, *SLOW, "--api-base", provider.url]
    with PseudoTerminal(words, tmp_path, (120, 40), OPENAI_API_KEY="sk-none") as terminal:
        screen = terminal.until("to be repeated in")
        assert "the kettle boils" in screen
        terminal.type("\x03")
        assert terminal.end() == 130
        assert "\x1b[?25h" in terminal.received.rpartition("\x1b[?25l")[2]


@pytest.mark.thorough
def test_nothing_of_the_picture_goes_to_a_file_of_results(tmp_path: Path) -> None:
    words = [*SOCIETY, "run", "fishing_village", "--rounds", "5"]
    with (
        (tmp_path / "out.txt").open("w") as out,
        PseudoTerminal(words, tmp_path, stdout=out.fileno()) as terminal,
    ):
        assert terminal.end() == 0
        assert "round 5 of 5" in terminal.screen.text
    assert (tmp_path / "out.txt").read_text().startswith("fishing_village · 10 agents")


def test_without_a_terminal_lines_come_now_and_then(tmp_path: Path) -> None:
    done = subprocess.run(
        [*SOCIETY, "run", "fishing_village", "--rounds", "20", "--seed", "3"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    first, *lines = done.stderr.splitlines()
    assert first.startswith("fishing_village (comes with society)")
    assert [line.partition(" ·")[0] for line in lines] == [
        f"round {number} of 20" for number in range(2, 21, 2)
    ]
