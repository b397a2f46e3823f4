"""Coordination: friends with different favourite pubs try to spend an evening together.

Each hour all friends act, one after the other, and a referee says who goes where. An hour in a pub
is worth the number of friends there, and `bonus` more in one's favourite pub; an hour in the street
is worth nothing. What it shows: whether free talk finds a meeting point, and whose favourite it is.
Source: ours; the battle of the sexes among many, in words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
from pydantic import Field, JsonValue

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort, fill_from_params
from society.engine.scenario import DisplaySpec, Live, scenario
from society.engine.script import Script, Tell, own

from .consequences import Places
from .meetings import JOYS, MEETING_MEASURES, tell_meeting
from .scene import OVERRULED, RELATIONS, SAYS, Scene, SceneParams, scene_facts
from .turns import Order

TOWN = Places(("the street", "the Crown", "the Anchor", "the Mill"), start="the street")
PREMISE = "It is Friday evening, and you want to spend it in a pub with as many friends as you can."
FACTS = scene_facts(TOWN, orders=get_args(Order)) | {
    "favourite": FactSpec("Your favourite pub", labels=TOWN.places),
    "joy": FactSpec("Joy of the hour", "points"),
    "together": FactSpec("Share of the friends in the fullest pub", private=True),
    "welfare": FactSpec("Joy of all over the most that is possible", private=True),
}
PRIVATE: dict[str, JsonValue] = {"private": True}


class Evening(SceneParams):
    """The worth of an hour, and who speaks when."""

    bonus: Live[float] = Field(1, ge=0, description="Points that a favourite pub adds to an hour")
    order: Live[Order] = Field("shuffled", description="order of turns", json_schema_extra=PRIVATE)
    starts: dict[str, tuple[int, ...]] = Field(
        {}, description="ids of those who begin in each place", json_schema_extra=PRIVATE
    )


def friends(p: Evening, count: int) -> list[Cohort]:
    """The default cast: friends who remember, and the referee."""
    mind = fill_from_params(LanguagePolicy, p)
    return [Cohort("friend", count - 1, (Recall(), mind)), Cohort("referee", 1, (mind,))]


SHOWN = ("favourite", "place", "joy")
NOUNS = {"referee": "referee"}
STAGE = DisplaySpec(columns=SHOWN, better=JOYS, quotes=SAYS, noun="friend", nouns=NOUNS)


@scenario(
    params=Evening,
    cast=friends,
    measures=(*MEETING_MEASURES, OVERRULED),
    relations=RELATIONS,
    agents=5,
    rounds=4,
    display=STAGE,
    facts=FACTS,
)
def pub_coordination(env: Environment) -> Script:
    """Friends with different favourite pubs try to spend the evening together."""
    p, who = env.params, ~env.cohort("referee")
    scene = Scene(env, replace(TOWN, start=p.starts or TOWN.start), premise=PREMISE)
    drawn = 1 + scene.draws.integers("favourite", len(TOWN.places) - 1)
    favourite = np.where(who, drawn, np.nan)
    taste = {"favourite": own(favourite)}
    yield from scene.open(**taste)
    for _ in env.rounds():
        p = env.params
        question = "Where do you go, and what do you say to those who are with you?"
        yield from scene.turn(question, order=p.order, known=taste)
        facts = tell_meeting(scene.state["place"], favourite, who & env.active, p.bonus)
        yield Tell("enjoyed", facts | taste, text="This hour brought you {joy} points.")
