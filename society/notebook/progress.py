"""Progress that a notebook shows below its cell, and a script on stderr.

In a notebook it is a bar in HTML that is drawn anew in its place; it needs nothing but IPython,
which is there. Elsewhere the conditions that are over are counted on one line of stderr.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from html import escape
from importlib import import_module
from typing import Any, Protocol

from society.engine.calls import Usage
from society.engine.history import Page, Recorder
from society.experiments.progress import NoProgress, describe_spending
from society.experiments.worker import JobResult
from society.runs.session import Session
from society.terminal.labels import count_noun

_AFTER = 1.0  # seconds until a run shows how far it is
_STEP = 0.2  # seconds between two drawings


class ProgressLine(Protocol):
    """A line that is written again and again in its place."""

    def show(self, share: float, words: str, *, last: bool = False) -> None: ...

    def end(self) -> None:
        """Let what is written next begin on a line of its own."""


class TextLine:
    """A line of stderr; what does not change is not written again, nor much into a log."""

    def __init__(self) -> None:
        self._words, self._open = "", False

    def show(self, share: float, words: str, *, last: bool = False) -> None:
        """Write the words over those that stood there. last: nothing comes after them."""
        if last or (words != self._words and sys.stderr.isatty()):
            end = "\n" if last else ""
            print(f"\r{words.ljust(len(self._words))}", end=end, file=sys.stderr, flush=True)
            self._open = not last
        self._words = words

    def end(self) -> None:
        """End the line, if it has not ended."""
        if self._open:
            print(file=sys.stderr, flush=True)
        self._words, self._open = "", False


class HtmlLine:
    """A bar with words behind it, below the cell of a notebook."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display, self._handle = display, None

    def show(self, share: float, words: str, *, last: bool = False) -> None:
        """Draw the bar up to a share of its length."""
        bar = f'<progress value="{share:.3f}" max="1" style="width: 20em"></progress>'
        data = {"text/html": f"{bar} {escape(words)}", "text/plain": words}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def end(self) -> None:
        """A bar has a place of its own."""


def html_line() -> HtmlLine | None:
    """Return a line of the notebook that this is executed in; None elsewhere."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if getattr(shell, "kernel", None) is None:
        return None
    return HtmlLine(import_module("IPython.display").display)


class SweepProgress(NoProgress):
    """Shows how many conditions of a sweep are over, and how far it is; notes go to stderr.

    parts: how many there are. pause: seconds between two drawings.
    """

    def __init__(self, parts: int, line: ProgressLine, pause: float = _STEP) -> None:
        self._parts, self._line, self._pause = parts, line, pause
        self._over, self._drawn = set[str](), 0.0
        self._shares, self._ledgers = dict[str, float](), dict[str, Sequence[Usage]]()

    def advanced(self, name: str, share: float, ledger: Sequence[Usage], so_far: str = "") -> None:
        """A run has come to a share of its rounds, and has asked so much by now."""
        self._shares[name], self._ledgers[name] = share, ledger
        if time.monotonic() >= self._drawn + self._pause:
            self._draw()

    def done(self, name: str, done: JobResult) -> None:
        """A run is over."""
        self._shares[name] = 1.0
        self._over.add(name)
        self._draw()

    def noted(self, words: str) -> None:
        """Show a note to the user."""
        self._line.end()
        print(words, file=sys.stderr)

    def end(self) -> None:
        """Nothing more comes, whether or not all conditions are over."""
        self._line.end()

    def _draw(self) -> None:
        words = f"{len(self._over)} of {self._parts} conditions are over"
        spent = describe_spending(self._ledgers)
        share = sum(self._shares.values()) / self._parts
        last = len(self._over) == self._parts
        self._line.show(share, f"{words}, {spent}" if spent else words, last=last)
        self._drawn = time.monotonic()


class NotebookRunProgress:
    """Shows how many rounds of a run are over, as soon as it takes long.

    after: seconds until it is shown.
    """

    def __init__(self, rounds: int, line: ProgressLine, after: float = _AFTER) -> None:
        self._rounds, self._line = rounds, line
        self._next, self._shown = time.monotonic() + after, False

    def page(self, page: Page) -> None:
        """Show a round that is over."""
        if time.monotonic() >= self._next:
            self._draw(page.number, page.ledger)
            self._next, self._shown = time.monotonic() + _STEP, True

    def end(self) -> None:
        """Fill the bar, if there is one."""
        if self._shown:
            self._line.show(1.0, "the run is over", last=True)

    def _draw(self, number: int, ledger: Sequence[Usage]) -> None:
        words = f"{number:,} of {count_noun(self._rounds, 'round')}"
        spent = describe_spending({"": ledger})
        self._line.show(number / self._rounds, f"{words}, {spent}" if spent else words)


@contextmanager
def watch_sweep(parts: int) -> Iterator[SweepProgress]:
    """Watch a sweep of so many parts, until it is over or has failed."""
    watching = SweepProgress(parts, html_line() or TextLine())
    try:
        yield watching
    finally:
        watching.end()


def watch_in_notebook(session: Session) -> AbstractContextManager[Recorder | None]:
    """Watch a run in the notebook it is played from; elsewhere nothing is shown."""
    line = html_line()
    return (
        nullcontext() if line is None else _watched(NotebookRunProgress(session.setup.rounds, line))
    )


@contextmanager
def _watched(progress: NotebookRunProgress) -> Iterator[Recorder]:
    yield progress
    progress.end()
