"""Watch a run in the theatre while it is played: `society run --watch`.

The run is played as always, in the main thread of this process; the theatre is a process of its
own, which reads the run file and has the terminal. So neither slows the other down, interrupts
reach the run as always, and a theatre that is closed, or breaks, leaves the run alone. Whatever
else would be printed meanwhile is printed afterwards.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import IO, Self

from society.engine.history import Page
from society.runs.session import Session
from society.terminal.live import Live

from .live_run import Doing, LiveClause
from .viewer import STOP, line_of

_OFTEN = 0.25  # seconds between two words to the theatre
_START = "import sys; from society.theatre.viewer import main; sys.exit(main())"
# For a theatre that died: leave its screen, show the cursor, no mouse, no bracketed paste.
_TIDY = b"\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[<u\x1b[m"


class WatchedRun:
    """A recorder that shows a run in the theatre; `with WatchedRun(session, live) as recorder`.

    live: the plain view, before the run has a file, and after the theatre was closed.
    """

    def __init__(self, session: Session, live: Live) -> None:
        self._session, self._live = session, live
        self._over = threading.Event()
        self._viewer: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Self:
        self._live.__enter__()
        self._thread.start()
        return self

    def page(self, page: Page) -> None:
        """Take in a finished round."""
        self._live.page(page)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait until the theatre is left: the one who looks has not seen the end yet."""
        self._over.set()
        try:
            self._thread.join()
        finally:  # an interrupt, or SIGTERM
            if self._viewer is not None and self._viewer.poll() is None:
                self._viewer.terminate()
                self._thread.join()
            self._live.__exit__(kind, error, trace)

    def _show(self) -> None:
        """Open the theatre as soon as there is a file, and tell it what the run is doing."""
        while not self._session.writer.published:
            if self._over.wait(_OFTEN / 5) and not self._session.writer.published:
                return
        self._live.pause()
        try:
            with _terminal_for_others() as terminal:
                code = self._tell_theatre(terminal)
        finally:
            self._live.resume()
        if code == STOP and not self._over.is_set():
            os.kill(os.getpid(), signal.SIGINT)
        elif code not in (0, STOP, -signal.SIGTERM):
            words = "" if self._over.is_set() else "; the run goes on"
            print(f"society: the theatre ended with code {code}{words}", file=sys.stderr)

    def _tell_theatre(self, terminal: IO[bytes]) -> int:
        reading, writing = os.pipe()
        file = str(self._session.writer.path)
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            # -P: a module of the user's in this folder must not be taken for one of ours.
            words = [sys.executable, "-P", "-c", _START, file, str(reading)]
            self._viewer = viewer = subprocess.Popen(
                words, stdout=terminal, stderr=terminal, pass_fds=[reading]
            )
            os.close(reading)
            while viewer.poll() is None and not self._over.wait(_OFTEN):
                with suppress(BrokenPipeError):
                    pipe.write(line_of(doing_of(self._session, self._live)))
        if (code := viewer.wait()) not in (0, STOP):
            terminal.write(_TIDY)
        return code


def doing_of(session: Session, live: Live) -> Doing:
    """Return what a run is doing: what it has spent, calls to models, batches, slow work."""
    clauses = tuple(LiveClause(*clause) for clause in live.doing())
    return Doing(clauses, tuple(LiveClause(*clause) for clause in live.calls()))


@contextmanager
def _terminal_for_others() -> Iterator[IO[bytes]]:
    """Give the terminal away until the block is left; print afterwards what was to be printed."""
    import termios  # there is none on Windows

    kept = {number: os.dup(number) for number in (1, 2) if os.isatty(number)}
    settings = termios.tcgetattr(2)
    with ExitStack() as stack:
        terminal = stack.enter_context(os.fdopen(os.dup(kept[2]), "wb", buffering=0))
        files = {number: stack.enter_context(tempfile.TemporaryFile()) for number in kept}
        _flush()
        for number, file in files.items():
            os.dup2(file.fileno(), number)
        try:
            yield terminal
        finally:
            _flush()
            for number, file in files.items():
                os.dup2(kept[number], number)
                os.close(kept[number])
                file.seek(0)
                with os.fdopen(number, "wb", closefd=False) as stream:
                    shutil.copyfileobj(file, stream)
            termios.tcsetattr(2, termios.TCSADRAIN, settings)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
