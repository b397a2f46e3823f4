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
    everybody = np.ones((manifest.replicates, manifest.agents), bool)
    owners = manifest.owners().get(name, everybody)
    rows, names, before = list[Array | None](), set[str](), None
    for page, ends in rounds:
        rows.append(None)
        told = None if measure else _told(page, name, owners)
        if not played(page, ends, before)[replicate]:
            pass
        elif told is not None:
            values, having = told
            if having is None:
                rows[-1] = values[replicate, 0]
            else:
                there = _taking_part(page, before) & having
                rows[-1] = _of_those(there[replicate], values[replicate])
        elif name in page.measures:
            rows[-1] = page.measures[name][replicate]
        names |= {*page.measures} if measure else _names(page)
        before = page
    known = [np.asarray(row) for row in rows if row is not None]
    if not known:
        raise _unknown(manifest, name, names)
    # The same name may be that of a fact of agents and of all, or of numbers and of words.
    text = all(map(_in_words, known))
    shape = max((row.shape for row in known), key=len)
    series: Array = np.full((len(rows), *shape), "" if text else np.nan, object if text else float)
    for number, row in enumerate(rows):
        if row is not None and np.shape(row) == shape and _in_words(row) == text:
            series[number] = row
    return series


def _told(page: Page, name: str, owners: Array) -> tuple[Array, Array | None] | None:
    """Return what a round has of a name, and the agents who have it, (R, N); None for a common one.

    owners: the agents who have a public column of this name. Facts of agents go before public
    columns, these before common facts, and these before answers.
    """
    own = common = answer = None
    column = (page.public[name], owners) if name in page.public else None
    for step in page.steps:
        for (role, fact), values in step.arrays.items():
            if values.ndim != 2:
                continue
            if role == "answer" and f"{step.kind} {fact}".rstrip() == name:
                answer = values, step.arrays.get(("who", ""), np.ones(values.shape, bool))
            elif fact == name and role == "common":
                common = values, None
            elif fact == name and step.sort == "tell" and _is_own(role):
                own = values, np.ones(values.shape, bool)
    return own or column or common or answer


def _taking_part(page: Page, before: Page | None) -> Array:
    """Mark the agents who are present when a round begins, or come back in it, (R, N).

    Who is gone before the first round was never there.
    """
    present = page.present if before is None else before.present
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


def _in_words(row: Array) -> bool:
    return np.asarray(row).dtype.kind not in "biuf"


def _names(page: Page) -> set[str]:
    """List what has a series, as far as a round tells."""
    facts = {
        name
        for step in page.steps
        for (role, name), values in step.arrays.items()
        if values.ndim == 2 and (role == "common" or (step.sort == "tell" and _is_own(role)))
    }
    answers = {
        f"{step.kind} {name}".rstrip()
        for step in page.steps
        for (role, name), values in step.arrays.items()
        if values.ndim == 2 and role == "answer"
    }
    return {*facts, *answers, *page.public, *page.measures}


def _unknown(manifest: Manifest, name: str, names: Iterable[str]) -> InputError:
    """Make the error for a name without a series."""
    legal = suggest(name, names)
    if manifest.level == "summary":
        legal = f"level summary keeps measures only ({legal}); `--record full` keeps everything"
    return InputError(f"the run has no series {name!r}; {legal}")
