"""A scene is a page: its file has at most 60 lines of code, and its prompts are short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from society import index
from tests.test_architecture import code_lines

HOME = Path(__file__).parents[3] / "scenarios" / "scenes"
SCENES = (
    *("collective_labour", "haggling", "irrigation_election", "marketplace"),
    "pub_coordination",
)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_is_a_file_of_at_most_sixty_lines(name: str) -> None:
    assert code_lines((HOME / f"{name}.py").read_text(encoding="utf-8")) <= 60


@pytest.mark.parametrize("name", SCENES)
def test_its_prompts_are_a_page(name: str) -> None:
    files = [file for template, file in index.prompts().items() if template.startswith(f"{name}/")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert 0 < len([line for line in lines if line.strip()]) <= 60


@pytest.mark.parametrize("name", SCENES)
def test_it_has_a_preset_without_language_models(name: str) -> None:
    assert {f"{name}_rules", f"{name}_chance"} & index.presets().keys()


@pytest.mark.parametrize("name", ["irrigation_election", "marketplace", "pub_coordination"])
def test_a_list_that_holds_the_reader_says_so(name: str) -> None:
    """All who are together read the same list, so that caches serve them."""
    golden = (HOME.parents[1] / "tests" / "golden" / f"{name}.txt").read_text(encoding="utf-8")
    lists = re.findall(r"(you among them.*:)\n((?:- .*\n)+)\nYou are (\w+ \d+)", golden)
    assert lists
    assert all(re.search(rf"^- {me}\b", others, re.MULTILINE) for _, others, me in lists)


def test_no_season_is_told_of_before_the_first_one() -> None:
    golden = HOME.parents[1] / "tests" / "golden" / "irrigation_election.txt"
    first, _, later = golden.read_text(encoding="utf-8").partition("Season 2.")
    assert "last season" not in first
    assert "last season" in later
