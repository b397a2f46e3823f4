"""An outside authority that may overrule a village: the contrary of the right to organise.

With chance `overrules` each day it sets aside what the village has decided: the cap of that day is
its own, or there is none, and all fines are void. Villagers learn of it in the morning, and fear no
fine on such a day.
Source: Ostrom 1990, principle 7, by which no external authority challenges the rules of users.
"""

from __future__ import annotations

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
from society.engine.script import Ask, Fact, Line, Script, Tell, common, own
from society.scenarios.village.principles.village_lines import lay_around, with_facts

CHANCE_ID = "outside_authority"


@mechanism(
    chance_id=CHANCE_ID,
    facts={"overruled": FactSpec("Whether an authority overrules the village on this day")},
)
def outside_authority(
    play: Play,
    *,
    overrules: Annotated[Share, Field(description="chance that it overrules, each day")] = 1.0,
    cap: Annotated[
        Positive | None, Field(description="its own cap, fish a villager and day; none: no cap")
    ] = None,
) -> Play:
    """An authority from outside may set aside the cap and the fines of the village on any day."""
    decreed = np.inf if cap is None else cap

    def overruled(env: Environment, village: Script, _: Declared) -> Script:
        today = np.zeros((env.replicates, 1), bool)

        def ruled(fact: Fact) -> Fact:
            return fact._replace(values=np.where(today, decreed, fact.values))

        def line(said: Line) -> Line:
            nonlocal today
            if isinstance(said, Ask) and said.kind == "effort":
                drawn = env.draws(CHANCE_ID, per="replicate").uniform("overrules")
                today = drawn < overrules
            if isinstance(said, Tell) and said.kind == "harvested":
                return with_facts(said, limit=ruled(said.facts["limit"]))
            if not (isinstance(said, Ask) and said.kind in ("effort", "punish")):
                return said
            facts = {"overruled": common(today)}
            if "cap" in said.facts:
                facts["cap"] = ruled(said.facts["cap"])
            if "expected_fine" in said.facts:
                facts["expected_fine"] = own(said.facts["expected_fine"].values * ~today)
            return with_facts(said, **facts)

        def void(said: Line, answered: Array) -> Array:
            if isinstance(said, Ask) and said.kind == "punish" and answered is not None:
                return np.where(today, NOBODY, answered)
            return answered

        return intercept(village, line=line, answer=void)

    return lay_around(play, "outside_authority", overruled)
