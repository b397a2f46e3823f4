"""Options that several commands have, and the types of their values."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

NOT_GIVEN = object()  # a limit that was not given, where None lifts one


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for reaching models and limiting their use, counted over all sessions."""
    parser.add_argument("--api-base", metavar="URL", help="address of an OpenAI-compatible server")
    # A limit in the run file stays in force unless it is given again; none lifts it.
    limit = (
        ("cost", positive_number, "USD", "costs"),
        ("calls", whole_number(1), "N", "calls"),
        ("tokens", whole_number(1), "N", "tokens"),
    )
    for name, number, unit, words in limit:
        parser.add_argument(
            f"--max-{name}", type=_or_none(number), default=NOT_GIVEN, metavar=unit,
            help=f"pause before {words} exceed this; none lifts the limit",
        )  # fmt: skip
    parser.add_argument(
        "--max-concurrency",
        type=whole_number(1),
        metavar="N",
        help="maximum number of simultaneous calls",
    )


def add_saving_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for asking models at less cost; a run file keeps those it began with."""
    parser.add_argument(
        "--share-identical", action=argparse.BooleanOptionalAction, default=None,
        help="ask identical questions at temperature 0 once, or each, whatever the file says",
    )  # fmt: skip
    parser.add_argument(
        "--batch", action=argparse.BooleanOptionalAction, default=None,
        help="ask through the provider's batch interface, cheaper and within a day, or one by "
        "one, whatever the file says",
    )  # fmt: skip


def add_workers_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for playing the replicates of rules on several cores."""
    parser.add_argument(
        "--workers", type=whole_number(1), metavar="N",
        help="processes for the replicates of rules (default: as many as are of use)",
    )  # fmt: skip


def add_fallback_option(parser: argparse.ArgumentParser) -> None:
    """Add the options for answers that no model gave: when to pause, and what to accept."""
    parser.add_argument(
        "--max-fallbacks", type=_or_none(_share), default=NOT_GIVEN, metavar="SHARE",
        help="pause if more than this share of answers, of twenty or more, could not be read; "
        "none lifts the limit",
    )  # fmt: skip
    parser.add_argument(
        "--accept-fallbacks",
        action="store_true",
        help="exit with code 0 even if most answers of language models could not be read",
    )


def add_strict_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that makes warnings errors."""
    parser.add_argument("--strict", action="store_true", help="treat warnings as errors")


def add_watch_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that shows a run in the theatre while it is played."""
    parser.add_argument(
        "--watch", action="store_true",
        help="watch the run on a full screen while it is played, as `society replay` shows it",
    )  # fmt: skip


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for what a command prints."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="print no progress and no summary")


def whole_number(least: int) -> Callable[[str], int]:
    """Return the type of options that take a whole number of at least this."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"got {text!r}; expected a whole number of at least {least}"
            )
        return int(text)

    return whole


def positive_number(text: str) -> float:
    """Return a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number > 0:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a number above 0")
    return number


def _share(text: str) -> float:
    """Return a number above 0 and at most 1."""
    if (number := positive_number(text)) > 1:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a share, above 0 and at most 1")
    return number


def parse_place(text: str) -> int | tuple[int, ...]:
    """Parse the number of a round, or its path, such as 3.1.5; a path may end in a dot."""
    parts = text.removesuffix(".").split(".")
    if not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(
            f"got {text!r}; expected the number of a round, such as 30, or its path, such as 3.1.5"
        )
    path = tuple(map(int, parts))
    return path if "." in text else path[0]


def out_path(text: str) -> Path:
    """Return the path to write to."""
    if text == "-":
        raise argparse.ArgumentTypeError(
            "got '-'; a run is no text for stdout: give a file, and --json for results on stdout"
        )
    return Path(text)


def _or_none(number: Callable[[str], float]) -> Callable[[str], float | None]:
    return lambda text: None if text == "none" else number(text)
