"""The strategies commands check, play and adopt files of programs, and say what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Typed

PAIR = """
class Kind:
    def act(self, history):
        return C


class Grim:
    def act(self, history):
        if history.round_number and not history.opponent_actions.all():
            return D
        return C
"""
BAD = """
class Spy:
    def act(self, history):
        return open("/etc/passwd")


class Deaf:
    def act(self):
        return C


class Fine:
    def act(self, history):
        return D
"""
PUBLISHED = """
import numpy as np
from emergent_llm.players import BaseStrategy
from emergent_llm.games import {description}
from emergent_llm.common import Action, C, D, PlayerHistory


class Strategy_COLLECTIVE_1(BaseStrategy):
    def __init__(self, game_description: {description}):
        self.game_description = game_description

    def __call__(self, history: PlayerHistory{more}) -> Action:
        return C


class Strategy_EXPLOITATIVE_1(BaseStrategy):
    def __call__(self, history: PlayerHistory{more}) -> Action:
        return D
"""
PUBLIC_GOODS = PUBLISHED.format(description="PublicGoodsDescription", more="")
COMMON_POOL = PUBLISHED.format(description="CommonPoolDescription", more=", current_stock: float")

GOODS = ("--game", "public_goods")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    texts = {"pair.py": PAIR, "bad.py": BAD, "pub/goods.py": PUBLIC_GOODS, "pool.py": COMMON_POOL}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)


# check


def test_check_lists_each_class_with_its_reason_and_line(typed: Typed) -> None:
    said = typed("strategies", "check", "pair.py", "bad.py", "--json")
    assert said.code == 1
    found = {one["class"]: one for one in json.loads(said.out)}
    assert [*found] == ["Kind", "Grim", "Spy", "Deaf", "Fine"]
    assert [one["accepted"] for one in found.values()] == [True, True, False, False, True]
    assert (found["Spy"]["line"], found["Spy"]["file"]) == (4, "bad.py")
    assert "`open`" in found["Spy"]["reason"]
    assert "act(self, history)" in found["Deaf"]["reason"]
    assert found["Kind"]["reason"] == ""
    assert found["Grim"]["reads"] == ["opponent_actions", "round_number"]


def test_check_of_accepted_classes_ends_with_0(typed: Typed) -> None:
    said = typed("strategies", "check", "pair.py")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[0].split()[:2] == ["ok", "Kind"]


def test_check_for_a_game_refuses_strategies_that_are_called_in_another_way(typed: Typed) -> None:
    assert typed("strategies", "check", "pub", "--game", "public_goods").code == 0
    assert typed("strategies", "check", "pool.py", "--game", "common_pool").code == 0
    said = typed("strategies", "check", "pool.py", "--game", "collective_risk")
    assert said.code == 1
    assert "takes current_stock, so that it cannot play collective_risk" in said.out


# play


def test_play_gives_moves_and_payoffs(typed: Typed) -> None:
    words = ["--game", "public_goods", "--players", "3", "--rounds", "4", "--json"]
    said = typed("strategies", "play", "pair.py", "pub", "--class", "Kind", "--class", "Grim",
                 "--class", "Strategy_EXPLOITATIVE_1", *words)  # fmt: skip
    assert (said.code, said.err) == (0, "")
    told = json.loads(said.out)
    assert told["moves"] == {"Kind": "CCCC", "Grim": "CDDD", "Strategy_EXPLOITATIVE_1": "DDDD"}
    # 2/3 for each who contributes, and 1 for each who does not.
    assert told["payoffs"] == pytest.approx(
        {"Kind": 10 / 3, "Grim": 10 / 3 + 3, "Strategy_EXPLOITATIVE_1": 10 / 3 + 4}
    )
    assert told["troubles"] == []


def test_few_classes_take_the_seats_in_turn_which_is_said(typed: Typed) -> None:
    said = typed("strategies", "play", "pair.py", "--game", "collective_risk", "--rounds", "2")
    assert said.code == 0
    assert "2 classes take 4 seats in turn" in said.err
    assert [line.split("  ")[0] for line in said.out.splitlines()[1:]] == [
        "Kind", "Grim", "Kind 2", "Grim 2",
    ]  # fmt: skip


def test_published_files_of_a_common_pool_run_as_they_are(typed: Typed) -> None:
    said = typed("strategies", "play", "pool.py", "--game", "common_pool", "--rounds", "2",
                 "--json")  # fmt: skip
    told = json.loads(said.out)
    assert told["moves"]["Strategy_COLLECTIVE_1"] == "CC"
    # A stock of 16: 2 units a share; 8 * 6 / 8 = 4 are left, which grow to 10.
    assert told["payoffs"]["Strategy_COLLECTIVE_1"] == pytest.approx(2 + 10 / 8)


def test_play_shows_calls_that_gave_no_move(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "class Late:\n    def act(self, history):\n        return history.my_payoffs[0]\n"
    )
    said = typed("strategies", "play", "late.py", "--game", "public_goods", "--rounds", "3")
    assert "round 1: Late: it raised IndexError" in said.out
    assert "round 3: Late: it returned a value of type float64; expected C or D" in said.out
    assert "it is disqualified, and plays D to the end" in said.out


def test_play_falls_back_as_a_manifest_beside_the_file_says(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "pub/goods.py").write_text(
        "class Strategy_COLLECTIVE_1:\n    def act(self, history):\n        return 1\n"
    )
    typed("strategies", "adopt", "pub", *GOODS, "--model", "m")
    said = typed("strategies", "play", "pub/goods.py", *GOODS, "--rounds", "4", "--json")
    assert json.loads(said.out)["moves"]["Strategy_COLLECTIVE_1"] == "CCCC"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("play", "pair.py", "--game", "public_goods", "--factor", "9"), "1 < factor < players"),
        (("play", "pair.py", "--game", "public_goods", "--capacity", "9"), "has no capacity"),
        (("play", "pair.py", "--game", "common_pool", "--players", "1"), "at least 2"),
        (("play", "pair.py", "bad.py", "--game", "public_goods"), "bad.py:4: not allowed in Spy"),
        (("play", "pair.py", "--game", "public_goods", "--class", "Grin"), "did you mean 'Grim'?"),
        (("play", "pair.py", "pair.py", "--game", "public_goods"), "two classes are called Kind"),
        (("play", "pool.py", "--game", "public_goods"), "cannot play public_goods"),
        (("play", "pair.py", "--game", "publik_goods"), "did you mean 'public_goods'?"),
        (("play", "pair.py"), "--game"),
        (("check", "absent.py"), "there is no file absent.py"),
        (("check", "empty"), "empty has no .py file"),
        (("check", "broken.py"), "broken.py:1: this is not Python"),
        (("check", "plain.py"), "there is no class"),
        (("check", "twice.py"), "A is defined twice, first in line 1"),
        (("check", "huge.py"), "bytes, and at most"),
        (("check", "bytes.py"), "is no text in UTF-8"),
        (("check", "pair.py", "--allow", "numpy.load"), "numpy.load"),
        (("chek", "pair.py"), "did you mean 'check'?"),
        (
            ("adopt", "pair.py", "--game", "public_goods", "--model", "m"),
            "does not say its attitude",
        ),
        (("adopt", "pub", "pool.py", "--game", "public_goods", "--model", "m"), "the files lie in"),
        (
            ("adopt", "pub", "--game", "public_goods", "--model", "m", "--released", "May"),
            "2025-03",
        ),
    ],
)
def test_mistakes_of_a_user_are_one_message(
    words: tuple[str, ...], message: str, typed: Typed, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.py").write_text("class A(:\n")
    (tmp_path / "plain.py").write_text("x = 3\n")
    (tmp_path / "twice.py").write_text("class A: pass\nclass A: pass\n")
    (tmp_path / "huge.py").write_text("#" * 17_000_000)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\xff")
    try:
        said = typed("strategies", *words)
        code, out, err = said.code, said.out, said.err
    except SystemExit as stop:
        code, (out, err) = int(str(stop.code)), capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("society") >= 1
    assert "Traceback" not in err


# adopt


def test_adopted_files_are_a_folder_that_a_society_can_play(typed: Typed, tmp_path: Path) -> None:
    adopt = ("strategies", "adopt", "pub/goods.py", "--game", "public_goods", "--model", "gpt")
    assert typed(*adopt, "--released", "2024-05-13").out == (
        "pub/manifest.json: 2 strategies for public_goods\n"
    )
    (tmp_path / "run.yaml").write_text(
        "scenario: public_goods\n"
        "rounds: 3\n"
        "parameters: {players: 4, factor: 2}\n"
        "cohorts:\n"
        "  - {name: a, count: 2, components: [program: {folder: pub, attitude: collective}]}\n"
        "  - {name: b, count: 2, components: [program: {folder: pub, attitude: exploitative}]}\n"
    )
    told = json.loads(typed("run", "run.yaml", "--json", "--quiet").out)
    assert told["measures"]["cooperation"]["mean"] == 0.5


def test_more_files_are_added_to_a_manifest_but_not_of_another_game(
    typed: Typed, tmp_path: Path
) -> None:
    adopt = ("strategies", "adopt", "pub/goods.py", "--game", "public_goods", "--model", "gpt")
    typed(*adopt)
    (tmp_path / "pub/more.py").write_text(PUBLIC_GOODS)
    more = ("strategies", "adopt", "pub/more.py", "--game", "public_goods", "--model", "claude")
    assert "4 strategies" in typed(*more).out
    manifest = json.loads((tmp_path / "pub/manifest.json").read_text())
    assert [one["model"] for one in manifest["strategies"]] == ["gpt", "gpt", "claude", "claude"]
    other = typed("strategies", "adopt", "pub", "--game", "collective_risk", "--model", "gpt")
    assert other.code == 2
    assert "pub has strategies with the game public_goods" in other.err


def test_strategies_alone_lists_its_verbs(typed: Typed) -> None:
    said = typed("strategies")
    assert said.code == 0
    verbs = [line.split()[2] for line in said.out.splitlines()]
    assert {"write", "check", "play", "adopt"} <= {*verbs}


# Open sources

OPEN = """
class Clique:
    def __init__(self, game):
        self.alike = all(text == game.my_source for text in game.opponent_sources)

    def act(self, history):
        return C if self.alike else D


