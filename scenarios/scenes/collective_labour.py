"""Collective labour: workers talk about a strike that pays only if enough of them join.

Each day the owner names the wage. Then the workers speak, one after the other and unheard by the
owner, and a referee says from their words who strikes. Who strikes has no wage; if fewer than the
share `needed` work, the works stand still, and the owner has nothing that day. Else each who works
makes what is worth `worth` coins. What it shows: whether talk carries a strike over its threshold,
and what that does to wages.
Source: ours; thresholds as in Granovetter 1978, American Journal of Sociology 83.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.action_spaces import Choice, Real
from society.engine.environment import Environment
from society.engine.parameters import Share
from society.engine.population import Cohort, fill_from_params
from society.engine.scenario import DisplaySpec, Live, scenario
from society.engine.script import Ask, Script, Tell, common

from .consequences import DeclaredFact
from .scene import OVERRULED, RELATIONS, Scene, SceneParams, scene_facts
from .strikes import STRIKE_FACTS, STRIKE_MEASURES, tell_day

PHRASES = {"I strike": "strikes", "I work": "works"}
STANCE = DeclaredFact("stance", Choice("works", "strikes"), scope="own", phrases=PHRASES)
WAGE = "What wage do you pay today, in coins for a day's work, to each who works?"
SPEAK = "Today's wage is {wage} coins. What do you say to your fellow workers, and do you strike?"


class Works(SceneParams):
    """The worth of work, and how many are needed for it."""

    worth: Live[float] = Field(10, gt=0, description="Worth of one worker's day, in coins")
    needed: Live[Share] = Field(0.5, description="Share of workers without whom all stops")


def staff(p: Works, count: int) -> list[Cohort]:
    """The default cast: workers and an owner who remember, and a referee."""
    mind = fill_from_params(LanguagePolicy, p)
    workers = Cohort("worker", count - 2, (Recall(), mind))
    return [workers, Cohort("owner", 1, (Recall(), mind)), Cohort("referee", 1, (mind,))]


NOUNS = {"owner": "owner", "referee": "referee"}
SHOWN = DisplaySpec(
    columns=("stance", "income"),
    better={"income": "more"},
    quotes={"act": "says"},
    noun="worker",
    nouns=NOUNS,
)


@scenario(
    params=Works,
    cast=staff,
    measures=(*STRIKE_MEASURES, OVERRULED),
    relations=RELATIONS,
    agents=7,
    rounds=6,
    display=SHOWN,
    facts=scene_facts(STANCE) | STRIKE_FACTS,
)
def collective_labour(env: Environment) -> Script:
    """Workers talk about a strike that stops the works only if enough of them join."""
    owner, worker = env.cohort("owner"), ~env.cohort("owner") & ~env.cohort("referee")
    scene = Scene(env, STANCE, players=worker, groups=np.where(worker, 0, -1))
    wage, still = np.full(env.running.shape, env.params.worth / 2), common(0)
    yield from scene.open(wage=common(wage))
    for _ in env.rounds():
        p, known = env.params, {"wage": common(wage), "standstill": still}
        as_before = np.minimum(wage, p.worth)  # a fork may change what work is worth
        pay = yield Ask("pay", Real(0, p.worth), known, who=owner, fallback=as_before, text=WAGE)
        wage = pay.sum(1, keepdims=True)
        known["wage"] = common(wage)
        yield from scene.turn(SPEAK, order="shuffled", who=worker, known=known)
        works = worker & (scene.state["stance"] == 0)
        facts = tell_day(worker, works, owner, wage, p.worth, p.needed)
        still = facts["standstill"]
        yield Tell("paid", facts, text="The wage was {wage} coins, and your income {income} coins.")
