"""A canal: water that flows past farmers in the order of their ids, and what it brings them.

Of an inflow F farmer i has w_i = min(C_i, F) - min(C_(i-1), F), where C_i is all that farmers up to
i want. Its harvest is sqrt(w_i), so that all together have most if each has F / N.
The canal is ours.
"""

from __future__ import annotations

import numpy as np

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import Measure
from society.engine.script import Fact, common, own, seen

CANAL_FACTS = {
    "elect": FactSpec("Whom it wants as the warden"),
    "warden": FactSpec("The warden", labels=("no", "yes")),
    "quota": FactSpec("Quota of the warden", "litres"),
    "take": FactSpec("Water that it wants to take", "litres"),
    "water": FactSpec("Water that it had", "litres"),
    "harvest": FactSpec("Harvest of the season"),
    "welfare": FactSpec("Harvest of all over the most that is possible", private=True),
    "tail": FactSpec("Water of the lower half over an equal share", private=True),
    "obeyed": FactSpec("Share of farmers who want no more than the quota", private=True),
    "turnover": FactSpec("Whether there is a new warden", labels=("no", "yes")),
}
CANAL_MEASURES = (
    Measure("welfare", "harvest / most that is possible", lambda told, env: told["welfare"]),
    Measure(
        "tail",
        "water of the lower half / equal share",
        lambda told, env: told["tail"],
        label="water of the lower half",
    ),
    Measure("obeyed", "share of the farmers", lambda told, env: told["obeyed"], label="obedience"),
    Measure("turnover", "share of the elections", lambda told, env: told["turnover"]),
)


def elect(env: Environment, votes: Array, before: Array) -> Array:
    """The one with most votes, (R, N) of bool; of equals the warden before, else the smallest id.

    votes: (R, N) of seats. Where nobody has a vote, all stays as it was.
    """
    count = np.zeros(votes.shape)
    replicate, seat = np.nonzero(votes != NOBODY)
    np.add.at(count, (replicate, votes[replicate, seat]), 1.0)
    best = np.asarray((count == count.max(1, keepdims=True)) & env.active)
    again = best & before
    ahead: Array = np.where(np.any(again, axis=1, keepdims=True), again, best)
    least = np.where(ahead, env.ids, np.iinfo(np.int64).max).min(1, keepdims=True)
    voted = np.asarray(count > 0).any(1, keepdims=True)
    return np.where(voted, ahead & (env.ids == least), before)


def tell_season(
    env: Environment, wants: Array, inflow: float, quota: Array, warden: Array, before: Array
) -> dict[str, Fact]:
    """Facts about a season in which farmers want so much water, (R, N)."""
    by_id = np.argsort(env.ids)
    in_turn = np.ascontiguousarray(wants[:, by_id])
    reached = np.minimum(np.cumsum(in_turn, axis=1), inflow)
    in_order = np.ascontiguousarray(np.diff(reached, axis=1, prepend=0))
    # Sums over rows go by their layout in memory: a batch must have that of one replicate alone.
    water = np.ascontiguousarray(in_order[:, np.argsort(by_id)])
    harvest = np.sqrt(water)
    half = env.agents // 2
    lower = in_order[:, env.agents - half :].mean(1) if half else np.full(len(wants), np.nan)
    return {
        "water": seen("here", water),
        "harvest": own(harvest),
        "warden": seen("here", warden.astype(int)),
        "quota": common(quota),
        "welfare": common(harvest.sum(1, keepdims=True) / np.sqrt(inflow * env.agents)),
        "tail": common((lower / (inflow / env.agents))[:, None]),
        "obeyed": common((wants <= quota).mean(1, keepdims=True)),
        "turnover": common((warden & ~before).any(1, keepdims=True).astype(int)),
    }
