"""Commands on a terminal of their own: what stands on the screen, and keys that are typed."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.child_processes import heed_interrupts

ROOT = Path(__file__).resolve().parents[1]
_SAID = re.compile(
    r"\x1b\[(?P<code>[?<>=]?[\d;]*[ $]?)(?P<letter>[@-~])|\x1b[\]P].*?(?:\x07|\x1b\\)|\x1b[=>78cM]"
    r"|(?P<glyph>[^\x1b])",
    re.DOTALL,
)


class Screen:
    """A screen that knows the controls which rich and textual write."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._usual, self._other = self._blank(), self._blank()  # the alternate screen is apart
        self.cells, self.row, self.column = self._usual, 0, 0
        self._kept = 0, 0  # where the cursor was when the other screen was opened
        self._rest = ""

    def _blank(self) -> list[list[str]]:
        return [[" "] * self.width for _ in range(self.height)]

    @property
    def alternate(self) -> bool:
        """Whether a program has the whole screen for itself."""
        return self.cells is self._other

    @property
    def lines(self) -> list[str]:
        """The lines that stand on the screen, without blanks at their ends."""
        return ["".join(row).rstrip() for row in self.cells]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def feed(self, text: str) -> None:
        """Draw what a program has written; a control may come in two parts."""
        text, end = self._rest + text, 0
        for found in _SAID.finditer(text):
            if found.start() != end:
                break
            end = found.end()
            if found["glyph"]:
                self._write(found["glyph"])
            elif found["letter"]:
                self._obey(found["code"], found["letter"])
        self._rest = text[end:]

    def _write(self, glyph: str) -> None:
        if glyph == "\r":
            self.column = 0
        elif glyph == "\n":
            self.row += 1
            if self.row == self.height:
                self.row -= 1
                del self.cells[0]
                self.cells.append([" "] * self.width)
        elif glyph >= " ":
            if self.column == self.width:
                self._write("\r")
                self._write("\n")
            self.cells[self.row][self.column] = glyph
            self.column += 1

    def _obey(self, code: str, letter: str) -> None:
        if code == "?1049" and letter in "hl":
            if letter == "h":
                self._kept = self.row, self.column
                self._other = self._blank()
                self.row = self.column = 0
            elif self.alternate:
                self.row, self.column = self._kept
            self.cells = self._other if letter == "h" else self._usual
        if not re.fullmatch(r"[\d;]*", code):
            return
        first, _, second = code.partition(";")
        count = int(first or 1)
        if letter == "H":
            self.row, self.column = (
                min(count, self.height) - 1,
                min(int(second or 1), self.width) - 1,
            )
        elif letter in "AB":
            self.row = min(max(self.row + (count if letter == "B" else -count), 0), self.height - 1)
        elif letter in "CD":
            column = self.column + (count if letter == "C" else -count)
            self.column = min(max(column, 0), self.width - 1)
        elif letter == "K":
            start = 0 if first in ("1", "2") else self.column
            end = self.column + 1 if first == "1" else self.width
            self.cells[self.row][start:end] = [" "] * (end - start)
        elif letter == "J":
            start = 0 if first == "2" else self.row
            for row in range(start, self.height):
                self.cells[row] = [" "] * self.width


class PseudoTerminal:
    """A command that runs on a terminal of its own; `with PseudoTerminal([...], folder) as it:`.

    A part of what it writes may be sent elsewhere, as a shell does: stdout, stderr.
    """

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        size: tuple[int, int] = (80, 24),
        stdout: int | None = None,
        stderr: int | None = None,
        **environment: str,
    ) -> None:
        self.screen, self.received = Screen(*size), ""
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, size[::-1])
        plain = {name: value for name, value in os.environ.items() if name not in _SIZES}
        surroundings = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            stdin=slave,
            stdout=slave if stdout is None else stdout,
            stderr=slave if stderr is None else stderr,
            env=plain | surroundings | environment,
            preexec_fn=lambda: _own_terminal(slave),
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(60)
        os.close(self._master)

    def _read(self) -> None:
        pending = b""
        while True:
            try:
                part = os.read(self._master, 65536)
            except OSError:  # how Linux says that nobody has the other end any more
                return
            if not part:
                return
            text, pending = _decoded(pending + part)
            self.received += text
            self.screen.feed(text)

    def type(self, keys: str) -> None:
        """Type keys; "\\x03" is Ctrl-C."""
        os.write(self._master, keys.encode())

    def until(self, sight: str | Callable[[Screen], bool], seconds: float = 120.0) -> str:
        """Wait until words stand on the screen, or it is as wanted; return its text."""
        until = time.monotonic() + seconds
        while not (sight in self.screen.text if isinstance(sight, str) else sight(self.screen)):
            assert time.monotonic() < until, f"never came: {sight!r}\n{self.screen.text}"
            time.sleep(0.02)
        return self.screen.text

    def end(self, seconds: float = 120.0) -> int:
        """Wait for the end of the command; return its exit code."""
        code = self.process.wait(seconds)
        self._reader.join(60)
        return code


_SIZES = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TEXTUAL"}


def _own_terminal(slave: int) -> None:
    heed_interrupts()
    os.setsid()
    import fcntl

    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)  # Ctrl-C comes from it


def _decoded(data: bytes) -> tuple[str, bytes]:
    """Decode as much as is whole."""
    for cut in range(4):
        whole = data[: len(data) - cut]
        try:
            return whole.decode(), data[len(whole) :]
        except UnicodeDecodeError:
            continue
    return data.decode(errors="replace"), b""
