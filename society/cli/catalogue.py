"""Commands for looking and finding: list and schema."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from society.slow_work import watch_slow_work

from .arguments import out_path
from .output import console, print_json
from .parser import Commands

if TYPE_CHECKING:
    from society.config.listing import Kind
    from society.runs.run_list import ListedRun

KINDS: tuple[Kind, ...] = (
    "scenarios",
    "components",
    "mechanisms",
    "instruments",
    "graphs",
    "embedders",
    "models",
    "experiments",
    "reproductions",
    "perturbations",
)
SORTS = ("name", "scenario", "written", "status", "rounds", "measure", "cost", "size")
STATUSES = ("finished", "running", "interrupted", "failed", "paused", "unreadable")


def add_list(commands: Commands) -> None:
    """Add `society list`."""
    parser = commands.add_parser("list", help="list what can be named, or describe one name")
    parser.add_argument(
        "name", nargs="?", metavar="KIND|NAME",
        help=f"one of {', '.join(KINDS)}, with parameters; or a name; or runs",
    )  # fmt: skip
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR",
        help="of runs, with all folders in it (default: runs)",
    )  # fmt: skip
    of_runs = parser.add_argument_group("options of `list runs`")
    of_runs.add_argument("--sort", choices=SORTS, metavar="KEY", help=f"by {', '.join(SORTS)}")
    of_runs.add_argument(
        "--status", choices=STATUSES, metavar="S", help=f"only runs that are {', '.join(STATUSES)}"
    )
    of_runs.add_argument("--scenario", metavar="S", help="only runs of this scenario")
    of_runs.add_argument(
        "--out", type=out_path, metavar="PAGE.html",
        help="write a page of them that sorts and filters, with links to files and reports",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=list_command)


def list_command(args: argparse.Namespace) -> int:
    """Carry out `society list`: a kind wins over a name."""
    if args.name == "runs":
        return _list_runs(args)
    _refuse_options_of_runs(args)
    from society.config.listing import describe_name, entries, listing_lines

    if args.name is not None and args.name not in KINDS:
        described = describe_name(args.name, KINDS)
        if args.json:
            print_json(described._asdict())
        else:
            print("\n".join(described.lines()))
        return 0
    kinds = [kind for kind in KINDS if args.name in (None, kind)]
    if args.json:
        print_json(
            {kind: {name: one._asdict() for name, one in entries(kind).items()} for kind in kinds}
        )
        return 0
    for kind in kinds:
        for line in listing_lines(kind, parameters=args.name is not None):
            print(line)
    if args.name is None:
        print(
            "`society list KIND` also shows the parameters, `society list NAME` all about one name",
            file=sys.stderr,
        )
    return 0


def _refuse_options_of_runs(args: argparse.Namespace) -> None:
    from society.errors import InputError

    if args.folder is not None:
        raise InputError(f"{args.folder} is one word too many; only `society list runs` takes DIR")
    for name in ("sort", "status", "scenario", "out"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} is for `society list runs`; leave it out")


def _list_runs(args: argparse.Namespace) -> int:
    """List the run files of a folder as a table, JSON or a page; damaged ones are no failure."""
    from society.config.defaults import find_defaults
    from society.errors import short_path
    from society.runs.run_list import filter_runs, list_run_files, sort_runs

    folder = args.folder or find_defaults().folder("runs")
    with watch_slow_work(partial(_say_work, quiet=args.json)):
        found = list_run_files(folder)
    chosen = filter_runs(found.runs, args.scenario, args.status)
    runs = sort_runs(chosen, args.sort)
    for words in found.closed:
        print(f"society: cannot look into {words}", file=sys.stderr)
    if args.out is not None:
        from society.report.run_list_page import write_run_list

        write_run_list(folder, runs, args.out)
    if args.json:
        print_json({"runs": [one.facts() for one in runs], "closed": [*found.closed]})
    elif args.out is not None:
        print(args.out)
    elif runs:
        _print_runs(runs)
    if not runs:
        others = f"; {len(found.runs)} are left out" if found.runs else ""
        which = "such run file" if found.runs else "run file"
        print(f"{short_path(folder)} holds no {which}{others}", file=sys.stderr)
    return 0


def _say_work(words: str, *, quiet: bool) -> None:
    if words and not quiet and sys.stderr.isatty():
        print(f"society: {words} ...", file=sys.stderr)


def _print_runs(runs: Sequence[ListedRun]) -> None:
    """Print a table as wide as the terminal; whole lines where the output is no terminal."""
    from society.terminal.console import TerminalStyle, print_lines
    from society.terminal.run_table import run_table

    paper = console()
    table = run_table(TerminalStyle(paper.encoding, paper.width, whole=not paper.is_terminal), runs)
    if paper.is_terminal:
        print_lines(paper, table.lines)
    else:
        for line in table.lines:
            print(line.plain)
    if table.dropped:
        print(
            f"society: no room for {', '.join(table.dropped)}; a wider terminal or --json "
            "shows them",
            file=sys.stderr,
        )


def add_schema(commands: Commands) -> None:
    """Add `society schema`."""
    parser = commands.add_parser(
        "schema", help="print the JSON Schema of scenario and experiment files"
    )
    parser.set_defaults(command=schema_command)


def schema_command(args: argparse.Namespace) -> int:
    """Carry out `society schema`."""
    from society.experiments.experiment import file_schema

    print_json(file_schema())
    return 0
