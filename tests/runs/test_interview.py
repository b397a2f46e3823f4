"""Agents of a run are asked as they were at the end of a round, and the run stays as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import society
from society.cli.main import main
from society.config.build import build
from society.config.run_config import Setting, load_config
from society.errors import Exhausted, FileError, InputError
from society.runs.fork import Changes, fork
from society.runs.interview import (
    Interview,
    Questions,
    estimate_interview,
    find_instrument,
    interview,
    open_questions,
)
from society.runs.play import play

if TYPE_CHECKING:
    from tests.runs.conftest import Keep

FEAR = Questions(open_questions(["What do you fear?"]), "interview")
NORMS = Questions(find_instrument("norm_expectations"))
Asked = Callable[..., Interview]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A village of four language agents over six rounds."""
    path = tmp_path_factory.mktemp("spoken") / "a.run"
    given = {"agents": 4, "rounds": 6, "parameters": {"ends_on": "horizon"}}
    assert play(build(load_config("language_village", given)), path, conclude=False).code == 0
    return path


@pytest.fixture
def asked(spoken: Path, tmp_path: Path) -> Asked:
    """`asked(rounds, questions)` interviews the village into one file."""

    def asking(*rounds: int, questions: Questions = FEAR, **how: Any) -> Interview:
        return interview(spoken, rounds, questions, tmp_path / "a.jsonl", **how)

    return asking


def lines(path: Path, sort: str) -> list[Any]:
    read = [json.loads(line) for line in path.read_text().splitlines() if line]
    return [line[sort] for line in read if sort in line]


def prompts(path: Path) -> list[str]:
    return [call["messages"][-1]["content"] for call in lines(path, "call")]


def test_everybody_answers_in_words_and_the_run_is_as_before(asked: Asked, spoken: Path) -> None:
    before = spoken.read_bytes()
    given = asked(3)
    assert [one.name for one in given.answers] == [f"villager {n}" for n in range(4)]
    assert all(one.items["answer"] for one in given.answers)
    assert given.asked == 4
    assert spoken.read_bytes() == before


def test_the_prompt_is_of_that_moment(asked: Asked) -> None:
    first, later = (prompts(asked(number).file)[-1] for number in (0, 5))
    assert "Nothing has happened yet." in first
    assert "5 rounds are over." in later
    assert "Your personal strategy" in first
    assert "What do you fear?" in first


def test_a_question_without_words_is_refused() -> None:
    with pytest.raises(InputError, match="--ask ' ': got no words; expected a question"):
        open_questions(["Why?", " "])


def test_nothing_is_asked_twice(asked: Asked) -> None:
    first, again = asked(2, 4), asked(2, 4, 5)
    assert (first.asked, again.asked) == (8, 4)
    assert again.answers[:8] == first.answers
    assert len(lines(again.file, "answers")) == 12


def test_an_answer_that_a_kill_has_cut_off_is_asked_again(asked: Asked) -> None:
    file = asked(2).file
    whole = file.read_bytes()
    cut = whole.index(b'{"answers"') - 20
    file.write_bytes(whole[:cut])
    again = asked(2)
    assert again.asked == 1
    assert len(again.answers) == 4


def test_a_questionnaire_is_scored(asked: Asked) -> None:
    given = asked(2, 4, questions=NORMS)
    one = given.answers[0]
    assert one.items["i_ought"] is not None
    assert one.scales["personal_norm"] == (one.items["i_ought"] + one.items["wrong_to_exceed"]) / 2
    most, exceed = one.items["most_take_a_share"], one.items["most_exceed"]
    assert one.scales["empirical_expectations"] == (most + 100 - exceed) / 2
    assert [answer.round for answer in given.answers] == [2] * 4 + [4] * 4


def test_the_front_door_asks_too(spoken: Path, tmp_path: Path) -> None:
    out = tmp_path / "door.jsonl"
    found = society.interview(spoken, [0, 2], ask="What do you fear?", agents=1, out=out)
    assert [(one.round, one.agent) for one in found.answers] == [(0, 1), (2, 1)]
    assert society.interview(spoken, 2, ask=["What do you fear?"], agents=1, out=out).asked == 0
    with pytest.raises(InputError, match="questionnaire=NAME"):
        society.interview(spoken, 2)
    with pytest.raises(InputError, match="say when to ask: at=ROUND"):
        society.interview(spoken, ask="Why?")


