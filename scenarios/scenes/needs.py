"""Needs: how well people are off who need some of everything and own too much of one thing.

Whoever owns x_k of item k has min(x_k, n) of its n needs of it met.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.engine.fact_specs import FactSpec
from society.engine.rng import Array
from society.engine.scenario import Measure
from society.engine.script import Fact, common, own

NEED_FACTS = {
    "met": FactSpec("Needs of its own that are met"),
    "satisfied": FactSpec("Needs met over the most that is possible", private=True),
    "traded": FactSpec("Things that have changed hands", private=True),
    "secret": FactSpec("Share of acts that one alone could perceive", private=True),
}
NEED_MEASURES = (
    Measure(
        "satisfied", "needs met / most that is possible", lambda t, env: t["satisfied"], fold="last"
    ),
    Measure("traded", "things a turn", lambda told, env: told["traded"], label="trade"),
    Measure(
        "secret",
        "share of acts for one alone",
        lambda told, env: told["secret"],
        label="secret acts",
    ),
)


def tell_needs(
    before: Mapping[str, Array], after: Mapping[str, Array], who: Array, need: float
) -> dict[str, Fact]:
    """Facts about those in `who`, (R, N) of bool, from what they own of each item; (R, N) each."""
    held = np.stack([np.where(who, values, 0.0) for values in after.values()], axis=2)
    gone = np.stack([np.where(who, after[name] - before[name], 0.0) for name in after], axis=2)
    met = np.minimum(held, need).sum(2)
    most = np.minimum(held.sum(1), need * who.sum(1, keepdims=True)).sum(1)
    return {
        "met": own(met),
        "satisfied": common((met.sum(1) / np.where(most > 0, most, np.nan))[:, None]),
        "traded": common(np.maximum(gone, 0).sum((1, 2))[:, None]),
    }


def share_secret(acts: Array, to: Array) -> Array:
    """The share of acts, (R, N) of text, that are for one alone, to a seat from 0 on; (R, 1)."""
    acted = acts != ""
    count = acted.sum(1, keepdims=True)
    share: Array = (acted & (to >= 0)).sum(1, keepdims=True) / np.where(count, count, np.nan)
    return share
