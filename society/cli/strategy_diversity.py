"""The command `society strategies diversity`: how the strategies of folders differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.errors import FileError, short_path

from .arguments import out_path, whole_number
from .output import console, print_json
from .parser import Commands

if TYPE_CHECKING:
    from society.analysis.strategies.compared_sets import SetComparison
    from society.report.tables import Table

_GAMES = ("public_goods", "collective_risk", "common_pool")


def add_diversity(verbs: Commands) -> None:
    """Add `society strategies diversity`."""
    parser = verbs.add_parser(
        "diversity", help="compare the behaviour of sets of strategies, of one or two folders"
    )
    parser.add_argument("first", type=Path, metavar="A", help="a folder of strategies")
    parser.add_argument(
        "second", type=Path, nargs="?", metavar="B", help="another one, shown in the same plane"
    )
    parser.add_argument(
        "--game", choices=_GAMES, metavar="G",
        help=f"the game of a folder without a manifest: {', '.join(_GAMES)}",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="S",
        help="random seed for strategies that draw, and for the uniform vectors (default: 0)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=out_path, metavar="DIR", help="write the plane (SVG, PNG) and tables (CSV)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=diversity_command)


def diversity_command(args: argparse.Namespace) -> int:
    """Carry out `society strategies diversity`."""
    from society.analysis.strategies.folder_comparison import (
        compare_folders,
        comparison_facts,
        describe_refused,
    )

    given = [args.first, *filter(None, [args.second])]
    compared = compare_folders(given, args.game, args.seed)
    for words in describe_refused(compared):
        print(f"society: {words}; `society strategies check` says why", file=sys.stderr)
    if args.out is not None:
        _write(compared, args.out)
    if args.json:
        print_json(comparison_facts(compared))
    else:
        _print_tables(compared)
    return 0


def _write(compared: SetComparison, out: Path) -> None:
    """Write the figure and the tables into a folder; raises FileError."""
    from society.report.sections.strategy_sets import set_section

    section = set_section(compared)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for part in section.parts:
            if not isinstance(part, str):
                _write_part(part, out)
    except OSError as error:
        raise FileError(
            f"cannot write {short_path(out)}: {error.strerror}; name another folder with --out"
        ) from error


def _write_part(part: Any, out: Path) -> None:
    if part.kind == "figure":
        (out / f"{part.name}.svg").write_text(part.svg, "utf-8")
        (out / f"{part.name}.png").write_bytes(part.png)
    else:
        (out / f"{part.name}.csv").write_text(part.csv(), "utf-8")


def _print_tables(compared: SetComparison) -> None:
    from society.report.sections.strategy_sets import plane_sentence, set_tables

    for table in set_tables(compared):
        _print_table(table)
    console().print(plane_sentence(compared.plane), markup=False)


def _print_table(table: Table) -> None:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, title=table.title, title_justify="left")
    for column in table.shown:
        grid.add_column(column.heading, justify="left" if column.left else "right", overflow="fold")
    for row in table.rows:
        grid.add_row(*row)
    console().print(grid)
    for remark in table.remarks:
        console().print(remark, markup=False)
    console().print()
