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
    """Answers `propose` and `vote` from the column `belief`."""

    answers = ("propose", "vote")

    def answer(self, ask: Question, me: Members) -> Array:
        if ask.kind == "propose":
            return me["belief"]
        assert ask.options is not None
        distance = np.abs(ask.options - me["belief"][:, None])
        nearest: Array = np.argmin(np.where(np.isnan(distance), np.inf, distance), axis=1)
        return nearest
