"""Donors in generations, from the command line: played, shown, and read from any place on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from society.cli.main import main

DONORS = """
scenario: donor_game
agents: 6
rounds: 4
seed: 3
parameters: {schedule: random}
mechanisms:
  - generations: {count: 3, fitness: final, phenotype: share}
"""


class Typed(NamedTuple):
    """The output of a command."""

    code: int
    out: str
    err: str


Type = Callable[..., Typed]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a.run has three generations of two games of four rounds; b.run is the same at a summary."""
    home = tmp_path_factory.mktemp("donors")
    (home / "donors.yaml").write_text(DONORS)
    for name, level in (("a.run", "full"), ("b.run", "summary")):
        words = ["--out", str(home / name), "--record", level, "--quiet"]
        assert main(["run", str(home / "donors.yaml"), *words]) == 0
    return home


@pytest.fixture
def typed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Type:
    """`typed("show", "a.run")`, in that folder."""
    monkeypatch.chdir(folder)

    def command(*words: str) -> Typed:
        code = main(list(words))
        return Typed(code, *capsys.readouterr())

    return command


def test_a_run_tells_how_far_it_is_and_how_far_it_went(typed: Type) -> None:
    played = typed("run", "donors.yaml", "--out", "c.run", "--overwrite")
    assert "generation 3 of 3 · game 2 of 2 · round 4 of 4 · 6 of 6 present" in played.err
    assert "The donor game lasted all 3 generations of 2 games of 4 rounds." in played.out


def test_a_run_is_shown_by_generation_and_with_its_lineage(typed: Type) -> None:
    shown = typed("show", "a.run").out
    table = [line.split()[:2] for line in shown.splitlines() if line.startswith("generation ")]
    # More measures than fit side by side: two tables, one below the other.
    assert table == [["generation", number] for number in "123"] * 2
    lives = 6 + 3 + 3
    assert f"lineage · {lives} lives in 3 generations · lines of " in shown
    assert re.search(r"^└── agent 3_\d · fitness ", shown, re.MULTILINE)


def test_json_says_the_same_as_before(typed: Type) -> None:
    shown = json.loads(typed("show", "a.run", "--json").out)
    assert shown["rounds"] == 3 + 3 * 2 * 4
    assert shown["measures"]["fitness"]["n"] == 1


def test_a_summary_has_no_lineage(typed: Type) -> None:
    shown = typed("show", "b.run").out
    assert "generation 3" in shown
    assert "lineage" not in shown


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ("2.2.3", "── Generation 2 · game 2 · round 3 ─"),
        ("3.", "── Generation 3 ─"),
        ("3.1", "── Generation 3 · game 1 · round 1 ─"),
        ("1", "── Generation 1 ─"),
    ],
)
def test_the_replay_begins_where_it_is_told_to(typed: Type, place: str, title: str) -> None:
    story = typed("replay", "a.run", "--plain", "--from", place).out
    assert story.partition("\n\n")[2].startswith(title)
    assert story.endswith("The end, after generation 3 of 3, game 2 of 2, round 4 of 4.\n")
    assert re.search(r"\b[12]_[1-6] ", story)


@pytest.mark.parametrize("place", ["4.1", "2.2.5", "28"])
def test_a_place_beyond_the_record_is_refused(typed: Type, place: str) -> None:
    refused = typed("replay", "a.run", "--from", place)
    assert refused.code == 2
    assert f"there is no round {place}; the record goes " in refused.err


@pytest.mark.parametrize("place", ["x", "1..2", "-1", ".", "2.x"])
def test_what_is_no_place_is_refused(
    typed: Type, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        typed("replay", "a.run", f"--from={place}")
    assert "expected the number of a round, such as 30, or its path" in capsys.readouterr().err
