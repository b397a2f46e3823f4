"""The command line: its commands, options and exit codes.

Results go to stdout; progress, notes and errors go to stderr. Exit codes: 0 done, 1 the run
failed, 2 the user's input is wrong, 3 paused by a limit or an outage, 130 interrupted. After 3 and
130 all committed rounds are kept, and `resume` continues the run.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from society.errors import SocietyError
from society.former_names import FormerNameWarning

from . import experiments, runs
from .runs import KINDS, NOT_GIVEN


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    args = _parser().parse_args(list(_split_settings(words)))
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        with _sigterm_as_interrupt(), _former_names_on_stderr():
            return command(args)
    except SocietyError as error:
        print(f"society: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has left (`| head`): nothing is wrong, nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM, by which schedulers end a job, like Ctrl-C, so that no paid answer is lost."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heeded or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _former_names_on_stderr() -> Iterator[None]:
    """Print a line about each former name in a user's file, which Python would not show."""

    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, FormerNameWarning):
            print(f"society: {message}", file=sys.stderr)
        else:
            usual(message, category, *rest, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("once", FormerNameWarning)
        yield


def _split_settings(words: Iterable[str]) -> Iterator[str]:
    """Rewrite `--set A=1 B=2 NAME` as `--set A=1 --set B=2 NAME`; argparse would take NAME too."""
    setting = False
    for before, word in pairwise(["", *words]):
        if word.startswith("-"):
            setting = word == "--set"
        elif setting and before != "--set" and "=" in word:
            yield "--set"
        yield word


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="society",
        description="Simulate societies of agents: commons, norms, punishment, cultural evolution.",
        epilog="To get started: society run fishing_village",
    )
    subs = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = subs.add_parser("list", help="list scenarios, components, mechanisms and models")
    listing.add_argument(
        "kind", nargs="?", choices=KINDS, help="list one kind only, with parameters"
    )
    listing.set_defaults(command=runs.list_entries)

    run = subs.add_parser("run", help="run a scenario and record it in a run file")
    run.add_argument("scenario", help="a name from `society list`, FILE.yaml or FILE.py")
    run.add_argument("--seed", type=_whole_number(0), metavar="S", help="random seed")
    run.add_argument(
        "--rounds", type=_whole_number(1), metavar="T", help="maximum number of rounds"
    )
    run.add_argument(
        "--replicates", type=_whole_number(1), metavar="R", help="number of replicates"
    )
    run.add_argument("--agents", type=_whole_number(1), metavar="N", help="agents per replicate")
    run.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="set one or more scenario parameters, or a graph: graph=ring, graph.RELATION=ring",
    )  # fmt: skip
    run.add_argument(
        "--model", metavar="M", help="model for language agents (see `society list models`)"
    )
    run.add_argument(
        "--prompts", type=Path, metavar="DIR", help="override the built-in prompts with these"
    )
    _add_limit_options(run)
    run.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not play"
    )
    run.add_argument(
        "--record", choices=("full", "summary"),
        help="record every fact (full), or only measures and digests (summary); "
        "default: full up to a million agent-rounds",
    )  # fmt: skip
    run.add_argument(
        "--out", type=Path, metavar="FILE", help="run file (default: runs/SCENARIO-SEED.run)"
    )
    run.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    _add_output_options(run)
    run.set_defaults(command=runs.run_command)

    resume = subs.add_parser("resume", help="continue an interrupted or paused run")
    resume.add_argument("file", type=Path, metavar="FILE.run")
    _add_limit_options(resume)
    _add_output_options(resume)
    resume.set_defaults(command=runs.resume_command)

    for name, command, words in (
        ("show", runs.show_command, "summarize a run"),
        (
            "verify",
            runs.verify_command,
            "check that a run file is intact and that its run can be repeated",
        ),
    ):
        sub = subs.add_parser(name, help=words)
        sub.add_argument("file", type=Path, metavar="FILE.run")
        sub.add_argument("--json", action="store_true", help="print one JSON object")
        sub.set_defaults(command=command)

    replay = subs.add_parser("replay", help="read the history of a run, round by round")
    replay.add_argument("file", type=Path, metavar="FILE.run")
    replay.add_argument(
        "--plain", action="store_true", help="print as text (the only format so far)"
    )
    replay.add_argument(
        "--from", type=_parse_place, default=0, metavar="T", dest="start",
        help="start at this round: a number or, for nested rounds, a path such as 3.1.5 (3. starts "
        "at the first round within 3)",
    )  # fmt: skip
    replay.add_argument(
        "--replicate",
        type=_whole_number(0),
        default=0,
        metavar="R",
        help="replicate to show (default: 0)",
    )
    replay.add_argument(
        "--speed", type=_positive, default=math.inf, metavar="X", help="rounds per second"
    )
    replay.set_defaults(command=runs.replay_command)
    _add_experiment_commands(subs)
    return parser


