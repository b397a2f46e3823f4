"""Monitoring: whoever wants to know what others have landed has to look, and pays for it.

Before fines everybody chooses whether to look, at a cost to itself, whatever it finds. Only who has
looked may fine. Looking errs: with chance `error` a fine hits somebody drawn by lot among those
whom the finer sees. Costs are burnt.
Source: Ostrom 1990, principle 4, whose monitors are the users or answer to them; the error is ours.
"""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play
from society.engine.parameters import Positive, Share
from society.engine.scenario import Measure, mean_over, mechanism
from society.engine.script import Ask, Script, Tell, common, own
from society.scenarios.village.institutions import misdirected
from society.scenarios.village.principles.village_lines import (
    lay_around,
    with_facts,
    with_priced_fines,
)

FACTS = {
    "looks": FactSpec("Whether a villager looks at what others have landed"),
    "look_cost": FactSpec("Cost of a look", "fish"),
    "inspect": FactSpec("Whether it looks", labels=("no", "yes")),
}
LOOKING = Measure("monitoring", "share of those present who look",
                  lambda told, env: mean_over(env.present, told["looks"]))  # fmt: skip


@mechanism(chance_id="monitoring", facts=FACTS, measures=(LOOKING,))
def monitoring(
    play: Play,
    *,
    cost: Annotated[Positive, Field(description="fish that it costs to look, each day")] = 0.1,
    error: Annotated[Share, Field(description="chance that a fine hits another, by mistake")] = 0.0,
) -> Play:
    """Only who pays to look at what others have landed may fine."""

    def watched(env: Environment, village: Script, declared: Declared) -> Script:
        def look_and_fine(ask: Ask) -> Script:
            known = {name: own(fact.values) if fact.scope == "seen" else fact
                     for name, fact in ask.facts.items()}  # fmt: skip
            known["look_cost"] = common(cost)
            look = Ask("inspect", Choice("no", "yes"), known, ask.who, fallback=0)
            looks = (yield look) == 1
            yield Tell("looked", {"looks": own(looks)})
            here = looks if ask.who is None else looks & ask.who
            victim = yield replace(with_facts(ask, inspected=own(looks)), who=here)
            return misdirected(env, victim, error, env.draws("monitoring")), looks

        return with_priced_fines(env, village, declared, cost, look_and_fine)

    return lay_around(play, "monitoring", watched)
