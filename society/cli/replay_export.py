"""`society replay --export KIND`: a replay in a file, and how far it is written."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from society.errors import InputError

from .arguments import out_path, parse_place
from .runs import free_path

if TYPE_CHECKING:
    from society.runs.runfile import RunFile

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of exports."""
    parser.add_argument(
        "--export", metavar="KIND",
        help="write a file in place of showing anything: html (a page with all rounds), svg (a "
        "picture of the round --from, else of the last one), cast (a recording for asciinema) or "
        "txt (frames as text)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=out_path, metavar="PATH",
        help="of --export: file to write (default: NAME.KIND beside the run, or the first "
        "NAME-2.KIND, NAME-3.KIND that is free)",
    )  # fmt: skip
    parser.add_argument(
        "--to", type=parse_place, metavar="T", dest="stop",
        help="of --export: the last round, by number or path (default: the last one recorded)",
    )  # fmt: skip
    parser.add_argument(
        "--size", type=_parse_size, metavar="COLUMNSxLINES",
        help="of --export: the size of frames (default: 120x40)",
    )  # fmt: skip
    parser.add_argument(
        "--overwrite", action="store_true", help="of --export: replace an existing file"
    )


def refuse_export_options(args: argparse.Namespace) -> None:
    """Raise InputError for options of exports where nothing is exported."""
    for name in ("out", "to", "size", "overwrite"):
        if getattr(args, "stop" if name == "to" else name):
            raise InputError(f"--{name} is an option of exports; add --export KIND")


def export_run(run: RunFile, args: argparse.Namespace) -> None:
    """Export the replay of a run as the options say, and say what was written."""
    from society.runs.runfile import open_run_file
    from society.theatre.export.to_file import USUAL_SIZE, ExportOptions, check_kind, export_replay
    from society.theatre.frame import Size

    if args.plain:
        raise InputError("--plain prints a replay, and --export writes it; give one of them")
    check_kind(args.export)
    usual = args.file.with_suffix(f".{args.export}")
    path = args.out or (usual if args.overwrite else free_path(usual))
    options = ExportOptions(
        size=Size(*args.size) if args.size else USUAL_SIZE,
        first=args.start,
        last=args.stop,
        replicate=args.replicate,
        speed=args.speed if math.isfinite(args.speed) else None,
        overwrite=args.overwrite,
    )
    second = open_run_file(args.beside) if args.beside else nullcontext()
    with second as beside, _progress() as advance:
        content, notes = export_replay(run, args.export, path, options, advance, beside)
    print(f"society: {path} holds {content}", file=sys.stderr)
    for note in notes:
        print(f"society: {note}", file=sys.stderr)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show on stderr, if it is a terminal, how many rounds have been drawn."""
    from rich.progress import BarColumn, Progress, TextColumn

    from society.terminal.visible_console import VisibleConsole

    screen = VisibleConsole(stderr=True)
    drawn = TextColumn("{task.completed} of {task.total} rounds drawn")
    bars = Progress(
        TextColumn("{task.description}"), BarColumn(), drawn,
        console=screen, transient=True, disable=not screen.is_terminal,
    )  # fmt: skip
    with bars:
        bar = bars.add_task("", total=None)
        yield lambda what, done, count: bars.update(
            bar, description=what, completed=done, total=count
        )


def _parse_size(text: str) -> tuple[int, int]:
    """Parse the size of frames, such as 120x40."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"got {text!r}; expected columns and lines, such as 120x40"
        )
    return int(found[1]), int(found[2])
