"""`society show FILE.run --calls`: prompts and replies in full, with who gave which words."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.cli.main import main
from society.runs import reader

if TYPE_CHECKING:
    from tests.conftest import Typed

VILLAGE = """
scenario: language_village
rounds: 2
seed: 4
cohorts:
  - name: thinkers
    count: 2
    components: [persona, plan, personal_norm, situation, {language_policy: {faculties: chain}}]
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two villagers who plan, and think before each answer."""
    folder = tmp_path_factory.mktemp("calls")
    (folder / "a.yaml").write_text(VILLAGE)
    assert main(["run", str(folder / "a.yaml"), "--quiet", "--out", str(folder / "a.run")]) == 0
    return folder / "a.run"


def headings(said: str) -> list[str]:
    """The first line of each call, without tokens."""
    return [line.rpartition(" · ")[0] for line in said.splitlines() if "tokens" in line]


def test_a_call_is_shown_with_its_prompt_its_reply_and_who_gave_what(
    typed: Typed, file: Path
) -> None:
    asked = ("--agent", "villager 1", "--question", "effort", "--round", "1")
    lines = typed("show", str(file), "--calls", *asked).out.splitlines()
    assert (
        headings("\n".join(lines))
        == ["round 1 · villager 1 · effort (language_policy) · offline"] * 2
    )
    margins = [line.partition("|")[0].strip() for line in lines if "|" in line]
    assert [one for one in margins if one] == [
        *("plan", "personal_norm", "situation asks", "reply"),
        *("plan", "personal_norm", "situation thought", "reply", "answer"),
    ]
    assert lines[-1].strip().startswith("answer | 0.")
    assert any(line.startswith("          plan | Your plan: «") for line in lines)


def test_a_summary_says_that_calls_are_damaged_and_shows_what_does_not_rest_on_them(
    typed: Typed, file: Path, tmp_path: Path
) -> None:
    whole, hurt = typed("show", str(file)), tmp_path / "hurt.run"
    assert "cannot be read" not in whole.out
    shutil.copy(file, hurt)
    with closing(sqlite3.connect(hurt)) as connection, connection:
        connection.execute("UPDATE calls SET text = 'forged' WHERE call = 3")
    shown = typed("show", str(hurt))
    assert shown.code == 0
    reason = "the calls cannot be read (a call is not what was written); take a whole copy"
    assert reason in " ".join(shown.out.split())
    assert "survival_time" in shown.out
    *_, note = json.loads(typed("show", str(hurt), "--json").out)["notes"]
    assert note.startswith(f"{hurt}: {reason}")


def test_a_summary_of_a_large_society_says_that_its_calls_were_not_checked(
    typed: Typed, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_MOST_CHECKED", 3)
    *_, note = json.loads(typed("show", str(file), "--json").out)["notes"]
    assert re.fullmatch(
        r"its \d+ calls to models were not checked for damage, which takes long; to check them: "
        rf"society verify {re.escape(str(file))}",
        note,
    )


def test_nothing_is_shortened_or_broken_where_it_is_piped(typed: Typed, file: Path) -> None:
    shown = typed("show", str(file), "--calls", "--json").out
    whole = typed("show", str(file), "--calls").out
    for call in json.loads(shown)["calls"]:
        for line in call["messages"][-1]["content"].splitlines():
            assert f"| {line}\n" in whole


def test_calls_before_the_first_round_are_those_of_round_0(typed: Typed, file: Path) -> None:
    said = typed("show", str(file), "--calls", "--round", "0").out
    assert headings(said) == [
        f"before the first round · villager {agent} · begin (plan) · offline" for agent in (0, 1)
    ]


def test_calls_are_chosen_by_words_in_them(typed: Typed, file: Path) -> None:
    shown = json.loads(typed("show", str(file), "--calls", "--json", "--grep", "make a PLAN").out)
    assert [call["name"] for call in shown["calls"]] == ["villager 0", "villager 1"]
    assert [part["component"] for part in shown["calls"][0]["parts"]] == []
    none = typed("show", str(file), "--calls", "--grep", "cucumber")
    assert (none.code, none.out) == (0, "")
    assert none.err == f"society: {file} has no such call to a model\n"


def test_json_has_the_parts_of_each_prompt(typed: Typed, file: Path) -> None:
    words = ("--calls", "--json", "--agent", "0", "--round", "1", "--question", "effort")
    first, last = json.loads(typed("show", str(file), *words).out)["calls"]
    content = first["messages"][-1]["content"]
    named = {
        part["component"]: content[part["start"] :][: part["length"]] for part in first["parts"]
    }
    assert named["personal_norm"].startswith("Your personal strategy: «")
    assert named["situation"].startswith("What is going on here")
    assert [part["role"] for part in last["parts"]] == ["brief", "brief", "thought"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--calls", "--question", "efort"],
            "no model was asked 'efort' in .*; did you mean 'effort'",
        ),
        (
            ["--calls", "--round", "9"],
            "no model was asked anything in round 9 of .*; the last call is",
        ),
        (
            ["--calls", "--agent", "villager 7"],
            "by agent 'villager 7' in .*; did you mean 'villager",
        ),
        (["--grep", "x"], "--grep chooses among calls; add --calls"),
        (["--round", "0"], "--round chooses among calls; add --calls"),
    ],
)
def test_a_choice_of_nothing_there_is_an_error(
    typed: Typed, file: Path, words: list[str], message: str
) -> None:
    said = typed("show", str(file), *words)
    assert said.code == 2
    assert re.search(message, said.err)


def test_a_run_of_rules_says_that_it_has_no_calls_and_where_decisions_are(
    typed: Typed, tmp_path: Path
) -> None:
    file = tmp_path / "rules.run"
    assert main(["run", "fishing_village", "--rounds", "1", "--quiet", "--out", str(file)]) == 0
    said = typed("show", str(file), "--calls")
    assert (said.code, said.out) == (0, "")
    assert said.err == (
        f"society: {file} has no calls to models, since its agents are rules, programs or recorded "
        "answers; `society replay` shows their decisions, and the facts behind them\n"
    )


def test_a_run_that_failed_in_its_first_round_says_why_it_has_no_calls(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "lost.py").write_text(
        "def mind():\n    def answer(asked):\n        return asked.clock\n\n    return answer\n"
    )
    file = tmp_path / "lost.run"
    play = ["run", "language_village", "--agents", "2", "--rounds", "1", "--quiet"]
    model = f"{tmp_path / 'lost.py'}:mind"
    assert typed(*play, "--model", model, "--out", str(file)).code == 2
    said = typed("show", str(file), "--calls")
    assert said.err == (
        f"society: {file} has no calls to models: it is failed, and no round was saved; "
        f"`society resume {file}` goes on\n"
    )


def test_a_text_is_found_as_it_stands_and_is_no_regular_expression(
    typed: Typed, file: Path
) -> None:
    assert typed("show", str(file), "--calls", "--grep", "MAKE A PLAN").out
    assert typed("show", str(file), "--calls", "--grep", "make . plan").out == ""
