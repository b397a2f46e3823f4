"""Situation: what is going on, as the agent sees it before it answers."""

from __future__ import annotations

from dataclasses import dataclass

from society.engine.component import ANYTHING, Agent, Component, Inquiry
from society.engine.parameters import Words


@dataclass(frozen=True)
class Situation(Component):
    """A look at the situation, before an agent answers a question.

    question: in words. before: the kinds of questions before which it comes to mind.
    """

    question: Words = "What is going on here, and what is at stake for you and for the others?"
    before: tuple[str, ...] = ANYTHING

    chance_id = "situation"

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        return self.question if self.hears(ask.kind, self.before) else ""
