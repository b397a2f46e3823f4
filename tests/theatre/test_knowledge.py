"""An agent is shown what it was told, and nothing that only others were told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import society
from society.engine.graph import NOBODY
from society.runs.reader import open_run_file
from society.theatre.history import History
from society.theatre.knowledge import HeardLine, KnownFact, heard_lines

# Every number says what it is: 7 is common, 100 + seat own, 200 + seat seen, the round in tenths.
SECRETS = """
import numpy as np
from society import Ask, Cohort, DisplaySpec, Environment, FactSpec, Params, Real, Script, Tell
from society import common, own, scenario, seen
from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall

class Nothing(Params):
    pass

def cast(params: Nothing, count: int) -> list[Cohort]:
    return [Cohort("clerk", count, (Recall(), LanguagePolicy()))]

SHOWN = DisplaySpec(noun="clerk")

@scenario(params=Nothing, cast=cast, relations=("see",), agents=5, display=SHOWN)
def secrets(env: Environment) -> Script:
    "Clerks count things."
    seats = np.broadcast_to(np.arange(env.agents), env.present.shape)
    for week in env.rounds():
        tenth = week / 10
        facts = {
            "law": common(7 + tenth), "purse": own(100 + seats + tenth),
            "coat": seen("see", 200 + seats + tenth),
        }
        given = yield Ask("count", Real(0, 9), facts, fallback=0, who=seats != 3, text="How many?")
        yield Tell("counted", {"given": own(given), "tip": own(300 + seats + tenth)})
        yield Tell("left", gone=(seats == 4) & (week == 2))
"""


@pytest.fixture(scope="module")
def clerks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of five clerks in three rounds; clerk 3 is never asked, and clerk 4 leaves."""
    folder = tmp_path_factory.mktemp("clerks")
    (folder / "secrets.py").write_text(SECRETS)
    society.run(folder / "secrets.py", seed=1, rounds=3, out=folder / "clerks.run")
    return folder / "clerks.run"


def facts_of(heard: list[HeardLine], name: str) -> dict[int, float]:
    return {fact.seat: fact.value for line in heard for fact in line.facts if fact.name == name}


def test_a_question_tells_common_own_and_seen_facts_in_this_order(clerks: Path) -> None:
    with open_run_file(clerks) as run:
        first = heard_lines(History(run), 1, 0, 2)[0]
    assert (first.sort, first.kind, first.place, first.nth) == ("ask", "count", 0, 0)
    assert first.facts == (
        KnownFact("law", "common", NOBODY, 7.1),
        KnownFact("purse", "own", 2, 102.1),
        KnownFact("coat", "seen", 2, 202.1),
        *(KnownFact("coat", "seen", seat, 200.1 + seat) for seat in (0, 1, 3, 4)),
    )


def test_who_was_not_asked_hears_events_only(clerks: Path) -> None:
    with open_run_file(clerks) as run:
        history = History(run)
        assert [line.kind for line in heard_lines(history, 1, 0, 3)] == ["counted", "left"]
        assert [line.kind for line in heard_lines(history, 1, 0, 0)] == ["count", "counted", "left"]


def test_who_is_gone_hears_nothing_and_is_not_seen(clerks: Path) -> None:
    with open_run_file(clerks) as run:
        history = History(run)
        assert [line.kind for line in heard_lines(history, 2, 0, 4)] == ["count", "counted", "left"]
        assert heard_lines(history, 3, 0, 4) == []
        assert facts_of(heard_lines(history, 3, 0, 0), "coat").keys() == {0, 1, 2, 3}


def test_every_number_of_a_prompt_was_told_and_no_secret_of_others(clerks: Path) -> None:
    with open_run_file(clerks) as run:
        history = History(run)
        calls = [call for call in run.calls() if not call.request.address.bare]
        assert len(calls) == 4 + 4 + 3
        for call in calls:
            seat = call.request.address.agent
            heard = [
                line
                for at in range(1, call.round + 1)
                for line in heard_lines(history, at, 0, seat)
            ]
            told = {round(fact.value, 1) for line in heard for fact in line.facts}
            prompt = call.request.messages[-1].content
            shown = {float(one) for one in re.findall(r"(?<![.\d])[1-3]\d\d(?:\.\d)?\b", prompt)}
            assert shown
            assert shown <= told
            assert {fact for fact in told if 100 <= fact < 200 or fact >= 300} == {
                round(base + seat + at / 10, 1)
                for base in (100, 300)
                for at in range(1, call.round + 1)
            }


