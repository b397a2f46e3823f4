"""Authors describe a strategy once, and write its program until it is accepted or given up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Legal
from society.errors import Unparsed
from society.runs.play import play
from society.runs.runfile import RunFile, open_run_file
from society.sandbox.stage_games import stage_game
from society.scenarios.programs.trial_games import TrialGames, WrittenReply
from society.scenarios.programs.written_texts import (
    NoProgram,
    ProgramText,
    StrategyDescription,
    find_program,
)
from tests.provider import author

if TYPE_CHECKING:
    from tests.conftest import Provider

pytestmark = pytest.mark.xdist_group("provider")

ALWAYS = "class Always:\n    def act(self, history):\n        return C\n"


def written(
    provider: Provider, tmp_path: Path, brain: str, **changes: Any
) -> tuple[RunFile, Mapping[str, Any]]:
    """Two authors with the mind of a brain in tests/provider.py have written."""
    provider.plan(brain=brain)
    reached = {"model": "m", "api_base": provider.url}
    spec = {"agents": 2, "models": {"default": reached}, **changes}
    path = tmp_path / "a.run"
    end = play(build(load_config("strategy_writing", spec)), path)
    assert end.code == 0
    run = open_run_file(path)
    steps = [step for page in run.pages() for step in page.steps]
    told = [step.arrays for step in steps if step.kind == "checked"]
    names = ("tried", "accepted", "refusal")
    return run, {name: [one["own", name].tolist()[0] for one in told] for name in names}


def prompts(run: RunFile, kind: str) -> list[str]:
    """The prompts about one question, in order of rounds."""
    calls = sorted(run.calls(), key=lambda call: (call.request.address.use, call.request.address))
    return [
        call.request.messages[-1].content for call in calls if call.request.address.kind == kind
    ]


def test_an_author_who_corrects_itself_is_accepted_at_the_third_try(
    provider: Provider, tmp_path: Path
) -> None:
    run, told = written(provider, tmp_path, "author")
    with run:
        assert told["accepted"] == [[False] * 2, [False] * 2, [True] * 2]
        first, second, third = (reasons[0] for reasons in told["refusal"])
        assert "`import os`" in first
        assert second.startswith("it failed in round 1 of a trial game: it raised IndexError")
        assert third == ""
        assert run.outcome().measures["tries"].mean == 3
        assert len(prompts(run, "describe")) == 2


def test_each_try_is_asked_for_by_the_same_description_and_the_last_reason(
    provider: Provider, tmp_path: Path
) -> None:
    run, _ = written(provider, tmp_path, "author", agents=1)
    with run:
        asked = prompts(run, "implement")
    assert len(asked) == 3
    assert all(f"«\n{author('describe')}\n»" in prompt for prompt in asked)
    assert "refused" not in asked[0].rpartition("»")[2]
    assert "import os" in asked[1].rpartition("An earlier program")[2]
    assert "IndexError" in asked[2].rpartition("An earlier program")[2]
    assert "import os" not in asked[2].rpartition("An earlier program")[2]


@pytest.mark.parametrize(
    ("brain", "reason"),
    [
        ("mumble", "the reply has no block of code between ```python and ```; give one"),
        ("stubborn", "not allowed in Mine: `eval`; programs reach no files, and read no code"),
    ],
)
def test_who_never_writes_a_program_is_given_up_after_the_last_try(
    provider: Provider, tmp_path: Path, brain: str, reason: str
) -> None:
    run, told = written(provider, tmp_path, brain, rounds=4)
    with run:
        assert told["tried"] == [[True] * 2] * 4
        assert told["accepted"][-1] == [False] * 2
        assert all(one.startswith(reason) for reasons in told["refusal"] for one in reasons)
        assert run.outcome().measures["accepted"].mean == 0


def test_both_readings_of_the_task_name_their_mindset(provider: Provider, tmp_path: Path) -> None:
    for wording in ("specification", "overview"):
        for mindset, named in (("attitude", "exploitative"), ("collective", "collective")):
            given = {"wording": wording, "mindset": mindset}
            folder = tmp_path / wording / mindset
            folder.mkdir(parents=True)
            run, _ = written(provider, folder, "mumble", rounds=1, parameters=given)
            with run:
                exploitative = prompts(run, "describe")[1]
            assert "3. Be exploitative: " in exploitative
            assert f"must clearly follow the {named} mindset" in exploitative


def test_a_prompt_pack_asks_for_descriptions_in_its_own_words(
    provider: Provider, tmp_path: Path
) -> None:
    pack = tmp_path / "pack"
    (pack / "strategy_writing").mkdir(parents=True)
    (pack / "strategy_writing" / "describe.md").write_text("Be {{ attitude }} in {{ game }}.")
    run, _ = written(provider, tmp_path, "author", rounds=1, prompts=str(pack))
    with run:
        assert prompts(run, "describe") == [
            "Be collective in public_goods.",
            "Be exploitative in public_goods.",
        ]


@pytest.mark.parametrize("game", ["public_goods", "collective_risk", "common_pool"])
def test_the_offline_mind_writes_programs_for_every_game(tmp_path: Path, game: str) -> None:
    spec = {"agents": 6, "parameters": {"game": game}, "rounds": 20}
    path = tmp_path / "a.run"
    assert play(build(load_config("strategy_writing", spec)), path).code == 0
    with open_run_file(path) as run:
        measures = run.outcome().measures
        assert measures["accepted"].mean == 1
        assert (measures["tries"].mean or 0) > 1


# Programs in replies


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{ALWAYS}```",
        f"Sure!\n\n~~~py\n{ALWAYS}~~~\n\nIt cooperates.",
        f"For example `C`:\n```\nreturn C\n```\nAll of it:\n```python\n{ALWAYS}```",
        f"```python\n{ALWAYS}",  # the closing fence is left out
        ALWAYS,
    ],
)
def test_the_one_program_of_a_reply_is_found(reply: str) -> None:
    assert find_program(reply) == ALWAYS


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "has no block of code"),
        ("class struggle is my strategy", "has no block of code"),
        ("```python\nreturn C\n```", "defines no class"),
        (f"```python\n# \u202e\n{ALWAYS}```", "line 1 has the character U\\+202E"),
        (f"```python\n{ALWAYS}```\nor\n```python\n{ALWAYS}```", "has 2 blocks of code"),
    ],
)
def test_what_is_no_single_program_is_refused_with_its_reason(reply: str, reason: str) -> None:
    with pytest.raises(NoProgram, match=reason):
        find_program(reply)


def test_replies_lose_their_thoughts_and_keep_their_backslashes() -> None:
    reply = "<think>\\text{C}</think>\n\ud800 " + r"\textbf{C} if \d" + "\r\nfits\0"
    for form in (StrategyDescription(200), ProgramText(200)):
        assert form.parse(reply, Legal()) == "? " + r"\textbf{C} if \d" + "\nfits"


def test_a_description_is_cut_nowhere() -> None:
    with pytest.raises(Unparsed, match="got 201 characters; expected plain text"):
        StrategyDescription(200).parse("C" * 201, Legal())
    with pytest.raises(Unparsed, match="got an empty reply"):
        StrategyDescription(200).parse(" \n", Legal())


# Trial games

FAULTS = {
    "does not parse": ("class A:\n    def act(self, history)\n        return C", "expected ':'"),
    "no move": ("class A:\n    def act(self, history):\n        return True", "bool"),
    "published": ("class A:\n    def __call__(self, history):\n        return C", "method act"),
    "two": (f"{ALWAYS}\n\nclass Other:\n    def act(self, h):\n        return D", "give one class"),
    "endless": ("class A:\n    def act(self, h):\n        while True:\n            pass", "steps"),
    "for four players": (
        "class A:\n    def __init__(self, game):\n        self.share = [1, 2, 3, 4][game.n_players]"
        "\n\n    def act(self, history):\n        return C",
        "IndexError",
    ),
    "open source": (
        "class A:\n    def act(self, history):\n        return simulate('', '').moves[0]",
        "A reads or simulates its co-players, whose sources are closed",
    ),
    "for long games": (
        "class A:\n    def act(self, h):\n        return C if h.round_number < 19 else None",
        "round 20",
    ),
}


@pytest.mark.parametrize("at_once", [256, 2])
def test_programs_are_refused_for_what_they_break_and_by_themselves(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("society.scenarios.programs.trial_games.AT_ONCE", at_once)
    good = [WrittenReply(f"```python\n{ALWAYS}```", "C")]
    bad = [WrittenReply(f"```python\n{text}\n```", "D") for text, _ in FAULTS.values()]
    with TrialGames("common_pool") as trial:
        first, *refused, last = trial.judge([*good, *bad, *good])
    assert first.accepted
    assert last.accepted
    for verdict, (_, reason) in zip(refused, FAULTS.values(), strict=True):
        assert not verdict.accepted
        assert reason in verdict.reason


def test_a_program_is_only_checked_where_trials_are_off(tmp_path: Path) -> None:
    failing = "class A:\n    def act(self, history):\n        return history.my_actions[-1]"
    with TrialGames("public_goods", tried=False) as trial:
        (verdict,) = trial.judge([WrittenReply(f"```python\n{failing}\n```", "C")])
    assert verdict.accepted


def test_prompts_of_the_three_games_state_examples_that_are_true() -> None:
    """Six players, k = 2: what the prompts say is what the games pay."""
    half = np.array([True] * 3 + [False] * 3)
    public, risk = stage_game("public_goods", 6), stage_game("collective_risk", 6)
    assert public.paid(half).tolist() == [1, 1, 1, 2, 2, 2]
    assert risk.paid(half).tolist() == [2, 2, 2, 3, 3, 3]
    assert risk.paid(np.arange(6) < 2).tolist() == [0, 0, 1, 1, 1, 1]
    pool = stage_game("common_pool", 6)
    assert (pool.capacity, pool.next_stock(half, 24.0)) == (24, 15)
    assert pool.paid(half, 24.0).tolist() == [2, 2, 2, 4, 4, 4]
    everybody = np.ones(6, bool)
    assert (pool.next_stock(everybody, 24.0), pool.next_stock(~everybody, 24.0)) == (24, 0)
