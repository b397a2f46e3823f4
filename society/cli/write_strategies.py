"""The command `society strategies write`: models write strategies into a folder."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.errors import short_path

from .arguments import add_fallback_option, add_limit_options, add_output_options, whole_number
from .output import console, print_json
from .parser import Commands
from .recorded_writing import record_writing
from .runs import check_fallbacks, given_settings, print_end, sum_ledger

if TYPE_CHECKING:
    from society.analysis.strategies.written_strategies import Success, WrittenStrategy
    from society.config.run_config import RunConfig
    from society.runs.runfile import RunFile

_GAMES = ("public_goods", "collective_risk", "common_pool")
_SHOWN = 8  # reasons of refusals


def add_write(verbs: Commands) -> None:
    """Add `society strategies write`."""
    parser = verbs.add_parser(
        "write", help="let models write strategies, first in words and then as programs"
    )
    parser.add_argument(
        "--model", dest="authors", nargs="+", action="extend", metavar="M",
        help="models that write (see `society list models`; default: offline)",
    )  # fmt: skip
    parser.add_argument(
        "--game", required=True, metavar="G", help=f"the dilemma: {', '.join(_GAMES)}"
    )
    parser.add_argument(
        "--attitude", dest="attitudes", nargs="+", action="extend", required=True,
        metavar="A[=C|D]",
        help="attitudes of the strategies in any words, with the action that stands in where a "
        "program fails; collective means collective=C, and exploitative means exploitative=D",
    )  # fmt: skip
    parser.add_argument(
        "--count", type=whole_number(1), required=True, metavar="N",
        help="strategies of each model and attitude",
    )  # fmt: skip
    parser.add_argument(
        "--tries", type=whole_number(1), default=5, metavar="T",
        help="programs for one description before it is given up (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER",
        help="folder for the strategies (default: strategies/GAME); if their writing was "
        "interrupted there, it goes on",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole_number(0), metavar="S", help="random seed")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="parameters of the scenario strategy_writing, such as wording=overview, "
        "mindset=collective, trial=false",
    )  # fmt: skip
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="override the built-in prompts with these"
    )
    add_limit_options(parser)
    add_fallback_option(parser)
    add_output_options(parser)
    parser.set_defaults(command=write_strategies_command)


def write_strategies_command(args: argparse.Namespace) -> int:
    """Carry out `society strategies write`: write, or go on writing, then make the folder."""
    from society.analysis.strategies.writing_config import RUN_FILE, try_sandbox
    from society.analysis.strategies.written_folder import write_folder
    from society.analysis.strategies.written_strategies import read_writing
    from society.runs.runfile import open_run_file
    from society.sandbox.strategy_folder import MANIFEST

    folder = args.out or Path("strategies", args.game)
    path = folder / RUN_FILE
    end = record_writing(args, _writing_config(args), path, before=try_sandbox)
    if end.code:
        code = print_end(args, path, end)
        if end.saved:
            _note("or continue with the same command, which makes the folder in the end")
        return code
    with open_run_file(path) as run:
        written = read_writing(run)
        if (folder / MANIFEST).exists():
            _note(f"{short_path(folder)} is written; nothing in it is changed")
        else:
            write_folder(folder, run.manifest.params["game"], written)
        _print_written(args, folder, run, written)
        return 0 if args.accept_fallbacks else check_fallbacks(args, run)


def _note(words: str) -> None:
    print(f"society: {words}", file=sys.stderr)


def _writing_config(args: argparse.Namespace) -> RunConfig:
    """Return the configuration of the writing."""
    from society.analysis.strategies.writing_config import parse_attitudes, writing_config
    from society.config.run_config import override, parse_settings

    authors, attitudes = args.authors or ["offline"], parse_attitudes(args.attitudes)
    spec = writing_config(args.game, attitudes, args.count, authors, args.tries)
    return override(spec, [*parse_settings(args.changes), *given_settings(args)])


# What came of it


def _print_written(
    args: argparse.Namespace, folder: Path, run: RunFile, written: Sequence[WrittenStrategy]
) -> None:
    from society.analysis.strategies.written_strategies import (
        refusal_reasons,
        success_by_author,
        success_by_length,
    )

    authors, lengths = success_by_author(written), success_by_length(written)
    refusals = refusal_reasons(written)
    if args.json:
        facts = {
            "folder": str(folder),
            "run": str(run.path),
            "game": args.game,
            "described": len(written),
            "accepted": sum(one.accepted for one in written),
            "by_author": [_success_facts(one, "model", "attitude") for one in authors],
            "by_length": [_success_facts(one, "words") for one in lengths],
            "refusals": dict(refusals.most_common()),
            "ledger": sum_ledger(run.ledger()),
        }
        print_json(facts)
    elif not args.quiet:
        _print_tables(folder, written, authors, lengths)
        _print_refusals(refusals)
        _print_costs(sum_ledger(run.ledger()))


def _success_facts(success: Success, *names: str) -> dict[str, Any]:
    group = dict(zip(names, success.group, strict=True))
    counts = {name: one for name, one in success._asdict().items() if name != "group"}
    return {**group, **counts, "share": success.share}


def _print_tables(
    folder: Path,
    written: Sequence[WrittenStrategy],
    authors: Sequence[Success],
    lengths: Sequence[Success],
) -> None:
    accepted = sum(one.accepted for one in written)
    print(f"{accepted} of {len(written)} descriptions became programs, in {short_path(folder)}")
    _print_success(("model", "attitude"), authors)
    _print_success(("words",), lengths)


def _print_success(names: Sequence[str], groups: Sequence[Success]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for name in ("described", "accepted", "tries", "words if accepted", "if not"):
        table.add_column(name, justify="right")
    for one in groups:
        lengths = (one.accepted_words, one.failed_words)
        words = ["-" if length is None else f"{length:.0f}" for length in lengths]
        table.add_row(*one.group, str(one.described), str(one.accepted), str(one.tries), *words)
    print()
    console().print(table)


def _print_refusals(refusals: Counter[str]) -> None:
    if refusals:
        print(f"\n{sum(refusals.values())} programs were refused:")
    for reason, count in refusals.most_common(_SHOWN):
        print(f"{count:5}  {reason}")
    if len(refusals) > _SHOWN:
        print(f"       and for {len(refusals) - _SHOWN} other reasons")


def _print_costs(ledger: Mapping[str, Any]) -> None:
    cost = "an unknown price" if ledger["cost"] is None else f"{ledger['cost']:.4g} dollars"
    tokens = [ledger["prompt_tokens"], ledger["completion_tokens"]]
    sent, got = ("an unknown number of" if one is None else f"{one:,}" for one in tokens)
    print(f"\n{ledger['calls']:,} calls, {sent} tokens in, {got} tokens out, {cost}")
