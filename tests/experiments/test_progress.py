"""What a sweep says on the way: on a terminal, in a file, and to those who want to hear nothing."""

from __future__ import annotations

import asyncio
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from rich.progress import ProgressColumn

from society.engine.calls import Usage
from society.experiments.experiment import read_experiment
from society.experiments.jobs import planned_runs
from society.experiments.progress import NoProgress, Progress, describe_spending
from society.experiments.sweep import WorkersRun, _Watched
from society.experiments.worker import JobResult, play_run

if TYPE_CHECKING:
    from society.engine.history import Page
    from society.llm.providers.batch_desk import BatchDesk
    from tests.conftest import Provider, Typed

SHORT = """
base: fishing_village
rounds: 3
parameters: {ends_on: horizon}
factors: {fine: [2, 10]}
"""
MINDS = """
base: language_village
rounds: 2
parameters: {ends_on: horizon, norm_embedder: hashing}
models: {default: offline}
"""


@pytest.fixture
def screen() -> Console:
    """A terminal of a hundred columns."""
    return Console(file=io.StringIO(), force_terminal=True, width=100)


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def entry(calls: int, cost: float | None) -> Usage:
    return Usage("language_policy", "effort", "resident", calls=calls, cost=cost)


@pytest.mark.thorough
def test_a_terminal_shows_done_of_total_time_left_and_what_was_spent(
    tmp_path: Path, plain: Callable[[str], str]
) -> None:
    """Two villages of the offline mind, on a real terminal of 100 columns."""
    (tmp_path / "e.yaml").write_text(f"{MINDS}factors: {{growth: [0.3, 0.5]}}\n")
    ours, theirs = os.openpty()
    words = [sys.executable, "-m", "society", "sweep", "e.yaml"]
    surroundings = os.environ | {"COLUMNS": "100", "TERM": "xterm"}
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs, env=surroundings
    ) as process:
        os.close(theirs)
        said = b""
        while more := _read(ours):
            said += more
    os.close(ours)
    assert process.returncode == 0
    text = plain(said.decode())
    assert "0 of 2 conditions finished, 2 running" in text
    *_, last = text.split("2 of 2 conditions finished")
    assert re.search(r"━+ 0:00:\d\d so far 160 calls, \$0.0000", last)
    assert re.search(r"growth\S*0\.3\S*: survival_time ", text)
    assert re.search(r"growth\S*0\.3\S*: survival_time [12] so far", text)
    assert "\\x1b" not in text


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux, once nobody writes any more
        return b""


def test_where_stderr_is_no_terminal_only_what_is_wrong_is_said(typed: Typed) -> None:
    Path("own.py").write_text(
        "from society.engine.component import Component\n"
        "class Broken(Component):\n"
        "    answers = ('effort',)\n"
        "    def answer(self, ask, me):\n"
        "        raise ValueError('[red]no[/red]')\n"
    )
    broken = "{cohorts: [{name: folk, count: 10, replace: {harvest: broken}}]}"
    Path("e.yaml").write_text(
        "base: fishing_village\nrounds: 2\nuses: [own.py]\n"
        f"conditions: {{sound: , broken: {broken}}}\n"
    )
    said = typed("sweep", "e.yaml")
    first, second = said.err.splitlines()
    assert first == "broken: own.py:5: ValueError: [red]no[/red]"
    assert second.startswith("society: e: 1 of 2 conditions are finished")
    assert "\x1b" not in said.err + said.out


def test_shares_of_runs_under_way_count(screen: Console) -> None:
    with Progress(4, screen) as watching:
        watching.done("a", JobResult("finished"))
        watching.advanced("b", 0.5, [entry(20, 0.25)])
        watching.advanced("c", 0.5, [entry(3, 0.5)])
        (bar,) = watching._bars.tasks
        assert (bar.completed, bar.total) == (2, 4)
    assert "1 of 4 conditions finished, 2 running" in shown(screen)
    assert "23 calls, $0.7500" in shown(screen)


def test_what_runs_under_way_have_come_to_stands_below_the_bar(screen: Console) -> None:
    with Progress(6, screen) as watching:
        for fine in range(5):
            watching.advanced(
                f"fine={fine}", 0.5, [], f"survival_time {fine} so far, 1 of 8 runs over"
            )
        watching.done("fine=4", JobResult("finished"))
        watching._bars.refresh()
    *_, last = shown(screen).split("1 of 6 conditions finished, 4 running")
    lines = [line for line in last.splitlines() if "so far, 1 of" in line]
    assert [line.split(":")[0].strip()[-6:] for line in lines] == [f"fine={n}" for n in range(4)]


