"""Commands for strategies that are written as programs: check, play and adopt."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from society.errors import FileError, SandboxError, short_path, suggest
from society.visible import print_result

from .arguments import positive_number, whole_number
from .output import console, print_json
from .parser import ArgumentParser, Commands
from .strategy_diversity import add_diversity
from .strategy_evolution import add_evolve
from .write_strategies import add_write

if TYPE_CHECKING:
    from society.components.programs.program_files import ProgramFile, ReadyProgram
    from society.sandbox.checker import CheckedProgram
    from society.sandbox.matches.match_batch import BatchResult, Trouble
    from society.sandbox.stage_games import StageGame
    from society.sandbox.strategy_folder import StrategyManifest

GAMES = ("public_goods", "collective_risk", "common_pool")
FEWEST = 4  # players, where fewer classes are given than that


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
    found = [
        (file, _judged(one, args.game))
        for file in _files(args.files)
        for one in _program_file(file, args.allow).checked
    ]
    if args.json:
        print_result(json.dumps([_as_json(file, one) for file, one in found], indent=2))
    else:
        _print_checked(found)
    refused = sum(not one.accepted for _, one in found)
    if refused:
        print(f"society: {refused} of {len(found)} classes are refused", file=sys.stderr)
    return 1 if refused else 0


def _judged(program: CheckedProgram, game: str | None) -> CheckedProgram:
    """Refuse a program that is called with a stock in a game that has none, or the reverse."""
    from dataclasses import replace

    if not program.accepted or game is None or program.interface != "counts":
        return program
    if program.takes_stock == (game == "common_pool"):
        return program
    with_stock = "takes current_stock" if program.takes_stock else "does not take current_stock"
    reason = f"{program.name} {with_stock}, so that it cannot play {game}; name its own game"
    return replace(program, accepted=False, reason=reason)


def _as_json(file: Path, program: CheckedProgram) -> dict[str, Any]:
    return {
        "class": program.name,
        "accepted": program.accepted,
        "reason": program.reason,
        "line": program.line,
        "file": str(file),
        "interface": program.interface,
        "reads": sorted(program.reads) if program.accepted else [],
        "random": program.random,
        "keeps_state": program.keeps_state,
        "answers": list(program.answers),
        "reads_sources": program.reads_sources,
        "simulates": program.simulates,
    }


def _print_checked(found: Sequence[tuple[Path, CheckedProgram]]) -> None:
    """Print a line for each class: what it is, or why it is refused."""
    width = max(len(one.name) for _, one in found)
    for file, one in found:
        verdict = "ok" if one.accepted else "refused"
        words = _described(one) if one.accepted else f"{short_path(file)}:{one.line}: {one.reason}"
        print(f"{verdict:8} {one.name:{width}}  {words}")


def _described(program: CheckedProgram) -> str:
    """Describe an accepted program by what it reads, and whether it draws or remembers."""
    words = [
        f"interface {program.interface}",
        f"reads {', '.join(sorted(program.reads)) or 'nothing'}",
        "draws at random" if program.random else "deterministic",
        "keeps state" if program.keeps_state else "keeps no state",
    ]
    if program.reads_sources:
        words.append("reads sources")
    if program.simulates:
        words.append("simulates")
    if program.answers:
        words.append(f"answers {', '.join(program.answers)}")
    return "; ".join(words)


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
        help=f"seats, which the classes take in turn (default: one each, and at least {FEWEST})",
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
    programs = _playing(args)
    players = args.players or max(FEWEST, len(programs))
    if players < len(programs):
        raise SandboxError(
            f"{len(programs)} classes have no room on {players} seats; take more --players, or "
            "name some of them by --class"
        )
    game = _game(args, players)
    if players > len(programs):
        many = f"{len(programs)} classes take {players} seats in turn"
        words = f"one class takes all {players} seats" if len(programs) == 1 else many
        print(f"society: {words}; --players says how many seats there are", file=sys.stderr)
    result = _played(programs, game, args.seed, open_source=args.open_source)
    names = _seat_names(programs, players)
    payoffs = _payoffs(game, result)
    if args.json:
        print_json(_match_as_json(args, game, names, result, payoffs))
    else:
        _print_match(names, result, payoffs)
        for trouble in result.troubles:
            fallback = programs[trouble.program].kept.fallback
            print(_trouble_line(names[trouble.seat], trouble, fallback))
    return 0


def _playing(args: argparse.Namespace) -> list[ReadyProgram]:
    """Check the classes that shall play; raises SandboxError for one that is refused."""
    from society.components.programs.program_files import ReadyProgram
    from society.sandbox.kept_programs import KeptProgram

    files = _files(args.files)
    checked = [
        (file, _judged(one, args.game))
        for file in files
        for one in _program_file(file, args.allow).checked
    ]
    fallbacks = {file: _declared_fallbacks(file) for file in files}
    known = [one.name for _, one in checked]
    for name in args.classes:
        if name not in known:
            raise SandboxError(f"there is no class {name!r}; {suggest(name, known)}")
    ready: dict[str, ReadyProgram] = {}
    for file, one in checked:
        if args.classes and one.name not in args.classes:
            continue
        if not one.accepted:
            raise SandboxError(f"{short_path(file)}:{one.line}: {one.reason}")
        if one.name in ready:
            raise SandboxError(
                f"{short_path(file)}:{one.line}: two classes are called {one.name}; rename one"
            )
        fallback = fallbacks[file].get(one.name, "D")
        kept = KeptProgram(name=one.name, number=0, source=one.source, fallback=fallback)
        ready[one.name] = ReadyProgram.of(kept, one)
    _refuse_mute(ready)
    return list(ready.values())


def _declared_fallbacks(file: Path) -> dict[str, Literal["C", "D"]]:
    """Return the fallbacks of the strategies in a file, if a manifest beside it lists them."""
    from society.sandbox.strategy_folder import MANIFEST, read_strategies

    if not (file.parent / MANIFEST).exists():
        return {}
    listed = read_strategies(file.parent).manifest.strategies
    return {one.name: one.fallback for one in listed if one.file == file.name}


def _refuse_mute(programs: dict[str, ReadyProgram]) -> None:
    for name, one in programs.items():
        if "move" not in one.answers:
            raise SandboxError(f"{name} makes no moves; give it a method act(self, history)")


def _game(args: argparse.Namespace, players: int) -> StageGame:
    """Return the game that is meant; raises SandboxError for parameters that are no dilemma."""
    from society.sandbox.stage_games import stage_game

    given = {name: getattr(args, name) for name in ("factor", "threshold", "capacity")}
    try:
        return stage_game(args.game, players, args.rounds, **given)
    except ValueError as error:
        raise SandboxError(str(error)) from None


def _played(
    programs: Sequence[ReadyProgram], game: StageGame, seed: int, *, open_source: bool
) -> BatchResult:
    """Play one game in the jail."""
    import numpy as np

    from society.components.programs.program_host import chosen_confinement
    from society.engine.rng import generator
    from society.sandbox.matches.match_batch import MatchBatch
    from society.sandbox.workers.program_pool import ProgramPool

    seats = np.arange(game.players)[None] % len(programs)
    words = generator(seed, "strategies play").integers(2**64, size=seats.shape, dtype=np.uint64)
    with ProgramPool(workers=1, confinement=chosen_confinement()) as pool:
        pool.load([one.loaded for one in programs])
        return pool.play(MatchBatch(game, seats, words, open_source=open_source))


def _seat_names(programs: Sequence[ReadyProgram], players: int) -> list[str]:
    """Name the seats by their classes; those that a class has beyond its first are numbered."""
    names = [one.kept.name for one in programs]
    turns = (divmod(seat, len(names)) for seat in range(players))
    return [f"{names[place]} {turn + 1}" if turn else names[place] for turn, place in turns]


def _payoffs(game: StageGame, result: BatchResult) -> list[float]:
    """Return the points that each seat gets in all rounds."""
    import numpy as np

    total, stock = np.zeros(game.players), game.first_stock
    for cooperates in result.actions[0].T:
        total += game.paid(cooperates, stock)
        stock = game.next_stock(cooperates, stock)
    return [float(one) for one in total]


def _moves(result: BatchResult) -> list[str]:
    return ["".join("C" if one else "D" for one in seat) for seat in result.actions[0]]


def _match_as_json(
    args: argparse.Namespace,
    game: StageGame,
    names: Sequence[str],
    result: BatchResult,
    payoffs: Sequence[float],
) -> dict[str, Any]:
    mean = sum(payoffs) / (game.players * game.rounds)
    return {
        "game": game.name,
        "players": game.players,
        "rounds": game.rounds,
        "seed": args.seed,
        "open_source": args.open_source,
        "moves": dict(zip(names, _moves(result), strict=True)),
        "payoffs": dict(zip(names, payoffs, strict=True)),
        "efficiency": float(game.efficiency(mean)),
        "troubles": [
            {
                "player": names[one.seat],
                "round": one.round + 1,
                "kind": one.kind,
                "sentence": one.sentence,
                "line": one.line,
            }
            for one in result.troubles
        ],
    }


def _print_match(names: Sequence[str], result: BatchResult, payoffs: Sequence[float]) -> None:
    """Print a line for each seat."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("player", overflow="fold")
    table.add_column("moves", overflow="fold")
    table.add_column("points", justify="right")
    for name, moves, paid in zip(names, _moves(result), payoffs, strict=True):
        table.add_row(name, moves, f"{paid:.2f}")
    console().print(table)


def _trouble_line(name: str, trouble: Trouble, fallback: str) -> str:
    """Describe a call that gave no move."""
    out = (
        "" if trouble.kind == "error" else f"; it is disqualified, and plays {fallback} to the end"
    )
    line = "" if trouble.line is None else f" (line {trouble.line})"
    return f"round {trouble.round + 1}: {name}: {trouble.sentence}{line}{out}"


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
    from society.sandbox.strategy_folder import (
        MANIFEST,
        StrategyAuthor,
        adopt_files,
        read_strategies,
        write_strategies,
    )

    files = _files(args.files)
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


# Files


def _files(given: Sequence[Path]) -> list[Path]:
    """List the files that are meant, those of folders included; raises FileError."""
    found = list[Path]()
    for path in given:
        inside = sorted(path.glob("*.py")) if path.is_dir() else [path]
        if not inside:
            raise FileError(f"{short_path(path)} has no .py file; name a folder of strategies")
        if not path.exists():
            raise FileError(f"there is no file {short_path(path)}; give FILE.py")
        found += inside
    return found


def _program_file(file: Path, allow: Sequence[str]) -> ProgramFile:
    from society.components.programs.program_files import ProgramFile

    return ProgramFile(file, allow)
