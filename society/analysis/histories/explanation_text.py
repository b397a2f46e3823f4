"""The explanation of the end of a replicate as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from society.runs.runfile import RunFile
from society.terminal.console import TerminalStyle, flow_items, print_lines
from society.terminal.labels import count_noun

from .explanation import Explanation

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100


def print_explanation(found: Explanation, run: RunFile, console: Console) -> None:
    """Print what is told of a replicate, a paragraph for each statement; agents named in bold."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    given = run.manifest
    about = [
        ink.text(run.path.name, "bold"),
        ink.text(given.scenario),
        ink.text(count_noun(given.agents, "agent")),
        ink.text(f"seed {given.seed}"),
    ]
    if given.replicates > 1:
        about.append(ink.text(f"replicate {found.replicate} of {given.replicates}"))
    print_lines(console, flow_items(about, ink.width, gap=ink.words(" · ")))
    for one in found.statements:
        words = ink.text(one.words, "bold" if one.agents else "")
        print_lines(console, [ink.text(""), *flow_items([words], ink.width)])
