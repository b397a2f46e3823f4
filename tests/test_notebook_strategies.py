"""Strategies that are programs, from Python: what the commands do, as frames and tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import society
from society.errors import InputError, SandboxError

Typed = Callable[..., Any]
PROGRAMS = """
class Mirror:
    def __init__(self, game):
        self.n = game.n_players

    def act(self, history):
        if history.round_number == 0:
            return C
        return C if history.opponent_cooperators[-1] * 2 >= self.n - 1 else D


class Grabs:
    def act(self, history):
        return D


class Peeks:
    def act(self, history):
        return open("x")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duo.py").write_text(PROGRAMS, "utf-8")
    return tmp_path


def test_checked_classes_are_what_the_command_says_and_a_frame(typed: Typed, here: Path) -> None:
    found = society.check_strategies("duo.py")
    assert found.as_json() == json.loads(typed("strategies", "check", "duo.py", "--json").out)
    assert found.accepted == ["Mirror", "Grabs"]
    frame = found.frame()
    assert frame["class"].tolist() == ["Mirror", "Grabs", "Peeks"]
    assert frame["line"].tolist() == [2, 12, 19]
    assert frame.attrs["units"]["accepted"] == "yes or no"
    assert found._repr_html_().startswith("<table><caption>2 of 3 classes are accepted")
    assert "refused  Peeks  duo.py:19: not allowed in Peeks: `open`" in repr(found)


def test_a_match_is_that_of_the_command_with_a_row_for_each_player(
    typed: Typed, here: Path
) -> None:
    match = society.play_strategies(
        "duo.py", "public_goods", classes=["Mirror", "Grabs"], players=2, rounds=4, factor=1.5
    )
    words = "duo.py --game public_goods --class Mirror --class Grabs --players 2 --rounds 4"
    said = typed("strategies", "play", *words.split(), "--factor", 1.5, "--json")
    assert match.as_json() == json.loads(said.out)
    assert match.moves == {"Mirror": "CDDD", "Grabs": "DDDD"}
    assert match.payoffs == {"Mirror": 3.75, "Grabs": 4.75}
    frame = match.frame()
    assert frame["cooperation"].tolist() == [0.25, 0.0]
    assert frame.attrs["units"]["payoff"] == "points, all rounds"
    assert "<td>CDDD</td>" in match._repr_html_()


@pytest.mark.thorough
def test_models_write_strategies_that_are_compared_and_evolve(here: Path) -> None:
    attitudes = {"collective": "C", "generous": "C"}
    trial = {"trial": False}
    written = society.write_strategies("public_goods", attitudes, 2, parameters=trial)
    assert repr(written) == "4 of 4 descriptions became programs, in strategies/public_goods"
    assert written.frame()["attitude"].tolist() == ["collective"] * 2 + ["generous"] * 2
    again = society.write_strategies("public_goods", attitudes, 2, parameters=trial)
    assert again.frame().equals(written.frame())
    assert len(society.check_strategies(written.folder).accepted) == 4
    sets = society.compare_strategies(written.folder)
    assert sets.frame()["strategies"].tolist() == [2, 2]
    assert sets.pairs()["compared"].tolist() == ["attitudes"]
    assert sets.as_json()["folders"] == [{"path": str(written.folder), "game": "public_goods"}]
    assert sets.plot().name == "behaviour_plane"
    evolved = society.evolve_strategies(
        "public_goods", written.folder, population=8, generations=2, seed=3
    )
    assert (evolved.scenario, evolved.seed, evolved.played) == ("cultural_evolution", 3, 2)


def named(word: Any) -> Any:
    return word


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: society.play_strategies("duo.py", named("chicken")),
            "game: got 'chicken'; choose one",
        ),
        (lambda: society.play_strategies("no.py", "common_pool"), "there is no file no.py"),
        (lambda: society.play_strategies("duo.py", "common_pool"), "not allowed in Peeks: `open`"),
        (
            lambda: society.play_strategies(
                "duo.py", "common_pool", classes=["Mirror", "Grabs", "Mirror"], players=1
            ),
            "players: got 1; expected a whole number of at least 2",
        ),
        (
            lambda: society.write_strategies("public_goods", "generous", 1),
            "attitudes generous: say which action stands in",
        ),
        (
            lambda: society.write_strategies("public_goods", "collective", 1, models=" "),
            "models is empty; name a model, or offline",
        ),
        (
            lambda: society.evolve_strategies("public_goods", rule=named("fermy")),
            "rule: got 'fermy'; did you mean 'fermi'",
        ),
        (
            lambda: society.evolve_strategies("public_goods", generations=0),
            "rounds: got 0; expected a whole number from 1",
        ),
        (
            lambda: society.evolve_strategies("public_goods", named(5)),
            "folders: got 5; expected str or Path",
        ),
        (lambda: society.compare_strategies("made", named(5)), "second: got 5; expected a path"),
        (
            lambda: society.play_strategies([], "public_goods"),
            "files: got []; expected at least one",
        ),
        (
            lambda: society.play_strategies(
                "duo.py", "public_goods", classes=["Mirror"], factor=named("x")
            ),
            "factor: got 'x'; expected a number",
        ),
        (
            lambda: society.play_strategies(
                "duo.py", "collective_risk", classes="Mirror", threshold=named(2.5)
            ),
            "threshold: got 2.5; expected a whole number",
        ),
        (
            lambda: society.write_strategies("public_goods", [], 1),
            "attitudes: got []; expected at least one",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_words_of_python(
    here: Path, call: Callable[[], object], words: str
) -> None:
    with pytest.raises((InputError, SandboxError)) as refused:
        call()
    assert words in str(refused.value)
    assert "--" not in str(refused.value)
