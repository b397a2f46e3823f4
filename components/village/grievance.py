"""Grievance: whoever was fined for nothing appeals. Ours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array


@dataclass(frozen=True)
class Grievance(Component):
    """Appealing against a fine that one does not deserve.

    Answers `appeal` with yes if the own catch was within the cap.
    """

    chance_id = "grievance"
    at_birth = ()
    answers = ("appeal",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return np.where(ask.facts["catch"] <= ask.facts["cap"], "yes", "no")
