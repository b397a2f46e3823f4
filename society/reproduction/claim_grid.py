"""The verdicts on a paper as a grid: a row for each claim, a column for each reading.

A reading is what claims were judged under, in parts: "default parameters, selfish fine more". A
verdict under some of these parts alone counts for all readings that have them, and one without any
for all readings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import wrap
from types import MappingProxyType
from typing import NamedTuple

from society.claims.types import ClaimVerdict, VerdictOutcome

MARKS: Mapping[VerdictOutcome, str] = MappingProxyType(
    {"reproduced": "●", "in part": "◐", "not reproduced": "○", "cannot be told": "–"}
)
_KEY = ", ".join(f"{mark} {outcome}" for outcome, mark in MARKS.items())
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")


class GridCell(NamedTuple):
    """A verdict, and the columns that it counts for: from the first to the last, both included."""

    verdict: ClaimVerdict
    first: int
    last: int

    @property
    def mark(self) -> str:
        return MARKS[self.verdict.outcome]


class GridRow(NamedTuple):
    """A claim with its verdicts, in the order of their columns. anchor: of its detail."""

    claim: str
    anchor: str
    cells: tuple[GridCell, ...]

    @property
    def ours(self) -> bool:
        """True if the paper does not claim it."""
        return self.cells[0].verdict.ours

    @property
    def marks(self) -> str:
        """The marks of all verdicts."""
        return "".join(cell.mark for cell in self.cells)


class ClaimGrid(NamedTuple):
    """All claims of a paper by its readings; a paper with one reading has the column ""."""

    readings: tuple[str, ...]
    rows: tuple[GridRow, ...]

    @classmethod
    def of(cls, verdicts: Sequence[ClaimVerdict]) -> ClaimGrid:
        """Sort verdicts into a grid, claims and readings in the order in which they come."""
        by_claim: dict[str, list[ClaimVerdict]] = {}
        for one in verdicts:
            by_claim.setdefault(one.bare, []).append(one)
        readings = _readings([[one.under for one in some] for some in by_claim.values()])
        anchors = _anchors([*by_claim])
        rows = (
            GridRow(claim, anchor, _cells(some, readings))
            for (claim, some), anchor in zip(by_claim.items(), anchors, strict=True)
        )
        return cls(readings, tuple(rows))

    @property
    def headings(self) -> list[str]:
        """The readings, without the parts that all of them have."""
        if len(self.readings) == 1:
            return list(self.readings)
        common = frozenset.intersection(*map(_parts, self.readings))
        named = [
            ", ".join(part for part in one.split(", ") if part not in common)
            for one in self.readings
        ]
        others = [one for one in named if one]
        unnamed = f"not {others[0]}" if len(others) == 1 else "none of these"
        return [one or unnamed for one in named]

    def counts(self) -> Counter[str]:
        """Count the verdicts by outcome."""
        return Counter(cell.verdict.outcome for row in self.rows for cell in row.cells)

    def text(self, width: int) -> str:
        """Write the grid for a terminal: marks by reading, then claims, broken to the width."""
        several = len(self.readings) > 1
        lines = [_KEY]
        if several:
            lines += [f"{'  ' * place}│ {heading}" for place, heading in enumerate(self.headings)]
        marks = 2 * len(self.readings)
        for row in self.rows:
            ours = " (ours)" if row.ours else ""
            first, *rest = wrap(f"{row.claim}{ours}", max(width - marks - 1, 20))
            lines += [f"{_in_columns(row, len(self.readings))} {first}"]
            lines += [f"{'':{marks}} {line}" for line in rest]
        return "\n".join(lines)


def _in_columns(row: GridRow, count: int) -> str:
    """Put each mark under its reading; one of several readings stands under each of them."""
    signs = ["·"] * count
    for cell in row.cells:
        signs[cell.first : cell.last + 1] = [cell.mark] * (cell.last + 1 - cell.first)
    return "".join(f"{sign} " for sign in signs)


def _parts(reading: str) -> frozenset[str]:
    return frozenset(filter(None, reading.split(", ")))


def _readings(of_claims: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Choose the columns: all readings but those that stand for several others.

    One does if there are readings with its parts and more, and no claim is judged by both.
    """
    every = list(dict.fromkeys(one for some in of_claims for one in some))

    def stands_for_others(reading: str) -> bool:
        others = {one for one in every if _parts(reading) < _parts(one)}
        apart = all(not others & set(some) for some in of_claims if reading in some)
        return bool(others) and apart

    return tuple(one for one in every if not stands_for_others(one)) or ("",)


def _cells(verdicts: Sequence[ClaimVerdict], readings: Sequence[str]) -> tuple[GridCell, ...]:
    """Give each verdict its columns: a cell for each run of columns side by side."""
    cells = []
    for one in verdicts:
        own = [place for place, reading in enumerate(readings) if reading == one.under]
        its = own or [
            place for place, reading in enumerate(readings) if _parts(one.under) <= _parts(reading)
        ]
        runs: list[list[int]] = []
        for place in its:
            if runs and runs[-1][-1] == place - 1:
                runs[-1].append(place)
            else:
                runs.append([place])
        cells += [GridCell(one, run[0], run[-1]) for run in runs]
    return tuple(sorted(cells, key=lambda cell: cell.first))


def _anchors(claims: Sequence[str]) -> list[str]:
    """Name the place of each claim in a page, no two alike."""
    seen, found = Counter[str](), []
    for claim in claims:
        name = "claim-" + _NOT_A_WORD.sub("-", claim.lower()).strip("-")
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return found
