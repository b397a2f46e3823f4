"""The command line: its commands, options and exit codes.

Results go to stdout; progress, notes and errors go to stderr. Exit codes: 0 done, 1 the run
failed, 2 the user's input is wrong, 3 paused by a limit or an outage, 130 interrupted. After 3 and
130 all committed rounds are kept, and `resume` continues the run.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from society.errors import (
    PartError,
    ProgramWarning,
    SocietyError,
    WiringWarning,
    describe_user_error,
    explain_user_error,
    user_place,
)
from society.former_names import FormerNameWarning
from society.llm.providers.named_servers import addresses_in, naming_servers
from society.visible import visible_streams

from . import (
    catalogue,
    checks,
    completion,
    experiments,
    forks,
    histories,
    new,
    persona_commands,
    replay,
    runs,
    strategy_commands,
)
from .parser import ArgumentParser


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
    """Carry out a command and return its exit code; an error is said on stderr."""
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        logged = _log_to_stderr(getattr(args, "verbose", 0))
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
        elif issubclass(category, WiringWarning | ProgramWarning):
            print(f"warning: {message}", file=sys.stderr)
        else:
            usual(message, category, *rest, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("once", FormerNameWarning)
        warnings.simplefilter("once", ProgramWarning)
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


# In the order in which `society --help` lists them.
_COMMANDS = (
    catalogue.add_list,
    catalogue.add_schema,
    new.add_new,
    runs.add_run,
    checks.add_check,
    runs.add_prompts,
    runs.add_resume,
    runs.add_show,
    runs.add_verify,
    replay.add_replay,
    forks.add_fork,
    forks.add_interview,
    histories.add_compare,
    histories.add_why,
    experiments.add_sweep,
    experiments.add_audit,
    experiments.add_report,
    experiments.add_reproduce,
    strategy_commands.add_strategies,
    persona_commands.add_personas,
    completion.add_completion,
)


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="society",
        description="Simulate societies of agents: commons, norms, punishment, cultural evolution.",
        epilog="To get started: society run fishing_village",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    subs = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in _COMMANDS:
        add(subs)
    for sub in (parser, *subs.choices.values()):
        sub.add_argument(
            "-v", "--verbose", action="count", default=argparse.SUPPRESS,
            help="log to stderr: -v steps, -vv also calls of models",
        )  # fmt: skip
    completion.complete_if_asked(parser, subs)
    return parser


class _Version(argparse.Action):
    """The option that prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        from society import __version__

        print(f"society {__version__}")
        parser.exit()


@contextmanager
def _log_to_stderr(verbosity: int) -> Iterator[None]:
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
