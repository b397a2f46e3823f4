"""Boundaries: who may fish is settled, and all others are turned away before the first round.

Chance draws the members. Whoever is turned away lives elsewhere: it takes no fish, sees nobody, and
has no part in fines and votes. Without boundaries everybody at the lake fishes.
Source: Ostrom 1990, principle 1; the lot is ours.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play
from society.engine.scenario import mechanism
from society.engine.script import Script, Tell, own
from society.errors import ScenarioError
from society.scenarios.village.principles.village_lines import lay_around

CHANCE_ID = "boundaries"


@mechanism(
    chance_id=CHANCE_ID, facts={"member": FactSpec("Whether one belongs to those who may fish")}
)
def boundaries(
    play: Play,
    *,
    members: Annotated[int, Field(ge=1, description="how many may fish; chance draws them")],
) -> Play:
    """Only members may fish; whoever else comes to the lake is turned away."""

    def bounded(env: Environment, village: Script, _: Declared) -> Script:
        if members > env.agents:
            raise ScenarioError(
                f"boundaries: members is {members}, and {env.agents} agents are at the lake; "
                f"take at most {env.agents}, or more agents"
            )
        return _turn_away(env, village, members)

    return lay_around(play, "boundaries", bounded)


def _turn_away(env: Environment, village: Script, members: int) -> Script:
    """Turn away all but so many, and play on with those."""
    lots = np.argsort(env.draws(CHANCE_ID).uniform("belongs"), axis=1, kind="stable")
    belongs = np.zeros(env.present.shape, bool)
    np.put_along_axis(belongs, lots[:, :members], True, 1)
    yield Tell("turned_away", {"member": own(belongs)}, gone=~belongs)
    return (yield from village)
