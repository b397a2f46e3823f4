"""A friend who goes where most friends say they go, or to its own favourite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from society.components.scenes.plain_acts import read_moves
from society.components.scenes.verdict_form import Act
from society.engine.component import Agent, Component, Inquiry, per_agent
from society.engine.parameters import Share
from society.errors import PartError


@dataclass(frozen=True)
class PubGoer(Component):
    """Goes where most of those say they go whom it has heard, or insists on its favourite place.

    stubborn: chance to insist, each time anew. Where nobody has said a place, and among equals, its
    favourite counts. It reads and says acts in plain words: "I go to the Crown."
    """

    stubborn: Share = 0.2

    chance_id = "pub_goer"
    answers = ("act",)

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> str:
        if not isinstance(ask.reply, Act):
            raise PartError("pub_goer answers with acts of a scene; take another component")
        places = ask.reply.places
        favourite = places[int(ask.facts["favourite"])]
        said = [read_moves(text, places)[-1:] for text in ask.facts.seen("deed").values()]
        votes = Counter(place for one in said for place in one)
        best = max(votes.values(), default=0)
        insists = agent.draws.uniform("insists") < self.stubborn
        if insists or votes[favourite] == best:
            return f"I go to {favourite}."
        first = next(place for place in places if votes[place] == best)
        return f"I go to {first}."
