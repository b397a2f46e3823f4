"""The live view: on a terminal it redraws itself and stays at the end; elsewhere, lines."""

from __future__ import annotations

import io
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from society.engine.calls import Address, Request, Usage
from society.engine.fact_specs import FactSpec
from society.engine.history import Page
from society.llm.providers.calls_under_way import CallUnderWay
from society.slow_work import slow_work
from society.terminal.calls_text import describe_calls
from society.terminal.live import Live

if TYPE_CHECKING:
    from society.runs.runfile import Manifest
    from tests.terminal.conftest import Hand

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals on this system")
termios = pytest.importorskip("termios")


def rounds(hand: Hand, count: int, replicates: int = 2) -> Iterator[Page]:
    """A stock that falls by 10 a round from 100 on; one fine a round in the first replicate."""
    for number in range(count + 1):
        fined = [[1, -1, -1]] + [[-1, -1, -1]] * (replicates - 1)
        yield hand.page(
            number,
            hand.ask("punish", "peer on net", {("answer", ""): fined}),
            hand.tell("regrown", {("common", "stock"): [[100.0 - 10 * number]] * replicates}),
            hand.tell("adopted", {("common", "cap"): [[4.0], [5.0]][:replicates]}),
            measures={"gini": [0.25] * replicates, "survival_time": [0.0] * replicates},
            present=[[True, True, False]] + [[True] * 3] * (replicates - 1),
            running=[[True]] * replicates,
            ledger=(Usage("language_policy", "vote", calls=9, fallbacks=number),),
        )


def given(hand: Hand, **changes: object) -> Manifest:
    gini = {"name": "gini", "unit": "", "fold": "last"}
    first = {"name": "survival_time", "unit": "rounds", "fold": "first"}
    return hand.manifest(**{"replicates": 2, "measures": [gini, first]} | changes)


class Shown(NamedTuple):
    """The bytes that a terminal received, and the lines that stand on it afterwards."""

    received: str
    screen: list[str]


