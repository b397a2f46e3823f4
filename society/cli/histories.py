"""Commands that hold histories against each other and ask what became of them: compare and why."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import console, print_json
from .parser import Commands

if TYPE_CHECKING:
    from society.analysis.histories import RunComparison


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
