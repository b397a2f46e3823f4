"""Fork here: the command that lets this society live on from a round with something changed."""

from __future__ import annotations

import shlex
import textwrap

from rich.text import Text

from society.errors import short_path
from society.terminal.console import TerminalStyle

from .frame import Panel
from .history import History
from .view import View


def fork_command(history: History, view: View) -> str:
    """Return the command line of a fork from the round that one looks at."""
    path = history.run.path
    place = ".".join(map(str, history.paths[view.round])) or "0"
    words = ["society", "fork", short_path(path), "--at", place]
    words += ["--set", *view.change.split()] if view.change else []
    fork = path.with_name(f"{path.stem}-fork-{place}.run")
    return shlex.join([*words, "--out", short_path(fork)])


def fork_panel(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Show the command of a fork, to be copied."""
    what = f"with {view.change}" if view.change else "with nothing changed"
    said = f"This history up to round {view.round}, then {what}:"
    note = "Chance stays as it was, so that what differs comes from the change."
    command = textwrap.wrap(
        style.words(fork_command(history, view)), width - 6, break_on_hyphens=False
    )
    return [
        style.text(f" {said}", "bold"),
        Text(),
        *(Text(f"    {line}", "cyan") for line in command),
        Text(),
        *(Text(f" {line}", "dim") for line in textwrap.wrap(note, width - 2)),
    ][:height]
