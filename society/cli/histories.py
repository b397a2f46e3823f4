"""Commands that hold histories against each other and ask what became of them: compare and why."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .arguments import whole_number
from .output import console, print_json
from .parser import Commands

if TYPE_CHECKING:
    from society.analysis.histories import Explanation, RunComparison


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
    from society.analysis.histories.comparison_text import apart_words

    return {
        "equal": found.equal,
        "runs": [side._asdict() for side in found.sides],
        "relation": found.relation,
        "inputs": [one._asdict() for one in found.inputs],
        "apart": apart_words(found),
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
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=why_command)


def why_command(args: argparse.Namespace) -> int:
    """Carry out `society why`."""
    from society.analysis.histories import explain
    from society.analysis.histories.explanation_text import print_explanation
    from society.runs.runfile import open_run_file

    with open_run_file(args.file) as run:
        found = explain(run, args.replicate)
        if args.json:
            print_json(_explanation_facts(found))
        else:
            print_explanation(found, run, console())
    return 0


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
