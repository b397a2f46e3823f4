"""Who did what to whom in one replicate: links and meetings that a scenario displays, counted.

A link is an answer that names a peer, such as a fine; a meeting is a pair in which one did
something to the other, such as a gift. Links of amount 0 are no deeds. Where generations follow
each other, seats change hands, so that deeds are those of one generation: the last, or, where
nobody named anybody or gave anything in it, the first in which somebody did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import Meeting
from society.runs.manifest import Manifest

from .condition import ConditionRun
from .details import read_pages
from .events import PageReading

_EVOLVING = "generation"  # the outermost level of runs in which seats change hands


class DeedGeneration(NamedTuple):
    """The generation that is counted, the last with any deeds (0: none), and the last of all."""

    number: int
    active: int
    last: int


class DeedCounts(NamedTuple):
    """How often each agent did something to each, (N, N), from the row to the column.

    verb: what it did, in the past: "fined", "gave to". mean: the mean share that was given, (N, N),
    NaN where nobody met; None where deeds have no share. generation: None where there are none.
    """

    verb: str
    counts: Array
    mean: Array | None = None
    generation: DeedGeneration | None = None


class _Tally:
    """Deeds as they are counted, (N, N): links by question, meetings, and shares given."""

    def __init__(self, manifest: Manifest) -> None:
        agents = manifest.agents
        self.links = {
            question: np.zeros((agents, agents), int)
            for question in manifest.stage.links
            if manifest.stage.amounts.get(question, 1) != 0
        }
        self.met, self.given = np.zeros((agents, agents), int), np.zeros((agents, agents))

    @property
    def something(self) -> bool:
        """True if anybody named anybody, or gave more than nothing."""
        return bool(self.given.any() or any(counts.any() for counts in self.links.values()))


def count_deeds(run: ConditionRun, replicate: int) -> list[DeedCounts]:
    """Count deeds in one replicate, by link, then by meeting.

    Raises InputError for a run at level summary.
    """
    manifest, tallies = run.manifest, dict[int, _Tally]()
    evolving = manifest.stage.levels[0] == _EVOLVING
    with run.opened() as file:
        for reading in read_pages(file):
            number = next(iter(reading.page.path), 0) if evolving else 0
            if number not in tallies:
                tallies[number] = _Tally(manifest)
            tally = tallies[number]
            for question, did, to in _links(reading, replicate, manifest):
                if question in tally.links:
                    np.add.at(tally.links[question], (did, to), 1)
            for did, to, share in _meetings(reading, replicate, manifest.stage.meeting):
                np.add.at(tally.met, (did, to), 1)
                np.add.at(tally.given, (did, to), share)
    if not tallies:
        return []
    last, active = max(tallies), [one for one, tally in tallies.items() if tally.something]
    shown = min(active) if active and last not in active else last
    generation = DeedGeneration(shown, max(active, default=0), last) if evolving else None
    return _deeds(manifest, tallies[shown], generation)


def _deeds(
    manifest: Manifest, tally: _Tally, generation: DeedGeneration | None
) -> list[DeedCounts]:
    found = [
        DeedCounts(manifest.stage.links[question], counts, None, generation)
        for question, counts in tally.links.items()
        if counts.any()
    ]
    if tally.met.any():
        shares = tally.given / np.where(tally.met, tally.met, np.nan)
        found.append(DeedCounts("gave to", tally.met, shares, generation))
    return found


def _links(
    reading: PageReading, replicate: int, manifest: Manifest
) -> Iterator[tuple[str, Array, Array]]:
    """Return agents and those whom they named, by question, (m,) each."""
    for step, present, running in reading.steps():
        asked = present & running & step.arrays.get(("who", ""), np.True_)
        for (role, name), values in step.arrays.items():
            question = f"{step.kind} {name}".rstrip()
            if role != "answer" or question not in manifest.stage.links or values.ndim != 2:
                continue
            did = np.flatnonzero(np.broadcast_to(asked, values.shape)[replicate])
            to = values[replicate, did].astype(int)
            yield question, did[to != NOBODY], to[to != NOBODY]


def _meetings(
    reading: PageReading, replicate: int, meeting: Meeting | None
) -> Iterator[tuple[Array, Array, Array]]:
    """Return who met whom as the one that acts, and the share that it gave, (m,) each."""
    if meeting is None or not meeting.share:
        return
    for step, present, running in reading.steps():
        # Facts of each agent, whether only it knows them, or others see them as well.
        own = {
            name: one for (role, name), one in step.arrays.items() if role[:4] in ("own", "seen")
        }
        if step.sort != "tell" or not {meeting.peer, meeting.share, meeting.deed} <= own.keys():
            continue
        acts = present & running & (own[meeting.deed] > 0) & (own[meeting.peer] != NOBODY)
        did = np.flatnonzero(acts[replicate])
        to = own[meeting.peer][replicate, did].astype(int)
        yield did, to, own[meeting.share][replicate, did]