def test_the_first_result_is_announced_and_each_is_told(
    screen: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of one condition has taken 60 s, a fifth of the other as long."""
    clock = [100.0]
    monkeypatch.setattr("society.experiments.progress.time.monotonic", lambda: clock[0])
    watching = Progress(2, screen)
    for name in ("fine=2", "fine=10"):
        watching._began[name] = clock[0]
    clock[0] = 160.0
    watching._shares.update({"fine=2": 0.5, "fine=10": 0.2})
    assert watching._counts() == ("0 of 2 conditions finished, 2 running, the first in about 60 s")
    monkeypatch.undo()
    with watching:
        watching.done("fine=2", JobResult("finished", found="survival_time 41.2 ± 3.1"))
        assert "first in" not in watching._counts()
    assert "fine=2: survival_time 41.2 ± 3.1" in shown(screen)


def test_runs_that_did_not_finish_are_counted(screen: Console) -> None:
    with Progress(4, screen) as watching:
        watching.done("a", JobResult("failed", "boom"))
        watching.done("b", JobResult("paused"))
        watching.done("c", JobResult("finished"))
    assert "1 of 4 conditions finished, 1 failed, 1 paused" in shown(screen)


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (None, "0:01:02 so far"),
        (1.2, "0:01:02 so far, about 1 s left"),
        (125.0, "0:01:02 so far, about 2 min left"),
        (9000.0, "0:01:02 so far, about 2.5 h left"),
    ],
)
def test_the_time_left_is_told_once_it_is_known(
    left: float | None, words: str, screen: Console
) -> None:
    clocks = Progress(1, screen)._bars.columns[2]
    task: Any = SimpleNamespace(finished=False, elapsed=62.4, time_remaining=left)
    assert isinstance(clocks, ProgressColumn)
    assert str(clocks.render(task)) == words


def test_an_interrupt_tells_how_many_replies_are_awaited(screen: Console) -> None:
    with Progress(2, screen) as watching:
        watching.awaiting("a", 5)
        watching.awaiting("b", 3)
        watching._bars.refresh()
        assert "waiting for 8 replies under way" in shown(screen)
        watching.done("a", JobResult("interrupted", "interrupted"))
        watching._bars.refresh()
        assert "waiting for 3 replies under way" in shown(screen)


def test_a_batch_is_named_and_of_several_their_number_is_told(screen: Console) -> None:
    with Progress(2, screen) as watching:
        watching.batched("a", ["batch b1 of 12 questions at here: 3 of 12 done"])
        watching._bars.refresh()
        assert "batch b1 of 12 questions at here: 3 of 12 done" in shown(screen)
        watching.batched("b", ["batch b2 of 9 questions at here: 0 of 9 done"])
        watching._bars.refresh()
        assert "2 batches" in shown(screen)
        watching.batched("a", [])
        watching._bars.refresh()
        assert "batch b2 of 9 questions" in shown(screen)


@pytest.mark.xdist_group("provider")
def test_a_sweep_says_which_batches_it_waits_for(
    tmp_path: Path, provider: Provider, typed: Typed
) -> None:
    provider.plan(batch={"polls": 1})
    (tmp_path / "e.yaml").write_text(
        "base: public_goods\nrounds: 1\nreplicates: 1\nbatch: true\nparameters: {minds: language}\n"
        f"models: {{default: {{model: sweeping, api_base: '{provider.url}', backoff: 0.001}}}}\n"
        "factors: {factor: [1.5, 2.5]}\n"
    )
    said = typed("sweep", "e.yaml")
    assert said.code == 0, said.err
    told = re.findall(r"factor\S*: sent batch (batch_\d) of \d+ questions at 127", said.err)
    assert sorted(told) == ["batch_1", "batch_2"]


def test_what_a_condition_says_is_never_read_as_markup(screen: Console) -> None:
    with Progress(1, screen) as watching:
        watching.done("a", JobResult("failed", "[bold]boom[/bold]"))
    assert "a: [bold]boom[/bold]" in shown(screen)


def test_a_bar_that_came_to_nothing_is_taken_away(screen: Console) -> None:
    with pytest.raises(ValueError, match="no workers"), Progress(1, screen):
        raise ValueError("no workers")
    assert shown(screen).endswith("\x1b[1A\x1b[2K")


@pytest.mark.parametrize(
    ("ledgers", "words"),
    [
        ({}, ""),
        ({"a": [entry(1200, 0.5)], "b": [entry(34, 0.25)]}, "1,234 calls, $0.7500"),
        ({"a": [entry(2, 0.5)], "b": [entry(1, None)]}, "3 calls, cost unknown"),
    ],
)
def test_what_was_spent_is_told_as_far_as_it_is_known(
    ledgers: dict[str, list[Usage]], words: str
) -> None:
    assert describe_spending(ledgers) == words


def test_the_run_of_a_worker_is_told_of_while_it_is_written(tmp_path: Path) -> None:
    """Three rounds of a village of rules, looked at after each; nothing is new in a second look."""
    (tmp_path / "e.yaml").write_text(SHORT)
    part, *_ = planned_runs(read_experiment(tmp_path / "e.yaml"), tmp_path)
    looks: list[Any] = []

    class Looking:
        def page(self, page: Page) -> None:
            looks.append((page.number, run.look(), run.look()))

        def awaiting(self, count: int) -> None: ...
        def batching(self, desk: BatchDesk) -> None: ...

    run = WorkersRun(part, _Watched(part, NoProgress()))
    assert run.look() is None
    asyncio.run(play_run(part.setup, part.file, "summary", spectator=Looking()))
    assert looks == [
        (0, None, None),
        (1, (1 / 3, "survival_time 1 so far"), None),
        (2, (2 / 3, "survival_time 2 so far"), None),
        (3, (1.0, "survival_time 3 so far"), None),
    ]
    assert run.look() is None, "the run is over, and its end is told otherwise"
