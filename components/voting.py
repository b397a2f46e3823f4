"""Taking part in collective choice: propose the own belief, vote for what lies nearest to it.

Source: Gupta et al. 2026, section 3.1.3 (g* = g, median voter); the vote is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from society.agent import Component, Members, Question
from society.draws import Array


@dataclass(frozen=True)
class Voting(Component):
    """Proposing one's belief as the next cap, and voting for the proposal nearest to it.

    Answers `propose` and `vote` from the column `belief`.
    """

    answers = ("propose", "vote")

    def answer(self, ask: Question, me: Members) -> Array:
        if ask.kind == "propose":
            return me["belief"]
        assert ask.options is not None
        return nearest(ask.options, me.replicate, me["belief"])


def nearest(options: Array, replicate: Array, wish: Array) -> Array:
    """The index of the option nearest to each wish, of two the smaller one, (M,).

    options: (R, K), NaN where one is not open. replicate: whose options a wish is held against,
    (M,). wish: (M,).
    """
    order = np.argsort(options, axis=1, kind="stable")  # NaN comes last
    ascending = np.take_along_axis(options, order, 1)
    there = ~np.isnan(ascending)
    count = there.sum(1)
    row = np.broadcast_to(np.arange(len(options))[:, None], options.shape)
    # Complex numbers are ordered by their real parts first: one search serves all replicates.
    above = np.searchsorted(row[there] + 1j * ascending[there], replicate + 1j * wish)
    above -= (np.cumsum(count) - count)[replicate]
    last = np.maximum(count[replicate] - 1, 0)
    high, low = np.minimum(above, last), np.clip(above - 1, 0, last)
    nearer = ascending[replicate, high] - wish < wish - ascending[replicate, low]
    chosen: Array = order[replicate, np.where(nearer, high, low)]
    return chosen
