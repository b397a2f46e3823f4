"""Numbers of a run over its rounds, by name."""

from pathlib import Path

import numpy as np
import pytest

import society
from society.config.build import build
from society.config.run_config import load_config
from society.errors import InputError
from society.runs.play import play
from society.runs.runfile import RunFile, open_run_file


@pytest.fixture
def village(tmp_path: Path) -> RunFile:
    society.run("fishing_village", seed=3, rounds=4, replicates=2, out=tmp_path / "v.run")
    return open_run_file(tmp_path / "v.run")


def test_a_common_fact_has_one_number_a_round(village: RunFile) -> None:
    stock = village.series("stock", 1)
    assert stock.shape == (5,)
    assert np.isnan(stock[0])  # nothing is told of it before the first round
    told = [
        step.arrays["common", "stock"][1, 0]
        for page in village.pages(1)
        for step in page.steps
        if step.kind == "regrown"
    ]
    assert stock[1:].tolist() == told


def test_a_fact_of_agents_and_a_public_column_have_one_number_for_each(village: RunFile) -> None:
    assert village.series("wealth").shape == (5, 10)
    page = list(village.pages())[-1]
    assert village.series("belief", 1)[-1].tolist() == page.public["belief"][1].tolist()


def test_a_measure_may_have_the_name_of_a_fact(village: RunFile) -> None:
    fish, share = village.series("stock"), village.series("stock", measure=True)
    np.testing.assert_allclose(share[1:], fish[1:] / 300)
    assert village.series("gini").shape == (5,)


def test_the_dead_and_what_follows_the_end_are_not_numbers(tmp_path: Path) -> None:
    harsh = {"wealth": 3, "ends_on": "collapse"}
    society.run("fishing_village", seed=2, rounds=6, parameters=harsh, out=tmp_path / "v.run")
    with open_run_file(tmp_path / "v.run") as run:
        wealth = run.series("wealth")
        gone = [~page.present[0] for page in run.pages()]
    assert gone[-1].any()
    for number in range(1, len(gone)):
        assert np.isnan(wealth[number]).tolist() == gone[number - 1].tolist()


def test_texts_are_series_too(tmp_path: Path) -> None:
    spec = load_config("language_village", {"seed": 1, "rounds": 2, "agents": 3})
    play(build(spec), tmp_path / "l.run", conclude=False)
    with open_run_file(tmp_path / "l.run") as run:
        norms = run.series("norm")
    assert norms.shape == (3, 3)
    assert norms[-1, 0].endswith(".")


def test_unknown_names_and_replicates_are_refused(village: RunFile) -> None:
    with pytest.raises(InputError, match="the run has no series 'stok'; did you mean 'stock'"):
        village.series("stok")
    with pytest.raises(InputError, match="there is no replicate 2; give a number from 0 to 1"):
        village.series("stock", 2)


def test_at_level_summary_there_are_measures_only(tmp_path: Path) -> None:
    society.run("fishing_village", seed=3, rounds=3, level="summary", out=tmp_path / "s.run")
    with open_run_file(tmp_path / "s.run") as run:
        assert run.series("efficiency").shape == (4,)
        with pytest.raises(InputError, match=r"level summary keeps measures only .*--record full"):
            run.series("wealth")
