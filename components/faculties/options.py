"""Options: the ways of acting that are open, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass

from society.engine.component import ANYTHING, Agent, Component, Inquiry
from society.engine.parameters import Words


@dataclass(frozen=True)
class Options(Component):
    """A look at what one could do and what would be best, before an agent answers a question.

    question: in words. before: the kinds of questions before which it comes to mind.
    """

    question: Words = (
        "What could you do here? Name the options that you have, and say which of them is best "
        "for you."
    )
    before: tuple[str, ...] = ANYTHING

    chance_id = "options"

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        return self.question if self.hears(ask.kind, self.before) else ""
