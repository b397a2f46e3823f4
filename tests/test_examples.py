"""The examples in docs/examples are short, sound, and show what docs/examples.md says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import society
from society import Result
from society.experiments.experiment import read_experiment
from society.runs.play import play as play_society

HERE = Path(__file__).parents[1] / "docs" / "examples"
PLAYED = sorted(path.stem for path in HERE.iterdir() if path.suffix in (".py", ".yaml"))


def play(name: str, **parameters: Any) -> Result:
    return society.run(HERE / name, seed=1, replicates=8, parameters=parameters, level="summary")


def mean(result: Result, measure: str) -> float:
    found = result.measures[measure].mean
    assert found is not None
    return found


@pytest.mark.parametrize("name", PLAYED)
def test_each_example_has_at_most_60_lines_and_a_row_on_the_page(name: str) -> None:
    files = [path for path in HERE.glob(f"{name}.*") if path.suffix != ".csv"]
    lines = [line for path in files for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) <= 60
    assert f"docs/examples/{files[0].name}" in (HERE.parent / "examples.md").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("name", PLAYED)
def test_each_example_passes_all_checks(name: str) -> None:
    (file,) = (path for path in HERE.glob(f"{name}.*") if path.suffix != ".csv")
    assert [one for one in society.check(file) if one.outcome != "ok"] == []


def test_gates_close_the_gap_between_head_and_tail_and_raise_the_harvest() -> None:
    opened, gated = play("canal.py", gates=False), play("canal.py", gates=True)
    assert mean(opened, "upper_minus_lower") > 1.5
    head = mean(opened, "harvest") + mean(opened, "upper_minus_lower") / 2
    tail = mean(opened, "harvest") - mean(opened, "upper_minus_lower") / 2
    assert head > 2 * tail
    assert abs(mean(gated, "upper_minus_lower")) < 0.01
    assert mean(gated, "harvest") > mean(opened, "harvest") + 0.3


def test_a_fee_doubles_the_grass_and_makes_herding_pay() -> None:
    free, priced = play("pasture.py", fee=0.0), play("pasture.py", fee=0.35)
    assert mean(free, "grass") == pytest.approx(0.30, abs=0.02)  # upkeep: where income is nothing
    assert mean(priced, "grass") == pytest.approx(0.65, abs=0.02)  # upkeep and fee
    assert abs(mean(free, "income")) < 0.3
    assert mean(priced, "income") > 2.5


def test_programs_that_back_off_get_more_through() -> None:
    assert mean(play("rate_limit.py", patience=1.0), "served") < 0.03
    assert mean(play("rate_limit.py", patience=0.5), "served") > 0.5


def test_trade_dies_out_where_quality_is_unseen_and_inspected_cars_are_sold() -> None:
    assert mean(play("lemons.py", inspected=0.0), "traded") < 0.02
    assert mean(play("lemons.py", inspected=0.5), "traded") == pytest.approx(0.5, abs=0.05)


def play_conditions(name: str, folder: Path) -> dict[str, Path]:
    """Play the conditions of an experiment; returns their run files by level."""
    files = {}
    for one in read_experiment(HERE / name).conditions:
        files[one.name.partition("=")[2]] = file = folder / f"{one.name}.run"
        play_society(one.setup, file, level="full")
    return files


@pytest.mark.thorough
def test_gossip_takes_away_the_advantage_of_those_who_never_give(tmp_path: Path) -> None:
    owned = {}
    for level, file in play_conditions("gossip.yaml", tmp_path).items():
        agents = society.open_run(file).agents
        last = agents[agents["round"] == 60]
        owned[level] = last.groupby("cohort")["resources"].mean()
    assert owned["silent"]["free_rider"] > owned["silent"]["discriminating"] + 5
    assert abs(owned["talking"]["free_rider"] - owned["talking"]["discriminating"]) < 1


@pytest.mark.thorough
def test_a_giving_culture_gives_less_than_half_as_much_among_free_riders(tmp_path: Path) -> None:
    files = play_conditions("two_cultures.yaml", tmp_path)
    given = {level: society.open_run(file).runs["donation"].mean() for level, file in files.items()}
    assert given["givers"] > 0.6
    assert given["free_riders"] < given["givers"] / 2


def test_a_contract_saves_the_commons(tmp_path: Path) -> None:
    files = play_conditions("contract.yaml", tmp_path)
    runs = {level: society.open_run(file).runs for level, file in files.items()}
    assert runs["none"]["efficiency"].mean() == pytest.approx(0.0, abs=0.05)
    assert runs["contract"]["efficiency"].mean() > 0.9


def test_an_imitator_follows_the_class_a_round_later() -> None:
    result = society.run(HERE / "classroom.yaml", seed=1)
    played = result.events.query("sort == 'tell' and kind == 'played' and name == 'action'")
    imitator = played.query("agent == 3 and replicate == 0")
    given = imitator.sort_values("round")["value"]
    assert given.tolist() == [0, 0, 0, 1, 1]  # 0 contributes; the class begins to keep in round 3
