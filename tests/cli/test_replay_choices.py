"""`society replay` of one match of a tournament, and of a folder of runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.runs.runfile import Writer, manifest_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament of two types, and a village."""
    path = tmp_path_factory.mktemp("runs")
    cohorts = [
        {"name": name, "components": [{"classic_strategies": {"strategy": strategy}}]}
        for name, strategy in (("rogue", "always_defect"), ("mirror", "tit_for_tat"))
    ]
    mechanisms = [{"repetition": {"games": 2}}, {"tournament": {"repetitions": 2}}]
    rivals = {"mechanisms": mechanisms, "cohorts": cohorts}
    for name, scenario, changes in (
        ("rivals", "prisoners_dilemma", rivals),
        ("lake", "fishing_village", {"agents": 3, "rounds": 1, "seed": 2}),
    ):
        setup = build(load_config(scenario, changes))
        with Writer(path / f"{name}.run", manifest_of(setup)) as writer:
            setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return path


def typed(*words: str | Path) -> int:
    try:
        return main([str(word) for word in words])
    except SystemExit as stop:
        return int(stop.code or 0)


def test_a_match_is_printed_by_the_names_of_its_types(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("replay", folder / "rivals.run", "--plain", "--match", "mirror-rogue:2") == 0
    said = capsys.readouterr().out
    assert "replicate 6: mirror against rogue, repetition 2 of 2 (7 more not shown)" in said
    assert "player 1 (mirror)  0  played A0  ↔ player 2 (rogue)  3  played A1" in said


def test_a_match_that_there_is_not_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("replay", folder / "rivals.run", "--plain", "--match", "mirror-rouge") == 2
    assert "no match is called 'mirror-rouge'; did you mean 'rogue'?" in capsys.readouterr().err
    assert typed("replay", folder / "lake.run", "--plain", "--match", "mirror-rogue") == 2
    said = capsys.readouterr().err
    assert "lake.run has no matches between types; give --replicate a number" in said


def test_a_folder_of_runs_is_printed_as_a_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("replay", folder, "--plain") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(" · 2 runs: 2 finished")
    assert [line.split()[:2] for line in lines[2:4]] == [
        ["lake", "finished"],
        ["rivals", "finished"],
    ]


def test_options_about_rounds_are_refused_for_a_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("replay", folder, "--plain", "--match", "mirror-rogue") == 2
    said = capsys.readouterr().err
    assert re.search("--match is about one run, and .* is a folder; name a run file in it", said)


def test_a_folder_without_runs_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("replay", tmp_path) == 2
    assert "holds no runs; name a run file, or the folder of a sweep" in capsys.readouterr().err