def _add_experiment_commands(subs: Any) -> None:
    sweep = subs.add_parser("sweep", help="run an experiment: one scenario under many conditions")
    sweep.add_argument("experiment", type=Path, metavar="EXPERIMENT.yaml")
    sweep.add_argument(
        "--plan",
        action="store_true",
        help="estimate the power of n runs and their cost; do not play",
    )
    _add_experiment_options(sweep, "sweeps/NAME")
    sweep.set_defaults(command=experiments.sweep_command)

    report = subs.add_parser("report", help="write one page with figures, tests and tables of runs")
    report.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="run file or sweep folder"
    )
    report.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="output folder (default: report/ in the sweep folder, or else here)",
    )
    report.set_defaults(command=experiments.report_command)

    reproduce = subs.add_parser("reproduce", help="test the claims of a paper in new runs")
    reproduce.add_argument("paper", help="a name from `society list reproductions`")
    reproduce.add_argument("--quick", action="store_true", help="play fewer and shorter runs")
    reproduce.add_argument(
        "--model", nargs="+", action="extend", metavar="M", dest="models",
        help="play the experiments for language models, with these models (offline: a dry run)",
    )  # fmt: skip
    reproduce.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not play"
    )
    _add_experiment_options(reproduce, "reproductions/PAPER[-language][-quick]")
    reproduce.set_defaults(command=experiments.reproduce_command)


def _add_experiment_options(parser: argparse.ArgumentParser, out: str) -> None:
    """Add the options of commands that play experiments."""
    parser.add_argument(
        "--workers", type=_whole_number(1), default=_count_cores(), metavar="N",
        help="processes for conditions without language models (default: number of cores)",
    )  # fmt: skip
    parser.add_argument(
        "--dask", nargs="?", const="here", metavar="ADDRESS",
        help="play on a dask cluster: at this address, or a new one on this machine",
    )  # fmt: skip
    _add_limit_options(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"output folder (default: {out})")
    parser.add_argument(
        "--overwrite", action="store_true", help="replace runs whose settings differ"
    )
    _add_output_options(parser)


def _count_cores() -> int:
    """Return the number of cores that this process may use."""
    # Not on every system, and os.process_cpu_count is not in every Python.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reaching models and limiting their use, counted over all sessions."""
    parser.add_argument("--api-base", metavar="URL", help="address of an OpenAI-compatible server")
    # A limit in the run file stays in force unless it is given again; none lifts it.
    limit = (
        ("cost", _positive, "USD", "costs"),
        ("calls", _whole_number(1), "N", "calls"),
        ("tokens", _whole_number(1), "N", "tokens"),
    )
    for name, number, unit, words in limit:
        parser.add_argument(
            f"--max-{name}", type=_or_none(number), default=NOT_GIVEN, metavar=unit,
            help=f"pause before {words} exceed this; none lifts the limit",
        )  # fmt: skip
    parser.add_argument(
        "--max-concurrency",
        type=_whole_number(1),
        metavar="N",
        help="maximum number of simultaneous calls",
    )


def _or_none(number: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else number(text)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="print no progress and no summary")


def _whole_number(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"got {text!r}; expected a whole number of at least {least}"
            )
        return int(text)

    return whole


def _parse_place(text: str) -> int | tuple[int, ...]:
    """Parse the number of a round, or its path, such as 3.1.5; a path may end in a dot."""
    parts = text.removesuffix(".").split(".")
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(
            f"got {text!r}; expected the number of a round, such as 30, or its path, such as 3.1.5"
        )
    path = tuple(map(int, parts))
    return path if "." in text else path[0]


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number > 0:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a number above 0")
    return number
