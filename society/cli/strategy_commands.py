"""Commands for strategies that are written as programs: check, play and adopt."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from society.errors import SandboxError, short_path
from society.visible import print_result

from .arguments import positive_number, whole_number
from .output import console, print_json
from .parser import ArgumentParser, Commands
from .strategy_diversity import add_diversity
from .strategy_evolution import add_evolve
from .write_strategies import add_write

if TYPE_CHECKING:
    from society.analysis.strategies.single_match import ProgramMatch
    from society.sandbox.strategy_folder import StrategyManifest

GAMES = ("public_goods", "collective_risk", "common_pool")


def add_strategies(commands: Commands) -> None:
    """Add `society strategies` with its verbs."""
    parser = commands.add_parser(
        "strategies", help="write, check, play and evolve strategies that are programs"
    )
    verbs = parser.add_subparsers(metavar="COMMAND", parser_class=ArgumentParser)
    for add in (add_write, _add_check, _add_play, _add_adopt, add_evolve, add_diversity):
        add(verbs)
    parser.set_defaults(command=lambda args: _list_verbs(verbs))


def _list_verbs(verbs: Commands) -> int:
    """Carry out `society strategies` alone: list its verbs."""
    for action in verbs._choices_actions:
        print(f"society strategies {action.dest:8} {action.help}")
    return 0


def _add_files(parser: argparse.ArgumentParser, *, game: bool) -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="FILE.py, or a folder of such files"
    )
    parser.add_argument(
        "--game", choices=GAMES, required=game, metavar="G", help=f"the dilemma: {', '.join(GAMES)}"
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="NAME",
        help="a name of numpy, or a method of arrays, that programs may use beside the usual ones, "
        "such as numpy.kaiser or ndarray.put",
    )  # fmt: skip


# check


def _add_check(verbs: Commands) -> None:
    parser = verbs.add_parser(
        "check", help="say which classes are accepted, and why others are refused"
    )
    _add_files(parser, game=False)
    parser.add_argument("--json", action="store_true", help="print a list as JSON")
    parser.set_defaults(command=check_strategies_command)


def check_strategies_command(args: argparse.Namespace) -> int:
    """Carry out `society strategies check`: exit code 1 if a class is refused."""
    from society.analysis.strategies.checked_files import check_classes

    found = check_classes(args.files, args.game, args.allow)
    if args.json:
        print_result(json.dumps([one.facts() for one in found], indent=2))
    else:
        width = max(len(one.program.name) for one in found)
        for one in found:
            verdict = "ok" if one.program.accepted else "refused"
            print(f"{verdict:8} {one.program.name:{width}}  {one.describe()}")
    refused = sum(not one.program.accepted for one in found)
    if refused:
        print(f"society: {refused} of {len(found)} classes are refused", file=sys.stderr)
    return 1 if refused else 0


# play


def _add_play(verbs: Commands) -> None:
    parser = verbs.add_parser("play", help="play a game among the classes of some files")
    _add_files(parser, game=True)
    parser.add_argument(
        "--class", dest="classes", action="append", default=[], metavar="NAME",
        help="a class that plays (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--players", type=whole_number(2), metavar="N",
        help="seats, which the classes take in turn (default: one each, and at least 4)",
    )  # fmt: skip
    parser.add_argument(
        "--rounds", type=whole_number(1), default=20, metavar="R", help="rounds (default: 20)"
    )
    parser.add_argument(
        "--seed", type=whole_number(0), default=1, metavar="S",
        help="random seed for strategies that draw (default: 1)",
    )  # fmt: skip
    for name, words in (
        ("factor", "k, of public_goods and collective_risk (default: 2)"),
        ("threshold", "m, of collective_risk (default: half of the players, at least 2)"),
        ("capacity", "K, of common_pool (default: 4 for each player)"),
    ):
        number = whole_number(1) if name == "threshold" else positive_number
        parser.add_argument(f"--{name}", type=number, metavar="X", help=words)
    parser.add_argument(
        "--open-source", action="store_true",
        help="let programs read each other's sources, and simulate each other",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=play_strategies_command)


def play_strategies_command(args: argparse.Namespace) -> int:
    """Carry out `society strategies play`."""
    from society.analysis.strategies.checked_files import choose_programs
    from society.analysis.strategies.single_match import describe_seats, play_match

    programs = choose_programs(args.files, args.game, args.classes, args.allow)
    match = play_match(
        programs,
        args.game,
        players=args.players,
        rounds=args.rounds,
        seed=args.seed,
        open_source=args.open_source,
        factor=args.factor,
        threshold=args.threshold,
        capacity=args.capacity,
    )
    if words := describe_seats(len(programs), match.players):
        print(f"society: {words}; --players says how many seats there are", file=sys.stderr)
    if args.json:
        print_json(match.facts())
    else:
        _print_match(match)
    return 0


def _print_match(match: ProgramMatch) -> None:
    """Print a line for each seat, and one for each call that gave no move."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("player", overflow="fold")
    table.add_column("moves", overflow="fold")
    table.add_column("points", justify="right")
    for name, moves in match.moves.items():
        table.add_row(name, moves, f"{match.payoffs[name]:.2f}")
    console().print(table)
    for trouble in match.troubles:
        print(trouble.describe())


# adopt


def _add_adopt(verbs: Commands) -> None:
    parser = verbs.add_parser(
        "adopt", help="write the manifest that makes published files a folder of strategies"
    )
    _add_files(parser, game=True)
    parser.add_argument("--model", required=True, metavar="M", help="the model that wrote them")
    parser.add_argument("--released", type=_date, metavar="DATE", help="the day it came out")
    parser.add_argument(
        "--reasons", action="store_true", help="the model thinks in words before it answers"
    )
    parser.set_defaults(command=adopt_command)


def adopt_command(args: argparse.Namespace) -> int:
    """Carry out `society strategies adopt`: write a manifest, or add files to the one there is."""
    from society.analysis.strategies.checked_files import program_paths
    from society.sandbox.strategy_folder import (
        MANIFEST,
        StrategyAuthor,
        adopt_files,
        read_strategies,
        write_strategies,
    )

    files = program_paths(args.files)
    folder = _only_folder(files)
    author = StrategyAuthor(release=args.released, reasons=args.reasons)
    found = adopt_files(folder, args.game, files=files, model=args.model, author=author)
    names = {file.name for file in files}
    entries, models = list(found.strategies), dict(found.models)
    if (folder / MANIFEST).exists():
        known = read_strategies(folder).manifest
        _refuse_other(folder, known, found)
        entries = [*(one for one in known.strategies if one.file not in names), *entries]
        models = known.models | models
    manifest = found.model_copy(update={"strategies": tuple(entries), "models": models})
    write_strategies(folder, manifest)
    print(f"{short_path(folder / MANIFEST)}: {len(entries)} strategies for {args.game}")
    return 0


def _refuse_other(folder: Path, known: StrategyManifest, found: StrategyManifest) -> None:
    """Raise SandboxError if a folder has strategies of another game or interface."""
    for what in ("game", "interface"):
        before, now = getattr(known, what), getattr(found, what)
        if before != now:
            raise SandboxError(
                f"{short_path(folder)} has strategies with the {what} {before}, and these have "
                f"{now}; put them into a folder of their own"
            )


def _only_folder(files: Sequence[Path]) -> Path:
    folders = sorted({file.parent for file in files})
    if len(folders) > 1:
        names = " and ".join(short_path(one) for one in folders[:2])
        raise SandboxError(f"the files lie in {names}; a manifest is for the files of one folder")
    return folders[0]


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a day, as 2025-03-31") from None
