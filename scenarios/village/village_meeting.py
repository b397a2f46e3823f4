"""A village meeting: fishers talk until each has promised a limit, and the lake can bear them all.

Each day
    1. every villager speaks, in turn by id or all at once;
    2. every villager says what it proposes and what it is ready to promise itself;
    3. the referee settles what follows: a limit for each villager who has promised one, in fish a
       day, and none for the others;
    4. all are told the limits; once everybody has one and their sum is at most `bearable`, what the
       lake can bear to lose, the meeting is over.
Nobody fishes here: the scene shows how free text becomes numbers that a script can go on with.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.components.language.backstory import Backstory
from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.components.language.reflection import Reflection
from society.engine.action_spaces import Real, Text
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, Params, RoundFacts, scenario
from society.engine.script import Ask, Script, Tell, common, seen
from society.scenarios.village.narration import hold_speeches, judge_attempts

LIMIT = Real(0, np.inf, optional=True)  # fish a day; NaN: no promise


class MeetingParams(Params):
    """The subject of a meeting, and its rules."""

    bearable: float = Field(12, gt=0, description="fish per day that the lake can sustain")
    in_turn: bool = Field(True, description="whether villagers speak one by one, or all at once")
    thinking: bool = Field(False, description="whether models reason before they answer")


def assembly(p: MeetingParams, agents: int) -> list[Cohort]:
    """The default cast: language agents, the last of them the referee."""
    mind = fill_from_params(LanguagePolicy, p)
    villager = (Backstory(), Recall(), Reflection(every=2), mind)
    return [Cohort("villager", agents - 1, villager), Cohort("referee", 1, (mind,))]


def promising_share(told: RoundFacts, env: Environment) -> Array:
    """Share of the villagers who have promised a limit, (R,); NaN without villagers."""
    villagers = (~env.cohort("referee") & env.present).sum(1)
    share: Array = (~np.isnan(told["limit"])).sum(1) / np.where(villagers, villagers, np.nan)
    return share


def total_promised(told: RoundFacts, env: Environment) -> Array:
    """The sum of all limits over what the lake bears, (R,)."""
    total: Array = np.nansum(told["limit"], axis=1) / env.params.bearable
    return total


MEASURES = (
    Measure(
        "agreed_after",
        "rounds",
        lambda told, env: told["agreed"],
        fold="first",
        label="time until agreement",
    ),
    Measure(
        "promising",
        "share of villagers with a limit, last round",
        promising_share,
        fold="last",
        label="villagers with a limit",
    ),
    Measure(
        "promised",
        "sum of limits / what the lake bears, last round",
        total_promised,
        fold="last",
        label="promised catch",
    ),
)

FACTS = {
    "limit": FactSpec("Catch that a villager has promised not to exceed", "fish a day"),
    "speak": FactSpec("What a villager says in the meeting"),
    "words": FactSpec("What a villager has said in the meeting"),
    "propose": FactSpec("What a villager proposes and promises"),
    "judge": FactSpec("Limits that the referee reads from the proposals", "fish a day"),
    "agreed": FactSpec("Whether all have promised limits that the lake can bear"),
}

STAGE = DisplaySpec(
    columns=("limit",),
    better={"promising": "more"},
    quotes={"words": "says", "propose": "proposes"},
    endings={"settled": "the villagers agreed on limits"},
    noun="villager",
    nouns={"referee": "referee"},
    levels=("day",),
)


@scenario(
    params=MeetingParams,
    cast=assembly,
    measures=MEASURES,
    relations=("hear",),
    agents=5,
    rounds=6,
    display=STAGE,
    facts=FACTS,
)
def village_meeting(env: Environment) -> Script:
    """Villagers talk about limits to fishing; a referee settles who has promised what (ours)."""
    referee = env.cohort("referee")
    villager = ~referee
    for _ in env.rounds():
        words = yield from hold_speeches(env, in_turn=env.params.in_turn, who=villager)
        heard = {"words": seen("hear", words)}
        offer = yield Ask("propose", Text(), heard, who=villager, fallback="")
        limit = yield from judge_attempts(
            env, offer, LIMIT, whose=villager, by=referee, fallback=np.nan
        )
        total = np.nansum(limit, axis=1, keepdims=True)
        open_ended = (villager & np.isnan(limit)).any(1, keepdims=True)
        agreed = ~open_ended & (total <= env.params.bearable)
        yield Tell("settled", {"limit": seen("hear", limit), "agreed": common(agreed)}, ends=agreed)
