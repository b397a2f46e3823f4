"""The command `society strategies write`: models write strategies into a folder."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from society.errors import InputError, short_path, suggest

from .arguments import add_fallback_option, add_limit_options, add_output_options, whole_number
from .output import console, print_json
from .parser import Commands
from .recorded_writing import record_writing
from .runs import check_fallbacks, given_settings, print_end, sum_ledger

if TYPE_CHECKING:
    from society.analysis.strategies.written_strategies import Success, WrittenStrategy
    from society.config.build import Society
    from society.config.run_config import RunConfig
    from society.runs.runfile import RunFile

_GAMES = ("public_goods", "collective_risk", "common_pool")
_RUN = "writing.run"  # the record of the writing, in its folder
_ROOM = 4096  # tokens of a reply, in which models also think
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
    from society.analysis.strategies.written_folder import write_folder
    from society.analysis.strategies.written_strategies import read_writing
    from society.runs.runfile import open_run_file
    from society.sandbox.strategy_folder import MANIFEST

    folder = args.out or Path("strategies", args.game)
    path = folder / _RUN
    end = record_writing(args, _writing_config(args), path, before=_try_sandbox)
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


def _try_sandbox(setup: Society) -> None:
    """Raise SandboxError if programs cannot be tried here, before anything is paid for."""
    from society.scenarios.programs.trial_games import TrialGames, WrittenReply

    given: Any = setup.params
    with TrialGames(given.game, tried=given.trial) as trial:
        trial.judge([WrittenReply("class A:\n    def act(self, history):\n        return C", "C")])


def _note(words: str) -> None:
    print(f"society: {words}", file=sys.stderr)


# What is asked for


def _writing_config(args: argparse.Namespace) -> RunConfig:
    """Return the configuration of the writing: a cohort for each model and attitude."""
    from society.config.run_config import load_config, override, parse_settings

    if args.game not in _GAMES:
        raise InputError(f"--game {args.game}: there is no such game; {suggest(args.game, _GAMES)}")
    authors = list(dict.fromkeys(args.authors or ["offline"]))
    attitudes = _parse_attitudes(args.attitudes)
    names = _model_names(authors)
    changes = {
        "parameters": {"game": args.game},
        "rounds": args.tries,
        "models": {name: {"model": author, "max_tokens": _ROOM} for name, author in names.items()},
        "cohorts": [
            _author_cohort(name, attitude, fallback, args.count)
            for name in names
            for attitude, fallback in attitudes.items()
        ],
    }
    given = [*parse_settings(args.changes), *given_settings(args)]
    return override(load_config("strategy_writing", changes), given)


def _author_cohort(name: str, attitude: str, fallback: str, count: int) -> dict[str, Any]:
    stance = {"attitude": attitude, "fallback_action": fallback}
    return {
        "name": f"{attitude} {name}",
        "count": count,
        "components": [{"author_attitude": stance}, {"language_policy": {"model": name}}],
    }


def _model_names(authors: Sequence[str]) -> dict[str, str]:
    """Name models shortly within the run: openai/gpt-4o-mini -> gpt_4o_mini, numbered if alike."""
    from society.analysis.strategies.written_folder import file_word

    names: dict[str, str] = {}
    alike = Counter[str]()
    for author in authors:
        if not author.strip():
            raise InputError("--model is empty; name a model, or offline")
        word = file_word(author.rpartition("/")[2])
        alike[word] += 1
        names[word if alike[word] == 1 else f"{word}_{alike[word]}"] = author
    return names


def _parse_attitudes(texts: Sequence[str]) -> Mapping[str, str]:
    """Parse NAME or NAME=C or NAME=D; raises InputError."""
    from society.components.programs.author_attitude import LONGEST_ATTITUDE
    from society.sandbox.strategy_folder import FALLBACKS
    from society.text import clean_line, shorten

    found: dict[str, str] = {}
    for text in texts:
        name, equals, fallback = (part.strip() for part in text.partition("="))
        if not name:
            raise InputError(
                f"--attitude {text!r} is empty; give one in words, such as collective, or "
                "generous=C"
            )
        fallback = fallback if equals else FALLBACKS.get(name, "")
        if fallback not in ("C", "D"):
            raise InputError(
                f"--attitude {text}: say which action stands in where its programs fail: "
                f"'{name}=C' or '{name}=D'"
            )
        if name in found:
            raise InputError(f"--attitude {name} is given twice; give it once")
        if len(name) > LONGEST_ATTITUDE or clean_line(name) != name:
            raise InputError(
                f"--attitude {shorten(clean_line(name), 40)}: got {len(name)} characters; expected "
                f"at most {LONGEST_ATTITUDE} on one line"
            )
        found[name] = fallback
    return found


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
