"""The attitude that somebody asks a strategy for, and the action that stands in where it fails.

Attitudes are free words, such as collective and exploitative. Source: Willis et al. 2026, 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import StringConstraints

from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array

LONGEST_ATTITUDE = 60  # characters


@dataclass(frozen=True)
class AuthorAttitude(Component):
    """An attitude as one or a few words, with the action of a strategy that fails: C or D."""

    attitude: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_ATTITUDE),
    ] = "collective"
    fallback_action: Literal["C", "D"] = "C"

    chance_id = "author_attitude"

    def answer_declare_attitude(self, ask: Question, agents: AgentGroup) -> dict[str, Array]:
        """Answer the same for all members."""
        count = len(ask.asked)
        return {
            "attitude": np.full(count, self.attitude, object),
            "fallback_action": np.full(count, self.fallback_action, object),
        }
