"""Conflict resolution: whoever was fined may appeal, at a small cost, before the fine is taken.

An arbiter looks at what the appellant has landed, and at the cap. It finds the truth with chance
`accuracy`, and the contrary else; it lifts all fines of the day from whom it finds within the cap.
Where no cap was stated there is nothing to appeal to, and fines stand. The cost is burnt, whatever
the arbiter finds.
Source: Ostrom 1990, principle 6; the arbiter is ours.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.mechanism import Declared, Play, intercept
from society.engine.parameters import Positive, Share
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script, Tell, common, own
from society.scenarios.village.institutions import fined_by
from society.scenarios.village.principles.village_lines import lay_around, pay_more

CHANCE_ID = "conflict_resolution"
APPEAL = Choice("no", "yes")


@mechanism(
    chance_id=CHANCE_ID,
    facts={
        "appeal": FactSpec("Whether a villager appeals against its fine", labels=("no", "yes")),
        "appeals": FactSpec("Whether a villager has appealed"),
        "lifted": FactSpec("Whether its fines were lifted"),
        "appeal_cost": FactSpec("Cost of an appeal", "fish"),
    },
)
def conflict_resolution(
    play: Play,
    *,
    cost: Annotated[Positive, Field(description="fish that an appeal costs")] = 0.5,
    accuracy: Annotated[Share, Field(description="chance that the arbiter finds the truth")] = 1.0,
) -> Play:
    """Who was fined may appeal, and an arbiter lifts fines from whom it finds within the cap."""

    def settled(env: Environment, village: Script, declared: Declared) -> Script:
        appeals = np.zeros(env.present.shape, bool)

        def line(said: Line) -> Line | Script:
            nonlocal appeals
            if isinstance(said, Ask) and said.kind == "punish":
                return fine_and_hear(said)
            if isinstance(said, Tell) and said.kind == declared.told:
                spent, appeals = cost * appeals, np.zeros_like(appeals)
                return pay_more(said, declared, -spent)
            return said

        def fine_and_hear(ask: Ask) -> Script:
            nonlocal appeals
            victim = yield ask
            catch, cap = ask.facts["catch"].values, ask.facts["cap"].values
            known = {"catch": own(catch), "cap": ask.facts["cap"], "appeal_cost": common(cost)}
            fined = fined_by(victim)
            appeals = (yield Ask("appeal", APPEAL, known, fined, fallback=0)) == 1
            errs = env.draws(CHANCE_ID).uniform("errs") >= accuracy
            lifted = appeals & np.isfinite(cap) & ((catch <= cap) != errs)
            yield Tell("ruled", {"appeals": own(appeals), "lifted": own(lifted)})
            stands = ~np.take_along_axis(lifted, np.maximum(victim, 0), 1)
            return np.where((victim != NOBODY) & stands, victim, NOBODY)

        return intercept(village, line=line)

    return lay_around(play, "conflict_resolution", settled)
