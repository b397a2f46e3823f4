"""The command line: what can be typed behind `society`, and which exit code it gives.

Results go to stdout; progress, notes and errors go to stderr. Exit codes: 0 done, 1 the run
failed, 2 the user's input is wrong, 3 paused by a limit or an outage, 130 interrupted (after both,
what was committed is kept, and `resume` goes on).
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from society.errors import SocietyError

from . import experiments, runs
from .runs import KINDS, UNSAID


def main(argv: list[str] | None = None) -> int:
    """Run one command and give its exit code."""
    words = sys.argv[1:] if argv is None else argv
    args = _parser().parse_args(list(_one_by_one(words)))
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        with _stopped_politely():
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
def _stopped_politely() -> Iterator[None]:
    """SIGTERM, by which schedulers end a job, is taken for Ctrl-C: no paid answer is lost by it."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heeded or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _one_by_one(words: Iterable[str]) -> Iterator[str]:
    """`--set A=1 B=2 NAME` as `--set A=1 --set B=2 NAME`: argparse would take NAME as well."""
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
        description="Play societies of agents: commons, norms, punishment, cultural evolution.",
        epilog="Start with: society run fishing_village",
    )
    subs = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = subs.add_parser("list", help="what can be played, and what agents are made of")
    listing.add_argument("kind", nargs="?", choices=KINDS, help="one kind, with its parameters")
    listing.set_defaults(command=runs.tell)

    run = subs.add_parser("run", help="play a scenario and keep its history in a run file")
    run.add_argument("scenario", help="a name from `society list`, FILE.yaml or FILE.py")
    run.add_argument("--seed", type=_whole(0), metavar="S", help="of all chance")
    run.add_argument("--rounds", type=_whole(1), metavar="T", help="at most")
    run.add_argument("--replicates", type=_whole(1), metavar="R", help="societies at once")
    run.add_argument("--agents", type=_whole(1), metavar="N", help="in each society")
    run.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", dest="changes",
        help="one or several: parameters of the scenario; graph=ring, graph.RELATION=ring",
    )  # fmt: skip
    run.add_argument("--model", metavar="M", help="of language minds: see `society list models`")
    run.add_argument("--prompts", type=Path, metavar="DIR", help="templates that outweigh ours")
    _limits(run)
    run.add_argument("--estimate", action="store_true", help="tell calls, tokens, cost; play not")
    run.add_argument(
        "--record", choices=("full", "summary"),
        help="every fact, or measures and digests (default: full up to a million agent-rounds)",
    )  # fmt: skip
    run.add_argument("--out", type=Path, metavar="FILE", help="default: runs/SCENARIO-SEED.run")
    run.add_argument("--overwrite", action="store_true", help="replace an existing run file")
    _output(run)
    run.set_defaults(command=runs.run)

    resume = subs.add_parser("resume", help="go on with a run that was interrupted or paused")
    resume.add_argument("file", type=Path, metavar="FILE.run")
    _limits(resume)
    _output(resume)
    resume.set_defaults(command=runs.resume)

    for name, command, words in (
        ("show", runs.show, "what a run came to"),
        ("verify", runs.verify, "check that a run file is whole and can be played again"),
    ):
        sub = subs.add_parser(name, help=words)
        sub.add_argument("file", type=Path, metavar="FILE.run")
        sub.add_argument("--json", action="store_true", help="one JSON object on stdout")
        sub.set_defaults(command=command)

    replay = subs.add_parser("replay", help="read a run's history, round by round")
    replay.add_argument("file", type=Path, metavar="FILE.run")
    replay.add_argument("--plain", action="store_true", help="as text (the only way so far)")
    replay.add_argument(
        "--from", type=_place, default=0, metavar="T", dest="start",
        help="a round by its number; or, within others, by its path: 3.1.5, or 3. for all of 3",
    )  # fmt: skip
    replay.add_argument("--replicate", type=_whole(0), default=0, metavar="R", help="default: 0")
    replay.add_argument(
        "--speed", type=_above_zero, default=math.inf, metavar="X", help="rounds a second"
    )
    replay.set_defaults(command=runs.replay)
    _experiments(subs)
    return parser


def _experiments(subs: Any) -> None:
    sweep = subs.add_parser("sweep", help="play an experiment: one society under many conditions")
    sweep.add_argument("experiment", type=Path, metavar="EXPERIMENT.yaml")
    sweep.add_argument(
        "--plan", action="store_true", help="tell what n runs find, and what they cost; play not"
    )
    _swept(sweep, "sweeps/NAME")
    sweep.set_defaults(command=experiments.sweep)

    report = subs.add_parser("report", help="figures, tests and tables of runs, as one page")
    report.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="run file or sweep")
    report.add_argument(
        "--out", type=Path, metavar="DIR", help="default: report/ in the sweep, or else here"
    )
    report.set_defaults(command=experiments.report)

    reproduce = subs.add_parser("reproduce", help="hold a paper's claims against runs of ours")
    reproduce.add_argument("paper", help="a name from `society list reproductions`")
    reproduce.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    reproduce.add_argument(
        "--model", nargs="+", action="extend", metavar="M", dest="models",
        help="the experiments with language models, with these; offline: a dry run",
    )  # fmt: skip
    reproduce.add_argument(
        "--estimate", action="store_true", help="tell calls, tokens, cost; play not"
    )
    _swept(reproduce, "reproductions/PAPER[-language][-quick]")
    reproduce.set_defaults(command=experiments.reproduce)


def _swept(parser: argparse.ArgumentParser, out: str) -> None:
    """Where experiments are played, and how much may be spent."""
    parser.add_argument(
        "--workers", type=_whole(1), default=_cores(), metavar="N",
        help="processes for rules (default: as many as this machine has cores)",
    )  # fmt: skip
    parser.add_argument(
        "--dask", nargs="?", const="here", metavar="ADDRESS",
        help="play on a dask cluster: that of this scheduler, or one made on this machine",
    )  # fmt: skip
    _limits(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"default: {out}")
    parser.add_argument("--overwrite", action="store_true", help="replace runs made otherwise")
    _output(parser)


def _cores() -> int:
    """How many this process may use."""
    # Not on every system, and os.process_cpu_count is not in every Python.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limits(parser: argparse.ArgumentParser) -> None:
    """How language minds are reached, and how much may be spent; counted over all sittings."""
    parser.add_argument("--api-base", metavar="URL", help="an OpenAI-compatible server")
    # A limit of the run file holds unless it is given again; none lifts it.
    limit = (("cost", _above_zero, "USD"), ("calls", _whole(1), "N"), ("tokens", _whole(1), "N"))
    for name, number, unit in limit:
        parser.add_argument(
            f"--max-{name}", type=_or_none(number), default=UNSAID, metavar=unit,
            help="pause before it is exceeded; none: no limit",
        )  # fmt: skip
    parser.add_argument("--max-concurrency", type=_whole(1), metavar="N", help="calls at once")


def _or_none(number: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else number(text)


def _output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.add_argument("--quiet", action="store_true", help="no progress, no summary for people")


def _whole(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
        return int(text)

    return whole


def _place(text: str) -> int | tuple[int, ...]:
    """The number of a round, or its path, such as 3.1.5; a path may end in a dot."""
    parts = text.removesuffix(".").split(".")
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither the number of a round, such as 30, nor a path, such as 3.1.5"
        )
    path = tuple(map(int, parts))
    return path if "." in text else path[0]


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number
