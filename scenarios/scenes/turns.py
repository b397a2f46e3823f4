"""Turns: who acts next in a scene. Lines never depend on it: others are not asked.

at_once      everybody at the same time
fixed        one after the other, by id
shuffled     one after the other, in an order of chance that is new in each round
initiative   one after the other, whoever wants to most first; all are asked how much they want
referee      the referee says each time who acts next
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from society.engine.action_spaces import Integer, Neighbour
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Script, seen
from society.errors import ScenarioError, suggest

Order = Literal["at_once", "fixed", "shuffled", "initiative", "referee"]
CHANCE_ID = "scene"
EAGER = 10  # as much as one can want to act


def check_order(order: str) -> None:
    """Raise ScenarioError for an order that there is not."""
    if order not in get_args(Order):
        raise ScenarioError(f"there is no order {order!r}; {suggest(order, get_args(Order))}")


def rank_turns(
    env: Environment, order: Order, who: Array, facts: dict[str, Fact], premise: str
) -> Script:
    """The turn of each agent, from 0, -1 for those without one; (R, N)."""
    if order == "at_once":
        return np.where(who, 0, -1)
    first: Array = np.broadcast_to(env.ids, who.shape).astype(float)
    if order == "shuffled":
        first = env.draws(CHANCE_ID).uniform("order")
    if order == "initiative":
        words = f"{premise} How much do you want to act next? 0 is not at all, {EAGER} is at once."
        eager = yield Ask("initiative", Integer(0, EAGER), facts, who=who, fallback=0, text=words)
        first = env.draws(CHANCE_ID).uniform("order") - eager
    first = np.where(who & env.active, first, np.inf)
    by_turn = np.argsort(first, axis=1, kind="stable")
    rank = np.argsort(by_turn, axis=1, kind="stable")
    return np.where(np.isfinite(first), rank, -1)


def choose_next(
    env: Environment, who: Array, judges: Array, facts: dict[str, Fact], premise: str
) -> Script:
    """Who acts next, as the referees say: (R, N) of bool, nobody where they name nobody.

    Of several referees most votes count, and of equals the smaller id.
    """
    waiting = who & env.active
    known = {**facts, "waiting": seen("stage", waiting)}
    words = f"{premise} You are the referee. Who of those who wait acts next?"
    named = yield Ask(
        "choose_next", Neighbour("stage"), known, who=judges, fallback=NOBODY, text=words
    )
    votes = np.zeros(who.shape)
    replicate, seat = np.nonzero(named != NOBODY)
    np.add.at(votes, (replicate, named[replicate, seat]), 1.0)
    votes = np.where(waiting, votes, 0.0)
    best = (votes == votes.max(1, keepdims=True)) & (votes > 0)
    least = np.where(best, env.ids, np.iinfo(np.int64).max).min(1, keepdims=True)
    return best & (env.ids == least)
