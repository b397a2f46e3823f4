"""Follow a run file that is still being written, without holding on to it.

A look at the file's size and times says whether anything is new. It is opened for the moment in
which it is read: a reader that stayed would keep the writer from making it a single file.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from society.runs.runfile import Status
from society.runs.schema import RunStanding, side_file

from .history import History

_MOMENT = 0.1  # seconds; file systems tell times to some milliseconds

_Stamp = tuple[tuple[int, int, float], ...]


class RunProgress(NamedTuple):
    """How a run stands that is followed, and the number of its last round."""

    status: Status
    last: int


class Follower:
    """Follows the file of a history, which grows with it."""

    def __init__(self, history: History) -> None:
        self.history, self._path = history, history.run.path
        self._stamp: _Stamp | None = None
        self._standing: RunStanding | None = None

    def look(self) -> RunProgress:
        """Take in what was written since the last look; raises RunFileError."""
        run, stamp = self.history.run, _stamp(self._path)
        try:
            if stamp != self._stamp or self._standing is None:
                run.let_go()
                self._standing = run.standing
                self.history.refresh()
                # What is written in the same moment may leave the same stamp.
                settled = all(time.time() - at > _MOMENT for *_, at in stamp)
                self._stamp = stamp if settled else None
        finally:
            run.let_go()
        status = self._standing.status
        gone = status == "running" and not self._standing.alive
        return RunProgress("interrupted" if gone else status, self.history.last)


def _stamp(path: Path) -> _Stamp:
    """Return what changes when something is written to a run file."""
    found = []
    for file in (path, side_file(path, "-wal")):
        try:
            now = file.stat()
        except OSError:
            continue
        found.append((now.st_ino, now.st_size, now.st_mtime))
    return tuple(found)
