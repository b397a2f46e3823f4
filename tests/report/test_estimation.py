"""A comparison begins with an estimation plot, which claims no more than its tests show."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from society.analysis.study import ConditionRun, Study
from society.analysis.study.panel_tests import compare_panels
from society.config.build import build
from society.config.run_config import load_config
from society.experiments.factors import Label
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.sections.contrast_figure import estimation_figure
from society.report.sections.pairwise_tests import contrasts
from society.report.tables import Table
from society.runs.runfile import Writer, manifest_of

pytestmark = pytest.mark.xdist_group("estimation")

# A yield is chance in [0, 1), of its own for each condition, and `gain` for each unit of water.
FIELD = """
import numpy as np

from society.engine.component import Component
from society.engine.population import Cohort
from society.engine.scenario import Measure, Params, scenario
from society.engine.script import Tell, common


class Field(Params):
    water: float = 0.0
    gain: float = 0.0
    soil: str = "clay"


@scenario(
    params=Field,
    cast=lambda p, n: [Cohort("nobody", n, (Component(),))],
    measures=(Measure("harvest", "tons", lambda told, env: told["harvest"]),),
    agents=1,
    rounds=1,
)
def field(env):
    "Something grows."
    p = env.params
    luck = env.draws("luck").uniform(f"{p.water} {p.soil}")[:, :1]
    for _ in env.rounds():
        yield Tell("grown", {"harvest": common(p.gain * p.water + luck)})
"""
WATER: list[Label] = [0, 1, 2]

Played = Callable[..., Layout]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """`played(gain=0.5, replicates=12)`: harvests by water, and by soil if there are several."""

    def play(
        gain: float, replicates: int = 12, soils: tuple[str, ...] = (), *, common: bool = True
    ) -> Layout:
        folder = tmp_path_factory.mktemp("field")
        (folder / "field.py").write_text(FIELD)
        levels: dict[str, list[Label]] = {"water": WATER}
        crossed: list[dict[str, Label]] = [{"water": water} for water in WATER]
        if soils:
            levels["soil"] = list(soils)
            crossed = [{**one, "soil": soil} for soil in soils for one in crossed]
        runs = tuple(_run(folder, gain, replicates, factors) for factors in crossed)
        return Layout(Study("field", runs, levels, "common" if common else "independent"))

    return play


def _run(folder: Path, gain: float, replicates: int, factors: dict[str, Label]) -> ConditionRun:
    changes = {"replicates": replicates, "seed": 7, "parameters": {**factors, "gain": gain}}
    setup = build(load_config(str(folder / "field.py"), changes))
    name = ",".join(f"{factor}={label}" for factor, label in factors.items())
    path = folder / f"{name}.run"
    with Writer(path, manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return ConditionRun.read(path, name, factors)


def drawn(layout: Layout) -> Figure:
    figure = estimation_figure(layout, compare_panels(layout))
    assert figure is not None
    return figure


@pytest.mark.parametrize("common", [True, False], ids=["paired", "independent"])
def test_differences_are_those_of_the_table_of_contrasts(played: Played, *, common: bool) -> None:
    layout = played(0.5, common=common)
    (found,) = (part for part in contrasts(layout) if isinstance(part, Table))
    columns = {column.heading: column.cells for column in found.columns}
    apart = [one for one in drawn(layout).data.series if one.frame == 1]
    assert [one.label for one in apart] == ["water = 1", "water = 2"]
    for row, series in enumerate(apart):
        assert series.values is not None
        assert series.low is not None
        assert series.high is not None
        ends = [float(each[0]) for each in (series.values, series.low, series.high)]
        table = [columns[name][row] for name in ("difference", "95 % from", "95 % to")]
        assert ends == pytest.approx(table)
    below = sum(p < 0.05 for p in columns["p (Holm)"])
    kind = "paired t tests" if common else "Welch's t tests"
    assert f"two-sided {kind}, Holm's p < .05: {below} of 2." in drawn(layout).caption


@pytest.mark.parametrize(
    ("gain", "title"),
    [
        (0.5, "Harvest: higher with each other water than with water = 0"),
        (-0.5, "Harvest: lower with each other water than with water = 0"),
        (0.0, "Harvest by water"),
    ],
    ids=["effect", "effect downwards", "none"],
)
def test_a_title_says_what_all_tests_show(played: Played, gain: float, title: str) -> None:
    layout = played(gain)
    assert drawn(layout).title == title
    p = [
        cell
        for part in contrasts(layout)
        if isinstance(part, Table)
        for column in part.columns
        if column.heading == "p (Holm)"
        for cell in column.cells
    ]
    assert (max(p) < 0.05) == (gain != 0)


def test_a_title_claims_nothing_that_one_of_the_tests_does_not_show(played: Played) -> None:
    """Of an effect that only the larger dose has, the plot says how many tests found it."""
    figure = drawn(played(0.12))
    assert "Holm's p < .05: 1 of 2." in figure.caption
    assert figure.title == "Harvest by water"


def test_four_runs_have_a_difference_but_no_interval_no_test_and_no_claim(played: Played) -> None:
    """However far apart they are."""
    figure = drawn(played(100.0, replicates=4))
    assert figure.title == "Harvest by water"
    assert "without a test." in figure.caption
    assert all(np.isnan(one.low).all() for one in figure.data.series if one.low is not None)
    assert "95 % interval" not in figure.alt


def test_effects_that_differ_in_sign_by_panel_are_no_claim(played: Played) -> None:
    """One panel for each soil, at which all tests must agree."""
    layout = played(0.5, soils=("clay", "sand"))
    figure = drawn(layout)
    assert figure.title == (
        "Harvest: higher with each other water than with water = 0, at every soil"
    )
    titles = re.findall(r">([a-d]  [^<]*)<", figure.svg)
    assert [*map(str.strip, titles)] == [
        *("a  soil = clay", "b  against water = 0", "c  soil = sand", "d  against water = 0")
    ]


def test_all_runs_alike_are_a_tie_without_a_claim(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = played(0.0)
    alike = [np.ones(12) for _ in layout.conditions]
    monkeypatch.setattr(layout, "values", lambda name: alike)
    figure = drawn(layout)
    assert figure.title == "Harvest by water"
    assert "without a test." in figure.caption
