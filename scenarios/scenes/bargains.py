"""Bargains of two: who deals with whom, and what a price makes of the gains from trade.

A good is worth c to its seller and v to its buyer; a pair can gain max(0, v - c). At a price p the
seller has p - c of it and the buyer v - p.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import Direction, Measure, RoundFacts, mean_over
from society.engine.script import Fact, common, own

GAINS: dict[str, Direction] = {"coins": "more", "deals": "more", "surplus": "more"}
BARGAIN_FACTS = {
    "bout": FactSpec("Bout of haggling", private=True),
    "sells": FactSpec("Your side", labels=("buyer", "seller")),
    "worth": FactSpec("What the good is worth to you", "coins"),
    "offer": FactSpec("Price at which it would deal", "coins"),
    "price": FactSpec("Price agreed", "coins"),
    "gain": FactSpec("Gain of its pair", "coins", private=True),
    "possible": FactSpec("Gain that its pair can make", "coins", private=True),
    "lean": FactSpec("Price between both limits, from -1 to 1", private=True),
    "dealt": FactSpec("Share of pairs that have dealt"),
}


class BargainPairs(NamedTuple):
    """The number of each one's pair, -1 for none, and the seat of its partner; (R, N) each."""

    number: Array
    partner: Array

    def of_partner(self, values: Array) -> Array:
        """The partner's value, NaN for those without one."""
        theirs = np.take_along_axis(values, np.maximum(self.partner, 0), 1)
        return np.where(self.partner == NOBODY, np.nan, theirs)


def pair_up(env: Environment, sells: Array) -> BargainPairs:
    """Pair sellers, (R, N) of bool, with all others, both in the order of ids."""
    by_id = np.argsort(env.ids)
    ranks = np.cumsum(np.stack([sells, ~sells])[:, :, by_id], axis=2)[:, :, np.argsort(by_id)] - 1
    number = np.where(sells, ranks[0], ranks[1])
    number = np.where(number < np.minimum(sells.sum(1), (~sells).sum(1))[:, None], number, -1)
    order = np.lexsort((sells, np.where(number < 0, env.agents, number)), axis=1)
    mate = order[:, : env.agents // 2 * 2].reshape(env.replicates, -1, 2)[:, :, ::-1]
    partner = np.full(sells.shape, NOBODY)
    np.put_along_axis(partner, order[:, : env.agents // 2 * 2], mate.reshape(len(mate), -1), 1)
    return BargainPairs(number, np.where(number < 0, NOBODY, partner))


def tell_gains(pairs: BargainPairs, sells: Array, worth: Array, price: Array) -> dict[str, Fact]:
    """Facts about the prices that pairs have agreed, (R, N), NaN where they have not."""
    theirs, done = pairs.of_partner(worth), ~np.isnan(price)
    gain = np.where(sells, theirs - worth, worth - theirs)
    gain = np.where(pairs.partner == NOBODY, 0.0, gain)
    half = np.where(gain > 0, gain / 2, np.nan)
    return {
        "price": own(price),
        "gain": own(np.where(done, gain, 0.0)),
        "possible": own(np.maximum(gain, 0.0)),
        "lean": own((price - (worth + theirs) / 2) / half),
        "dealt": common(mean_over(pairs.number >= 0, done)[:, None]),
    }


def _surplus(told: RoundFacts, env: Environment) -> Array:
    possible = told["possible"].sum(1)
    share: Array = told["gain"].sum(1) / np.where(possible > 0, possible, np.nan)
    return share


BARGAIN_MEASURES = (
    Measure("deals", "share of pairs", lambda told, env: told["dealt"], fold="last"),
    Measure("surplus", "share of the gains that are possible", _surplus, fold="last"),
    Measure(
        "lean",
        "price: -1 at the seller's limit, 0 in the middle, 1 at the buyer's",
        lambda told, env: mean_over(~np.isnan(told["lean"]), told["lean"]),
        fold="last",
    ),
)
