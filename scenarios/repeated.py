"""Several games in a row: a scenario is played from its beginning, as often as one likes.

Whoever dies in a game, is dead in those that follow. Where a game ends before its horizon, its
agents wait for the next one; what is told meanwhile has no numbers, since nothing happens there.
Source: ours.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from society.draws import Array
from society.errors import ScenarioError
from society.scenario import Additions, brings
from society.table import Table
from society.talk import Fact, Line, Script, Tell
from society.wrap import Play, mechanism, overhear, succeeds


class Recess:
    """Who waits since a game is over that would else have ended its replicate.

    waiting: (R, N) of bool, those who took part when their game ended.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self.waiting = np.zeros(table.present.shape, bool)

    def played(self, play: Play) -> Script:
        """Drive the play; where it ends a replicate, the game is adjourned there."""
        return overhear(play(self._table), line=self._heard)

    def _heard(self, said: Line) -> Line | Script:
        if not isinstance(said, Tell):
            return said
        over: Array = np.logical_or.reduce(self.waiting, axis=1)
        if over.any():
            facts = {name: _blank(fact, over) for name, fact in said.facts.items()}
            said = replace(said, facts=facts)
        return said if said.ends is None else self._adjourned(said)

    def _adjourned(self, said: Tell) -> Script:
        yield replace(said, ends=None)
        waits = np.asarray(said.ends, bool) & self._table.active
        self.waiting = self.waiting | waits
        yield Tell("adjourned", gone=waits)


def _blank(fact: Fact, over: Array) -> Fact:
    """NaN in replicates whose game is over, (R,), if the fact is of amounts."""
    if fact.values.dtype.kind != "f":
        return fact
    tall = over.reshape(-1, *(1 for _ in range(max(fact.values.ndim - 1, 1))))
    return fact._replace(values=np.where(tall, np.nan, fact.values))


@brings(Additions(levels=("game",)))
@mechanism
def repeated(play: Play, *, games: Annotated[int, Field(ge=1)] = 2) -> Play:
    """The scenario is played several times in a row by the same agents.

    games: how often. Everything in the world begins anew; agents remember what they do. Raises
    ScenarioError, before the first line, for a play that has generations: nobody would descend from
    those of the game before.
    """

    @functools.wraps(play)
    def again(table: Table) -> Script:
        play(table)  # says now what it misses
        if succeeds(play, table):
            raise ScenarioError(
                "repeated: what is to be repeated has generations, and they would begin anew in "
                "each game; name `repeated` before `generations`, so that each generation plays "
                "several games, or ask for more generations (count)"
            )

        def script() -> Script:
            for _ in table.rounds(games):
                recess = Recess(table)
                yield from recess.played(play)
                yield Tell("gathered", back=recess.waiting)

        return script()

    return again
