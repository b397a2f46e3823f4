"""A folder of runs on a terminal: conditions, replicates, and the theatre of the chosen one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from textual.app import App, ComposeResult
from textual.events import Key as KeyPressed

from society.errors import SocietyError
from society.runs.runfile import open_run_file
from society.terminal.console import TerminalStyle

from .acts import first_screens
from .app import Board, open_theatre, refuse_broken
from .conditions_data import RunsFolder, read_folder
from .conditions_panel import FolderView, draw_folder
from .following import Follower
from .frame import Size
from .history import History
from .keys import QUIT
from .live_theatre import open_live_theatre
from .view import View

_AGAIN = 2.0  # seconds


class RunsBrowser(App[FolderView]):
    """A table of runs; its result is the view of the one that is to be opened, None for none."""

    CSS = "Screen { background: ansi_default; overflow: hidden; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = []  # noqa: RUF012 - textual reads them from the class

    def __init__(self, folder: RunsFolder, view: FolderView, style: TerminalStyle) -> None:
        super().__init__(ansi_color=True)
        self.folder, self.view, self.style = folder, view, style
        self._board = Board(lambda: self._look(self.view))

    def compose(self) -> ComposeResult:
        """Put the one widget that there is on the screen."""
        yield self._board

    def on_mount(self) -> None:
        """Look again from time to time, since a sweep may be under way."""
        self.set_interval(_AGAIN, self._look_again)

    def _look_again(self) -> None:
        view = self.view
        try:
            self.folder = read_folder(self.folder.path)
        except SocietyError as error:  # what was seen of the folder stays on the screen
            view = replace(view, note=str(error))
        self._look(view)

    def on_key(self, event: KeyPressed) -> None:
        """Turn a key into the next view, or open a run."""
        event.stop()
        event.prevent_default()
        if event.key in QUIT.names:
            self.exit(None)
        elif event.key == "enter" and self.view.replicate >= 0:
            self.exit(self.view)
        else:
            self._look(self.view.pressed(self.folder, event.key))

    def _look(self, view: FolderView) -> None:
        self.view = view
        size = Size(self.size.width, self.size.height)
        self._board.show(draw_folder(self.folder, view, size, self.style))


def open_folder_theatre(folder: RunsFolder, encoding: str) -> None:
    """Show a folder until it is left; a run that is opened there is left first.

    Raises SocietyError where the browser broke.
    """
    view: FolderView | None = FolderView()
    while view is not None:
        browser = RunsBrowser(folder, view, TerminalStyle(encoding, 80))
        view = browser.run(mouse=False)
        refuse_broken(browser)
        if view is not None:
            try:
                _open_run(folder.rows[view.row].path, view.replicate, encoding)
            except SocietyError as error:
                view = replace(view, note=str(error))
            else:
                view = replace(view, note="")


def _open_run(path: Path, replicate: int, encoding: str) -> None:
    """Show a run in the theatre; one that is not over is followed."""
    with open_run_file(path) as run:
        history = History(run)
        view = View(replicate=replicate, screens=first_screens(history))
        if run.status == "finished":
            open_theatre(history, view, encoding)
        else:
            open_live_theatre(Follower(history), view, encoding)
