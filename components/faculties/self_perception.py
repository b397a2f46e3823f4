"""Self-perception: who the agent takes itself to be, before it answers."""

from __future__ import annotations

from dataclasses import dataclass

from society.engine.component import ANYTHING, Agent, Component, Inquiry
from society.engine.parameters import Words


@dataclass(frozen=True)
class SelfPerception(Component):
    """A look at oneself, before an agent answers a question.

    question: in words. before: the kinds of questions before which it comes to mind.
    """

    question: Words = (
        "What kind of person are you, judging by what you have done and lived through?"
    )
    before: tuple[str, ...] = ANYTHING

    chance_id = "self_perception"

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        return self.question if self.hears(ask.kind, self.before) else ""