def test_on_a_ring_the_prompt_and_the_facts_name_the_same_neighbours(tmp_path: Path) -> None:
    file = tmp_path / "ring.run"
    society.run(
        "language_village", seed=2, agents=7, rounds=2, out=file,
        parameters={"norm_embedder": "hashing"}, graph="ring",
    )  # fmt: skip
    with open_run_file(file) as run:
        history = History(run)
        for call in run.calls():
            if call.request.address.kind != "effort" or call.round != 2:
                continue
            seat = call.request.address.agent
            (asked,) = [one for one in heard_lines(history, 2, 0, seat) if one.kind == "effort"]
            told = {one.seat for one in asked.facts if one.name == "effort"}
            assert told == {(seat - 1) % 7, seat, (seat + 1) % 7}
            prompt = call.request.messages[-1].content
            shown = {int(one) for one in re.findall(r"- villager (\d): effort", prompt)}
            assert shown == told


def test_of_a_graph_that_a_users_file_draws_only_own_entries_are_shown(tmp_path: Path) -> None:
    (tmp_path / "secrets.py").write_text(SECRETS)
    society.run(tmp_path / "secrets.py", seed=1, rounds=1, graph="ring", out=tmp_path / "s.run")
    with open_run_file(tmp_path / "s.run") as run:
        asked = heard_lines(History(run), 1, 0, 2)[0]
    assert facts_of([asked], "coat") == {2: 202.1}
    assert asked.unseen == ("see",)


def test_at_level_summary_nothing_is_known(tmp_path: Path) -> None:
    society.run("fishing_village", seed=3, rounds=2, level="summary", out=tmp_path / "v.run")
    with open_run_file(tmp_path / "v.run") as run:
        assert heard_lines(History(run), 1, 0, 0) == []


# Who sees whom changes: two tables from round 2 on, all again in 4, and clerks 1 and 2 part in 5.
TABLES = """
import numpy as np
from society import Ask, Cohort, DisplaySpec, Environment, Params, Real, Script, Tell
from society import scenario, seen
from society.components.language.llm_policy import LanguagePolicy

class Nothing(Params):
    pass

def cast(params: Nothing, count: int) -> list[Cohort]:
    return [Cohort("clerk", count, (LanguagePolicy(),))]

SHOWN = DisplaySpec(noun="clerk")

@scenario(params=Nothing, cast=cast, relations=("see",), agents=4, display=SHOWN)
def tables(env: Environment) -> Script:
    "Clerks sit at tables."
    seats = np.broadcast_to(np.arange(env.agents), env.present.shape)
    for week in env.rounds():
        if week == 2:
            yield Tell("seated", groups={"see": seats // 2})
        elif week == 4:
            yield Tell("stood_up", restores=("see",))
        elif week == 5:
            yield Tell("quarrelled", cuts={"see": np.where(seats == 1, 2, -1)})
        coats = {"coat": seen("see", 200 + seats + week / 10)}
        _ = yield Ask("count", Real(0, 9), coats, fallback=0, text="How many?")
"""


@pytest.mark.parametrize("backwards", [False, True])
def test_whom_an_agent_sees_follows_groups_cuts_and_restored_graphs(
    tmp_path: Path, backwards: bool
) -> None:
    (tmp_path / "tables.py").write_text(TABLES)
    society.run(tmp_path / "tables.py", seed=1, rounds=6, out=tmp_path / "t.run")
    with open_run_file(tmp_path / "t.run") as run:
        history = History(run)
        calls = [call for call in run.calls() if not call.request.address.bare]
        sights: dict[int, set[int]] = {}
        for call in reversed(calls) if backwards else calls:
            seat = call.request.address.agent
            (asked,) = [
                one for one in heard_lines(history, call.round, 0, seat) if one.sort == "ask"
            ]
            told = set(facts_of([asked], "coat"))
            prompt = call.request.messages[-1].content
            assert told == {int(one) for one in re.findall(r"Clerk (\d) \(", prompt)}
            if seat == 1:
                sights[call.round] = told
    everybody = {0, 1, 2, 3}
    assert sights == {
        1: everybody, 2: {0, 1}, 3: {0, 1}, 4: everybody, 5: {0, 1, 3}, 6: {0, 1, 3},
    }  # fmt: skip
