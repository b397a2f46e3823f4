"""Nested levels: several villages share a lake, each with a rule of its own below a common one.

Villagers watch and fine within their own village only. What everybody proposes counts twice: for
the rule of all, as before, and for that of its own village. There the median of the caps proposed
is the cap; proposals in words are voted on once more, by the village alone. A villager may land as
much as the lower of the two caps. Rules of a village begin with the second day where policies are
words, as those of all do.
Source: Ostrom 1990, principle 8.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play
from society.engine.scenario import mechanism
from society.engine.script import Script
from society.errors import ScenarioError
from society.scenarios.village.principles.home_rules import HomeRules
from society.scenarios.village.principles.village_lines import lay_around


@mechanism(
    chance_id="nested_villages",
    facts={
        "village": FactSpec("Number of a villager's own village"),
        "home_cap": FactSpec("Largest catch that its own village allows", "fish"),
        "at_home": FactSpec("Whether the vote is on the policy of its own village"),
        "home_policy": FactSpec("Policy of its own village, in words"),
    },
)
def nested_villages(
    play: Play,
    *,
    villages: Annotated[int, Field(ge=2, description="how many share the lake")] = 2,
) -> Play:
    """Several villages share the lake; each has a rule of its own, below the one of all."""

    def nested(env: Environment, whole: Script, _: Declared) -> Script:
        if 2 * villages > env.agents:
            raise ScenarioError(
                f"nested_villages: {env.agents} agents do not make {villages} villages of two and "
                f"more; take at most {env.agents // 2} villages, or more agents"
            )
        return HomeRules(env, villages).around(whole)

    return lay_around(play, "nested_villages", nested)
