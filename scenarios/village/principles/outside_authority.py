"""An outside authority that may overrule a village: the contrary of the right to organise.

With chance `overrules` each day it sets aside what the village has decided: the cap of that day is
its own, or there is none, and all fines are void. Villagers learn of it in the morning, and fear no
fine on such a day. Source: Ostrom 1990, principle 7, by which nobody from outside may overrule.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.mechanism import Declared, Play, intercept
from society.engine.parameters import Positive, Share
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script, Tell, common
from society.scenarios.village.principles.village_lines import change_facts, lay_around, with_facts

FACTS = {"overruled": FactSpec("Whether an authority overrules the village on this day")}


@mechanism(chance_id="outside_authority", facts=FACTS)
def outside_authority(
    play: Play,
    *,
    overrules: Annotated[Share, Field(description="chance that it overrules, each day")] = 1.0,
    cap: Annotated[
        Positive | None, Field(description="its own cap, fish a villager and day")
    ] = None,
) -> Play:
    """An authority from outside may set aside the cap and the fines of the village on any day."""

    def overruled(env: Environment, village: Script, _: Declared) -> Script:
        today = np.zeros((env.replicates, 1), bool)

        def ruled(usual: Array) -> Array:
            return np.where(today, np.inf if cap is None else cap, usual)

        def line(said: Line) -> Line:
            nonlocal today
            if isinstance(said, Ask) and said.kind == "effort":
                today = env.draws("outside_authority", "replicate").uniform("overrules") < overrules
            if isinstance(said, Tell) and said.kind == "harvested":
                return change_facts(said, {"limit": ruled})
            if isinstance(said, Ask) and said.kind in ("effort", "punish"):
                changes = {"cap": ruled, "expected_fine": lambda fine: fine * ~today}
                return with_facts(change_facts(said, changes), overruled=common(today))
            return said

        def void(said: Line, answered: Array) -> Array:
            fines = isinstance(said, Ask) and said.kind == "punish" and answered is not None
            return np.where(today, NOBODY, answered) if fines else answered

        return intercept(village, line=line, answer=void)

    return lay_around(play, "outside_authority", overruled)
