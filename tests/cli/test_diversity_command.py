"""The command `strategies diversity` compares sets of folders, and writes plane and tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Typed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")

STRATEGIES = """
class Strategy_COLLECTIVE_1:
    def act(self, history):
        return C

class Strategy_COLLECTIVE_2:
    def act(self, history):
        return C if history.round_number < 3 else D

class Strategy_EXPLOITATIVE_1:
    def act(self, history):
        return D

class Strategy_EXPLOITATIVE_2:
    def act(self, history):
        return open("secret")
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kind.py").write_text(STRATEGIES)


@pytest.mark.thorough
def test_a_published_folder_is_compared_without_a_manifest(typed: Typed) -> None:
    said = typed("strategies", "diversity", "one", "--game", "public_goods", "--json")
    assert said.code == 0
    found = json.loads(said.out)
    collective, exploitative = found["sets"]
    assert (collective["model"], collective["attitude"]) == ("kind", "collective")
    assert (collective["strategies"], collective["behaviours"]) == (2, 2)
    assert collective["mpd"] == pytest.approx((816 + 120) ** 0.5)
    assert collective["participation_ratio"] == pytest.approx(1)
    assert (exploitative["strategies"], exploitative["mpd"]) == (1, None)
    (pair,) = found["attitudes"]
    assert pair["distance"] == pytest.approx(((816 + 120) / 4 + 25) ** 0.5)
    assert "1 of 4 strategies of one are refused" in said.err


@pytest.mark.thorough
def test_two_folders_share_a_plane_and_have_shifts(typed: Typed) -> None:
    said = typed("strategies", "diversity", "one", "two", "--game", "common_pool", "--json")
    found = json.loads(said.out)
    assert [one["folder"] for one in found["sets"]] == ["one", "one", "two", "two"]
    assert [one["distance"] for one in found["shifts"]] == [0, 0]


def test_the_plane_and_the_tables_are_written(typed: Typed, tmp_path: Path) -> None:
    words = ("strategies", "diversity", "one", "--game", "public_goods", "--out", "found")
    said = typed(*words)
    assert "The first two components explain" in said.out
    assert sorted(file.name for file in (tmp_path / "found").iterdir()) == [
        "attitudes.csv",
        "behaviour_plane.png",
        "behaviour_plane.svg",
        "character.csv",
        "diversity.csv",
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("one",), "there is no manifest.json"),
        (("absent", "--game", "public_goods"), "there are no .py files"),
        (("one", "--game", "public_goods", "--out", "one/kind.py"), "cannot write"),
    ],
)
def test_mistakes_about_folders_are_one_message(
    words: tuple[str, ...], message: str, typed: Typed
) -> None:
    said = typed("strategies", "diversity", *words)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert "Traceback" not in said.err


def test_strategies_for_one_game_are_not_taken_for_another(typed: Typed) -> None:
    adopted = typed("strategies", "adopt", "one", "--game", "public_goods", "--model", "m")
    assert adopted.code == 0
    said = typed("strategies", "diversity", "one", "--game", "common_pool")
    assert said.code == 2
    assert "were written for public_goods, and not for common_pool" in said.err
