"""The table of scores of types: in all matches, and against each type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from society.engine.rng import Array

from .console import (
    TerminalColumn,
    TerminalStyle,
    decimals_for,
    flow_items,
    layout_table,
    number_column,
    print_lines,
)

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100
_MOST = 12  # types that have a column each
_LONGEST_NAME = 30
_LONGEST_HEADING = 11


def print_scoreboard(
    types: Sequence[str], means: Array, met: Array | None, void: int, console: Console
) -> None:
    """Print the mean score of each type, (K,), and against each type, (K, K), if it is known.

    The highest score stands first. NaN: the two types never met. void: the number of replicates
    that do not count.
    """
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    order = np.argsort(-means, kind="stable")
    types, means = [types[place] for place in order], means[order]
    met = None if met is None else met[np.ix_(order, order)]
    headings = [ink.cut(name, _LONGEST_HEADING) for name in types]
    distinct = len(set(headings)) == len(types)
    numbers = ["" if distinct else f"{number} " for number in range(1, len(types) + 1)]
    names = [
        ink.text(ink.cut(f"{number}{name}", _LONGEST_NAME))
        for number, name in zip(numbers, types, strict=True)
    ]
    if not distinct:
        headings = [f"with {number}" for number in range(1, len(types) + 1)]
    words = ["mean over matches and seats"]
    if met is None or len(types) > _MOST:
        columns = [number_column(ink, "score", means)]
    else:
        columns = list(_columns(ink, means, met, headings))
        words[0] += "; columns: in matches with a player of each type"
    if void:
        words.append(f"void replicates, which do not count: {void}")
    print_lines(console, [Text(), *layout_table(ink, names, columns)])
    print_lines(console, flow_items([ink.text(each, "dim") for each in words], ink.width, gap="; "))


def print_no_scores(console: Console) -> None:
    """Print why a run at record level summary has no table of scores."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    words = (
        "No scores of types: the run was recorded at level summary, without the scores of agents;",
        "run it with --record full to see them",
    )
    print_lines(console, [Text(), *flow_items([ink.text(" ".join(words), "dim")], ink.width)])


def _columns(
    ink: TerminalStyle, means: Array, met: Array, headings: Sequence[str]
) -> Iterator[TerminalColumn]:
    """Yield the columns of scores, all with the same number of decimals."""
    decimals = decimals_for(np.append(means, met))
    for heading, values in zip(["score", *headings], [means, *met.T], strict=True):
        yield TerminalColumn(heading, [Text(ink.figure(value, decimals)) for value in values])
