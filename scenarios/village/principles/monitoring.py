"""Monitoring: whoever wants to know what others have landed has to look, and pays for it.

Before fines everybody chooses whether to look, at a cost to itself, whatever it finds. Only who has
looked may fine. Looking errs: with chance `error` a fine hits somebody drawn by lot among those
whom the finer sees. Costs are burnt.
Source: Ostrom 1990, principle 4, whose monitors are the users or answer to them; the error is ours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY, AgentRows
from society.engine.mechanism import Declared, Play, intercept
from society.engine.parameters import Positive, Share
from society.engine.rng import Array
from society.engine.scenario import Measure, RoundFacts, mean_over, mechanism
from society.engine.script import Ask, Line, Script, Tell, common, own
from society.scenarios.village.principles.village_lines import lay_around, pay_more, with_facts

CHANCE_ID = "monitoring"
LOOK = Choice("no", "yes")


def share_looking(told: RoundFacts, env: Environment) -> Array:
    """The share of those present who look, (R,)."""
    return mean_over(env.present, told["looks"])


@mechanism(
    chance_id=CHANCE_ID,
    facts={
        "looks": FactSpec("Whether a villager looks at what others have landed"),
        "look_cost": FactSpec("Cost of a look", "fish"),
        "inspect": FactSpec("Whether it looks", labels=("no", "yes")),
    },
    measures=(Measure("monitoring", "share of those present who look", share_looking),),
)
def monitoring(
    play: Play,
    *,
    cost: Annotated[Positive, Field(description="fish that it costs to look, each day")] = 0.1,
    error: Annotated[
        Share, Field(description="chance that a fine hits somebody else, by mistake")
    ] = 0.0,
) -> Play:
    """Only who pays to look at what others have landed may fine."""

    def watched(env: Environment, village: Script, declared: Declared) -> Script:
        looks = np.zeros(env.present.shape, bool)

        def line(said: Line) -> Line | Script:
            nonlocal looks
            if isinstance(said, Ask) and said.kind == "punish":
                return look_and_fine(said)
            if isinstance(said, Tell) and said.kind == declared.told:
                spent, looks = cost * looks, np.zeros_like(looks)
                return pay_more(said, declared, -spent)
            return said

        def look_and_fine(ask: Ask) -> Script:
            nonlocal looks
            known = {name: own(fact.values) if fact.scope == "seen" else fact
                     for name, fact in ask.facts.items()}  # fmt: skip
            known["look_cost"] = common(cost)
            looks = (yield Ask("inspect", LOOK, known, ask.who, fallback=0)) == 1
            yield Tell("looked", {"looks": own(looks)})
            here = looks if ask.who is None else looks & ask.who
            victim = yield replace(with_facts(ask, inspected=own(looks)), who=here)
            return mistake(env, victim, error)

        return intercept(village, line=line)

    return lay_around(play, "monitoring", watched)


def mistake(env: Environment, victim: Array, error: float) -> Array:
    """Return whom fines hit, (R, N): with chance `error` a neighbour by lot, and not the victim."""
    draws = env.draws(CHANCE_ID)
    errs, lot = draws.uniform("errs") < error, draws.uniform("hits")
    nodes = np.arange(victim.size)
    rows = AgentRows(*np.divmod(nodes, env.agents), nodes)
    other = env.graph("monitor").drawn(lot.reshape(-1), rows, env.present).reshape(victim.shape)
    hit: Array = np.where(errs & (victim != NOBODY) & (other != NOBODY), other, victim)
    return hit