class Fair:
    def __init__(self, game):
        self.mine, self.theirs = game.my_source, game.opponent_sources[0]

    def act(self, history):
        return C if random.random() < 0.5 else simulate(self.theirs, self.mine).moves[0]
"""
DUEL = ("--game", "public_goods", "--players", "2", "--factor", "1.5", "--rounds", "3")


def test_check_says_who_reads_sources_and_who_simulates(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "open.py").write_text(OPEN)
    said = typed("strategies", "check", "open.py")
    assert said.out.splitlines()[0].endswith("deterministic; keeps no state; reads sources")
    assert said.out.splitlines()[1].endswith("keeps no state; reads sources; simulates")
    found = json.loads(typed("strategies", "check", "open.py", "--json").out)
    assert [(one["reads_sources"], one["simulates"]) for one in found] == [
        (True, False),
        (True, True),
    ]


def test_programs_read_each_other_only_if_the_command_says_so(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "open.py").write_text(OPEN)
    closed = typed("strategies", "play", "open.py", *DUEL)
    assert (closed.code, closed.out) == (2, "")
    assert (
        "Clique reads or simulates its co-players, and the sources of this game are" in closed.err
    )
    assert "--open-source" in closed.err
    alike = typed(
        "strategies", "play", "open.py", *DUEL, "--class", "Fair", "--open-source", "--json"
    )
    played = json.loads(alike.out)
    assert played["open_source"] is True
    assert played["moves"] == {"Fair": "CCC", "Fair 2": "CCC"}
    mixed = typed("strategies", "play", "open.py", *DUEL, "--open-source")
    assert mixed.out.splitlines()[1].split() == ["Clique", "DDD", "3.75"]
