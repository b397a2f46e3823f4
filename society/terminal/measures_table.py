"""The table of measures by outermost round, such as generation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from society.engine.rng import Array
from society.engine.scenario import COURSELESS, Folded

from .console import TerminalStyle, layout_table, number_column
from .labels import RoundLabels

if TYPE_CHECKING:
    from society.runs.runfile import Manifest, Record

_ROWS = 20  # of more rounds so many are shown, evenly spaced
_FEW_ROWS = 5  # where nothing much changes
_LITTLE = 0.2  # of the largest value
_LONGEST_HEADING = 24


def measures_over_time(
    manifest: Manifest, records: Iterable[Record], ink: TerminalStyle
) -> Iterator[Text]:
    """Lay out the measures of each outermost round, after an empty line; only for nested rounds.

    Values are means over replicates, of rounds folded as the measure says. A measure that never
    changed is left out, and so is one that has no course over rounds. Where none changes by more
    than a fifth, few rounds are shown.
    """
    places = RoundLabels(manifest)
    if not places.nested or places.sizes[0] == 1:
        return
    folded = _fold_measures(manifest, records)
    numbers = _space_evenly(sorted(folded))
    series = {name: _series(folded, name, numbers) for name in folded[numbers[0]]} if folded else {}
    if len(numbers) > _FEW_ROWS and not any(map(_changes, series.values())):
        kept = np.linspace(0, len(numbers) - 1, _FEW_ROWS).round().astype(int)
        numbers = [numbers[place] for place in kept]
        series = {name: values[kept] for name, values in series.items()}
    stub = [ink.text(f"{places.levels[0]} {number}") for number in numbers]
    longest = min(_LONGEST_HEADING, ink.width - max(map(len, stub), default=0) - 2)
    columns = [
        replace(number_column(ink, "", values), heading=ink.cut(name, longest))
        for name, values in series.items()
        if len(np.unique(values[~np.isnan(values)])) > 1
    ]
    if columns:
        yield Text()
        yield from layout_table(ink, stub, columns)


def _fold_measures(manifest: Manifest, records: Iterable[Record]) -> dict[int, dict[str, Folded]]:
    """Fold the measures by outermost round, then by name."""
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
    """Return one measure over these rounds, NaN where it was not taken."""
    means = (folded[number][name].estimate().mean for number in numbers)
    return np.array([np.nan if mean is None else mean for mean in means])


def _changes(values: Array) -> bool:
    """Tell whether values differ by more than a little, so that many of them are worth a row."""
    known = values[~np.isnan(values)]
    return bool(len(known)) and bool(np.ptp(known) > _LITTLE * np.abs(known).max())


def _space_evenly(numbers: Sequence[int]) -> list[int]:
    """Pick the first number, the last one, and some between."""
    if len(numbers) <= _ROWS:
        return list(numbers)
    return [numbers[place] for place in np.linspace(0, len(numbers) - 1, _ROWS).round().astype(int)]
