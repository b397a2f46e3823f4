"""No mechanism at all: what every other one is compared with."""

from __future__ import annotations

from society.engine.mechanism import Play
from society.engine.scenario import mechanism


@mechanism(chance_id="unchanged")
def baseline(play: Play) -> Play:
    """The game is played as it is."""
    return play
