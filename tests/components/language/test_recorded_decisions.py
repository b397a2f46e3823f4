"""Decisions from a table: played as they stand, or refused with the line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.components.games.classic_strategies import ClassicStrategies
from society.components.games.mechanism_use import MechanismUse
from society.components.language.recorded_decisions import COLUMNS, RecordedDecisions
from society.config.build import build
from society.config.run_config import load_config
from society.engine.population import Cohort
from society.engine.scenario import wrap_scenario
from society.errors import FileError, ScenarioError
from society.runs.design_runs import make_designs
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.contracts.contracts import contracts

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Written

HEAD = ",".join(COLUMNS) + "\n"
TWO_ROUNDS = HEAD + "0,1,move,1,A0\n0,1,move,2,A1\n0,2,move,1,A1\n0,2,move,2,A1\n"


def test_a_table_is_played_as_it_stands(play: Play, written: Written) -> None:
    part = RecordedDecisions(written("people.csv", TWO_ROUNDS))
    over = play(prisoners_dilemma, part, agents=2, rounds=2)
    assert [told.tolist() for told in over.told("action")] == [[[0, 1]], [[1, 1]]]
    assert [told.tolist() for told in over.told("payoff")] == [[[0, 3]], [[1, 1]]]


def test_lines_of_json_say_the_same(play: Play, written: Written) -> None:
    """A mixed strategy is an object, of percentages or probabilities."""
    lines = [
        {"match": 0, "round": 1, "stage": "move", "seat": 1, "decision": {"A0": 25, "A1": 75}},
        {"match": 0, "round": 1, "stage": "move", "seat": 2, "decision": {"A0": 0.5, "A1": 0.5}},
    ]
    part = RecordedDecisions(written("people.jsonl", "\n".join(map(json.dumps, lines))))
    mix = play(prisoners_dilemma, part, agents=2).answers("move")[0]
    assert mix.tolist() == [[[0.25, 0.75], [0.5, 0.5]]]


def test_what_strategies_play_can_be_recorded_and_played_again(play: Play, tmp_path: Path) -> None:
    """Contracts are designed, voted on and signed; of four matches, five games each."""
    minds = ClassicStrategies("random"), MechanismUse("any")
    cast = [Cohort("1", 1, minds), Cohort("2", 1, minds)]
    scenario = wrap_scenario(prisoners_dilemma, contracts)
    at = {"agents": 2, "rounds": 5, "replicates": 4}
    first = play(scenario, cast=cast, **at)
    file = tmp_path / "minds.csv"
    with file.open("w", newline="") as lines:
        csv.writer(lines).writerows([COLUMNS, *rows(first)])
    again = play(scenario, RecordedDecisions(str(file)), **at)
    assert [told.tolist() for told in again.told("payoff")] == [
        told.tolist() for told in first.told("payoff")
    ]


def test_designs_of_a_tournament_stand_one_match_for_each_type_and_seat(written: Written) -> None:
    """The rows of the docstring: of the second type they are those of matches 2 and 3."""
    design = '"{""A0"": 2, ""A1"": 0}"'
    stages = {
        "approve_contracts": '"{""proposal 1"": ""yes"", ""proposal 2"": ""yes""}"',
        "sign_contract": "yes",
        "move": "A0",
    }
    cohorts = []
    for k, name in enumerate(("one", "other")):
        made = [f"{2 * k + seat - 1},1,design_contract,{seat},{design}\n" for seat in (1, 2)]
        played = [
            f"{match},1,{stage},{seat},{said}\n"
            for match in range(4)
            for seat in (1, 2)
            for stage, said in stages.items()
        ]
        file = written(f"{name}.csv", HEAD + "".join((*made, *played)))
        cohorts.append({"name": name, "components": [{"recorded_decisions": {"file": file}}]})
    given = {"cohorts": cohorts, "mechanisms": ["contracts", "tournament"]}
    over = make_designs(build(load_config("prisoners_dilemma", given))).gamemaster().play()
    assert over.measures["contracts"].mean == 1
    assert over.measures["payoff"].mean == 2


def test_rounds_count_how_often_a_player_was_asked(play: Play, written: Written) -> None:
    """Player 2 has other actions, and so is asked after player 1."""
    said = {"payoffs": [[[0, 0], [1, 1], [2, 2]], [[3, 3], [4, 4], [5, 5]]]}
    table = HEAD + "0,1,move,1,A1\n0,1,move,2,A2\n0,2,move,1,A0\n0,2,move,2,A1\n"
    part = RecordedDecisions(written("people.csv", table))
    over = play(normal_form, part, agents=2, rounds=2, params=said)
    assert [told.tolist() for told in over.told("action")] == [[[1, 2]], [[0, 1]]]


@pytest.mark.parametrize(
    ("file", "table", "words"),
    [
        ("a.csv", TWO_ROUNDS.replace("0,2,move,2,A1\n", ""), "no decision for match 0, round 2"),
        ("a.csv", TWO_ROUNDS.replace("2,A1\n", "2,A2\n", 1), "a.csv, line 3: 'A2' is no decision"),
        ("a.csv", TWO_ROUNDS.replace("2,A1\n", "2,A2\n", 1), "expected one of A0, A1, or a JSON"),
        ("a.csv", TWO_ROUNDS + "0,2,move,2,A0\n", "line 6: match 0, round 2, stage 'move', seat 2"),
        ("a.csv", TWO_ROUNDS + "x,2,move,2,A0\n", "line 6: match is 'x'; expected a number from 0"),
        ("a.csv", TWO_ROUNDS + "0,0,move,2,A0\n", "line 6: round is '0'; expected a number from 1"),
        (
            "a.csv",
            "match,seat\n0,1\n",
            "line 2: got match, seat; expected the columns match",
        ),
        ("a.csv", TWO_ROUNDS + "0,3,move\n", "line 6: seat is None; expected a number from 1"),
        ("a.jsonl", '{"match": 0,', "line 1: got '{\"match\": 0,'; expected the columns"),
        ("a.csv", HEAD + '0,1,move,1,"{""A0"": 60, ""A1"": 60}"\n', "line 2: {'A0': 60, 'A1': 60}"),
        ("a.csv", HEAD + '0,1,move,1,"{""A0"": 100}"\n', "line 2: {'A0': 100} is no decision"),
    ],
    ids=[
        "gap",
        "unknown action",
        "what is expected",
        "twice",
        "match",
        "round",
        "columns",
        "short",
        "json",
        "120 %",
        "part",
    ],
)
def test_a_table_that_does_not_fit_is_refused(
    play: Play, written: Written, file: str, table: str, words: str
) -> None:
    with pytest.raises(FileError) as refused:
        play(prisoners_dilemma, RecordedDecisions(written(file, table)), agents=2, rounds=2)
    assert words in str(refused.value)


def test_questions_of_other_stages_go_to_the_next_component(written: Written) -> None:
    """One recorded vote among rules needs a row for each vote, and none for anything else."""
    votes = "".join(f"0,{turn},propose,{seat},4\n" for turn in (1, 2, 3) for seat in range(1, 11))
    table = written("votes.csv", HEAD + votes)
    parts = [
        {"recorded_decisions": {"file": str(table)}},
        *("persona", "harvest", "norm_belief", "punishment", "social_learning", "voting"),
    ]
    cohorts = [{"name": "villager", "count": 10, "components": parts}]
    over = build(load_config("fishing_village", {"cohorts": cohorts, "rounds": 2}))
    (cohort,) = over.cast()
    assert cohort.components[0].answers == ("propose",)
    assert over.gamemaster().play().measures["norm"].mean == 4


def test_a_relative_path_starts_at_the_scenario_file(written: Written) -> None:
    """And the manifest will hold the hash of the table."""
    table = written("data/people.csv", TWO_ROUNDS)
    people = "{name: people, count: 2, components: [{recorded_decisions: {file: people.csv}}]}"
    cohort = f"cohorts: [{people}]"
    file = written("data/study.yaml", f"scenario: prisoners_dilemma\nrounds: 2\n{cohort}\n")
    setup = build(load_config(file))
    assert list(setup.files) == [table]
    assert setup.gamemaster().play().measures["cooperation"].mean == 0.25


def test_a_missing_table_is_refused_before_the_game(written: Written) -> None:
    cohort = {
        "name": "people",
        "count": 2,
        "components": [{"recorded_decisions": {"file": "none.csv"}}],
    }
    written("other.csv", "")
    with pytest.raises(ScenarioError, match=r"cannot read none\.csv: No such file"):
        build(load_config("prisoners_dilemma", {"cohorts": [cohort]}))


def rows(over: Played) -> Iterator[tuple[Any, ...]]:
    """Return all answers as rows of a table."""
    asked: dict[str, int] = {}
    for step in over.steps:
        if step.sort != "ask":
            continue
        asked[step.kind] = asked.get(step.kind, 0) + 1
        answers = {name: array for (role, name), array in step.arrays.items() if role == "answer"}
        form = LABELLED[step.kind]
        for match in range(4):
            for seat in range(2):
                said = {name: array[match, seat].tolist() for name, array in answers.items()}
                yield match, asked[step.kind], step.kind, seat + 1, form(said)


def vote(said: dict[str, Any]) -> str:
    return json.dumps({name: ("no", "yes")[answer] for name, answer in said.items()})


LABELLED: dict[str, Callable[[dict[str, Any]], str]] = {
    "move": lambda said: json.dumps(dict(zip(("A0", "A1"), said[""], strict=True))),
    "design_contract": json.dumps,
    "approve_contracts": vote,
    "sign_contract": lambda said: ("no", "yes")[said[""]],
}
