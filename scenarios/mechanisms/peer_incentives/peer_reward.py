"""Gifts among peers: who has seen what others did, may reward them out of its own payoff.

Source: Lupu and Precup 2020, Gifting in multi-agent reinforcement learning (AAMAS), their
zero-sum form with `worth` 1; ours: how much is given to each is said in whole points.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from society.engine.mechanism import Play, PlayFunction
from society.engine.scenario import mechanism
from society.scenarios.mechanisms.peer_incentives.points import PeerPoints, points_spec


@mechanism(**points_spec("gifted", "give"))
def peer_reward(
    play: Play,
    *,
    most: Annotated[int, Field(ge=1, description="most points given to each co-player")] = 3,
    worth: Annotated[
        float, Field(ge=0, description="gain of the receiver for each point; the giver loses 1")
    ] = 1.0,
) -> PlayFunction:
    """Players may give points to others, once all know what everybody did and got."""
    return PeerPoints("peer_reward", "give", most, 1.0, worth).laid_over(play)
