"""The one name that an agent has wherever it is read: in prompts, replays, frames and messages.

An agent is called by the noun of the scenario and its id, "villager 2"; where lives take turns on a
seat, by the generation and the index of its life, "agent 2_4". In a game, players are numbered by
their seat in the match, from 1, "player 1"; of several matches in a replicate this is "player 1 of
match 2". The only agent of a cohort that has a noun of its own is "the referee".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Naming:
    """The words of which the names of a run's agents are made.

    noun: stands before the short name. of_cohorts: nouns of single cohorts, by cohort. players: how
    many make a match, where its seats give the names; else 0. by_life: whether lives take turns on
    a seat, and have the names.
    """

    noun: str = "agent"
    of_cohorts: Mapping[str, str] = field(default_factory=dict)
    players: int = 0
    by_life: bool = False

    def short(self, number: int, agents: int) -> str:
        """Return the short name of an agent from its id, where it has one life.

        >>> Naming("player", players=2).short(1, agents=2)
        '2'
        >>> Naming("player", players=2).short(2, agents=4)
        '1 of match 2'
        """
        if not self.players:
            return str(number)
        match, seat = divmod(number, self.players)
        return f"{seat + 1}" if agents == self.players else f"{seat + 1} of match {match + 1}"

    def whole(self, short: str, cohort: str = "", *, alone: bool = False) -> str:
        """Return the name of an agent from its short name, "2" or "2_4".

        cohort: that it belongs to. alone: whether nobody else does.

        >>> Naming("villager", {"referee": "referee"}).whole("2")
        'villager 2'
        >>> Naming("villager", {"referee": "referee"}).whole("5", "referee", alone=True)
        'the referee'
        """
        own = self.of_cohorts.get(cohort)
        if own is not None and alone:
            return f"the {own}"
        return f"{self.noun if own is None else own} {short}"
