"""Simple ways to use what else may stand around a game: fines, gifts, talk and votes.

    fine    the same points on each co-player who defected, if one cooperated oneself
    give    the same points to each co-player who cooperated
    say     the promise to cooperate, whatever one is going to do
    choose  the mechanism `favours`, if it is offered; else any, all equally likely
Where nothing is cooperation, nobody is fined, given or promised anything; nor is anybody fined or
given anything who takes no part.
Source: ours; altruistic punishment: Fehr and Gaechter 2002, Nature 415.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Choice, Fields
from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array
from society.former_names import current

from .payoff_helpers import by_seat, cooperative_actions, game_seats, of_others

COOPERATED, DEFECTED, UNKNOWN = range(3)  # what a co-player did; unknown: it took no part
Points = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Sanctions(Component):
    """Fines, gifts, a promise and a vote, by rule; fine and gift: points spent on a co-player."""

    fine: Points = 1
    gift: Points = 0
    favours: str = ""

    chance_id = "sanctions"

    def answer_fine(self, ask: Question, agents: AgentGroup) -> Any:
        own, others = _kind(ask, agents)
        return _spent(ask, self.fine * (own[:, None] & (others == DEFECTED)))

    def answer_give(self, ask: Question, agents: AgentGroup) -> Any:
        return _spent(ask, self.gift * (_kind(ask, agents)[1] == COOPERATED))

    def answer_say(self, ask: Question, agents: AgentGroup) -> Array:
        rules, said = agents.rules, np.full(len(agents), "", object)
        if rules is not None and rules.cooperation is not None:
            parts = zip(rules.actions, rules.cooperation, strict=True)
            promises = np.array([f"I will play {labels[part]}." for labels, part in parts], object)
            said[:] = promises[game_seats(agents)]
        return said

    def answer_choose(self, ask: Question, agents: AgentGroup) -> Array:
        assert isinstance(ask.reply, Choice)
        offered = [current("mechanism", str(option)) for option in ask.reply.options[0]]
        anything = agents.draws.integers("choose", len(offered))
        favoured = current("mechanism", self.favours)
        if favoured not in offered:
            return anything
        return np.full(len(agents), offered.index(favoured))


def _kind(ask: Question, agents: AgentGroup) -> tuple[Array, Array]:
    """Tell who cooperated oneself, (M,) of bool, and what each co-player did, (M, n - 1)."""
    rules = agents.rules
    if rules is None or rules.cooperation is None:
        return np.zeros(len(agents), bool), np.full(ask.facts["others_seats"].shape, UNKNOWN)
    others = ask.facts["others"]
    expected = np.stack(
        [others[:, 0] * 0 + by_seat(one, agents) for one in of_others(rules)], axis=1
    )
    kind = np.where(others == expected, COOPERATED, DEFECTED)
    own: Array = ask.facts["action"] == by_seat(cooperative_actions(rules), agents)
    return own, np.where(others < 0, UNKNOWN, kind)


def _spent(ask: Question, points: Array) -> dict[str, Array]:
    """Return the points by field, from (M, n - 1)."""
    assert isinstance(ask.reply, Fields)
    allowed = np.minimum(points, ask.facts[f"{ask.kind}_most"][:, None])
    return {name: allowed[:, place] for place, name in enumerate(ask.reply.fields)}
