"""The console on which commands print text for people (stdout)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Return a console on stdout that leaves a closed pipe to `society.cli.main.main`."""
    from rich.console import Console

    class Paper(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Paper(highlight=False)
