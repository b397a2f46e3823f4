"""An irrigation village: farmers along a canal talk, elect a warden, and take water in turn.

Each season farmers speak, elect a warden, who names a quota of water for each, and say how much
they take; nothing but talk and the next election holds them to the quota. Water comes to those
upstream first, who have the smaller ids. What it shows: whether talk and elections bring water to
the end of the canal.
Source: ours; the asymmetry is that of Ostrom and Gardner 1993, J. of Economic Perspectives 7.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.action_spaces import Neighbour, Real
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.population import Cohort, fill_from_params
from society.engine.scenario import DisplaySpec, Live, scenario
from society.engine.script import Ask, Script, Tell, common, seen

from .canals import CANAL_FACTS, CANAL_MEASURES, elect, tell_season
from .scene import RELATIONS, Scene, SceneParams, scene_facts

SPEAK = "The season begins. What do you say to the other farmers about the water and the warden?"
ELECT = "Whom do you elect as the warden of this season?"
QUOTA = "You are the warden. How many litres may each farmer take this season?"
TAKE = "The quota is {quota} litres for each. How many litres do you take this season?"


class Canal(SceneParams):
    """The water of a season."""

    inflow: Live[float] = Field(100, gt=0, description="Water that comes each season, in litres")


def farmers(p: Canal, count: int) -> list[Cohort]:
    """The default cast: farmers who remember."""
    return [Cohort("farmer", count, (Recall(), fill_from_params(LanguagePolicy, p)))]


SHOWN = ("warden", "take", "water", "harvest")
STAGE = DisplaySpec(
    columns=SHOWN,
    better={"harvest": "more", "welfare": "more", "tail": "more", "obeyed": "more"},
    notes={"quota": {}},
    quotes={"act": "says"},
    noun="farmer",
)


@scenario(
    params=Canal,
    cast=farmers,
    measures=CANAL_MEASURES,
    relations=RELATIONS,
    agents=6,
    rounds=5,
    display=STAGE,
    facts=scene_facts(referee=False) | CANAL_FACTS,
)
def irrigation_election(env: Environment) -> Script:
    """Farmers along a canal talk, elect a warden who names a quota, and take what they like."""
    scene = Scene(env, referee="")
    warden, water = np.zeros(env.present.shape, bool), np.zeros(env.present.shape)
    quota = np.full(env.running.shape, env.params.inflow / env.agents)
    yield from scene.open()
    for _ in env.rounds():
        inflow = env.params.inflow
        quota = np.minimum(quota, inflow)  # a fork may change what comes
        known = {"water": seen("here", water), "warden": seen("here", warden.astype(int))}
        yield from scene.turn(SPEAK, known=known)
        known |= scene.known()
        votes = yield Ask("elect", Neighbour("here"), known, fallback=NOBODY, text=ELECT)
        before, warden = warden, elect(env, votes, warden)
        known["warden"] = seen("here", warden.astype(int))
        named = yield Ask("quota", Real(0, inflow), known, who=warden, fallback=quota, text=QUOTA)
        quota = np.where(warden.any(1, keepdims=True), named.sum(1, keepdims=True), quota)
        known["quota"] = common(quota)
        wants = yield Ask("take", Real(0, inflow), known, fallback=quota, text=TAKE)
        facts = tell_season(env, wants, inflow, quota, warden, before)
        water = facts["water"].values
        yield Tell("watered", facts, text="You had {water} litres; of each one you know: {seen}")
