"""Frames: a screen of text that is drawn once and shown on a terminal, in tests and in exports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

Panel = list[Text]  # lines, each of at most the width that it was drawn for


_AGENT = "agent"  # the key of a seat in what a style notes beside its looks


class Size(NamedTuple):
    """The size of a screen in cells."""

    width: int
    height: int


class Frame(NamedTuple):
    """One screen: `size.height` lines of `size.width` cells each."""

    size: Size
    lines: tuple[Text, ...]

    @property
    def plain(self) -> str:
        """The frame as text, without the blanks at the ends of lines."""
        return "\n".join(line.plain.rstrip() for line in self.lines) + "\n"


def fit(lines: Iterable[Text], size: Size) -> Frame:
    """Cut and fill lines so that they cover a screen exactly."""
    kept = [line.copy() for line in lines][: size.height]
    kept += [Text() for _ in range(size.height - len(kept))]
    for line in kept:
        line.truncate(size.width, overflow="crop", pad=True)
    return Frame(size, tuple(kept))


def about_agent(line: Text, seat: int) -> Text:
    """Note that a line is about the agent on a seat, so that it can be clicked."""
    line.apply_meta({_AGENT: seat})
    return line


def agent_of(line: Text) -> int | None:
    """Return the seat of the agent that a line is about; None if it is about no one."""
    seats = (
        span.style.meta[_AGENT]
        for span in line.spans
        if isinstance(span.style, Style) and _AGENT in span.style.meta
    )
    return next(seats, None)
