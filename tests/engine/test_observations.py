"""What an audience knows of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from society.engine.component import AgentGroup, Column, Component, News
from society.engine.environment import Environment
from society.engine.graph import from_networkx
from society.engine.script import Script, Tell, seen

if TYPE_CHECKING:
    from tests.conftest import Play


class Notebook(Component):
    """Writes down what it sees of every seat."""

    notices = ("paid",)
    columns = (Column("wages", per_peer=True),)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["wages"] = tell.facts.seen("wage").everyone()


def noted(play: Play, gone: Any = None, **at: Any) -> list[list[float | None]]:
    """List the facts of seats 0, 1, 2 that each agent sees, by replicate; None: nothing."""

    def payday(env: Environment) -> Script:
        wages = np.arange(env.replicates)[:, None] * 10 + [1, 2, 3]
        if gone is not None:
            yield Tell("left", gone=np.array(gone))
        yield Tell("paid", {"wage": seen("all", wages)})

    over = play(payday, Notebook(), agents=3, **at)
    (members,) = over.population.states
    return [
        [None if np.isnan(value) else float(value) for value in row]
        for row in members.values["wages"]
    ]


def test_everyone_shows_all_that_one_sees_and_nothing_of_oneself(play: Play) -> None:
    assert noted(play) == [[None, 2, 3], [1, None, 3], [1, 2, None]]


def test_everyone_shows_neighbours_only(play: Play) -> None:
    line = from_networkx([nx.path_graph(3)], np.arange(3))
    assert noted(play, graphs={"all": line}) == [[None, 2, None], [1, None, 3], [None, 2, None]]


def test_everyone_shows_each_replicate_its_own(play: Play) -> None:
    assert noted(play, replicates=2)[3:] == [[None, 12, 13], [11, None, 13], [11, 12, None]]


def test_everyone_shows_nothing_of_those_who_are_gone(play: Play) -> None:
    here = noted(play, gone=[[False, True, False]])
    assert here[0] == [None, None, 3]
    assert here[2] == [1, None, None]
