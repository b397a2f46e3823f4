"""Commands for going back in a recorded society: fork."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import (
    add_fallback_option,
    add_limit_options,
    add_output_options,
    add_saving_options,
    out_path,
    parse_place,
    whole_number,
)
from .parser import Commands
from .runs import (
    add_code_options,
    given_settings,
    print_awaiting,
    print_end,
    print_note,
    watch_run,
)

if TYPE_CHECKING:
    from society.engine.history import Recorder
    from society.runs.session import Session


def add_fork(commands: Commands) -> None:
    """Add `society fork`."""
    parser = commands.add_parser(
        "fork", help="rewind a run to the end of a round, change something, and play on"
    )
    parser.add_argument("file", type=Path, metavar="FILE.run")
    parser.add_argument(
        "--at", type=parse_place, required=True, metavar="T",
        help="the last round to keep: a number, 0 for none, or a path such as 3.1.5",
    )  # fmt: skip
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="set parameters that may change, or cohorts.NAME.parameters.FIELD",
    )  # fmt: skip
    parser.add_argument("--norm", metavar="TEXT", help="the norm in force from then on")
    parser.add_argument(
        "--remove", action="append", default=[], metavar="SEAT",
        help="take out an agent, by seat or by name: 3, or 'villager 3'; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--with", type=Path, metavar="FILE.yaml", dest="changed_by",
        help="cohorts, models and parameters as a scenario file has them",
    )  # fmt: skip
    parser.add_argument("--model", metavar="M", help="the model of language agents from then on")
    parser.add_argument(
        "--rounds", type=whole_number(1), metavar="T", help="maximum number of rounds, of both"
    )
    parser.add_argument(
        "--seed", type=whole_number(0), metavar="S", dest="fresh_seed",
        help="random seed from then on; by default the same chance goes on",
    )  # fmt: skip
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="ask all later questions anew; by default those that are the same are not",
    )
    add_code_options(parser)
    add_limit_options(parser)
    add_saving_options(parser)
    add_fallback_option(parser)
    parser.add_argument("--out", type=out_path, required=True, metavar="FILE", help="run file")
    parser.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    add_output_options(parser)
    parser.set_defaults(command=fork_command)


def fork_command(args: argparse.Namespace) -> int:
    """Carry out `society fork`."""
    from society.config.run_config import parse_settings
    from society.runs.fork import Changes, fork

    changes = Changes(
        settings=[*parse_settings(args.changes), *given_settings(args)],
        file=args.changed_by,
        norm=args.norm,
        remove=args.remove,
        seed=args.fresh_seed,
    )
    watch = watch_run(args)

    def announced(session: Session) -> AbstractContextManager[Recorder | None]:
        if not args.quiet:
            print_note(f"forked from {session.writer.manifest.forks[-1].words}")
        return watch(session)

    end = fork(
        args.file,
        args.at,
        changes,
        args.out,
        fresh=args.fresh,
        trust=args.trust,
        files=args.files,
        overwrite=args.overwrite,
        watch=announced,
        awaiting=print_awaiting,
        conclude=args.json or not args.quiet,
        announce=print_note,
    )
    return print_end(args, args.out, end)
