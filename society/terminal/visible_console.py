"""A console on which no text can control the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from society.visible import visible_text


class VisibleConsole(Console):
    """A console whose texts, from wherever, cannot control the terminal."""

    @property
    def file(self) -> IO[str]:
        """The stream behind all that stand for it: each of them would spell out our controls."""
        stream = super().file
        while (behind := getattr(stream, "rich_proxied_file", None)) is not None:
            stream = behind
        return stream

    @file.setter
    def file(self, stream: IO[str]) -> None:
        self._file = stream

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield the segments of an object, with harmless texts."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text == (shown := visible_text(segment.text)):
                yield segment
            else:
                yield Segment(shown, segment.style)
