"""What was measured in each of the outermost rounds, such as generations: a row for each.

Who scored what against whom: types of agents that met each other in matches, as a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from society.engine.rng import Array
from society.engine.scenario import COURSELESS, Folded

from .console import Column, TerminalStyle, decimals_for, figured, flowing, printed, table
from .labels import Places

if TYPE_CHECKING:
    from rich.console import Console

    from society.runs.runfile import Manifest, Record


_ROWS = 20  # of more rounds so many are told, evenly spaced
_LONGEST_HEADING = 24


def courses(manifest: Manifest, records: Iterable[Record], ink: TerminalStyle) -> Iterator[Text]:
    """The table, after an empty line; nothing where rounds hold no others.

    Values are means over replicates, of rounds folded as the measure says. A measure that never
    changed is left out, and so is one that waits for something.
    """
    places = Places(manifest)
    if not places.nested or places.sizes[0] == 1:
        return
    folded = _folded(manifest, records)
    numbers = _spaced(sorted(folded))
    series = {name: _series(folded, name, numbers) for name in folded[numbers[0]]} if folded else {}
    stub = [ink.text(f"{places.levels[0]} {number}") for number in numbers]
    longest = min(_LONGEST_HEADING, ink.width - max(map(len, stub), default=0) - 2)
    columns = [
        replace(figured(ink, "", values), heading=ink.cut(name, longest))
        for name, values in series.items()
        if len(np.unique(values[~np.isnan(values)])) > 1
    ]
    if columns:
        yield Text()
        yield from table(ink, stub, columns)


def _folded(manifest: Manifest, records: Iterable[Record]) -> dict[int, dict[str, Folded]]:
    """Measures by outermost round, then by name."""
    kept = [measure for measure in manifest.measures if measure.fold not in COURSELESS]
    folded: dict[int, dict[str, Folded]] = {}
    for record in records:
        page = record.page
        if not page.path:
            continue
        if page.path[0] not in folded:
            folded[page.path[0]] = {
                one.name: Folded(one.fold, one.unit, manifest.replicates) for one in kept
            }
        for name, values in folded[page.path[0]].items():
            if name in page.measures:
                values.add(page.number, page.measures[name])
    return folded


def _series(folded: Mapping[int, Mapping[str, Folded]], name: str, numbers: Sequence[int]) -> Array:
    """One measure over these rounds, NaN where it was not taken."""
    means = (folded[number][name].estimate().mean for number in numbers)
    return np.array([np.nan if mean is None else mean for mean in means])


def _spaced(numbers: Sequence[int]) -> list[int]:
    """The first, the last, and some between."""
    if len(numbers) <= _ROWS:
        return list(numbers)
    return [numbers[place] for place in np.linspace(0, len(numbers) - 1, _ROWS).round().astype(int)]


_WIDEST = 100
_MOST = 12  # types that have a column each
_LONGEST_NAME = 30


def scoreboard(
    types: Sequence[str], means: Array, met: Array | None, void: int, console: Console
) -> None:
    """Print the mean score of each type, (K,), and against each type, (K, K), if it is known.

    NaN: they never met. void: replicates that do not count.
    """
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
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
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    words = (
        "No scores of types: level summary does not keep who earned what;",
        "play with --record full to have them",
    )
    printed(console, [Text(), *flowing([ink.text(" ".join(words), "dim")], ink.width)])


def _columns(ink: TerminalStyle, means: Array, met: Array) -> Iterator[Column]:
    """All numbers with the same decimals, since they are to be compared."""
    decimals = decimals_for(np.append(means, met))
    for number, values in enumerate([means, *met.T]):
        heading = f"with {number}" if number else "score"
        yield Column(heading, [Text(ink.figure(value, decimals)) for value in values])
