"""A marketplace with gossip: everybody makes one kind of thing and needs some of each kind.

Kinds are as frequent as can be, and go to people by chance. In a turn all act at once, aloud or to
one other alone, and a referee says what changes hands: so a barter is two gifts on trust, and who
has kept its word is a matter of talk. What it shows: whether trust and gossip bring things to those
who need them.
Source: ours; needs without money, as in Jevons 1875, Money and the Mechanism of Exchange.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.environment import Environment
from society.engine.population import Cohort, fill_from_params
from society.engine.scenario import DisplaySpec, Live, scenario
from society.engine.script import Script, Tell, common

from .consequences import Inventory
from .needs import NEED_FACTS, NEED_MEASURES, share_secret, tell_needs
from .scene import OVERRULED, RELATIONS, Scene, SceneParams, scene_facts
from .turns import CHANCE_ID

KINDS = ("bread", "cloth", "wine")
PREMISE = "It is market day. You have made one kind of thing, and need some of each kind."
QUESTION = "What do you do, and what do you say?"


class Market(SceneParams):
    """What people make and need."""

    made: int = Field(6, ge=0, description="Things of one kind that each has made")
    need: Live[int] = Field(2, ge=1, description="Things of each kind that each needs")


def company(p: Market, count: int) -> list[Cohort]:
    """The default cast: people who remember, and a referee."""
    mind = fill_from_params(LanguagePolicy, p)
    return [Cohort("person", count - 1, (Recall(), mind)), Cohort("referee", 1, (mind,))]


SHOWN = DisplaySpec(
    columns=(*KINDS, "met"),
    better={"met": "more", "satisfied": "more"},
    quotes={"act words": "says", "heard": "is told alone"},
    noun="person",
    nouns={"referee": "referee"},
)


@scenario(
    params=Market,
    cast=company,
    measures=(*NEED_MEASURES, OVERRULED),
    relations=RELATIONS,
    agents=7,
    rounds=5,
    display=SHOWN,
    facts=scene_facts(Inventory(KINDS), whispers=True) | NEED_FACTS,
)
def marketplace(env: Environment) -> Script:
    """People make one kind of thing each, need all kinds, and trade on trust and gossip."""
    p, people = env.params, ~env.cohort("referee")
    order = np.where(people, env.draws(CHANCE_ID).uniform("kind"), np.inf)
    first = env.draws(CHANCE_ID, "replicate").integers("first kind", len(KINDS))
    kind = (np.argsort(np.argsort(order, axis=1), axis=1) + first) % len(KINDS)
    made = {name: np.where(people & (kind == k), p.made, 0) for k, name in enumerate(KINDS)}
    goods = Inventory(KINDS, start=made)
    scene = Scene(env, goods, premise=PREMISE, whispers=True)
    yield from scene.open()
    for _ in env.rounds():
        before = {kind: scene.state[kind] for kind in KINDS}
        acts = yield from scene.turn(QUESTION)
        after = {kind: scene.state[kind] for kind in KINDS}
        facts = tell_needs(before, after, people, env.params.need)
        facts["secret"] = common(share_secret(acts, scene.to))
        yield Tell("counted", facts, text="Of your needs {met} are met.")
