"""The theatre on a terminal: a thin driver that turns keys into views and draws them."""

from __future__ import annotations

from dataclasses import replace

from rich.text import Text
from textual.app import App, ComposeResult
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from society.terminal.console import TerminalStyle

from .draw import draw
from .frame import Frame, Size
from .history import History
from .keys import QUIT, press
from .view import View, pause_between


class Board(Widget):
    """Shows a frame, and sends to the terminal only the lines that have changed."""

    DEFAULT_CSS = "Board { width: 100%; height: 100%; }"

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Text, ...] = ()

    def show(self, frame: Frame) -> None:
        """Show a frame in place of the one before."""
        before, self._lines = self._lines, frame.lines
        if len(before) != len(frame.lines):
            self.refresh()
            return
        changed = [
            Region(0, place, frame.size.width, 1)
            for place, (old, new) in enumerate(zip(before, frame.lines, strict=True))
            if old != new or old.spans != new.spans
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        if y >= len(self._lines):
            return Strip.blank(self.size.width)
        line = self._lines[y]
        return Strip(line.render(self.app.console), line.cell_len)


class Theatre(App[View]):
    """A run that is looked at; its result is the view at the end."""

    CSS = "Screen { background: ansi_default; overflow: hidden; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = []  # noqa: RUF012 - textual reads them from the class; keys are those of keys.py

    def __init__(self, history: History, view: View, style: TerminalStyle) -> None:
        super().__init__(ansi_color=True)
        self.history, self.view, self.style = history, view, style
        self._timer: Timer | None = None
        self._board = Board()

    def compose(self) -> ComposeResult:
        """Put the one widget that there is on the screen."""
        yield self._board

    def on_resize(self, event: Resize) -> None:
        """Draw for the new size."""
        self.look(self.view)

    def on_key(self, event: KeyPressed) -> None:
        """Turn a key into the next view."""
        event.stop()
        event.prevent_default()
        if event.key in QUIT.names and not self.view.typing:
            self.exit(self.view)
            return
        self.look(press(self.history, self.view, event.key, event.character))

    def look(self, view: View) -> None:
        """Show a view, and play on if it plays."""
        paced = pause_between(view)
        if (view.playing, view.speed) != (self.view.playing, self.view.speed) or (
            view.playing and self._timer is None
        ):
            if self._timer is not None:
                self._timer.stop()
            self._timer = self.set_interval(paced, self._play_on) if view.playing else None
        self.view = view
        size = Size(self.size.width, self.size.height)
        self._board.show(draw(self.history, view, size, self.style))

    def _play_on(self) -> None:
        self.look(self.view.play_on(self.history))


def open_theatre(history: History, view: View, encoding: str) -> View:
    """Open the theatre on the terminal until it is left; return the last view."""
    app = Theatre(history, view, TerminalStyle(encoding, 80))
    return app.run() or replace(app.view, playing=False)
