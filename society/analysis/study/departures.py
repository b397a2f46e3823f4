"""Who left a society for good, when, and by which line of its script."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.runs.agent_names import AgentNames

from .condition import ConditionRun
from .details import read_pages


class Departure(NamedTuple):
    """An agent that left: its replicate, round and name, and the kind of the tell."""

    replicate: int
    round: int
    who: str
    kind: str


def read_departures(run: ConditionRun) -> list[Departure]:
    """List who left for good, in order; those who were back in the last round are left out.

    Who is gone before the first round was never there. Raises RunFileError for a damaged file.
    """
    found: dict[tuple[int, int], Departure] = {}
    with run.opened() as file:
        names, page = AgentNames.of_run(file), None
        for reading in read_pages(file):
            page = reading.page
            names.meet(page)
            for one in reading.statements:
                if one.scope != "gone" or not page.number:
                    continue
                for replicate, seat in np.argwhere(one.whom).tolist():
                    name = names.with_type(replicate, seat)
                    found[replicate, seat] = Departure(replicate, page.number, name, one.step.kind)
    return [
        left
        for (replicate, seat), left in found.items()
        if page is not None and not page.present[replicate, seat]
    ]
