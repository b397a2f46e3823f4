"""Payoff-biased imitation: with chance q meet one peer and copy it by the logit rule.

Pr(i <- k) = 1 / (1 + exp(-delta (P_k - P_i))).
Source: Szabo and Fath 2007, Physics Reports 446, eq. 71; Gupta et al. 2026, section 3.1.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from society.engine.component import AgentGroup, Component, Question
from society.engine.graph import NOBODY
from society.engine.parameters import Positive, Share
from society.engine.rng import Array


@dataclass(frozen=True)
class SocialLearning(Component):
    """Copying somebody who is better off, the more likely the greater the difference.

    Answers `imitate` with the peer to copy, or NOBODY.
    """

    revision: Share = 0.5  # q, chance a round to reconsider
    selection: Positive = 0.3  # delta, per unit of payoff

    chance_id = "social_learning"
    answers = ("imitate",)
    at_birth = ()

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        payoffs = ask.facts.seen("payoff")
        peer = payoffs.drawn(agents.draws.uniform("whom"))
        advantage = payoffs.of(peer) - ask.facts["payoff"]
        # The logistic function as a hyperbolic tangent, which cannot overflow.
        copying = 0.5 * (1 + np.tanh(0.5 * self.selection * advantage))
        return np.where(agents.draws.uniform("whether") < self.revision * copying, peer, NOBODY)
