"""Make text harmless on a terminal: no sign in it is a command, and streams let no other through.

While `visible_streams` lasts, all that is printed passes `visible_text`: results and notes, errors
with names from somebody's file, tracebacks, and what code of the user's prints. Only consoles of
society.terminal.visible_console write controls, their own colours and cursor moves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from typing import Any, TextIO

# What Unicode has fonts draw as nothing, or as a blank, though Python calls it printable.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_results: ContextVar[TextIO | None] = ContextVar("the stream of results", default=None)
_BLANKS = frozenset(" \n\u00a0\u2007\u202f\u3000")  # they only look like what they are


def visible_text(text: str) -> str:
    """Spell out signs that a terminal would obey, or nobody would see; lines and blanks stay.

    Controls move the cursor, ring, or fill the clipboard; others turn the direction of text, or
    hide in it. Half surrogate pairs cannot be written at all.

    >>> visible_text("tea \\x1b[31mred \\u202eder\\x07")
    'tea \\\\x1b[31mred \\\\u202eder\\\\x07'
    """
    if text.replace("\n", "").isprintable() and not UNSEEN.search(text):
        return text
    return "".join(map(_visible, text))


def _visible(sign: str) -> str:
    if sign == "\t":
        return "    "
    if sign in _BLANKS or (sign.isprintable() and not UNSEEN.match(sign)):
        return sign
    return sign.encode("unicode_escape").decode()


class VisibleStream:
    """A stream that spells out signs that control a terminal, and signs that it cannot encode."""

    def __init__(self, stream: TextIO) -> None:
        # Rich takes hold of what has this name, to write its own controls.
        self.rich_proxied_file: TextIO = getattr(stream, "rich_proxied_file", stream)

    def write(self, text: str) -> int:
        """Write a text; a line that is drawn over another one (progress bars) follows it."""
        text = text.replace("\r\n", "\n")
        if text.startswith("\r"):
            text = f"\n{text[1:]}"
        shown = visible_text(text)
        try:
            self.rich_proxied_file.write(shown)
        except UnicodeEncodeError:
            coding = self.rich_proxied_file.encoding
            self.rich_proxied_file.write(shown.encode(coding, "backslashreplace").decode(coding))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


@contextmanager
def visible_streams(*, only_results: bool = False) -> Iterator[None]:
    """Print visibly to stdout and stderr; only_results: nothing but `print_result` to stdout."""
    out, err = VisibleStream(sys.stdout), VisibleStream(sys.stderr)
    token = _results.set(out.rich_proxied_file)
    stdout: Any = err if only_results else out
    stderr: Any = err
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            yield
    finally:
        _results.reset(token)


def print_result(text: str) -> None:
    """Print a command's result to stdout, wherever stdout leads meanwhile."""
    print(visible_text(text), file=_results.get())
