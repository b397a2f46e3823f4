"""What was measured in each of the outermost rounds, such as generations: a row for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from society.draws import Array
from society.scenario import COURSELESS, Folded

from .ink import Ink, figured, table
from .places import Places

if TYPE_CHECKING:
    from society.runs.runfile import Manifest, Record

_ROWS = 20  # of more rounds so many are told, evenly spaced
_LONGEST_HEADING = 24


def courses(manifest: Manifest, records: Iterable[Record], ink: Ink) -> Iterator[Text]:
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
