"""What the theatre shows of agents is what the data frames of an analysis hold."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

import society
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.inspection import AGENT
from society.theatre.view import View

if TYPE_CHECKING:
    from tests.theatre.conftest import Record

# By the run of a fixture: columns that both know of.
COLUMNS = {
    "pair": {"catch", "wealth", "effort"},
    "ring": {"catch", "wealth", "effort"},
    "thinkers": {"catch", "wealth", "effort"},
}


@pytest.mark.parametrize("run", COLUMNS)
def test_numbers_of_agents_are_those_of_the_data_frame(
    run: str, request: pytest.FixtureRequest
) -> None:
    history: History = request.getfixturevalue(run)
    agents = society.open_run(history.run.path).agents
    own = history.course(history.manifest.replicates - 1).own
    assert COLUMNS[run] <= own.keys() & {*agents.columns}
    last = agents[agents["replicate"] == history.manifest.replicates - 1]
    for name in COLUMNS[run]:
        table = last.pivot(index="round", columns="agent", values=name)
        shown = own[name][table.index.to_numpy()][:, table.columns.to_numpy()]
        np.testing.assert_array_equal(shown, table.to_numpy(float), err_msg=name)


@pytest.mark.parametrize("run", COLUMNS)
def test_an_agents_page_shows_the_numbers_of_the_data_frame(
    run: str, request: pytest.FixtureRequest
) -> None:
    history: History = request.getfixturevalue(run)
    agents = society.open_run(history.run.path).agents
    rows = agents[(agents["round"] == 2) & (agents["replicate"] == 0)]
    for _, row in rows.iterrows():
        view = View(round=2, agent=int(row["agent"]), screens=(AGENT,))
        page = draw(history, view, Size(120, 40), TerminalStyle("utf-8", 120)).plain
        for name in COLUMNS[run]:
            (figure,) = re.findall(rf"^{name} +(-?[\d.]+)", page, re.M)
            assert float(figure) == pytest.approx(row[name], abs=0.06, rel=0.01)


def test_marks_of_deeds_and_deaths_are_those_of_the_data_frame(village: History) -> None:
    """Somebody is fined to death here."""
    events = society.open_run(village.run.path).events
    marks = village.course(0).marks
    punished = events[(events["kind"] == "punish") & (events["scope"] == "answer")]
    deeds = Counter(punished.loc[punished["value"] >= 0, "round"].tolist())
    assert {mark.round: mark.times for mark in marks if mark.lane == "fined"} == deeds != {}
    died = events[(events["kind"] == "fined_to_death") & (events["scope"] == "gone")]
    gone = [(mark.round, mark.agent) for mark in marks if mark.lane == "gone"]
    assert gone == [*zip(died["round"], died["agent"], strict=True)] != []


@pytest.mark.parametrize("round_", [1, 2, 3])
def test_the_norm_in_force_and_its_votes_are_those_of_the_data_frame(
    record: Record, round_: int
) -> None:
    """Six villagers of the offline mind vote on sentences; what is quoted is one of these."""
    parameters = {"norm_embedder": "hashing", "ends_on": "horizon"}
    changes = {"agents": 6, "rounds": 3, "seed": 1, "parameters": parameters}
    history = record("language_village", changes)
    events = society.open_run(history.run.path).events
    now = events[events["round"] == round_]
    (policy,) = now[(now["kind"] == "adopted") & (now["name"] == "policy")]["text"]
    votes = Counter(now[(now["kind"] == "vote") & (now["scope"] == "answer")]["text"])
    assert sum(votes.values()) == 6

    frame = draw(history, View(round=round_), Size(200, 60), TerminalStyle("utf-8", 200)).plain
    assert f'"{policy}"' in frame
    (line,) = re.findall(r"^ +votes (.*)$", frame, re.M)
    shown = [(int(count), words) for count, words in re.findall(r'(\d+) (this|"[^"]*")', line)]
    assert shown[0] == (votes.pop(policy), "this")
    assert [count for count, _ in shown[1:]] == sorted(votes.values(), reverse=True)[:3]
    for count, words in shown[1:]:
        parts = [re.escape(part.strip()) for part in words.strip('"').split("…")]
        assert count in [votes[one] for one in votes if re.fullmatch(".*".join(parts), one)], words
