"""The track record of a recipient, as shares given, whatever the medium that tells of it.

Traces and records have shares as numbers. A review is text, and a rule opens it with words from
which another rule can read the share back:

    Gave me 40 % of what it owned.          Gave to me. (under stake `fixed`)
    Punished me, and gave me nothing.       Gave me nothing.

Who punishes gives a share of nothing, as one who keeps. A review that does not begin so, as most
that language models write, tells a rule nothing, and neither does an entry of somebody who had
nothing to give.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from society.engine.component import AgentGroup, Question
from society.engine.rng import Array

DISCOUNT = 0.5  # of each entry against the one before it
_GAVE, _KEPT, _PUNISHED = "Gave to me.", "Gave me nothing.", "Punished me, and gave me nothing."
_OPENING = re.compile(r"Gave me (100|\d{1,2}(?:\.\d+)?) % of what it owned\.")


def by_fixed_stake(agents: AgentGroup) -> bool:
    """Tell whether gifts are a fixed sum or nothing, and not a share."""
    return getattr(agents.env.params, "stake", "share") == "fixed"


def known_shares(ask: Question) -> Array:
    """The shares that a recipient is known to have given, latest first, (M, K); NaN: not known.

    Under the medium `trace`, entry k is of the k-th agent along the chain.
    """
    if "reviews" not in ask.facts.facts:
        return ask.facts["trace_share"]
    return np.asarray(np.frompyfunc(_share_in, 1, 1)(ask.facts["reviews"]), float)


def mean_share(shares: Array) -> Array:
    """Average the shares that are known, each weighing half of the one before, (M, K) -> (M,).

    NaN where nothing is known.
    """
    weight = total = np.zeros(len(shares))
    for entry in shares.T[::-1]:
        known = ~np.isnan(entry)
        weight = known + DISCOUNT * weight
        total = np.where(known, entry, 0.0) + DISCOUNT * total
    mean: Array = np.divide(total, weight, out=np.full(len(shares), np.nan), where=weight > 0)
    return mean


def write_reviews(ask: Question, agents: AgentGroup) -> Array:
    """Write a review for each member about its donor, (M,) of text."""
    said = np.frompyfunc(_review, 3, 1)(
        ask.facts["share"], ask.facts["taken"], by_fixed_stake(agents)
    )
    return np.asarray(said, object)


def _review(share: float, taken: float, fixed: bool) -> str:
    if taken > 0:
        return _PUNISHED
    if np.isnan(share):
        return "Had nothing to give."
    if fixed:
        return _GAVE if share else _KEPT
    return f"Gave me {round(100 * share, 2):.15g} % of what it owned."


@lru_cache(maxsize=4096)
def _share_in(review: str) -> float:
    if review.startswith((_KEPT, _PUNISHED)):
        return 0.0
    if review.startswith(_GAVE):
        return 1.0
    opening = _OPENING.match(review)
    return float(opening[1]) / 100 if opening else np.nan
