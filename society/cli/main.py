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
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from society.errors import (
    PartError,
    SocietyError,
    WiringWarning,
    describe_user_error,
    explain_user_error,
    user_place,
)
from society.former_names import FormerNameWarning
from society.llm.providers.named_servers import addresses_in, naming_servers
from society.visible import visible_streams

from . import checks, experiments, listing, runs
from .parser import ArgumentParser
from .runs import NOT_GIVEN


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        with visible_streams():
            args = _parser().parse_args(list(_split_settings(words)))
        # What code of the user's prints must not stand among the results of --json.
        with visible_streams(only_results=getattr(args, "json", False)):
            return _carry_out(args)
    except BrokenPipeError:
        # The reader of our output has left (`| head`): nothing is wrong, nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _carry_out(args: argparse.Namespace) -> int:
    """Carry out a command, and say what was wrong with it; return the exit code."""
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        logged = _logged(getattr(args, "verbose", 0))
        servers = naming_servers(_typed_addresses(args))
        with _sigterm_as_interrupt(), _warnings_on_stderr(), logged, servers:
            return command(args)
    except SocietyError as error:
        print(f"society: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        return _print_exception(error, verbose=bool(getattr(args, "verbose", 0)))


def _print_exception(error: Exception, *, verbose: bool) -> int:
    """Print a mistake in the user's file in one line, a bug of ours with its traceback."""
    mistake = explain_user_error(error)
    if mistake is None and user_place(error):
        mistake = PartError(describe_user_error(error))
    if mistake is None or verbose:
        traceback.print_exception(error)
    if mistake is None:
        return 1
    print(f"society: {mistake}", file=sys.stderr)
    return mistake.exit_code


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
def _warnings_on_stderr() -> Iterator[None]:
    """Print a line for each warning about the user's files, which Python would not show so."""

    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, FormerNameWarning):
            print(f"society: {message}", file=sys.stderr)
        elif issubclass(category, WiringWarning):
            print(f"warning: {message}", file=sys.stderr)
        else:
            usual(message, category, *rest, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("once", FormerNameWarning)
        warnings.simplefilter("always", WiringWarning)
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


def _typed_addresses(args: argparse.Namespace) -> Iterator[str]:
    """Yield the addresses of servers that stand on the command line; raises InputError."""
    if address := getattr(args, "api_base", None):
        yield address
    changes = [text for text in getattr(args, "changes", ()) if "api_base" in text]
    if changes:
        from society.config.run_config import parse_setting

        for key, value, _ in map(parse_setting, changes):
            yield from addresses_in({key: value})


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="society",
        description="Simulate societies of agents: commons, norms, punishment, cultural evolution.",
        epilog="To get started: society run fishing_village",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    subs = parser.add_subparsers(required=True, metavar="COMMAND")

    lists = subs.add_parser("list", help="list what can be named, or describe one name")
    lists.add_argument(
        "name", nargs="?", metavar="KIND|NAME",
        help=f"one of {', '.join(listing.KINDS)}, with parameters; or a name; or runs",
    )  # fmt: skip
    lists.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help="of runs (default: runs)"
    )
    lists.add_argument("--json", action="store_true", help="print one JSON object")
    lists.set_defaults(command=listing.list_command)

    schema = subs.add_parser(
        "schema", help="print the JSON Schema of scenario and experiment files"
    )
    schema.set_defaults(command=listing.schema_command)

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
        "--out",
        type=_out_path,
        metavar="FILE",
        help="run file (default: runs/SCENARIO-SEED.run, or the first -2.run, -3.run that is free)",
    )
    run.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    _add_strict_option(run)
    _add_output_options(run)
    run.set_defaults(command=runs.run_command)

    check = subs.add_parser("check", help="check your own files without asking any model")
    check.add_argument(
        "file", metavar="FILE", help="FILE.yaml, FILE.py, a folder of prompts, or a name"
    )
    _add_strict_option(check)
    check.add_argument("--json", action="store_true", help="print a list of checks as JSON")
    check.set_defaults(command=checks.check_command)

    prompts = subs.add_parser("prompts", help="print the prompts of a scenario, without a model")
    prompts.add_argument("scenario", help="a name from `society list`, FILE.yaml or FILE.py")
    prompts.add_argument("--question", metavar="Q", help="print the prompt of this question only")
    prompts.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="set one or more scenario parameters",
    )  # fmt: skip
    prompts.add_argument(
        "--prompts", type=Path, metavar="DIR", help="override the built-in prompts with these"
    )
    prompts.set_defaults(command=runs.prompts_command)

    resume = subs.add_parser("resume", help="continue an interrupted or paused run")
    resume.add_argument("file", type=Path, metavar="FILE.run")
    _add_code_options(resume)
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
        if name == "verify":
            _add_code_options(sub)
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
    for sub in (parser, *subs.choices.values()):
        sub.add_argument(
            "-v", "--verbose", action="count", default=argparse.SUPPRESS,
            help="log to stderr: -v steps, -vv also calls of models",
        )  # fmt: skip
    return parser


