"""The command `check`: find mistakes in a user's file without playing it in earnest."""

from __future__ import annotations

import argparse
import sys

from society.visible import print_result

from .arguments import add_strict_option
from .parser import Commands


def add_check(commands: Commands) -> None:
    """Add `society check`."""
    parser = commands.add_parser("check", help="check your own files without asking any model")
    parser.add_argument(
        "file", metavar="FILE", help="FILE.yaml, FILE.py, a folder of prompts, or a name"
    )
    add_strict_option(parser)
    parser.add_argument("--json", action="store_true", help="print a list of checks as JSON")
    parser.set_defaults(command=check_command)


def check_command(args: argparse.Namespace) -> int:
    """Carry out `society check`: a line for each check; the exit code is 0, or 2 for errors."""
    from society.conformance.file_checks import check_file, checks_as_json

    results = []
    for result in check_file(args.file):
        results.append(result)
        if not args.json:
            print(f"{result.outcome:8} {result.subject}: {result.words}", flush=True)
    if args.json:
        print_result(checks_as_json(results))
    wrong = {"error", "warning"} if args.strict else {"error"}
    count = sum(result.outcome in wrong for result in results)
    if count:
        print(f"society: {args.file}: {count} of {len(results)} checks failed", file=sys.stderr)
    return 2 if count else 0
