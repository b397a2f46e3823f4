"""Fines among peers: who has seen what others did, may pay to take points from them.

Source: Fehr and Gaechter 2000, American Economic Review 90; ours: the game is played as if nobody
was to be fined, and a point takes the same number of points from everybody.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from society.engine.mechanism import Play, PlayFunction
from society.engine.scenario import mechanism
from society.scenarios.mechanisms.peer_incentives.points import PeerPoints, points_spec


@mechanism(**points_spec("fined", "fine"))
def peer_punishment(
    play: Play,
    *,
    most: Annotated[int, Field(ge=1, description="most points spent on each co-player")] = 3,
    cost: Annotated[
        float, Field(ge=0, description="cost of a point to the player who spends it")
    ] = 1.0,
    impact: Annotated[
        float, Field(ge=0, description="loss of the punished player for each point")
    ] = 3.0,
) -> PlayFunction:
    """Players may pay to take points from others, once all know what everybody did and got."""
    return PeerPoints("peer_punishment", "fine", most, cost, -impact).laid_over(play)