class _Version(argparse.Action):
    """The option that prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        from society import __version__

        print(f"society {__version__}")
        parser.exit()


@contextmanager
def _logged(verbosity: int) -> Iterator[None]:
    """Send what parts log to stderr: 1 for steps, 2 for calls of models as well; 0 for nothing."""
    if not verbosity:
        yield
        return
    import logging

    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("society")
    before = logger.level
    logger.addHandler(shown)
    logger.setLevel(logging.DEBUG if verbosity > 1 else logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(shown)
        logger.setLevel(before)


def _add_experiment_commands(subs: Any) -> None:
    sweep = subs.add_parser("sweep", help="run an experiment: one scenario under many conditions")
    sweep.add_argument("experiment", type=Path, metavar="EXPERIMENT.yaml")
    sweep.add_argument(
        "--plan",
        action="store_true",
        help="estimate the power of n runs and their cost; do not play",
    )
    _add_strict_option(sweep)
    _add_experiment_options(sweep, "sweeps/NAME")
    sweep.set_defaults(command=experiments.sweep_command)

    report = subs.add_parser("report", help="write one page with figures, tests and tables of runs")
    report.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="run file or sweep folder"
    )
    report.add_argument(
        "--out",
        type=_out_path,
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
        "--prompts", type=Path, metavar="DIR",
        help="override the built-in prompts with these, for each scenario that they are for",
    )  # fmt: skip
    reproduce.add_argument(
        "--seed", type=_whole_number(0), metavar="S", help="random seed of all experiments"
    )
    reproduce.add_argument(
        "--repetitions", type=_whole_number(1), metavar="N",
        help="replicates of each condition; of a tournament, repetitions, with new designs in each",
    )  # fmt: skip
    reproduce.add_argument(
        "--estimate", action="store_true", help="estimate calls, tokens and cost; do not play"
    )
    _add_experiment_options(reproduce, "reproductions/PAPER[-language][-quick]")
    reproduce.set_defaults(command=experiments.reproduce_command)


def _add_experiment_options(parser: ArgumentParser, out: str) -> None:
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
    parser.add_argument(
        "--out", type=_out_path, metavar="DIR", help=f"output folder (default: {out})"
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace runs whose settings differ"
    )
    _add_output_options(parser)


def _add_code_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that execute the code which a run file names."""
    parser.add_argument(
        "--trust", action="store_true",
        help="execute the Python files that the run file names, and remember them as trusted",
    )  # fmt: skip
    parser.add_argument(
        "--files", type=Path, metavar="DIR", help="look up the files of the run in this folder"
    )


def _add_strict_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="refuse what would only be warned of")


def _count_cores() -> int:
    """Return the number of cores that this process may use."""
    # Not on every system, and os.process_cpu_count is not in every Python.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _add_limit_options(parser: ArgumentParser) -> None:
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


def _add_output_options(parser: ArgumentParser) -> None:
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


def _out_path(text: str) -> Path:
    if text == "-":
        raise argparse.ArgumentTypeError(
            "got '-'; a run is no text for stdout: give a file, and --json for results on stdout"
        )
    return Path(text)


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
