"""`society prompts` shows each question's prompt, and never asks a model that costs anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Address, Message, Request
from society.runs.prompt_preview import _in_words, first_prompts


def test_each_question_is_shown_as_the_first_agent_reads_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prompts", "language_village"]) == 0
    shown = capsys.readouterr().out
    heads = [line for line in shown.splitlines() if line.startswith("== ")]
    assert {"== effort", "== propose", "== punish"} <= set(heads)
    assert "You are villager 0. Your payoff is 30 fish." in shown


def test_a_single_question_is_shown_without_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "language_village", "--question", "effort"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("== effort\n")
    assert shown.count("== ") == 1


def test_a_misspelt_question_is_told_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "language_village", "--question", "efort"]) == 2
    assert "did you mean 'effort'?" in capsys.readouterr().err


def test_a_scenario_of_rules_has_no_prompts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "fishing_village"]) == 2
    assert "no agent of fishing_village is asked in words" in capsys.readouterr().err


def test_a_model_that_the_file_names_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its key, a call to the model would end the command with a message."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "village.yaml"
    file.write_text("scenario: language_village\nmodels:\n  default: {model: openai/gpt-4o}\n")
    assert main(["prompts", str(file), "--question", "effort"]) == 0
    assert "You are villager 0." in capsys.readouterr().out


def test_a_game_of_many_rounds_is_told_of_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "common_pool", "--set", "minds=language"]) == 0
    shown = capsys.readouterr().out
    assert "The same players play 20 rounds." in shown
    assert "This is round 1 of 20." in shown


def test_a_system_message_is_shown_before_the_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompts", "donor_game", "--set", "minds=language", "--question", "donate"]) == 0
    shown = capsys.readouterr().out
    system, _, user = shown.partition("\n\n-- user\n")
    assert system.startswith("== donate\n-- system\nYou own units of something valuable")
    assert user.startswith("You are agent 1. It is round 1. You meet agent 4.\n")
    assert "something valuable" not in user


def test_a_schema_that_goes_along_is_shown_as_well() -> None:
    asked = Request(Address("language_policy", "answer effort", 0, 0, 0, 0), "default", ())
    asked = asked._replace(messages=(Message("user", "How much?"),), schema={"type": "object"})
    assert _in_words(asked) == (
        '-- user\nHow much?\n\n-- schema of the reply\n{\n  "type": "object"\n}'
    )


def test_a_faculty_that_asks_for_itself_is_shown_under_its_name() -> None:
    parts = ["persona", "formative_memories", "personal_norm", "plan", "language_policy"]
    cohort = {"name": "people", "count": 3, "components": parts}
    setup = build(load_config("language_village", {"cohorts": [cohort]}))
    shown = first_prompts(setup)
    assert [*shown] == ["formative_memories", "plan", "effort", "punish", "propose", "vote"]
    assert "Make a plan: " in shown["plan"]
