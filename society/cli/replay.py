"""`society replay`: a recorded history as a theatre on a terminal, or as text."""

from __future__ import annotations

import argparse
import math
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from society.errors import InputError, short_path

from .arguments import parse_place, positive_number, whole_number
from .output import console
from .parser import Commands
from .replay_export import add_export_options, export_run, refuse_export_options

if TYPE_CHECKING:
    from society.runs.runfile import RunFile


def add_replay(commands: Commands) -> None:
    """Add `society replay`."""
    parser = commands.add_parser("replay", help="look at the history of a run, round by round")
    parser.add_argument(
        "file", type=Path, metavar="FILE.run", help="a run file, or a folder of runs: a sweep's"
    )
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
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--replicate",
        type=whole_number(0),
        metavar="R",
        help="replicate to show (default: 0; --export html: all that fit)",
    )
    which.add_argument(
        "--match", metavar="TYPES",
        help="match of a tournament to show, by the types on its seats: patient-rogue; its second "
        "repetition is patient-rogue:2",
    )  # fmt: skip
    parser.add_argument(
        "--speed", type=positive_number, default=math.inf, metavar="X", help="rounds per second"
    )
    parser.add_argument(
        "--beside", type=Path, metavar="B.run", help="look at another run beside this one"
    )
    add_export_options(parser)
    parser.set_defaults(command=replay_command)


def replay_command(args: argparse.Namespace) -> int:
    """Carry out `society replay`."""
    from society.runs.runfile import open_run_file

    lacking = "" if args.plain or args.export else _lacking_terminal()
    if not args.export and args.beside and (args.plain or lacking):
        why = lacking or "--plain prints text"
        raise InputError(
            f"--beside shows two runs in the theatre, and {why}; replay each run alone"
        )
    if args.export and args.follow:
        raise InputError("--export writes what is recorded by now; --follow goes with --plain")
    if args.file.is_dir():
        return _look_into_folder(args)
    with open_run_file(args.file) as run:
        if args.export:
            if args.match is not None:
                args.replicate = _chosen_replicate(run, args)
            export_run(run, args)
            return 0
        refuse_export_options(args)
        if not args.plain:
            if not lacking:
                if args.follow:
                    words = "the theatre follows a run by itself; --follow goes with --plain"
                    raise InputError(words)
                return _open_theatre(run, args)
            _note_text("the history", lacking)
        return _print_history(run, args)


def _lacking_terminal() -> str:
    """Say why there can be no theatre, "stdout is no terminal"; "" if there can be one."""
    streams = {"stdin": sys.__stdin__, "stdout": sys.__stdout__, "stderr": sys.__stderr__}
    for name, one in streams.items():
        if not (one and one.isatty()):
            return f"{name} is no terminal"
    if os.environ.get("TERM") == "dumb":
        return "the terminal cannot place text (TERM=dumb)"
    return ""


def _note_text(what: str, lacking: str) -> None:
    """Note on stderr that there is no theatre."""
    print(
        f"society: {lacking}, so {what} is printed as text; --plain does so without this note",
        file=sys.stderr,
    )


def _open_theatre(run: RunFile, args: argparse.Namespace) -> int:
    from society.runs.runfile import open_run_file
    from society.terminal.labels import find_round
    from society.terminal.replay import check_replicate
    from society.theatre.acts import first_screens
    from society.theatre.app import open_theatre
    from society.theatre.following import Follower
    from society.theatre.history import History
    from society.theatre.live_theatre import open_live_theatre
    from society.theatre.view import View

    replicate = _chosen_replicate(run, args)
    check_replicate(run.manifest, replicate)
    history = History(run)
    unfinished = run.status != "finished"
    # Whoever opens a run that is under way wants to see what comes.
    first = history.last if run.status == "running" and args.start is None else args.start or 0
    start = View(round=find_round(first, history.paths), replicate=replicate)
    if math.isfinite(args.speed):
        start = replace(start, speed=args.speed, playing=True)
    elif args.replicate is None and args.match is None and not args.beside and not start.round:
        start = replace(start, screens=first_screens(history))
    with open_run_file(args.beside) if args.beside else nullcontext() as other:
        second = History(other) if other is not None else None
        if second is not None:
            find_round(0, second.paths)  # refuses a run in which nothing has been recorded yet
        if unfinished:
            open_live_theatre(Follower(history), start, console().encoding, second)
        else:
            open_theatre(history, start, console().encoding, second)
    return 0


def _print_history(run: RunFile, args: argparse.Namespace) -> int:
    from society.terminal.replay import print_history

    paper = console()
    whole = args.plain and not paper.is_terminal
    replicate = _chosen_replicate(run, args)
    start, follow = args.start or 0, args.follow
    print_history(run, paper, start, replicate, args.speed, whole=whole, follow=follow)
    return 0


def _chosen_replicate(run: RunFile, args: argparse.Namespace) -> int:
    """Return the replicate that was asked for by its number or as a match."""
    from society.runs.match_names import MatchNames, has_matches

    if args.match is None:
        return args.replicate or 0
    if not has_matches(run.manifest):
        raise InputError(
            f"--match {args.match}: {short_path(args.file)} has no matches between types; give "
            "--replicate a number"
        )
    return MatchNames(run.manifest).find(args.match)


def _look_into_folder(args: argparse.Namespace) -> int:
    """Show the runs of a folder, on a terminal or as text."""
    from society.theatre.conditions_data import read_folder

    about_rounds = {
        "--from": args.start is not None,
        "--replicate": args.replicate is not None,
        "--match": args.match is not None,
        "--speed": math.isfinite(args.speed),
        "--beside": args.beside is not None,
        "--export": args.export is not None,
        "--follow": args.follow,
    }
    given = [option for option, said in about_rounds.items() if said]
    folder = read_folder(args.file)
    if given:
        raise InputError(
            f"{given[0]} is about one run, and {short_path(args.file)} is a folder; name a run "
            f"file in it, such as {short_path(folder.rows[0].path)}"
        )
    lacking = _lacking_terminal()
    if args.plain or lacking:
        from society.terminal.console import print_lines
        from society.theatre.conditions_panel import folder_as_text

        if not args.plain:
            _note_text("the table of runs", lacking)
        paper = console()
        print_lines(paper, folder_as_text(folder, paper.encoding, paper.width))
        return 0
    from society.theatre.folder_app import open_folder_theatre

    open_folder_theatre(folder, console().encoding)
    return 0
