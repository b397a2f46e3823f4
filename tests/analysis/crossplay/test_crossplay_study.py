"""The data frames of cross-play, with hand-checked rows; what stubborn models cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from society.analysis.crossplay import CrossPlay
from society.analysis.study.condition import ConditionRun
from society.analysis.study.study import Study
from society.cli.main import main

from .conftest import Tournament

MODELS = """
from langchain_core.language_models.fake_chat_models import FakeListChatModel


class Clear(FakeListChatModel):
    def _call(self, messages, *args, **more):
        return '{"A0": 75, "A1": 25}'


class Slow(FakeListChatModel):
    def _call(self, messages, *args, **more):
        mended = "no idea" in "".join(str(one.content) for one in messages)
        return '{"A0": 0, "A1": 100}' if mended else "no idea"


class Stubborn(FakeListChatModel):
    def _call(self, messages, *args, **more):
        return "no idea"


def clear():
    return Clear(responses=["-"])


def slow():
    return Slow(responses=["-"])


def stubborn():
    return Stubborn(responses=["-"])
"""


def frames(*runs: ConditionRun) -> CrossPlay:
    return CrossPlay(Study("all", runs))


def rows(frame: Any, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in frame[list(columns)].itertuples(index=False)]


def test_matches_have_a_row_for_each_agent(tournament: Tournament) -> None:
    frame = frames(tournament()).matches
    assert rows(frame, "replicate", "type", "seat", "opponents", "score")[2:4] == [
        (1, "nice", 1, "nasty", 0),
        (1, "nasty", 2, "nice", 3),
    ]
    assert frame["condition"].unique().tolist() == [tournament().name]


def test_decisions_have_a_row_for_each_move(tournament: Tournament) -> None:
    types = {"tit": "tit_for_tat", "nasty": "always_defect"}
    run = tournament("prisoners_dilemma", {"repetition": {"games": 2}}, types=types)
    frame = frames(run).decisions
    mine = frame[(frame["replicate"] == 1) & (frame["type"] == "tit")]
    assert rows(mine, "round", "action", "others", "payoff", "p_A0", "p_A1") == [
        (1, "A0", "A1", 0, 1, 0),
        (2, "A1", "A1", 1, 0, 1),
    ]


def test_cells_without_a_column_lack_it(tournament: Tournament) -> None:
    able = [
        {"classic_strategies": {"strategy": "always_cooperate"}},
        {"mechanism_use": {"skill": "capable"}},
    ]
    runs = [tournament(), tournament("trust", {"mediation": {}}, types={"able": able})]
    frame = frames(*runs).decisions
    by_cell = frame.groupby("condition", observed=True)["p_delegate"].count()
    assert by_cell.tolist() == [0, 2]


def test_adoption_tells_whose_contract_was_signed_by_whom(tournament: Tournament) -> None:
    able = [
        {"classic_strategies": {"strategy": "always_cooperate"}},
        {"mechanism_use": {"skill": "capable"}},
    ]
    types = {"able": able, "nasty": [*able[:1], {"mechanism_use": {"skill": "stubborn"}}]}
    frame = frames(tournament("prisoners_dilemma", {"contracts": {}}, types=types)).adoption
    together, apart = (frame[frame["replicate"] == number] for number in (0, 1))
    columns = ("type", "mechanism", "winner", "unanimous", "agreed", "active")
    assert rows(together, *columns) == [("able", "contract", "able", True, 1, 1)] * 2
    assert [row[3:] for row in rows(apart, *columns)] == [(False, 1, 0), (False, 0, 0)]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, tournament: Tournament) -> CrossPlay:
    """Types that are models; one of them is never understood."""
    file: Path = tmp_path_factory.mktemp("models") / "mine.py"
    file.write_text(MODELS)
    names = ("clear", "slow", "stubborn")
    models = {name: {"model": f"{file}:{name}"} for name in names}
    types = {name: [{"language_policy": {"model": name}}] for name in names}
    return frames(tournament(types=types, models=models))


def test_void_matches_have_no_scores_and_are_counted(asked: CrossPlay) -> None:
    frame = asked.matches
    assert frame["void"].tolist() == frame["score"].isna().tolist()
    void = set(frame[frame["void"]]["replicate"])
    stubborn = set(frame[frame["type"] == "stubborn"]["replicate"])
    assert void == stubborn == {2, 5, 6, 7, 8}
    assert frame["seat"].tolist() == [1, 2] * 9, "they sat there all the same"


def test_first_tries_and_repairs_are_counted_by_model(asked: CrossPlay) -> None:
    """Nine matches ask each model six times; repairs go up to five."""
    columns = ("model", "questions", "valid", "repairs", "fallbacks")
    assert rows(asked.minds, *columns) == [
        ("clear", 6, 6, 0, 0),
        ("slow", 6, 0, 6, 0),
        ("stubborn", 6, 0, 30, 6),
    ]


def test_questions_for_designs_in_a_run_of_their_own_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a single type: 2 designs; then 2 votes, 2 signatures and 2 moves in its match."""
    monkeypatch.chdir(tmp_path)
    Path("alone.yaml").write_text(
        "scenario: prisoners_dilemma\n"
        "models: {mind: {model: offline}}\n"
        "cohorts: [{name: one, components: [language_policy: {model: mind}]}]\n"
        "mechanisms: [contracts: {}, tournament: {}]\n"
    )
    assert main(["run", "alone.yaml", "--out", "alone.run", "--quiet"]) == 0
    (row,) = rows(
        frames(ConditionRun.read(Path("alone.run"), "alone", {})).minds, "model", "questions"
    )
    assert row == ("mind", 8)


def test_runs_of_other_scenarios_are_left_out(tournament: Tournament) -> None:
    run = tournament(level="summary")
    play = frames(run, tournament())
    assert len(play.cells) == 1
    assert len(play.minds) == 0
