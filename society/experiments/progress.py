"""Progress of a sweep on stderr: conditions by status, results, time, and cost so far."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bars
from rich.table import Column
from rich.text import Text

from society.engine.calls import Usage
from society.terminal.visible_console import VisibleConsole

from .worker import JobResult

_MOST_BELOW = 4  # runs under way of which it is told what they have come to


class Progress:
    """Watches a sweep: `with Progress(parts) as watching: ...`.

    parts: how many there are. Where stderr is no terminal, there is no bar: only what is wrong is
    told, and what ought to be known.
    """

    def __init__(self, parts: int, console: Console | None = None) -> None:
        self.console = console or VisibleConsole(stderr=True)
        self._bars = _BarAbove(
            TextColumn("{task.description}"),
            BarColumn(),
            _Clocks(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[spent]}", markup=False),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._parts = parts
        self._ended: dict[str, str] = {}  # the status of each, by name
        self._shares: dict[str, float] = {}
        self._began: dict[str, float] = {}  # seconds of time.monotonic
        self._ledgers: dict[str, Sequence[Usage]] = {}
        self._awaited: dict[str, int] = {}
        self._batches: dict[str, Sequence[str]] = {}
        self._so_far: dict[str, str] = {}  # of runs under way, the first one first

    def __enter__(self) -> Self:
        self._bars.start()
        self._bar = self._bars.add_task(self._counts(), total=self._parts, spent="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.live.transient = error is not None  # nothing has come of it
        self._bars.stop()

    def advanced(self, name: str, share: float, ledger: Sequence[Usage], so_far: str = "") -> None:
        """A run has come to a share of its rounds, 0 as it begins, and has asked so much by now.

        so_far: what it has come to, in words.
        """
        self._shares[name], self._ledgers[name] = share, ledger
        if so_far:
            self._so_far[name] = f"{name}: {so_far}"
        self._began.setdefault(name, time.monotonic())
        self._show()

    def awaiting(self, name: str, count: int) -> None:
        """A run that was interrupted waits for replies under way."""
        self._awaited[name] = count
        self._show()

    def batched(self, name: str, awaited: Sequence[str]) -> None:
        """A run waits for these batches, each in words."""
        self._batches[name] = awaited
        self._show()

    def done(self, name: str, done: JobResult) -> None:
        """A run is over, one way or another."""
        self._shares[name] = 1.0
        self._awaited.pop(name, None)
        self._batches.pop(name, None)
        self._so_far.pop(name, None)
        self._ended[name] = done.status
        if done.status != "finished":
            self.noted(f"{name}: {done.words or done.status}")
        elif done.found and self.console.is_terminal:
            self.noted(f"{name}: {done.found}")
        self._show()

    def noted(self, words: str) -> None:
        """Show a note to the user."""
        self.console.print(words, markup=False, highlight=False, soft_wrap=True)

    def _counts(self) -> str:
        """Count conditions by status: "1 of 6 conditions finished, 2 running, 1 failed"."""
        ended = Counter(self._ended.values())
        words = [f"{ended.pop('finished', 0)} of {self._parts} conditions finished"]
        if running := len(self._shares.keys() - self._ended.keys()):
            words.append(f"{running} running")
        words += [f"{count} {status}" for status, count in ended.items()]
        if not self._ended and self._parts > 1 and (left := self._until_first()) is not None:
            words.append(f"the first in about {_in_words(left)}")
        return ", ".join(words)

    def _until_first(self) -> float | None:
        """Estimate the seconds until a condition is over, as if its rounds took equally long."""
        now = time.monotonic()
        left = [
            (now - self._began[name]) * (1 - share) / share
            for name, share in self._shares.items()
            if 0 < share < 1
        ]
        return min(left, default=None)

    def _show(self) -> None:
        awaited = sum(self._awaited.values())
        waiting = f"waiting for {awaited} replies under way" if awaited else ""
        batches = [words for open_now in self._batches.values() for words in open_now]
        self._bars.below = [*self._so_far.values()][:_MOST_BELOW]
        in_batches = f"{len(batches)} batches" if len(batches) > 1 else "".join(batches)
        self._bars.update(
            self._bar,
            # Shares of runs under way count, so that the time left is told before one is over.
            completed=sum(self._shares.values()),
            description=self._counts(),
            spent=", ".join(filter(None, [describe_spending(self._ledgers), waiting, in_batches])),
        )


class _BarAbove(Bars):
    """A bar with lines of text below it."""

    below: Sequence[str] = ()

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield the bar, then the lines, each cut off where the console ends."""
        yield from super().get_renderables()
        for words in self.below:
            yield Text(f"  {words}", "dim", no_wrap=True, overflow="ellipsis")


class _Clocks(ProgressColumn):
    """The time that has passed, and the time that is left as soon as it can be estimated."""

    def render(self, task: Task) -> Text:
        """Write the one as a clock, and the other, an estimate, in words."""
        passed = task.finished_time if task.finished else task.elapsed
        words = f"{timedelta(seconds=int(passed or 0))} so far"
        if task.time_remaining and not task.finished:
            words += f", about {_in_words(task.time_remaining)} left"
        return Text(words, "cyan")


def _in_words(seconds: float) -> str:
    """Write a time that is known roughly: 5 s, 12 min, 2.5 h."""
    minutes, hours = round(seconds / 60), round(seconds / 3600, 1)
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    if minutes < 100:
        return f"{minutes} min"
    return f"{hours:g} h"


class NoProgress:
    """A listener that says nothing."""

    def advanced(self, name: str, share: float, ledger: Sequence[Usage], so_far: str = "") -> None:
        """A run has come to a share of its rounds."""

    def awaiting(self, name: str, count: int) -> None:
        """A run that was interrupted waits for replies under way."""

    def batched(self, name: str, awaited: Sequence[str]) -> None:
        """A run waits for these batches."""

    def done(self, name: str, done: JobResult) -> None:
        """A run is over."""

    def noted(self, words: str) -> None:
        """Show a note to the user."""


class CountedProgress(NoProgress):
    """A listener that counts, on one line of stderr, the parts that are over."""

    def __init__(self, parts: int) -> None:
        self.parts, self.over = parts, 0

    def done(self, name: str, done: JobResult) -> None:
        self.over += 1
        end = "\n" if self.over == self.parts else ""
        print(f"\r{self.over} of {self.parts} conditions are over", end=end, file=sys.stderr)

    def noted(self, words: str) -> None:
        print(words, file=sys.stderr)


def describe_spending(ledgers: Mapping[str, Sequence[Usage]]) -> str:
    """Describe calls and cost of this session in words."""
    entries = [entry for ledger in ledgers.values() for entry in ledger]
    calls = sum(entry.calls for entry in entries)
    if not calls:
        return ""
    costs = [entry.cost for entry in entries]
    known = [cost for cost in costs if cost is not None]
    cost = f"${sum(known):.4f}" if len(known) == len(costs) else "cost unknown"
    return f"{calls:,} calls, {cost}"
