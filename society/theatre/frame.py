"""Frames: a screen of text that is drawn once and shown on a terminal, in tests and in exports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.text import Text

Panel = list[Text]  # lines, each of at most the width that it was drawn for


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
