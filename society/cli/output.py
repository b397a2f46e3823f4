"""The output of commands (stdout): text for people, or one JSON object for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from society.visible import print_result

if TYPE_CHECKING:
    from rich.console import Console

    from society.analysis.findings import StudyFinding


def console() -> Console:
    """Return a console on stdout that leaves a closed pipe to `society.cli.main.main`."""
    from society.terminal.visible_console import VisibleConsole

    class Paper(VisibleConsole):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Paper(highlight=False)


def print_json(facts: dict[str, Any]) -> None:
    """Print facts as one JSON object."""
    print_result(json.dumps(facts, indent=2))


def answers_if_possible(find: Callable[[], list[StudyFinding]]) -> list[StudyFinding]:
    """Return what was found in sentences; none, with a note, where the extra `lab` is missing."""
    from society.errors import MissingLibraryError

    try:
        return find()
    except MissingLibraryError as missing:
        print(f"society: what was found is not said in sentences, as {missing}", file=sys.stderr)
        return []
