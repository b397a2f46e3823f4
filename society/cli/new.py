"""The command `new`: write a small working file to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from .output import print_json
from .parser import Commands

KINDS = ("scenario", "component", "mechanism", "experiment")


def add_new(commands: Commands) -> None:
    """Add `society new`."""
    parser = commands.add_parser("new", help="write a small working file to start from")
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("name", metavar="NAME", help="its name, such as small_pond")
    parser.add_argument(
        "--dir", type=Path, default=Path(), metavar="DIR", dest="folder",
        help="the folder to write to (default: this one)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print a JSON object with the files")
    parser.set_defaults(command=new_command)


def new_command(args: argparse.Namespace) -> int:
    """Carry out `society new`: print the files that were written, and what to do with them."""
    from society.authoring import write_starter
    from society.errors import short_path

    files = [short_path(path) for path in write_starter(args.kind, args.name, args.folder)]
    if args.json:
        print_json({"files": files})
        return 0
    for file in files:
        print(file)
    played = next(file for file in files if Path(file).suffix == ".yaml")
    verb = "sweep" if args.kind == "experiment" else "run"
    print(f"\nsociety check {files[0]}\nsociety {verb} {played}")
    return 0
