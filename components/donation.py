"""How much to give, by rule, to somebody of whom something is known.

    fixed          the share g, whoever it is
    reciprocal     the mean of the shares on the trace, the k-th weighted by 2^-k; g to a stranger
    discriminating g if that mean is at least the threshold, else nothing; g to a stranger
    forwarding     what one was last given oneself, as a share of what the giver owned; g at first
    random         any share, all equally likely
    free_rider     nothing
Under stake `fixed` the share is the chance to give. Who punishes spends the share `severity` on it
where the mean is below the threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from society.agent import Column, Component, Members, Question
from society.checks import Positive, Share
from society.draws import Array
from society.replies import Amount

Policy = Literal["fixed", "reciprocal", "discriminating", "forwarding", "random", "free_rider"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


@dataclass(frozen=True)
class Donation(Component):
    """Giving by rule: a policy with a generosity and a threshold, which children inherit.

    Answers `donate`; keeps `policy`, `generosity` and `threshold`.
    """

    policy: Policy | Literal["any"] = "any"
    generosity: Share | None = None
    threshold: Share | None = None
    noise: Positive = 0.05

    answers = ("donate", "suppose")
    columns = (
        Column("policy", np.int8, public=True, heritable=True, labels=POLICIES),
        Column("generosity", public=True, heritable=True),
        Column("threshold", public=True, heritable=True),
    )

    def begin(self, me: Members) -> None:
        any_ = me.draws.integers("policy", len(POLICIES))
        me["policy"] = any_ if self.policy == "any" else POLICIES.index(self.policy)
        me["generosity"] = (
            me.draws.uniform("generosity") if self.generosity is None else self.generosity
        )
        me["threshold"] = (
            me.draws.uniform("threshold") if self.threshold is None else self.threshold
        )

    def answer(self, ask: Question, me: Members) -> Array:
        share = me["generosity"]
        return (
            share * ask.reply.high
            if isinstance(ask.reply, Amount)
            else (me.draws.uniform("give") < share) * 1
        )
