"""Relationships: a sentence about each of those with whom an agent deals, renewed now and then.

The first ones come at the first event of the `every`-th round, about the rounds that were over by
then. One call renews all sentences of an agent; it reads what the faculties add that stand before,
such as Recall. What cannot be read is left out and counted, and the sentences before it stay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from society.components.language.llm_policy import ShownFacts, ask_model
from society.components.language.recall import MemoryCount
from society.engine.action_spaces import Fields, Legal, Text
from society.engine.component import ANYTHING, Agent, AgentGroup, Column, Component, Inquiry, News
from society.errors import Unparsed
from society.text import clean_line, quote_text

_LONGEST = 200  # characters of a sentence


@dataclass(frozen=True)
class Relationships(Component):
    """A sentence about each peer with whom an agent deals, in mind before each question.

    relation: whose neighbours these are; the scenario's first one if none is named, and everybody
    if there is none. most: so many of them at most, by chance; who was among them stays, unless it
    leaves. every: rounds after which the sentences are renewed. model: a name among the run's.
    Keeps the column `relationships`, a line "name: sentence" each, and in `related` the round of
    the last attempt.
    """

    relation: str = ""
    most: MemoryCount = 5
    every: MemoryCount = 5
    model: str = "default"

    chance_id = "relationships"
    notices = ANYTHING
    columns = (
        Column("relationships", object, public=True, text="Relationships in words"),
        Column("related", np.int64),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def begin(self, agents: AgentGroup) -> None:
        if self.relation:
            agents.env.graph(self.relation)  # says so if there is none
        agents["relationships"] = [""] * len(agents)

    def notice(self, tell: News, agents: AgentGroup) -> Awaitable[None] | None:
        due = agents.moment > 0 and agents.moment % self.every == 0
        fresh = agents["related"] == agents.moment
        return self._renew(tell, agents) if due and not fresh.all() else None

    async def _renew(self, tell: News, agents: AgentGroup) -> None:
        relation = self.relation or next(iter(agents.env.graphs), "")
        agents["relationships"] = await agents.each(partial(self._judge, tell, relation))
        agents["related"] = agents.moment

    async def _judge(self, tell: News, relation: str, agent: Agent) -> str:
        """The sentences of one agent about its peers, a line each."""
        before = str(agent["relationships"])
        known = dict(_lines(before))
        peers = self._peers(relation, known, agent)
        if not peers or agent["related"] == agent.moment:
            return before
        others = [
            {"name": name, "whole": agent.env.whole_name(agent.replicate, seat)}
            | {"said": known.get(name, "")}
            for name, seat in peers.items()
        ]
        ask = agent.inquiry("relationships", Fields(dict.fromkeys(peers, Text(_LONGEST))), tell)
        more = {"others": others}
        try:
            said = await ask_model(
                ask, agent, self.model, ShownFacts({}, Legal()), page="relationships", more=more
            )
        except Unparsed as unread:
            agent.fell_back(str(unread))
            return before
        return "\n".join(f"{name}: {clean_line(said[name])[:_LONGEST]}" for name in peers)

    def _peers(self, relation: str, known: Iterable[str], agent: Agent) -> dict[str, int]:
        """Seats of those of whom it thinks, by name: those of before, then others by chance."""
        there = agent.neighbours(relation)
        names = [name for name in known if name in there]
        names += [name for name in agent.neighbours(relation, self.most) if name not in names]
        return {name: there[name] for name in there if name in names[: self.most]}

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        lines = [
            f"- {agent.env.lengthen_name(agent.replicate, name)}: {quote_text(said, _LONGEST)}"
            for name, said in _lines(agent["relationships"])
        ]
        return "\n".join(["How you stand with others:", *lines]) if lines else ""


def _lines(said: str) -> list[tuple[str, str]]:
    """The names and sentences of a column's cell.

    >>> _lines("2: She keeps her word.\\n4: No: never.")
    [('2', 'She keeps her word.'), ('4', 'No: never.')]
    """
    parts = (line.partition(": ") for line in said.splitlines())
    return [(name, sentence) for name, _, sentence in parts]