def on_a_terminal(
    hand: Hand,
    manifest: Manifest,
    pages: int,
    *,
    columns: int = 80,
    rows: int = 24,
    interrupted: bool = False,
    quick: bool = False,
    asked: Callable[[], Sequence[Usage]] = tuple,
    under_way: Sequence[CallUnderWay] = (),
) -> Shown:
    """Play pages before a live view in a pseudo-terminal; quick: they take less than a moment."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (rows, columns))
    received: list[bytes] = []

    def read() -> None:
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # how Linux says that the other end is closed
                return
            if not part:
                return
            received.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(slave, "w", encoding="utf-8") as terminal, pytest.MonkeyPatch.context() as patch:
        patch.setattr("society.terminal.live._MOMENT", 60.0 if quick else 0.0)
        console = Console(file=terminal, width=columns, height=rows)
        live = Live(manifest, console, asked, under_way=lambda: under_way)
        with suppress(KeyboardInterrupt), live:
            while not quick and not (live._screen and live._screen.is_started):
                time.sleep(0.001)
            for page in rounds(hand, pages):
                live.page(page)
            if interrupted:
                raise KeyboardInterrupt
        console.print("after")
    reader.join()
    os.close(master)
    text = b"".join(received).decode()
    return Shown(text, after_all(text))


def after_all(text: str) -> list[str]:
    """The screen after these bytes, by a terminal that knows just what rich says."""
    lines, row, column = [""], 0, 0
    said = re.compile(r"(\x1b\[\??(\d*)[\d;]*([A-Za-z]))|(.)", re.DOTALL)
    for code, count, letter, glyph in said.findall(text):
        if letter == "A":
            row -= int(count or 1)
        elif letter == "K":
            lines[row] = ""
        elif glyph == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif glyph == "\r":
            column = 0
        elif glyph:
            lines[row] = lines[row][:column].ljust(column) + glyph + lines[row][column + 1 :]
            column += 1
        else:
            assert letter in "mlh", f"{code!r} is new to this terminal"
    return lines


def test_a_terminal_shows_how_the_run_goes(hand: Hand) -> None:
    shown = on_a_terminal(hand, given(hand), pages=6)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.received.rpartition("round 6 of 10")[2])
    lines = [" ".join(line.split()) for line in last.splitlines()]
    assert re.fullmatch("━+─+", lines[0])
    assert re.fullmatch("stock [▁-█]+ 40 of 100", lines[1])
    assert lines[2] == "2.50 of 3 alive · 2 of 2 replicates running · cap 4.50 · 0.50 fined"
    assert lines[3] == "6 answers could not be read"
    assert lines[4] == "gini 0.25"


def test_the_stock_stands_under_the_part_of_the_bar_that_is_done(hand: Hand) -> None:
    shown = on_a_terminal(hand, given(hand), pages=5)
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.received.rpartition("round 5 of 10")[2])
    bar, stock = last.splitlines()[:2]
    assert abs(bar.count("━") - bar.count("─")) <= 1
    assert abs(bar.count("━") - len(re.findall("[▁-█]", stock))) <= 5


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_last_picture_stays_once_and_the_cursor_comes_back(
    hand: Hand, interrupted: bool
) -> None:
    shown = on_a_terminal(hand, given(hand), pages=6, interrupted=interrupted)
    lines = [line.rstrip() for line in shown.screen if line.strip()]
    assert [line.partition("  ")[0] for line in lines] == [
        "round 6 of 10", "stock", "2.50 of 3 alive · 2 of 2 replicates running · cap 4.50 · 0.50 "
        "fined", "6 answers could not be read", "gini 0.25", "replicate 0", "Round 6 of 10",
        "1 fined", "cap", "after",
    ]  # fmt: skip
    assert shown.received.count("\x1b[?25l") == 1
    assert shown.received.rindex("\x1b[?25h") > shown.received.rindex("\x1b[?25l")


def test_a_run_of_a_moment_is_drawn_once(hand: Hand) -> None:
    shown = on_a_terminal(hand, given(hand), pages=6, quick=True)
    assert shown.received.count("round 6 of 10") == 1
    assert "\x1b[?25l" not in shown.received
    assert shown.screen[0].startswith("round 6 of 10")


def test_where_nothing_has_happened_nothing_stays(hand: Hand) -> None:
    shown = on_a_terminal(hand, given(hand), pages=0, interrupted=True)
    assert [line for line in shown.screen if line.strip()] == ["after"]


def test_a_high_terminal_shows_the_events_of_more_rounds(hand: Hand) -> None:
    last = {}
    for height in (12, 40):
        live = Live(given(hand), Console(file=io.StringIO(), force_terminal=True, height=height))
        for page in rounds(hand, 8):
            live.page(page)
        last[height] = [str(line) for line in live._picture().renderables]
    assert all(len(lines) < height for height, lines in last.items())
    titles = {
        height: [line for line in lines if line.startswith("Round")]
        for height, lines in last.items()
    }
    assert titles[12] == ["Round 8 of 10"]
    assert titles[40] == [f"Round {number} of 10" for number in range(1, 9)]


def test_the_picture_never_becomes_lower_while_the_run_goes_on(hand: Hand) -> None:
    live = Live(given(hand), Console(file=io.StringIO(), force_terminal=True, height=40))
    live._note_work("loading the embedding model")
    *pages, last = rounds(hand, 3)
    for page in pages:
        live.page(page)
    before = len(live._picture().renderables)
    live._note_work("")
    assert len(live._picture().renderables) == before
    live.page(last)
    assert len(live._picture().renderables) > before


def test_calls_without_a_reply_are_told(hand: Hand) -> None:
    now = time.monotonic()
    request = Request(Address("language_policy", "answer effort", 0, 0, 0, 0), "gpt", ())
    calls = [
        CallUnderWay(request, "sent", now - 8.2),
        CallUnderWay(request, "sent", now),
        CallUnderWay(request, "waiting", now),
        CallUnderWay(request, "held back", now, now + 30.4, "here asked for a pause"),
        CallUnderWay(request, "retrying", now, now + 2.3, "429 \x1b[31mslow down"),
    ]
    live = Live(
        given(hand), Console(file=io.StringIO(), force_terminal=True), under_way=lambda: calls
    )
    assert [str(line) for line in live._picture().renderables[1:]] == [
        "2 calls sent and not answered, the first 8 s ago · 1 call waiting for a place",
        "1 call held back for 30 s: here asked for a pause",
        r"1 call to be repeated in 2 s: 429 \x1b[31mslow down",
    ]


def test_of_a_single_call_its_own_time_is_told() -> None:
    request = Request(Address("language_policy", "answer effort", 0, 0, 0, 0), "gpt", ())
    said = [
        [one.words for one in describe_calls([CallUnderWay(request, "sent", 0.0)], now)]
        for now in (15.0, 1.0)
    ]
    assert said == [["1 call sent and not answered for 15 s"], ["1 call sent and not answered"]]


def test_work_that_takes_long_is_told_where_there_is_no_terminal(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("society.terminal.live._SLOW", 0.02)
    file = io.StringIO()
    with Live(given(hand), Console(file=file)):
        with slow_work("packing the run file"):
            pass
        with slow_work("loading the embedding model"):
            while not file.getvalue():
                time.sleep(0.001)
    assert file.getvalue() == "loading the embedding model\n"


@pytest.mark.parametrize("columns", [24, 40, 200])
def test_the_view_fits_the_terminal(hand: Hand, columns: int) -> None:
    shown = on_a_terminal(hand, given(hand), pages=6, columns=columns)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.received)
    assert all(cell_len(line) <= columns for line in re.split(r"[\r\n]+", text))


def test_nothing_of_the_view_goes_to_stdout(hand: Hand, capfd: pytest.CaptureFixture[str]) -> None:
    with Live(given(hand)) as live:
        for page in rounds(hand, 10):
            live.page(page)
        print("{}")
    out, err = capfd.readouterr()
    assert out == "{}\n"
    assert "round 10 of 10" in err


def test_without_a_terminal_a_tenth_of_the_run_is_a_line(hand: Hand) -> None:
    file = io.StringIO()
    with Live(given(hand, horizon=200), Console(file=file, width=40)) as live:
        for page in rounds(hand, 100):
            live.page(page)
    lines = file.getvalue().splitlines()
    assert [line.partition(" ·")[0] for line in lines] == [
        f"round {number} of 200" for number in (20, 40, 60, 80, 100)
    ]
    assert lines[0].startswith(
        "round 20 of 200 · stock -100 of 100 · 2.50 of 3 alive · "
        "2 of 2 replicates running · cap 4.50 · 0.50 fined"
    )


def test_one_replicate_is_told_without_counting_replicates(hand: Hand) -> None:
    file = io.StringIO()
    with Live(given(hand, replicates=1), Console(file=file)) as live:
        for page in rounds(hand, 10, replicates=1):
            live.page(page)
    assert file.getvalue().splitlines()[-1] == (
        "round 10 of 10 · stock 0 of 100 · 2 of 3 alive · cap 4 · 1 fined · "
        "10 answers could not be read"
    )


def test_the_stock_and_the_rules_in_force_have_their_units(hand: Hand) -> None:
    file, fish = io.StringIO(), FactSpec(unit="fish")
    facts = {"stock": fish, "cap": fish}
    with Live(given(hand, replicates=1, facts=facts), Console(file=file)) as live:
        for page in rounds(hand, 5, replicates=1):
            live.page(page)
    assert "stock 50 of 100 fish · 2 of 3 alive · cap 4 fish" in file.getvalue()


def test_a_run_shorter_than_ten_rounds_has_a_line_for_each(hand: Hand) -> None:
    file = io.StringIO()
    with Live(given(hand, horizon=3), Console(file=file)) as live:
        for page in rounds(hand, 3):
            live.page(page)
    assert len(file.getvalue().splitlines()) == 3


def test_a_dumb_terminal_gets_lines(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    file = io.StringIO()
    with Live(given(hand), Console(file=file, force_terminal=True)) as live:
        for page in rounds(hand, 10):
            live.page(page)
    assert len(file.getvalue().splitlines()) == 10
    assert "\x1b" not in file.getvalue()


def test_what_is_asked_outside_is_told_while_a_round_goes_on(hand: Hand) -> None:
    ledger = (
        Usage("language_policy", "effort", "gpt", 1200, 0, 0, 0, 0, 30_000, 2_000, 0.0123),
        Usage("language_policy", "vote", "gpt", 34, 0, 0, 0, 0, 400, 0, 0.0),
    )
    file = io.StringIO()
    with Live(given(hand), Console(file=file), lambda: ledger) as live:
        for page in rounds(hand, 1):
            live.page(page)
    assert " · 1,234 calls · 32,400 tokens · 0.0123 US dollars · " in file.getvalue()


def test_the_view_is_drawn_with_what_was_asked_before_any_round_is_over(hand: Hand) -> None:
    ledger = (Usage("language_policy", "effort", "gpt", 7, cost=None, completion_tokens=None),)
    shown = on_a_terminal(hand, given(hand), pages=-1, asked=lambda: ledger)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.received)
    assert "round 0 of 10" in text
    assert "7 calls · tokens unknown · cost unknown" in text


def test_a_policy_in_words_is_told_of_one_replicate(hand: Hand) -> None:
    words = np.array([["Take no more \x1b[2J than you need."]], object)
    page = hand.page(1, hand.tell("adopted", {("common", "cap"): words}))
    file = io.StringIO()
    with Live(given(hand, replicates=1), Console(file=file, width=200)) as live:
        live.page(page)
    assert r" · cap Take no more \x1b[2J than you need. · " in file.getvalue()
