"""`society replay`: a recorded history as a theatre on a terminal, or as text."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import parse_place, positive_number, whole_number
from .output import console
from .parser import Commands

if TYPE_CHECKING:
    from society.runs.runfile import RunFile


def add_replay(commands: Commands) -> None:
    """Add `society replay`."""
    parser = commands.add_parser("replay", help="look at the history of a run, round by round")
    parser.add_argument("file", type=Path, metavar="FILE.run")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="print as text; shorten nothing where it is piped",
    )
    parser.add_argument(
        "--follow", action="store_true",
        help="with --plain: print also the rounds that are still to be written, until the run ends",
    )  # fmt: skip
    parser.add_argument(
        "--from", type=parse_place, metavar="T", dest="start",
        help="start at this round: a number or, for nested rounds, a path such as 3.1.5 (3. starts "
        "at the first round within 3); a run that is still being written opens at its last round",
    )  # fmt: skip
    parser.add_argument(
        "--replicate",
        type=whole_number(0),
        default=0,
        metavar="R",
        help="replicate to show (default: 0)",
    )
    parser.add_argument(
        "--speed", type=positive_number, default=math.inf, metavar="X", help="rounds per second"
    )
    parser.add_argument(
        "--beside", type=Path, metavar="B.run", help="look at another run beside this one"
    )
    parser.set_defaults(command=replay_command)


def replay_command(args: argparse.Namespace) -> int:
    """Carry out `society replay`."""
    from society.errors import InputError
    from society.runs.runfile import open_run_file

    if args.beside and args.plain:
        raise InputError("--beside needs the theatre; leave --plain out, or replay each run alone")
    with open_run_file(args.file) as run:
        if not args.plain:
            lacking = _lacking_terminal()
            if not lacking:
                if args.follow:
                    words = "the theatre follows a run by itself; --follow goes with --plain"
                    raise InputError(words)
                return _open_theatre(run, args)
            print(
                f"society: {lacking} is no terminal, so the history is printed as text; "
                "--plain does so without this note",
                file=sys.stderr,
            )
        return _print_history(run, args)


def _lacking_terminal() -> str:
    """Name what is no terminal, of the three streams that the theatre needs; "" if all are."""
    streams = {"stdin": sys.__stdin__, "stdout": sys.__stdout__, "stderr": sys.__stderr__}
    return next((name for name, one in streams.items() if not (one and one.isatty())), "")


def _open_theatre(run: RunFile, args: argparse.Namespace) -> int:
    from society.runs.runfile import open_run_file
    from society.terminal.labels import find_round
    from society.terminal.replay import check_replicate
    from society.theatre.app import open_theatre
    from society.theatre.following import Follower
    from society.theatre.history import History
    from society.theatre.live_theatre import open_live_theatre
    from society.theatre.view import View

    check_replicate(run.manifest, args.replicate)
    history = History(run)
    unfinished = run.status != "finished"
    # Whoever opens a run that is under way wants to see what comes.
    first = history.last if run.status == "running" and args.start is None else args.start or 0
    start = View(round=find_round(first, history.paths), replicate=args.replicate)
    if math.isfinite(args.speed):
        start = replace(start, speed=args.speed, playing=True)
    with open_run_file(args.beside) if args.beside else nullcontext() as other:
        second = History(other) if other is not None else None
        if unfinished:
            open_live_theatre(Follower(history), start, console().encoding, second)
        else:
            open_theatre(history, start, console().encoding, second)
    return 0


def _print_history(run: RunFile, args: argparse.Namespace) -> int:
    from society.terminal.replay import print_history

    paper = console()
    whole = args.plain and not paper.is_terminal
    start, follow = args.start or 0, args.follow
    print_history(run, paper, start, args.replicate, args.speed, whole=whole, follow=follow)
    return 0
