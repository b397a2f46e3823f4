"""Whom to fine: whoever is looked at and took more than the cap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.components.village.persona import Persona
from society.components.village.punishment import Punishment
from society.engine.action_spaces import Neighbour, Real
from society.engine.component import AgentGroup
from society.engine.graph import NOBODY, from_networkx
from society.engine.script import common, seen

if TYPE_CHECKING:
    from tests.components.conftest import Answer, Column


class Zealous(Punishment):
    """Looks always."""

    def begin(self, agents: AgentGroup) -> None:
        agents["monitoring"] = agents["punishing"] = 1.0


class HalfHearted(Punishment):
    """Looks at half of the violations, and fines half of what it sees."""

    def begin(self, agents: AgentGroup) -> None:
        agents["monitoring"] = agents["punishing"] = 0.5


def fined(answer: Answer, who: Punishment, catch: Any, cap: float, **at: Any) -> Any:
    facts = {"catch": seen("all", catch), "cap": common(cap)}
    return answer("punish", Neighbour("all"), Persona(), who, facts=facts, **at)


def test_who_took_more_than_the_cap_is_fined_by_its_only_peer(answer: Answer) -> None:
    assert fined(answer, Zealous(), [[12, 8]], 10, agents=2).tolist() == [[NOBODY, 0]]


def test_taking_the_cap_exactly_is_no_offence(answer: Answer) -> None:
    assert fined(answer, Zealous(), [[10, 10]], 10, agents=2).tolist() == [[NOBODY, NOBODY]]


def test_who_lives_alone_fines_nobody(answer: Answer) -> None:
    assert fined(answer, Zealous(), [[12]], 10, agents=1).tolist() == [[NOBODY]]


def test_each_peer_is_looked_at_equally_often(answer: Answer) -> None:
    """Seat 0 of 3 zealots draws 1 or 2, both of whom took too much."""
    n = 4000
    chosen = fined(answer, Zealous(), np.full((n, 3), 12), 10, replicates=n)[:, 0]
    assert set(chosen.tolist()) == {1, 2}
    assert (chosen == 1).mean() == pytest.approx(0.5, abs=4 * 0.5 / n**0.5)


def test_only_neighbours_are_looked_at(answer: Answer) -> None:
    """On the line 0 - 1 - 2 the ends see only the middle."""
    graphs = {"all": from_networkx([nx.path_graph(3)] * 50, np.arange(3))}
    catch = np.full((50, 3), 12)
    chosen = fined(answer, Zealous(), catch, 10, replicates=50, graphs=graphs)
    assert chosen[:, [0, 2]].tolist() == [[1, 1]] * 50
    assert set(chosen[:, 1].tolist()) == {0, 2}


def test_a_violation_is_fined_with_the_chance_of_monitoring_times_punishing(
    answer: Answer,
) -> None:
    n = 4000
    chosen = fined(answer, HalfHearted(), np.full((n, 2), 12), 10, agents=2, replicates=n)
    rate = (chosen != NOBODY).mean()
    assert rate == pytest.approx(0.25, abs=4 * (0.25 * 0.75 / (2 * n)) ** 0.5)


def test_the_stated_watch_is_monitoring_times_punishing(answer: Answer) -> None:
    assert answer("watch", Real(0, 1), Persona(), HalfHearted()).tolist() == [[0.25] * 3]
    assert answer("watch", Real(0, 1), Persona(), Zealous()).tolist() == [[1] * 3]


def test_copied_monitoring_stays_a_chance(column: Column) -> None:
    parents = np.full((500, 3), 1)
    copied = column(
        "monitoring",
        Persona(),
        Punishment(effort_noise=0.5),
        parents=parents,
        replicates=500,
    )
    assert copied.min() == 0
    assert copied.max() == 1
