"""`society strategies evolve`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from society.cli.main import main
from society.scenarios.programs import strategy_pool

BUILT_IN = Path(strategy_pool.__file__).parent / "strategies" / "any_dilemma"
SMALL = ["--population", "16", "--set", "elite=2", "--generations", "2"]


def evolve(*words: str) -> int:
    return main(["strategies", "evolve", *words])


def test_strategies_of_a_folder_evolve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "evolved.run"
    words = ["--game", "public_goods", *SMALL, "--out", str(out), "--json"]
    assert evolve(str(BUILT_IN), *words) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["scenario"], said["agents"], said["rounds"]) == ("cultural_evolution", 16, 2)
    shares = [one["mean"] for name, one in said["measures"].items() if name.startswith("share_")]
    assert sum(shares) == pytest.approx(1)
    assert len(shares) == 4
    assert main(["verify", str(out)]) == 0


def test_a_quiet_run_keeps_its_findings_so_that_showing_it_checks_no_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "quiet.run")
    assert evolve(str(BUILT_IN), "--game", "public_goods", *SMALL, "--out", out, "--quiet") == 0
    monkeypatch.delattr(strategy_pool, "_read_pool")
    assert main(["show", out, "--json"]) == 0
    assert "won_plain_collective" in json.loads(capsys.readouterr().out)["measures"]


def test_without_a_folder_the_built_in_strategies_play_any_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--game", "common_pool", "--rule", "fermi", "--replicates", "2", *SMALL, "--json"]
    assert evolve(*words, "--out", str(tmp_path / "pool.run")) == 0
    assert json.loads(capsys.readouterr().out)["replicates"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "chess"], "got 'chess'; expected one of public_goods"),
        (["nowhere", "--game", "public_goods"], "there is no folder nowhere; name a folder"),
        (["--game", "public_goods", "--population", "30"], "take 28 or 32 users"),
        (["--game", "public_goods", "--rule", "moran"], "got 'moran'; choose one of"),
        (["--game", "common_pool", "--set", "factor=2"], "common_pool has no factor"),
        ([str(BUILT_IN), "--game", "common_pool"], "this game is common_pool"),
    ],
)
def test_mistakes_are_told_in_one_message(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = evolve(*words)
    except SystemExit as stop:  # from the parser
        code = int(stop.code or 0)
    assert code == 2
    said = capsys.readouterr().err.strip()
    assert message in said
    assert len(said.splitlines()) == 1
