"""A person like me: the way of acting that fits who one is (the logic of appropriateness).

Source of the idea: March and Olsen, 1989, Rediscovering Institutions. The words are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from society.engine.component import ANYTHING, Agent, Component, Inquiry
from society.engine.parameters import Words


@dataclass(frozen=True)
class PersonLikeMe(Component):
    """A thought of what would suit a person like oneself, before an agent answers a question.

    question: in words. before: the kinds of questions before which it comes to mind.
    """

    question: Words = "What would a person like you do in a situation like this one?"
    before: tuple[str, ...] = ANYTHING

    chance_id = "person_like_me"

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        return self.question if self.hears(ask.kind, self.before) else ""
