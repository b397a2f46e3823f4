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
    from society.analysis.statistics.samples import NotEstimable
    from society.analysis.strategies.compared_sets import FolderSet, SetComparison, SetPair
    from society.report.tables import Table
    from society.sandbox.stage_games import GameName
    from society.sandbox.strategy_folder import StrategyFolder

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
    from society.analysis.strategies.compared_sets import compare_sets
    from society.components.programs.program_host import chosen_confinement
    from society.sandbox.workers.program_pool import ProgramPool

    given = [args.first, *filter(None, [args.second])]
    folders = [_read_folder(path, args.game) for path in given]
    with ProgramPool(confinement=chosen_confinement()) as pool:
        compared = compare_sets(pool, folders, seed=args.seed)
    _announce_refused(compared)
    if args.out is not None:
        _write(compared, args.out)
    if args.json:
        print_json(_as_json(compared))
    else:
        _print_tables(compared)
    return 0


def _read_folder(path: Path, game: GameName | None) -> StrategyFolder:
    """Read a folder; one without a manifest holds published files, of the game that is named."""
    from society.sandbox.strategy_folder import (
        MANIFEST,
        StrategyFolder,
        adopt_files,
        read_strategies,
    )

    if game is not None and not (path / MANIFEST).exists():
        return StrategyFolder(path, adopt_files(path, game))
    folder = read_strategies(path)
    if game not in (None, folder.manifest.game):
        raise FileError(
            f"the strategies of {short_path(path)} were written for {folder.manifest.game}, and "
            f"not for {game}; leave out --game"
        )
    return folder


def _announce_refused(compared: SetComparison) -> None:
    """Say how many strategies of each folder are left out, since they are refused."""
    for number, folder in enumerate(compared.folders):
        every = len(folder.manifest.strategies)
        there = sum(
            len(found.names) for one, found in compared.measured.items() if one.folder == number
        )
        if there < every:
            words = f"{every - there} of {every} strategies of {short_path(folder.path)}"
            print(
                f"society: {words} are refused and left out; `society strategies check` says why",
                file=sys.stderr,
            )


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


def _as_json(compared: SetComparison) -> dict[str, Any]:
    plane, ellipses = compared.plane, compared.plane.ellipses()
    return {
        "folders": [{"path": str(one.path), "game": one.manifest.game} for one in compared.folders],
        "sets": [
            {
                **_named(compared, one),
                **{name: _number(value) for name, value in summary._asdict().items()},
                "failing": list(compared.measured[one].failing),
                "ellipse": ellipses[compared.label(one)]._asdict(),
            }
            for one, summary in compared.summaries.items()
        ],
        "attitudes": [_pair(compared, one) for one in compared.attitudes],
        "shifts": [_pair(compared, one) for one in compared.shifts],
        "plane": {
            "explained": list(plane.explained),
            "cooperation_correlation": _number(plane.meanings.cooperation),
            "responsiveness_correlation": _number(plane.meanings.responsiveness),
            "references": {name: place.tolist() for name, place in plane.references.items()},
        },
    }


def _named(compared: SetComparison, one: FolderSet) -> dict[str, Any]:
    folder = compared.folders[one.folder]
    return {"folder": str(folder.path), **one.name._asdict()}


def _pair(compared: SetComparison, pair: SetPair) -> dict[str, Any]:
    return {
        "first": _named(compared, pair.first),
        "second": _named(compared, pair.second),
        "distance": pair.shift.distance,
        "cohens_d": _number(pair.shift.effect),
    }


def _number(value: float | str | NotEstimable) -> float | str | None:
    """Return a number; null where there is none."""
    if isinstance(value, str | int):
        return value
    return None if isinstance(value, ValueError) or value != value else value
