"""Commands for going back in a recorded society: fork and interview."""

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
from .output import console, print_json
from .parser import Commands
from .runs import (
    add_code_options,
    free_path,
    given_settings,
    print_awaiting,
    print_end,
    print_note,
    watch_run,
)

if TYPE_CHECKING:
    from society.engine.history import Recorder
    from society.runs.interview import Interview, Questions
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
    parser.add_argument(
        "--out", type=out_path, metavar="FILE",
        help="run file (default: NAME-fork.run beside the run, or the first NAME-fork-2.run, "
        "NAME-fork-3.run that is free)",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    add_output_options(parser)
    parser.set_defaults(command=fork_command)


def fork_command(args: argparse.Namespace) -> int:
    """Carry out `society fork`."""
    from society.config.defaults import find_defaults
    from society.config.run_config import parse_settings
    from society.runs.fork import Changes, fork

    changes = Changes(
        settings=[*parse_settings(args.changes, ("rounds", "seed")), *given_settings(args)],
        file=args.changed_by,
        norm=args.norm,
        remove=args.remove,
        seed=args.fresh_seed,
        defaults=find_defaults(),
    )
    usual = args.file.parent / f"{args.file.stem}-fork.run"
    path = args.out or (usual if args.overwrite else free_path(usual))
    watch = watch_run(args)

    def announced(session: Session) -> AbstractContextManager[Recorder | None]:
        if not args.quiet:
            print_note(f"forked from {session.writer.manifest.forks[-1].words}")
        return watch(session)

    end = fork(
        args.file,
        args.at,
        changes,
        path,
        fresh=args.fresh,
        trust=args.trust,
        files=args.files,
        overwrite=args.overwrite,
        watch=announced,
        awaiting=print_awaiting,
        announce=print_note,
    )
    return print_end(args, path, end)


def add_interview(commands: Commands) -> None:
    """Add `society interview`."""
    parser = commands.add_parser(
        "interview", help="ask the agents of a run, as they were at the end of a round"
    )
    parser.add_argument("file", type=Path, metavar="FILE.run")
    parser.add_argument(
        "--at", type=parse_place, nargs="+", default=[], metavar="T",
        help="after which rounds: numbers, 0 for before the first, or paths such as 3.1.5",
    )  # fmt: skip
    parser.add_argument(
        "--every", type=whole_number(1), metavar="N", help="also after each N rounds"
    )
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument(
        "--ask", action="append", metavar="TEXT",
        help="a question, to be answered in words; may be repeated",
    )  # fmt: skip
    asked.add_argument(
        "--questionnaire", metavar="NAME",
        help="an instrument: FILE.yaml, or one that comes with the program",
    )  # fmt: skip
    parser.add_argument(
        "--mode", choices=("together", "apart", "interview"),
        help="items in one question, each in its own, or one after another (default: together, "
        "and interview for --ask)",
    )  # fmt: skip
    parser.add_argument(
        "--agent", action="append", default=[], metavar="A",
        help="whom to ask, by name or by seat; may be repeated (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--replicate", type=whole_number(0), metavar="R", help="of which replicate (default: all)"
    )
    parser.add_argument(
        "--model", metavar="M", help="model that speaks for all (default: that of each agent)"
    )
    parser.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not ask"
    )
    add_code_options(parser)
    add_limit_options(parser)
    add_fallback_option(parser)
    parser.add_argument(
        "--out", type=out_path, metavar="FILE",
        help="file of JSON lines to add to (default: NAME.interview.jsonl beside the run)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(command=interview_command)


def interview_command(args: argparse.Namespace) -> int:
    """Carry out `society interview`."""
    from society.errors import InputError
    from society.runs.interview import interview

    if not args.at and args.every is None:
        raise InputError("say when: --at T [T ...], or --every N")
    questions = _questions(args)
    if args.estimate:
        return _print_interview_estimate(args, questions)
    found = interview(
        args.file,
        args.at,
        questions,
        args.out,
        every=args.every,
        trust=args.trust,
        files=args.files,
        announce=print_note,
        awaiting=print_awaiting,
    )
    _show_interview(args, found)
    return 0


def _questions(args: argparse.Namespace) -> Questions:
    """Return what is to be asked, of whom, and how."""
    from society.config.defaults import find_defaults
    from society.runs.interview import Questions, find_instrument, open_questions

    in_words = args.ask is not None
    return Questions(
        open_questions(args.ask) if in_words else find_instrument(args.questionnaire),
        args.mode or ("interview" if in_words else "together"),
        args.agent,
        args.replicate,
        given_settings(args),
        args.model or "",
        find_defaults(),
    )


def _show_interview(args: argparse.Namespace, found: Interview) -> None:
    """Print the answers, as JSON or below each other, and who could give none."""
    from society.runs.runfile import open_run_file
    from society.terminal.interview_text import print_interview
    from society.terminal.labels import count_noun

    if found.silent:
        names = " and ".join(found.silent)
        print_note(
            f"agents of {names} follow rules and cannot speak; --model M lets a model speak for all"
        )
    if args.json:
        print_json(
            {
                "out": str(found.file),
                "calls": found.asked,
                "answers": [one._asdict() for one in found.answers],
            }
        )
        return
    with open_run_file(args.file) as run:
        print_interview(found, run.manifest.replicates, console())
    print_note(f"{count_noun(found.asked, 'call')} to models; the answers are in {found.file}")


def _print_interview_estimate(args: argparse.Namespace, questions: Questions) -> int:
    """Print estimated calls, tokens and cost of an interview."""
    from society.runs.interview import estimate_interview
    from society.terminal.forecast_text import print_costs

    forecasts = estimate_interview(
        args.file,
        args.at,
        questions,
        every=args.every,
        trust=args.trust,
        files=args.files,
        announce=print_note,
    )
    if args.json:
        print_json({"models": [forecast._asdict() for forecast in forecasts]})
    else:
        print_costs(forecasts, "the interview", "this interview", console())
    return 0
