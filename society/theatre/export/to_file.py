"""Write a replay to a file: the frames that the theatre would show, in the form that one asks for.

html: a page with all rounds. svg: a picture of one round. cast: a recording for asciinema. txt:
all frames as text, with a form feed between two. The line of keys is left out, since files have no
use for it. A file is written as a draft beside its place, and moved there when it is whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TextIO

from society.errors import FileError, InputError, suggest
from society.runs.reader import RunFile
from society.runs.schema import Header
from society.terminal.console import TerminalStyle
from society.terminal.labels import Place, RoundLabels, count_noun, find_round
from society.terminal.replay import check_replicate
from society.theatre.draw import SMALLEST, draw, draw_beside
from society.theatre.frame import Frame, Size
from society.theatre.history import BORDER, History
from society.theatre.view import View

from .cast import Shot, cast_lines
from .html import ReplayPage
from .svg import draw_svg

KINDS = ("html", "svg", "cast", "txt")
USUAL_SIZE = Size(120, 40)
_LARGEST = Size(500, 200)
_SPEED = 4.0  # rounds per second
_FASTEST = 100.0
_PAGE_BREAK = "\f\n"

Advance = Callable[[str, int, int], None]  # of what, rounds done, of how many


class ExportOptions(NamedTuple):
    """The part of a replay to export, and how. None: as the kind of export has it.

    first, last: rounds, by number or path. speed: rounds per second.
    """

    size: Size = USUAL_SIZE
    first: Place | None = None
    last: Place | None = None
    replicate: int | None = None
    speed: float | None = None
    overwrite: bool = False


class Exported(NamedTuple):
    """What was written, in words, and notes on what was left out."""

    content: str
    notes: list[str]


def check_kind(kind: str) -> None:
    """Raise InputError for a kind of file that is not written."""
    if kind not in KINDS:
        raise InputError(f"there is no export {kind!r}; {suggest(kind, KINDS)}")


def export_replay(
    run: RunFile,
    kind: str,
    path: Path,
    options: ExportOptions,
    advance: Advance,
    beside: RunFile | None = None,
) -> Exported:
    """Export a replay, or two side by side; `advance` is called after each round.

    Raises InputError, FileError.
    """
    check_kind(kind)
    if kind == "svg" and options.last is not None:
        raise InputError("--export svg draws one round; give --from T alone")
    if kind == "html" and beside is not None:
        raise InputError(
            "--export html holds one run; leave --beside out, or export svg, cast, txt"
        )
    export = _Export(History(run), options, advance, History(beside) if beside else None)
    writers = {"html": export.page, "svg": export.picture, "cast": export.recording}
    with _draft(path, overwrite=options.overwrite) as file:
        content, notes = writers.get(kind, export.text)(file)
    if run.manifest.level == "summary":
        notes = [
            *notes,
            "this run was recorded at level summary, so the frames show measures only; "
            "`society run --record full` records everything",
        ]
    return Exported(content, notes)


class _Export:
    """A part of a replay that is drawn round by round, and written in one form or another.

    beside: the history that stands at the right; the longer one of both gives the rounds.
    """

    def __init__(
        self,
        history: History,
        options: ExportOptions,
        advance: Advance,
        beside: History | None,
    ) -> None:
        self.first_run, self.beside, self.size, self.advance = (
            history,
            beside,
            options.size,
            advance,
        )
        self.second = beside is not None and beside.last > history.last
        self.history = history = beside if beside is not None and self.second else history
        self.labels, manifest = RoundLabels(history.manifest), history.manifest
        self.speed = _check_speed(options.speed)
        _check_size(options.size)
        self.first, self.last = _range(history, options)
        self.one = options.first is not None  # of which a picture is drawn
        self.chosen = options.replicate
        self.replicate = options.replicate or 0
        check_replicate(manifest, self.replicate)
        self.style = TerminalStyle("utf-8", options.size.width)
        self.title = f"{manifest.scenario.replace('_', ' ')}, seed {manifest.seed}"

    def page(self, file: TextIO) -> Exported:
        """Write a page, of one replicate if it is chosen, else of as many as fit."""
        made = ReplayPage(self.history, self.size, self.first, self.last)
        every = range(self.history.manifest.replicates)
        for replicate in every if self.chosen is None else [self.chosen]:
            if made.full:
                break
            made.add(replicate, self._frames(replicate))
        manifest = self.history.manifest
        notes = [*made.finish()]
        lead = f"{count_noun(manifest.agents, 'agent')} · {self.labels.all()} planned"
        file.write(made.render(self.title, lead, notes, self.speed))
        return Exported(f"{self._rounds()} of {count_noun(made.replicates, 'replicate')}", notes)

    def picture(self, file: TextIO) -> Exported:
        """Write a picture of the round that is asked for, else of the last one."""
        number = self.first if self.one else self.last
        frame, label = self._frame(number, self.replicate), self._label(number)
        file.write(draw_svg(frame, f"{self.title}: {label}", frame.plain))
        return Exported(label, [])

    def recording(self, file: TextIO) -> Exported:
        """Write a recording, in which each round with a mark can be jumped to."""
        marks: dict[int, str] = {}
        for mark in self.history.course(self.replicate).marks:
            if mark.lane != BORDER:
                marks.setdefault(mark.round, f"{self._label(mark.round)}: {mark.lane}")
        frames = enumerate(self._frames(self.replicate), self.first)
        shots = (Shot(frame, marks.get(number, "")) for number, frame in frames)
        for line in cast_lines(shots, self.size, self.title, self.speed):
            file.write(f"{line}\n")
        return Exported(self._rounds(), [])

    def text(self, file: TextIO) -> Exported:
        """Write all frames as text."""
        for place, frame in enumerate(self._frames(self.replicate)):
            file.write(_PAGE_BREAK if place else "")
            file.write(frame.plain)
        return Exported(self._rounds(), [])

    def _frames(self, replicate: int) -> Iterator[Frame]:
        """Draw the rounds of a replicate."""
        count = self.last - self.first + 1
        for done in range(count):
            yield self._frame(self.first + done, replicate)
            self.advance(f"replicate {replicate}", done + 1, count)

    def _frame(self, number: int, replicate: int) -> Frame:
        # One line more, without the last one: it names the keys of the terminal.
        size = Size(self.size.width, self.size.height + 1)
        view = View(round=number, replicate=replicate, speed=self.speed)
        if self.beside is None:
            frame = draw(self.first_run, view, size, self.style)
        else:
            both = replace(view, beside=True, second=self.second)
            frame = draw_beside(self.first_run, self.beside, both, size, self.style)
        return Frame(self.size, frame.lines[:-1])

    def _rounds(self) -> str:
        if self.first == self.last:
            return self._label(self.first)
        return f"rounds {self.first} to {self.last}"

    def _label(self, number: int) -> str:
        title = self.labels.title(self.history.page(number))
        return title[0].lower() + title[1:]


def _check_size(size: Size) -> None:
    """Raise InputError for frames that are too small, or too large, to be drawn."""
    least = Size(SMALLEST.width, SMALLEST.height - 1)  # without the line of keys
    if not (least.width <= size.width <= _LARGEST.width):
        bounds = f"from {least.width} to {_LARGEST.width} columns"
        raise InputError(f"--size {size.width}x{size.height}: frames have {bounds}")
    if not (least.height <= size.height <= _LARGEST.height):
        bounds = f"from {least.height} to {_LARGEST.height} lines"
        raise InputError(f"--size {size.width}x{size.height}: frames have {bounds}")


def _check_speed(speed: float | None) -> float:
    if speed is not None and speed > _FASTEST:
        raise InputError(
            f"--speed {speed:g}: an export shows at most {_FASTEST:g} rounds per second"
        )
    return speed or _SPEED


def _range(history: History, options: ExportOptions) -> tuple[int, int]:
    """Return the first and the last round; a path that is not whole stands for all within it."""
    first = find_round(options.first or 0, history.paths)
    if options.last is None:
        return first, history.last
    last = find_round(options.last, history.paths)
    if isinstance(within := options.last, tuple):
        ends = (n for n, path in enumerate(history.paths) if path[: len(within)] == within)
        last = max(ends)
    if last < first:
        raise InputError(f"--to stands for round {last}, which is before --from, round {first}")
    return first, last


@contextmanager
def _draft(path: Path, *, overwrite: bool) -> Iterator[TextIO]:
    """Open a file that takes its place when it is whole; raises FileError."""
    draft = path.parent / f".{path.name}.{os.getpid()}"
    try:
        _check_free(path, overwrite=overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            yield file
        _check_free(path, overwrite=overwrite)
        draft.replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"cannot write {path}: {reason}; name another file") from error
    finally:
        with suppress(OSError):
            draft.unlink()


def _check_free(path: Path, *, overwrite: bool) -> None:
    """Raise FileError if writing to a path would lose something."""
    if path.is_dir():
        raise FileError(f"{path} is a folder; name a file")
    if not path.exists():
        return
    if not path.is_file():
        raise FileError(f"{path} is a device or a pipe; name a file")
    if not overwrite:
        raise FileError(f"{path} already exists; name another file, or replace it with --overwrite")
    if Header.of(path).ours:
        raise FileError(f"{path} is a run file, which an export never replaces; name another file")
