"""Who scored what against whom: types of agents that met each other in matches, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from society.draws import Array

from .ink import Column, Ink, decimals_for, figured, flowing, printed, table

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100
_MOST = 12  # types that have a column each
_LONGEST_NAME = 30


def scoreboard(
    types: Sequence[str], means: Array, met: Array | None, void: int, console: Console
) -> None:
    """Print the mean score of each type, (K,), and against each type, (K, K), if it is known.

    NaN: they never met. void: replicates that do not count.
    """
    ink = Ink(console.encoding, min(console.width, _WIDEST))
    names = [
        ink.text(ink.cut(f"{number} {name}", _LONGEST_NAME)) for number, name in enumerate(types, 1)
    ]
    words = ["mean over matches and seats"]
    if met is None or len(types) > _MOST:
        columns = [figured(ink, "score", means)]
    else:
        columns = list(_columns(ink, means, met))
        words[0] += ", in all matches and in those with a player of each type"
    if void:
        words.append(f"void replicates, which do not count: {void}")
    printed(console, [Text(), *table(ink, names, columns)])
    printed(console, flowing([ink.text(each, "dim") for each in words], ink.width, gap="; "))


def unscored(console: Console) -> None:
    """Print why there is no such table of types whose run does not keep it."""
    ink = Ink(console.encoding, min(console.width, _WIDEST))
    words = (
        "No scores of types: level summary does not keep who earned what;",
        "play with --record full to have them",
    )
    printed(console, [Text(), *flowing([ink.text(" ".join(words), "dim")], ink.width)])


def _columns(ink: Ink, means: Array, met: Array) -> Iterator[Column]:
    """All numbers with the same decimals, since they are to be compared."""
    decimals = decimals_for(np.append(means, met))
    for number, values in enumerate([means, *met.T]):
        heading = f"with {number}" if number else "score"
        yield Column(heading, [Text(ink.figure(value, decimals)) for value in values])