def test_some_are_asked_by_name_or_seat(asked: Asked) -> None:
    some = Questions(FEAR.instrument, agents=["villager 2", "0"])
    assert [one.agent for one in asked(1, questions=some).answers] == [0, 2]
    with pytest.raises(InputError, match="there is no agent 'villager 7'"):
        asked(1, questions=Questions(FEAR.instrument, agents=["villager 7"]))


def test_who_follows_rules_cannot_speak_unless_a_model_speaks_for_it(
    keep: Keep, tmp_path: Path
) -> None:
    kept = keep()
    with pytest.raises(InputError, match="follow rules and cannot speak; --model M"):
        interview(kept.path, [2], FEAR, tmp_path / "a.jsonl")
    model = [Setting(("models", "default"), "offline", "--model")]
    speaking = Questions(FEAR.instrument, settings=model, model="offline", replicate=1)
    given = interview(kept.path, [2], speaking, tmp_path / "a.jsonl")
    assert len(given.answers) == 6
    assert not given.silent


def test_a_fork_is_interviewed_before_and_after_it(spoken: Path, tmp_path: Path) -> None:
    fork(
        spoken,
        3,
        Changes(norm="Nobody takes more.", remove=["2"]),
        tmp_path / "b.run",
        conclude=False,
    )
    given = interview(tmp_path / "b.run", [2, 4], FEAR, tmp_path / "b.jsonl")
    assert [one.agent for one in given.answers] == [0, 1, 2, 3, 0, 1, 3]


def test_a_questionnaire_of_the_run_itself_is_left_alone(tmp_path: Path) -> None:
    own = [{"questionnaire": {"instrument": "social_norms", "every": 2}}]
    given = {"agents": 3, "rounds": 4, "mechanisms": own}
    play(build(load_config("language_village", given)), tmp_path / "a.run", conclude=False)
    questions = Questions(find_instrument("social_norms"))
    found = interview(tmp_path / "a.run", [1, 3, 4], questions, tmp_path / "a.jsonl")
    assert [one.round for one in found.answers] == [1] * 3 + [3] * 3 + [4] * 3


def test_a_limit_pauses_and_what_was_answered_is_kept(asked: Asked) -> None:
    limit = [Setting(("limits", "max_calls"), 6, "--max-calls")]
    model = [Setting(("models", "default", "model"), "offline", "--model")]
    little = Questions(FEAR.instrument, settings=[*model, *limit])
    with pytest.raises(Exhausted, match="max-calls"):
        asked(2, 4, questions=little)
    assert asked(2, 4, questions=Questions(FEAR.instrument)).asked == 2


def test_an_estimate_asks_nobody(spoken: Path, tmp_path: Path) -> None:
    (forecast,) = estimate_interview(spoken, [2, 4], FEAR)
    assert forecast.calls == 8
    assert not list(spoken.parent.glob("*.jsonl"))


def test_a_file_of_something_else_is_refused(asked: Asked, spoken: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("notes\nmore notes\n")
    with pytest.raises(FileError, match="line 1: it is no line of an interview"):
        asked(2)
    with pytest.raises(InputError, match="is the run itself"):
        interview(spoken, [2], FEAR, spoken)


def test_the_command_prints_answers_and_scores_by_round(
    spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["interview", str(spoken), "--out", str(tmp_path / "a.jsonl"), "--every", "3"]
    assert main([*words, "--questionnaire", "norm_expectations"]) == 0
    table = capsys.readouterr().out
    assert "personal_norm" in table
    assert table.index("round 3") < table.index("round 6")
    assert main([*words, "--ask", "Why?", "--agent", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["answers"]] == ["villager 1"] * 2
    assert main(["interview", str(spoken), "--ask", "Why?"]) == 2
    assert main(["interview", str(spoken), "--at", "9", "--ask", "Why?"]) == 2
