"""A referee by rule: it reads acts in plain words, and lets happen what the hard rules allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from society.components.scenes.verdict_form import Rows, Story
from society.engine.action_spaces import Choice, Value, fields
from society.engine.component import Agent, Component, Inquiry, per_agent
from society.engine.graph import NOBODY


@dataclass(frozen=True)
class PlainReferee(Component):
    """A referee who reads plain acts: "I give 3 coins to 2", "I take 2 fish", "I go to the pub".

    Acts are taken in the order of ids; one that would break a rule comes to nothing, and so does
    all that is put in other words. What else a verdict holds stays as it is, and a scene in which
    the referee says who acts next goes by id.
    """

    chance_id = "plain_referee"
    answers = ("resolve", "choose_next")

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        if ask.kind == "choose_next":
            waiting = ask.facts.seen("waiting")
            ids = agent.env.ids
            return min(
                (s for s, waits in waiting.items() if waits), key=lambda s: ids[s], default=NOBODY
            )
        return {name: _decide(name, part, ask) for name, part in fields(ask.reply).items()}


def _decide(name: str, part: Value, ask: Inquiry) -> Any:
    """One field of a verdict: what plain acts come to, and else what stood there before."""
    if isinstance(part, Rows | Story):
        return part.plain(ask.facts)
    if name in ask.facts:
        return ask.facts[name]
    return 0 if isinstance(part, Choice) else part.silent
