"""The process that shows a run in the theatre while another one plays it.

It reads the run file, and from a pipe, line by line, what the run is doing: the clauses of `Doing`
as JSON. The pipe ends with the run.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from society.errors import SocietyError
from society.runs.runfile import open_run_file
from society.terminal.console import TerminalStyle

from .following import Follower
from .history import History
from .live_run import Doing, LiveClause
from .live_theatre import LiveTheatre
from .view import View

STOP = 10  # the exit code by which the one who looks stops the run


class DoingPipe:
    """What a run is doing, read in a thread."""

    def __init__(self, lines: TextIO) -> None:
        self._lines, self._latest = lines, Doing()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._lines:
            clauses, calls = json.loads(line)
            self._latest = Doing(_clauses(clauses), _clauses(calls))
        self._latest = Doing()

    def latest(self) -> Doing:
        """Return what the run was doing when it said so last."""
        return self._latest

    def ended(self) -> bool:
        """Check if nobody plays the run any more."""
        return not self._reader.is_alive()


def line_of(doing: Doing) -> bytes:
    """Write what a run is doing as a line for the pipe."""
    return json.dumps(doing).encode() + b"\n"


def _clauses(said: Iterable[tuple[str, bool]]) -> tuple[LiveClause, ...]:
    return tuple(LiveClause(*one) for one in said)


def main() -> int:
    """Show the run file that is named first, told by the pipe with the number that comes second."""
    path, number = Path(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(number, encoding="utf-8") as lines, open_run_file(path) as run:
        history, pipe = History(run), DoingPipe(lines)
        theatre = LiveTheatre(
            Follower(history),
            View(round=history.last),
            TerminalStyle(sys.stdout.encoding, 80),
            doing=pipe.latest,
            stoppable=True,
            gone=pipe.ended,
        )
        try:
            theatre.show_until_left()
        except SocietyError as error:
            print(f"society: {error}", file=sys.stderr)
            return 1
        return STOP if theatre.wish == "stop" else 0
