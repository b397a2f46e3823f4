"""Rules fitted to the place: a limit for each day, by the stock of this lake and its growth.

Of a stock S all together may land F S, the share F at which a logistic lake that is fished before
it regrows yields most for good: F = r / (2 + r). It then tends to S = K (1 + r / 2) / 2, of which
r K / 4 are landed a round. Each present villager may land an equal part of that, times `share`;
where the village has a cap of its own, the lower of the two holds.
Source: Ostrom 1990, principle 2; F follows from the lake's own growth
(society.scenarios.village.lake).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play, intercept
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script, Tell, common
from society.scenarios.village.lake import allowed_catch
from society.scenarios.village.principles.village_lines import lay_around, lower_caps, with_facts


@mechanism(
    chance_id="fitted_rules",
    facts={"allowed": FactSpec("Largest catch that this stock allows", "fish")},
)
def fitted_rules(
    play: Play,
    *,
    share: Annotated[
        float, Field(gt=0, description="of the catch at which the lake yields most for good")
    ] = 1.0,
) -> Play:
    """Nobody should land more on a day than an equal part of what the stock then allows."""

    def fitted(env: Environment, village: Script, _: Declared) -> Script:
        allowed = np.full((env.replicates, 1), np.inf)

        def line(said: Line) -> Line:
            nonlocal allowed
            if isinstance(said, Ask) and said.kind == "effort":
                fishers = env.active.sum(1, keepdims=True)
                full = said.facts["full_catch"].values
                allowed = share * allowed_catch(env.params, full, fishers)
            if isinstance(said, Ask) and said.kind in ("effort", "punish"):
                return with_facts(lower_caps(said, allowed), allowed=common(allowed))
            if isinstance(said, Tell) and said.kind == "harvested":
                return lower_caps(said, allowed)
            return said

        return intercept(village, line=line)

    return lay_around(play, "fitted_rules", fitted)
