"""Fork here: the command that lets this society live on from a round with something changed."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from rich.text import Text

from society.errors import InputError, short_path
from society.runs.runfile import RunFile
from society.terminal.console import TerminalStyle

from .history import History
from .view import View

FORK = "fork"  # the screen that shows how this run is forked
_LONGEST_NAME = 60
_PLAIN = re.compile(r"((--)?[\w.=]+( +|$))*")  # changes that a name can tell from all others


def fork_path(history: History, view: View) -> Path:
    """Return the file of a fork, named by its round and its change, beside that of the run.

    What such a name cannot hold stands in it as a hash, so that no two changes share a file.
    """
    path, change = history.run.path, view.change.strip()
    parts = (path.stem, "at", _place(history, view), re.sub(r"[^\w.=]+", "-", change).strip("-"))
    name = "-".join(part for part in parts if part)
    if len(name) > _LONGEST_NAME or not _PLAIN.fullmatch(change):
        said = repr((path.stem, _place(history, view), change))
        digest = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        name = f"{name[: _LONGEST_NAME - len(digest) - 1]}-{digest}"
    return path.with_name(f"{name}.run")


def describe_fork(forked: RunFile, history: History, view: View) -> str:
    """Say what a run is that was found where a fork from here belongs: done, or to be continued.

    Raises InputError if it is another run, such as a fork of an earlier run of the same name.
    """
    chain = next(history.run.records(view.round, lines=False)).chain
    notes = forked.manifest.forks
    if not notes or (notes[-1].after, notes[-1].digest) != (view.round, chain):
        file = short_path(forked.path)
        raise InputError(f"{file} is there, and is no fork of this run; move it, and try again")
    if forked.status == "finished":
        return "c: keys are about the other run"
    return f"{forked.status}; continue it with: society resume {short_path(forked.path)}"


def fork_words(history: History, view: View) -> list[str]:
    """Return the command of a fork from the round that one looks at.

    The change is settings, key=value, and then options of `society fork`, such as --remove 3.
    Raises ValueError for a quotation that does not end.
    """
    change = shlex.split(view.change)
    settings = ["--set"] if change and not change[0].startswith("-") else []
    start = ["society", "fork", short_path(history.run.path), "--at", _place(history, view)]
    return [*start, *settings, *change, "--out", short_path(fork_path(history, view))]


def _place(history: History, view: View) -> str:
    path = history.paths[view.round]
    return ".".join(map(str, path)) if len(path) > 1 else str(view.round)


def fork_page(history: History, view: View, width: int, style: TerminalStyle) -> Iterator[Text]:
    """Yield the command of a fork, to be copied, or run by Enter."""
    what = f"with {view.change}" if view.change else "with nothing changed"
    command = style.words(shlex.join(fork_words(history, view)))
    notes = [
        "Enter runs it, and shows both side by side; Esc does not.",
        "Chance stays as it was, so that what differs comes from the change.",
    ]
    if history.run.ledger():
        notes.append("Language models are asked anew about what differs from the record.")
    yield style.text(f" This history up to round {view.round}, and then on {what}:", "bold")
    yield Text()
    yield from (Text(f"    {line}", "cyan") for line in textwrap.wrap(command, max(width - 6, 20)))
    yield Text()
    yield from (
        Text(f" {line}", "dim") for note in notes for line in textwrap.wrap(note, width - 2)
    )
