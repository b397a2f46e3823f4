"""Formative memories: moments of a life that made somebody who it is, told before the first round.

A language model tells an episode for each age, all in one call; or each agent is given one of some
fixed texts, without a model. Agents of a replicate share a past: chance deals them ties, two by
two, each of a sort and at a place, and both of a pair are told of the same. Whoever is born later
gets a life and ties of its own, with others who are born at the same time.
Ties are dealt among those who have this faculty with the same ties and places. With an odd number
of them one goes without.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from society.components.language.llm_policy import ShownFacts, ask_model
from society.engine.action_spaces import Fields, Legal, Text
from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.parameters import Words
from society.engine.rng import Array, DrawPlaces, Draws
from society.errors import Unparsed
from society.text import clean_line, quote_text

_LONGEST = 400  # characters of an episode


def _check_ages(ages: tuple[int, ...]) -> tuple[int, ...]:
    for place, age in enumerate(ages):
        if age in ages[:place]:
            raise ValueError(f"got the age {age} twice; give each age once")
    return ages


Ages = Annotated[
    tuple[Annotated[int, Field(ge=0, le=120)], ...],
    Field(min_length=1),
    AfterValidator(_check_ages),
]


@dataclass(frozen=True)
class FormativeMemories(Component):
    """Memories of one's life before the first round, some of them shared with another agent.

    ages: those of which a model tells an episode. places, ties: which there are; a tie goes on
    "You and somebody ...", a place ends it. ties_each: how many an agent has. texts: fixed lives,
    each as likely as the others, in place of a model's. model: a name among the run's.
    Keeps the columns `formative_memories` and `shared_past`, in words, for life.
    """

    ages: Ages = (7, 13, 19, 27)
    places: Annotated[tuple[Words, ...], Field(min_length=1)] = (
        "at the old school",
        "by the river",
        "in the market hall",
        "on the road out of town",
    )
    ties: tuple[Words, ...] = (
        "grew up next door to each other",
        "worked side by side for a summer",
        "fell out over a debt, and made up again",
        "helped each other out of trouble",
    )
    ties_each: Annotated[int, Field(ge=0)] = 1
    texts: tuple[Words, ...] = ()
    model: str = "default"

    chance_id = "formative_memories"
    columns = (
        Column("formative_memories", object, public=True, text="Formative memories"),
        Column("shared_past", object, public=True, text="What it shares with others"),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return () if self.texts else (self.model,)

    async def begin(self, agents: AgentGroup) -> None:
        dealt = self._deal(agents.env)
        rows = agents.audience.rows
        agents["shared_past"] = [
            "\n".join(self._shared(agents.env, dealt, *place))
            for place in zip(rows.replicate.tolist(), rows.seat.tolist(), strict=True)
        ]
        if self.texts:
            which = agents.draws.integers("which", len(self.texts))
            agents["formative_memories"] = [self.texts[one] for one in which.tolist()]
        else:
            agents["formative_memories"] = await agents.each(partial(recollect, self))

    def _deal(self, env: Environment) -> list[DealtTies]:
        alike = {"ties": self.ties, "places": self.places, "ties_each": self.ties_each}
        group = env.seats_with(self.chance_id, alike) & (env.lives // env.agents == env.births)
        return deal_ties(env, group, self.ties_each if self.ties else 0)

    def _shared(
        self, env: Environment, dealt: list[DealtTies], replicate: int, seat: int
    ) -> list[str]:
        """The ties of one agent, a sentence each."""
        found = []
        for tie in dealt:
            other = int(tie.other[replicate, seat])
            if other != NOBODY:
                sort = self.ties[int(tie.sort[replicate, seat] * len(self.ties))]
                place = self.places[int(tie.place[replicate, seat] * len(self.places))]
                found.append(f"You and {env.whole_name(replicate, other)} {sort}, {place}.")
        return found

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        shared = [f"- {line}" for line in agent["shared_past"].splitlines()]
        parts = [_in_mind(agent["formative_memories"], fixed=bool(self.texts))]
        if shared:
            parts.append("\n".join(["What you share with others:", *shared]))
        return "\n\n".join(filter(None, parts))


def _in_mind(told: str, *, fixed: bool) -> str:
    """The memories as they stand in a prompt; words of a model's are quoted."""
    if fixed or not told:
        return told
    episodes = (line.partition(": ") for line in told.splitlines())
    lines = [f"- {age}: {quote_text(words, _LONGEST)}" for age, _, words in episodes]
    return "\n".join(["What has made you the person whom you are:", *lines])


async def recollect(part: FormativeMemories, agent: Agent) -> str:
    """Episodes of one agent, a line each; nothing if they cannot be read, which is counted."""
    ages = {f"age_{age}": age for age in part.ages}
    ask = agent.inquiry("formative_memories", Fields(dict.fromkeys(ages, Text(_LONGEST))))
    more = {
        "ages": list(part.ages),
        "places": part.places,
        "ties": agent["shared_past"].splitlines(),
    }
    try:
        said = await ask_model(
            ask, agent, part.model, ShownFacts({}, Legal()), page="formative_memories", more=more
        )
    except Unparsed as unread:
        agent.fell_back(str(unread))
        return ""
    return "\n".join(
        f"At the age of {age}: {clean_line(said[name])[:_LONGEST]}" for name, age in ages.items()
    )


class DealtTies(NamedTuple):
    """A tie for each agent of a group, (R, N): with whom, as a seat or NOBODY; and draws in [0, 1).

    sort, place: the same for both of a pair.
    """

    other: Array
    sort: Array
    place: Array


def deal_ties(env: Environment, group: Array, count: int) -> list[DealtTies]:
    """Pair those in a group, (R, N) of bool, by chance: `count` times.

    Nobody has two ties with the same agent: a pair that comes again goes without. The draws of an
    agent depend on its id, so that all cohorts find the same pairs.
    """
    shape = env.present.shape
    draws = Draws(env.seed, "formative_memories\0ties", DrawPlaces.at(env.places), use=env.births)
    replicates, found = np.arange(shape[0])[:, None], list[DealtTies]()
    for turn in range(count):
        rank = draws.uniform(f"rank {turn}").reshape(shape)
        order = np.argsort(np.where(group, rank, np.inf), axis=1, kind="stable")
        paired = group.sum(1, keepdims=True) // 2 * 2
        even = shape[1] // 2 * 2
        first, second = order[:, 0:even:2], order[:, 1:even:2]
        within = np.arange(1, even, 2) < paired
        other = np.full(shape, NOBODY)
        other[replicates, first] = np.where(within, second, NOBODY)
        other[replicates, second] = np.where(within, first, NOBODY)
        for before in found:
            other = np.where(other == before.other, NOBODY, other)
        # Both look up the draws of the one with the lower id.
        mate = np.where(other == NOBODY, np.arange(shape[1]), other)
        leader = np.where(env.ids[mate] < env.ids, mate, np.arange(shape[1]))
        sort, place = (
            np.take_along_axis(draws.uniform(f"{what} {turn}").reshape(shape), leader, 1)
            for what in ("sort", "place")
        )
        found.append(DealtTies(other, sort, place))
    return found
