"""What things are called: agents, lines, endings, and how a run stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from society.draws import Array
from society.scenario import Stage
from society.talk import UNREAD

from .ink import Ink

if TYPE_CHECKING:
    from society.runs.runfile import Manifest

_LONGEST_NAME = 16
_STANDING = {
    "running": "the run goes on",
    "interrupted": "the run was interrupted",
    "paused": "the run is paused",
}


class Names:
    """What agents of a replicate are called: "altruist 3", by their cohort, or by life, "2_4"."""

    def __init__(self, manifest: Manifest, ink: Ink, replicate: int = 0) -> None:
        self._names = [f"agent {seat + 1}" for seat in range(manifest.agents)]
        types = manifest.types
        types = types[replicate % len(types)]
        for number, cohort in enumerate(manifest.cohorts):
            for place, seat in enumerate(np.flatnonzero(types == number), start=1):
                self._names[seat] = f"{ink.cut(cohort.name, _LONGEST_NAME)} {place}"

    def __getitem__(self, seat: SupportsIndex) -> str:
        return self._names[seat]

    def live(self, lives: Array) -> None:
        """From now on these lives, (N,), have the seats."""
        self._names = [named(life, len(lives)) for life in lives.tolist()]


def named(life: int, agents: int) -> str:
    """A life by its first generation and its place in it, as agents know each other.

    >>> named(15, agents=12)
    '2_4'
    """
    return f"{life // agents + 1}_{life % agents + 1}"


def spoken(kind: str) -> str:
    """The kind of a line as words: fined_to_death -> fined to death."""
    return kind.replace("_", " ")


def ending(stage: Stage, kind: str) -> str:
    """What happened when this ended a replicate: a kind of tell, or an answer without fallback."""
    usual = "an answer could not be read" if kind == UNREAD else spoken(kind)
    return stage.endings.get(kind, usual)


def standing(status: str) -> str:
    """How a run that has not finished stands, as a clause."""
    return _STANDING.get(status, f"the run {status}")
