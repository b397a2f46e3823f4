"""Commands for looking and finding: list and schema."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import print_json
from .parser import Commands

if TYPE_CHECKING:
    from society.config.listing import Kind

KINDS: tuple[Kind, ...] = (
    "scenarios",
    "components",
    "mechanisms",
    "instruments",
    "graphs",
    "models",
    "experiments",
    "reproductions",
)


def add_list(commands: Commands) -> None:
    """Add `society list`."""
    parser = commands.add_parser("list", help="list what can be named, or describe one name")
    parser.add_argument(
        "name", nargs="?", metavar="KIND|NAME",
        help=f"one of {', '.join(KINDS)}, with parameters; or a name; or runs",
    )  # fmt: skip
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help="of runs (default: runs)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=list_command)


def list_command(args: argparse.Namespace) -> int:
    """Carry out `society list`: a kind wins over a name."""
    if args.name == "runs":
        return _list_runs(args.folder or Path("runs"), as_json=args.json)
    if args.folder is not None:
        from society.errors import InputError

        raise InputError(f"{args.folder} is one word too many; only `society list runs` takes DIR")
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


def _list_runs(folder: Path, *, as_json: bool) -> int:
    from society.errors import FileError, SocietyError
    from society.runs.runfile import open_run_file

    if not folder.is_dir():
        raise FileError(f"there is no folder {folder}; `society run SCENARIO` makes runs")
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.run")):
        try:
            with open_run_file(path) as run:
                one = run.manifest
                rows.append(
                    {
                        "file": str(path),
                        "scenario": one.scenario,
                        "seed": one.seed,
                        "agents": one.agents,
                        "replicates": one.replicates,
                        "rounds": run.rounds,
                        "status": run.status,
                        "fork_of": one.forks[-1].words if one.forks else None,
                    }
                )
        except SocietyError as error:
            rows.append({"file": str(path), "status": f"cannot be read: {error}"})
    if as_json:
        print_json({"runs": rows})
        return 0
    for row in rows:
        sizes = (
            f"{row['scenario']} · seed {row['seed']} · {row['agents']} agents x "
            f"{row['replicates']} · {row['rounds']} rounds · "
            if "scenario" in row
            else ""
        )
        fork = f" · fork of {row['fork_of']}" if row.get("fork_of") else ""
        print(f"{row['file']}: {sizes}{row['status']}{fork}")
    if not rows:
        print(f"{folder} holds no run file", file=sys.stderr)
    return 0


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
