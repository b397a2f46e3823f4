"""Units and labels that a scenario declares are kept in the run file and shown with values."""

from __future__ import annotations

from pathlib import Path

from society.analysis.study import open_study
from society.engine.fact_specs import FactSpec
from society.runs.runfile import Manifest

from .test_golden import HERE, replayed, told

OFFLINE = {"models": {"default": {"model": "offline"}}}


def test_the_replay_and_the_frames_have_the_declared_units_and_labels(tmp_path: Path) -> None:
    run = replayed(tmp_path, str(HERE / "canal.py"), {"rounds": 1, "seed": 3, **OFFLINE})
    assert run.manifest.facts["gate"].labels == ("closed", "open")
    _, units = told(run).partition("taken")[2].splitlines()[:2]
    assert units.split() == ["litres"]
    agents = open_study([tmp_path / "golden.run"]).agents
    assert agents.attrs["units"]["taken"] == "litres"
    assert agents.attrs["descriptions"]["taken"] == "Water taken last week"


def test_shipped_scenarios_tell_their_units_in_replay_and_frames(tmp_path: Path) -> None:
    run = replayed(tmp_path, "fishing_village", {"agents": 2, "rounds": 1, "seed": 1})
    assert " of 300 fish" in told(run)
    units = open_study([tmp_path / "golden.run"]).agents.attrs["units"]
    assert {units[name] for name in ("catch", "wealth", "belief")} == {"fish"}


def test_a_deed_in_the_donor_game_is_told_by_its_name(tmp_path: Path) -> None:
    replayed(tmp_path, "donor_game", {"agents": 2, "rounds": 1, "seed": 1})
    agents = open_study([tmp_path / "golden.run"]).agents
    deeds = agents[agents["round"] == 1]["deed"]
    assert set(deeds) == {"none", "gave"}
    assert deeds.cat.categories.tolist()[:2] == ["none", "gave"]


def test_a_manifest_of_before_has_no_units(tmp_path: Path) -> None:
    run = replayed(tmp_path, "fishing_village", {"agents": 2, "rounds": 1, "seed": 1})
    kept = run.manifest.model_dump(mode="json")
    del kept["facts"]
    before = Manifest.model_validate(kept)
    assert before.facts == {}
    assert before.specs == {"persona": FactSpec(labels=("general", "altruist", "selfish"))}
