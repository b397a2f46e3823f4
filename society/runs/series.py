"""Series of a run: what is told by one name, over the rounds of a replicate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from society.engine.history import Page
from society.engine.rng import Array
from society.engine.script import UNREAD
from society.errors import InputError, suggest

from .manifest import Manifest

Ends = Mapping[str, Sequence[int]]  # the replicates that ended in a round, by cause


def read_series(
    manifest: Manifest,
    rounds: Iterable[tuple[Page, Ends]],
    name: str,
    replicate: int,
    measure: bool,
) -> Array:
    """Read a series, as RunFile.series returns it, from all rounds in order."""
    if not 0 <= replicate < manifest.replicates:
        last = manifest.replicates - 1
        raise InputError(f"there is no replicate {replicate}; give a number from 0 to {last}")
    rows, names = list[Array | None](), set[str]()
    by_agent, before = False, None
    for page, ends in rounds:
        row = None
        told = None if measure else _told(page, name)
        if not played(page, ends, before)[replicate]:
            pass
        elif told is not None:
            values, own = told
            row, by_agent = values[replicate], by_agent or own
            if own:
                row = _of_those(_taking_part(page, before)[replicate], row)
        elif name in page.measures:
            row = page.measures[name][replicate : replicate + 1]
        rows.append(row)
        names |= {*page.measures} if measure else _names(page)
        before = page
    if not any(row is not None for row in rows):
        raise _unknown(manifest, name, names)
    series = _joined(rows)
    return series if by_agent else series[:, 0]


def _told(page: Page, name: str) -> tuple[Array, bool] | None:
    """Return what was told last in a round, and whether it is by agent.

    Own facts go before public columns, and these before common facts.
    """
    own = page.public.get(name)
    common = None
    for step in page.steps:
        for (role, fact), values in step.arrays.items():
            if fact == name and values.ndim == 2:
                if role == "common":
                    common = values
                elif step.sort == "tell" and _is_own(role):
                    own = values
    if own is not None:
        return own, True
    return None if common is None else (common, False)


def _taking_part(page: Page, before: Page | None) -> Array:
    """Mark the agents who are present when a round begins, or come back in it, (R, N)."""
    present = np.ones_like(page.present) if before is None else before.present
    back = [step.arrays["back", ""] for step in page.steps if ("back", "") in step.arrays]
    there: Array = np.logical_or.reduce([present, *back])
    return there


def played(page: Page, ends: Ends, before: Page | None) -> Array:
    """Mark the replicates in which a round was played, and which it did not make void, (R,)."""
    running = np.ones_like(page.running) if before is None else before.running
    here: Array = running[:, 0] & ~np.isin(np.arange(len(running)), ends.get(UNREAD, ()))
    return here


def _is_own(role: str) -> bool:
    return role == "own" or role.startswith("seen ")


def _of_those(there: Array, row: Array) -> Array:
    """Blank the entries of agents who are not there."""
    return np.where(there, row, np.nan if row.dtype.kind in "biuf" else "")


def _joined(rows: list[Array | None]) -> Array:
    """Stack rows of one or N entries; None is a row of NaN, or of "" among texts."""
    known = [row for row in rows if row is not None]
    text = any(row.dtype.kind not in "biuf" for row in known)
    shape = len(rows), max(map(len, known))
    series: Array = np.full(shape, "" if text else np.nan, object if text else float)
    for number, row in enumerate(rows):
        if row is not None:
            series[number] = row
    return series


def _names(page: Page) -> set[str]:
    """List what has a series, as far as a round tells."""
    facts = {
        name
        for step in page.steps
        for (role, name), values in step.arrays.items()
        if values.ndim == 2 and (role == "common" or (step.sort == "tell" and _is_own(role)))
    }
    return {*facts, *page.public, *page.measures}


def _unknown(manifest: Manifest, name: str, names: Iterable[str]) -> InputError:
    """Make the error for a name without a series."""
    legal = suggest(name, names)
    if manifest.level == "summary":
        legal = f"level summary keeps measures only ({legal}); `--record full` keeps everything"
    return InputError(f"the run has no series {name!r}; {legal}")
