"""Conflict resolution: whoever was fined may appeal, at a small cost, before the fine is taken.

An arbiter looks at what the appellant has landed, and at the cap. It finds the truth with chance
`accuracy`, and the contrary else; it lifts all fines of the day from whom it finds within the cap.
Where no cap was stated there is nothing to appeal to, and fines stand. The cost is burnt, whatever
the arbiter finds. Source: Ostrom 1990, principle 6; the arbiter is ours.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.mechanism import Declared, Play
from society.engine.parameters import Positive, Share
from society.engine.scenario import mechanism
from society.engine.script import Ask, Script, Tell, common, own
from society.scenarios.village.institutions import fined_by
from society.scenarios.village.principles.village_lines import lay_around, with_priced_fines

FACTS = {
    "appeal": FactSpec("Whether a villager appeals against its fine", labels=("no", "yes")),
    "appeals": FactSpec("Whether a villager has appealed"),
    "lifted": FactSpec("Whether its fines were lifted"),
    "appeal_cost": FactSpec("Cost of an appeal", "fish"),
}


@mechanism(chance_id="conflict_resolution", facts=FACTS)
def conflict_resolution(
    play: Play,
    *,
    cost: Annotated[Positive, Field(description="fish that an appeal costs")] = 0.5,
    accuracy: Annotated[Share, Field(description="chance that the arbiter finds the truth")] = 1.0,
) -> Play:
    """Who was fined may appeal, and an arbiter lifts fines from whom it finds within the cap."""

    def settled(env: Environment, village: Script, declared: Declared) -> Script:
        def fine_and_hear(ask: Ask) -> Script:
            victim = yield ask
            catch, cap = ask.facts["catch"].values, ask.facts["cap"].values
            known = {"catch": own(catch), "cap": ask.facts["cap"], "appeal_cost": common(cost)}
            appeal = Ask("appeal", Choice("no", "yes"), known, fined_by(victim), fallback=0)
            appeals = (yield appeal) == 1
            errs = env.draws("conflict_resolution").uniform("errs") >= accuracy
            lifted = appeals & np.isfinite(cap) & ((catch <= cap) != errs)
            yield Tell("ruled", {"appeals": own(appeals), "lifted": own(lifted)})
            stands = ~np.take_along_axis(lifted, np.maximum(victim, 0), 1)
            return np.where((victim != NOBODY) & stands, victim, NOBODY), appeals

        return with_priced_fines(env, village, declared, cost, fine_and_hear)

    return lay_around(play, "conflict_resolution", settled)
