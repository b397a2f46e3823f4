"""A person who has coded texts beforehand, and sits among the raters with these codes.

They stand in the spec of the run, so that its file says who has given which label to what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array

UNCODED = "uncoded"  # in place of a label that nobody gave


@dataclass(frozen=True)
class HumanCoder(Component):
    """A label for each text, by criterion; a text without one is left uncoded.

    codes: {criterion: {text: label}}, each text word for word.
    """

    codes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    chance_id = "coded_by_hand"
    answers = ("rate",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        asked = zip(ask.facts["criterion"], ask.facts["text"], strict=True)
        given = [self.codes.get(criterion, {}).get(text, UNCODED) for criterion, text in asked]
        return np.array(given, object)
