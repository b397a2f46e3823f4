"""A folder of strategies says what it holds, and what is wrong with it."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from society.errors import SandboxError
from society.sandbox.strategy_folder import (
    FailedDescription,
    StrategyAuthor,
    StrategyEntry,
    StrategyManifest,
    adopt_files,
    read_strategies,
    write_strategies,
)

COUNTS = """
class Strategy_COLLECTIVE_1(BaseStrategy):
    def __call__(self, history):
        return C


class Strategy_EXPLOITATIVE_2(BaseStrategy):
    def __call__(self, history):
        return open("x")
"""
SOCIETY = "class Strategy_COLLECTIVE_3:\n    def act(self, history):\n        return C\n"

VALID: dict[str, Any] = {
    "game": "public_goods",
    "interface": "counts",
    "models": {"gpt": {"release": "2024-08-06"}},
    "strategies": [
        {
            "file": "one.py",
            "class": "Strategy_COLLECTIVE_1",
            "model": "gpt",
            "attitude": "collective",
            "fallback": "C",
            "tries": 2,
        }
    ],
}


def folder_of(path: Path, manifest: object = VALID, text: str = COUNTS) -> Path:
    (path / "one.py").write_text(text)
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


def test_a_folder_is_read_with_its_programs(tmp_path: Path) -> None:
    folder = read_strategies(folder_of(tmp_path))
    assert folder.manifest.models["gpt"].release == date(2024, 8, 6)
    assert [one.name for one in folder.programs()] == ["Strategy_COLLECTIVE_1"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    manifest = StrategyManifest(
        game="common_pool",
        interface="society",
        models={"claude": StrategyAuthor(release=date(2025, 2, 24), reasons=True)},
        strategies=(
            StrategyEntry(
                file="a.py",
                name="Strategy_COLLECTIVE_3",
                model="claude",
                attitude="collective",
                fallback="C",
                description="Spares the stock.",
            ),
        ),
        failed=(
            FailedDescription(
                model="claude", attitude="exploitative", description="?", reason="no code", tries=5
            ),
        ),
    )
    written = write_strategies(tmp_path / "new", manifest, {"a.py": SOCIETY})
    assert read_strategies(tmp_path / "new").manifest == manifest
    assert written.programs()[0].accepted


def test_published_files_are_adopted_by_the_names_of_their_classes(tmp_path: Path) -> None:
    (tmp_path / "gpt.py").write_text(COUNTS)
    manifest = adopt_files(tmp_path, "public_goods")
    assert [(one.name, one.model, one.attitude, one.fallback) for one in manifest.strategies] == [
        ("Strategy_COLLECTIVE_1", "gpt", "collective", "C"),
        ("Strategy_EXPLOITATIVE_2", "gpt", "exploitative", "D"),
    ]
    assert manifest.interface == "counts"
    write_strategies(tmp_path, manifest)
    accepted = [one.accepted for one in read_strategies(tmp_path).programs()]
    assert accepted == [True, False]


def test_one_model_may_have_written_all_files(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(COUNTS)
    manifest = adopt_files(
        tmp_path, "public_goods", model="gpt", author=StrategyAuthor(reasons=True)
    )
    assert manifest.models == {"gpt": StrategyAuthor(reasons=True)}


def test_a_folder_without_a_manifest_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"no manifest\.json.* write.*strategies adopt"):
        read_strategies(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"there is no folder .*nowhere; name a folder"):
        read_strategies(tmp_path / "nowhere")


CHANGES = [
    ({"game": 3}, "game: input should be"),
    ({"price": 3}, "there is no key 'price'; delete it"),
    ({"models": {}}, "the model 'gpt' is not among `models`"),
    ({"strategies": VALID["strategies"] * 2}, "listed twice"),
    ({"strategies": [VALID["strategies"][0] | {"file": "../x.py"}]}, "a .py file of this folder"),
    ({"strategies": [VALID["strategies"][0] | {"file": "x.sh"}]}, "a .py file of this folder"),
    ({"strategies": [VALID["strategies"][0] | {"fallback": "X"}]}, "strategies.0.fallback"),
    ({"strategies": [VALID["strategies"][0] | {"tries": 0}]}, "strategies.0.tries"),
    ({"strategies": [{}]}, r"strategies.0: the key 'file' is missing \(4 more\)"),
    (
        {"strategies": [{"atitude": "any", "class": "Kind"}]},
        r"strategies.0 \(class Kind\): there is no key 'atitude'; did you mean 'attitude'\?",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES, ids=lambda one: str(one)[:40])
def test_a_wrong_manifest_says_where(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SandboxError, match=sentence):
        read_strategies(folder_of(tmp_path, VALID | change))


def test_a_manifest_that_is_no_json_says_its_line(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{\n"game": public_goods}')
    with pytest.raises(SandboxError, match=r"manifest\.json:2: this is not JSON"):
        read_strategies(tmp_path)


def test_a_listed_class_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder = read_strategies(folder_of(tmp_path, text=SOCIETY))
    with pytest.raises(SandboxError, match="no program Strategy_COLLECTIVE_1"):
        folder.programs()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path)
    (tmp_path / "one.py").unlink()
    with pytest.raises(SandboxError, match=r"one\.py: there is no such file, which manifest\.json"):
        read_strategies(tmp_path)


def test_a_strategy_of_another_interface_is_refused(tmp_path: Path) -> None:
    folder = read_strategies(folder_of(tmp_path, VALID | {"interface": "full"}))
    sentence = re.escape("has the interface counts, and manifest.json says full")
    with pytest.raises(SandboxError, match=sentence):
        folder.programs()


ADOPTIONS = [
    ({"a.py": COUNTS, "b.py": SOCIETY}, "strategies of several interfaces: counts in"),
    ({"a.py": COUNTS.replace("COLLECTIVE", "KIND")}, "the attitude 'kind' has no fallback"),
    ({"a.py": SOCIETY.replace("Strategy_", "")}, "name it Strategy_<ATTITUDE>_<number>"),
    ({"a.py": SOCIETY.replace("act", "move")}, "no class is accepted"),
    ({}, r"there are no \.py files"),
]


@pytest.mark.parametrize(("files", "sentence"), ADOPTIONS, ids=lambda one: str(one)[:40])
def test_files_that_cannot_be_adopted_say_why(
    tmp_path: Path, files: dict[str, str], sentence: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(SandboxError, match=sentence):
        adopt_files(tmp_path, "public_goods")
