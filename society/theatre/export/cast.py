"""Frames as an asciicast, version 2: a recording that asciinema and its player show.

The first line is a header, every other one an event: seconds, "o" for output or "m" for a mark to
jump to, and text. Of each frame only lines that differ from the frame before are written.
Source: https://docs.asciinema.org/manual/asciicast/v2/
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from society.theatre.frame import Frame, Size
from society.visible import visible_text

from .styled_text import StyledRun, styled_runs

_PREPARE = "\x1b[?25l\x1b[?7l\x1b[0m\x1b[2J"  # no cursor, no wrapping, an empty screen
_RESTORE = "\x1b[0m\x1b[?7h\x1b[?25h"
_LAST_SECONDS = 2.0  # that the last frame stays


class Shot(NamedTuple):
    """A frame of a recording, and words for its mark; "": it has none."""

    frame: Frame
    mark: str = ""


def cast_lines(shots: Iterable[Shot], size: Size, title: str, speed: float) -> Iterator[str]:
    """Yield the lines of a recording; speed: frames per second."""
    header = {
        "version": 2,
        "width": size.width,
        "height": size.height,
        "title": visible_text(title),
    }
    yield json.dumps({**header, "env": {"TERM": "xterm-256color"}})
    shown: tuple[tuple[StyledRun, ...], ...] = ((),) * size.height
    output, count = _PREPARE, 0
    for count, shot in enumerate(shots, 1):
        lines = tuple(map(styled_runs, shot.frame.lines))
        pairs = zip(shown, lines, strict=True)
        output += "".join(
            f"\x1b[{row}H{_line(after)}"
            for row, (before, after) in enumerate(pairs, 1)
            if before != after
        )
        seconds = (count - 1) / speed
        yield _event(seconds, "o", output)
        if shot.mark:
            yield _event(seconds, "m", visible_text(shot.mark))
        shown, output = lines, ""
    yield _event((count - 1) / speed + _LAST_SECONDS, "o", f"\x1b[{size.height}H{_RESTORE}")


def _event(seconds: float, code: str, text: str) -> str:
    return json.dumps([round(seconds, 6), code, text], ensure_ascii=False)


def _line(runs: Iterable[StyledRun]) -> str:
    """One line in the codes of a terminal; blanks at its end are cleared, not written."""
    kept = list(runs)
    while kept and not _visible_blanks(kept[-1].style):
        text, style, _ = kept.pop()
        if text := text.rstrip(" "):
            kept.append(StyledRun(text, style, cell_len(text)))
            break
    return "".join(map(_coloured, kept)) + "\x1b[K"


def _visible_blanks(style: Style) -> bool:
    return bool(style.bgcolor or style.reverse or style.underline or style.strike)


def _coloured(run: StyledRun) -> str:
    return run.style.render(run.text, color_system=ColorSystem.TRUECOLOR)
