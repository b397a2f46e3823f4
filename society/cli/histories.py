"""Commands that hold histories against each other and ask what became of them: compare and why."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .arguments import add_limit_options, parse_place, whole_number
from .output import console, print_json
from .parser import Commands
from .runs import add_code_options, given_settings, print_note

if TYPE_CHECKING:
    from society.analysis.histories import Explanation, RunComparison
    from society.engine.post_mortem import Statement
    from society.runs.runfile import RunFile


def add_compare(commands: Commands) -> None:
    """Add `society compare`."""
    parser = commands.add_parser(
        "compare", help="show where two runs part, and how far apart their measures are"
    )
    parser.add_argument("first", type=Path, metavar="A.run")
    parser.add_argument("second", type=Path, metavar="B.run")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=compare_command)


def compare_command(args: argparse.Namespace) -> int:
    """Carry out `society compare`."""
    from society.analysis.histories import compare
    from society.analysis.histories.comparison_text import print_comparison
    from society.runs.runfile import open_run_file

    with open_run_file(args.first) as first, open_run_file(args.second) as second:
        found = compare(first, second)
    if args.json:
        print_json(_comparison_facts(found))
    else:
        print_comparison(found, console())
    return 0


def _comparison_facts(found: RunComparison) -> dict[str, Any]:
    return {
        "equal": found.equal,
        "runs": [side._asdict() for side in found.sides],
        "relation": found.relation,
        "inputs": [one._asdict() for one in found.inputs],
        "apart": found.apart_words,
        "difference": None
        if found.difference is None
        else {
            **found.difference._asdict(),
            "values": [one._asdict() for one in found.difference.values],
        },
        "measures": {
            one.name: {**one._asdict(), "interval": one.interval and one.interval._asdict()}
            for one in found.measures
        },
    }


def add_why(commands: Commands) -> None:
    """Add `society why`."""
    parser = commands.add_parser(
        "why", help="tell why a replicate ended as it did, from its record"
    )
    parser.add_argument("file", type=Path, metavar="FILE.run")
    parser.add_argument(
        "--replicate", type=whole_number(0), default=0, metavar="R", help="replicate (default: 0)"
    )
    parser.add_argument(
        "--refork", action="store_true",
        help="also play it on many times with fresh chance, as it was and with something left out",
    )  # fmt: skip
    parser.add_argument(
        "--remove", action="append", default=[], metavar="SEAT",
        help="of --refork: leave out an agent, by seat or by name (default: who is named)",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="of --refork: change parameters, as `society fork` does",
    )  # fmt: skip
    parser.add_argument("--norm", metavar="TEXT", help="of --refork: the norm from then on")
    parser.add_argument(
        "--at", type=parse_place, metavar="T",
        help="of --refork: the last round to keep (default: 0, none)",
    )  # fmt: skip
    parser.add_argument(
        "--continuations", type=whole_number(2), metavar="N",
        help="of --refork: how many as it was, and how many with it left out (default: 40)",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        type=whole_number(0),
        metavar="S",
        help="of --refork: of fresh chance (default: 1)",
    )
    parser.add_argument("--model", metavar="M", help="of --refork: the model to be asked")
    add_limit_options(parser)
    add_code_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=why_command)


_REFORK_OPTIONS = ("remove", "norm", "at", "continuations", "seed", "model")


def why_command(args: argparse.Namespace) -> int:
    """Carry out `society why`."""
    from dataclasses import replace

    from society.analysis.histories import explain
    from society.analysis.histories.explanation_text import print_explanation
    from society.runs.runfile import open_run_file

    _refuse_without_refork(args)
    with open_run_file(args.file, args.files) as run:
        found = explain(run, args.replicate)
        if args.refork:
            found = replace(found, statements=(*found.statements, _refork(args, run, found)))
        if args.json:
            print_json(_explanation_facts(found))
        else:
            print_explanation(found, run, console())
    return 0


def _refuse_without_refork(args: argparse.Namespace) -> None:
    """Raise InputError for an option that says how to play on, where nothing is played on."""
    from society.errors import InputError

    options = {"set": "changes"} | {name: name for name in _REFORK_OPTIONS}
    names = [name for name, place in options.items() if getattr(args, place) not in (None, [])]
    if not args.refork and names:
        raise InputError(f"--{names[0]} says how to play on; add --refork")


def _refork(args: argparse.Namespace, run: RunFile, found: Explanation) -> Statement:
    """Play a replicate on with something left out; say beforehand what models will be asked."""
    from society.analysis.histories.refork import (
        CONTINUATIONS,
        LeftOut,
        estimate_calls,
        refork,
        refork_statement,
    )
    from society.config.run_config import parse_settings
    from society.errors import InputError
    from society.runs.agent_names import AgentNames
    from society.runs.fork import Changes

    removed = args.remove
    if not (removed or args.changes or args.norm):
        removed = [str(seat) for seat in found.named]
        if not removed:
            raise InputError(
                "nobody is named whom --refork could leave out; say what to leave out by --remove, "
                "--set or --norm"
            )
    names = AgentNames.of_run(run)
    words = [
        f"without {names.with_type(args.replicate, int(one)) if one.isdecimal() else one}"
        for one in removed
    ]
    words += [f"with {one}" for one in args.changes]
    words += [f"with the norm {args.norm}"] if args.norm else []
    changes = Changes(
        settings=parse_settings(args.changes, ("seed",)),
        norm=args.norm,
        remove=removed,
        seed=1 if args.seed is None else args.seed,
    )
    without_model = argparse.Namespace(**{**vars(args), "model": None, "seed": None})
    reach = tuple(given_settings(without_model))
    count = args.continuations or CONTINUATIONS
    given = LeftOut(changes, " and ".join(words), args.at or 0, count, args.model, reach)
    if args.model is not None and (calls := estimate_calls(run, given)):
        print_note(f"asks {args.model} about {calls:,} times, by the calls of the recorded run")
    difference = refork(
        run, args.replicate, found.lives, given, trust=args.trust, announce=print_note
    )
    return refork_statement(difference, given, run.manifest.most)


def _explanation_facts(found: Explanation) -> dict[str, Any]:
    return {
        "scenario": found.scenario,
        "replicate": found.replicate,
        "named": list(found.named),
        "statements": [
            {**one._asdict(), "numbers": dict(one.numbers), "agents": list(one.agents)}
            for one in found.statements
        ],
    }
