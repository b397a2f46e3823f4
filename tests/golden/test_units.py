"""Units and labels that a scenario declares are kept in the run file and shown with values."""

from __future__ import annotations

from pathlib import Path

from society.analysis.study import open_study
from society.runs.runfile import Manifest

from .test_golden import HERE, replayed, told

OFFLINE = {"models": {"default": {"model": "offline"}}}


def test_the_replay_and_the_frames_have_the_declared_units_and_labels(tmp_path: Path) -> None:
    run = replayed(tmp_path, str(HERE / "canal.py"), {"rounds": 1, "seed": 3, **OFFLINE})
    assert run.manifest.facts["gate"].labels == ("closed", "open")
    assert "taken (litres)" in told(run)
    agents = open_study([tmp_path / "golden.run"]).agents
    assert agents.attrs["units"]["taken"] == "litres"


def test_a_manifest_of_before_has_no_units(tmp_path: Path) -> None:
    run = replayed(tmp_path, "fishing_village", {"agents": 2, "rounds": 1, "seed": 1})
    kept = run.manifest.model_dump(mode="json")
    del kept["facts"]
    assert Manifest.model_validate(kept).facts == {}
