"""A comparison begins with an estimation plot, which claims no more than its tests show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from society.analysis.study import ConditionRun, Study
from society.analysis.study.design import ConditionGroup
from society.analysis.study.panel_tests import compare_panels
from society.config.build import build
from society.config.run_config import load_config
from society.experiments.factors import Label
from society.report.figures.estimation import (
    EstimatedDifference,
    EstimationAxes,
    EstimationPanel,
    EstimationRow,
    estimation_plot,
)
from society.report.figures.intervals import Dot
from society.report.figures.scales import LINEAR
from society.report.figures.style import INK, SERIES
from society.report.layout import Layout
from society.report.sections import contrast_figure
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


class Plot(NamedTuple):
    """What an estimation plot is to show, before it is drawn."""

    name: str
    title: str
    caption: str
    axes: EstimationAxes
    panels: Sequence[EstimationPanel]

    @property
    def differences(self) -> list[tuple[float | None, ...]]:
        """Value, low and high of all levels but the first ones."""
        return [row.difference for one in self.panels for row in one.rows if row.difference]


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Callable[[Layout], Plot]:
    monkeypatch.setattr(contrast_figure, "estimation_plot", Plot)

    def plan(layout: Layout) -> Plot:
        plot = contrast_figure.estimation_figure(layout, compare_panels(layout))
        assert isinstance(plot, Plot)
        return plot

    return plan


Planned = Callable[[Layout], Plot]


def tabulated(layout: Layout, *headings: str) -> list[tuple[float, ...]]:
    """Columns of the table of contrasts, row by row."""
    (found,) = (part for part in contrasts(layout) if isinstance(part, Table))
    columns = {column.heading: column.cells for column in found.columns}
    cells = [[float(str(cell)) for cell in columns[heading]] for heading in headings]
    return [*zip(*cells, strict=True)]


@pytest.mark.parametrize("common", [True, False], ids=["paired", "independent"])
def test_differences_are_those_of_the_table_of_contrasts(
    played: Played, planned: Planned, *, common: bool
) -> None:
    layout = played(0.5, common=common)
    plot = planned(layout)
    assert [row.name for row in plot.panels[0].rows] == ["water = 0", "water = 1", "water = 2"]
    table = tabulated(layout, "difference", "95 % from", "95 % to")
    assert len(table) == 2
    assert np.array(plot.differences, float) == pytest.approx(np.array(table))
    below = sum(p < 0.05 for (p,) in tabulated(layout, "p (Holm)"))
    kind = "paired t tests" if common else "Welch's t tests"
    assert f"two-sided {kind}, Holm's p < .05: {below} of 2." in plot.caption
    assert len(plot.panels[0].pairs) == (12 if common else 0)


@pytest.mark.parametrize(
    ("gain", "title"),
    [
        (0.8, "Harvest: higher with each other water than with water = 0"),
        (-0.8, "Harvest: lower with each other water than with water = 0"),
        (0.0, "Harvest by water"),
    ],
    ids=["effect", "effect downwards", "none"],
)
def test_a_title_says_what_all_tests_show(
    played: Played, planned: Planned, gain: float, title: str
) -> None:
    layout = played(gain)
    assert planned(layout).title == title
    largest = max(p for (p,) in tabulated(layout, "p (Holm)"))
    assert (largest < 0.05) == (gain != 0)


def test_a_title_claims_nothing_that_one_of_the_tests_does_not_show(
    played: Played, planned: Planned
) -> None:
    """Where only the larger dose has an effect, the caption counts the tests that found one."""
    layout = played(0.2)
    p = [p for (p,) in tabulated(layout, "p (Holm)")]
    assert min(p) < 0.05 < max(p)
    assert "Holm's p < .05: 1 of 2." in planned(layout).caption
    assert planned(layout).title == "Harvest by water"


def test_four_runs_have_differences_but_no_interval_no_test_and_no_claim(
    played: Played, planned: Planned
) -> None:
    """However far apart they are."""
    layout = played(100.0, replicates=4)
    assert max(p for (p,) in tabulated(layout, "p (Holm)")) < 0.001
    plot = planned(layout)
    assert plot.title == "Harvest by water"
    assert "without a test." in plot.caption
    assert [each[1:] for each in plot.differences] == [(None, None)] * 2
    assert [each[0] for each in plot.differences] == pytest.approx([100, 200], abs=1)


def test_levels_are_compared_at_the_same_levels_of_other_factors(
    played: Played, planned: Planned
) -> None:
    plot = planned(played(1.0, soils=("clay", "sand")))
    assert [panel.title for panel in plot.panels] == ["soil = clay", "soil = sand"]
    assert plot.title == (
        "Harvest: higher with each other water than with water = 0, at every soil"
    )
    assert "Holm's p < .05: 4 of 4." in plot.caption


def test_runs_that_are_all_alike_are_a_tie_without_a_claim(
    played: Played, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = played(0.0)
    alike = [np.ones(12) for _ in layout.conditions]
    monkeypatch.setattr(layout, "values", lambda name: alike)
    assert planned(layout).title == "Harvest by water"
    assert [each[0] for each in planned(layout).differences] == [0, 0]


def test_a_level_has_one_colour_wherever_it_is_told_and_ink_where_it_is_not(
    played: Played,
) -> None:
    """Here colours stand for water, which is a number; soil has markers."""
    layout = played(0.0, soils=("clay", "sand"))
    assert layout.colour_factor == "water"
    for place in range(6):
        colour = layout.level_style(layout.level(place, "water")).colour
        assert layout.style(place).colour == colour
        assert layout.style_of_levels(place, ["water", "soil"]).colour == colour
        assert layout.style_of_levels(place, ["soil"]).colour == INK
    assert len({layout.style_of_levels(place, ["soil"]).marker for place in range(6)}) == 2
    chosen = layout.label_series([ConditionGroup("", [0, 1, 3])], [])
    assert [style.colour for _, style in chosen.values()] == [
        layout.style(place).colour for place in (0, 1, 3)
    ]
    assert len({style.dashes for _, style in chosen.values()}) == 3


@pytest.mark.usefixtures("wide_only")
def test_panels_with_differences_of_another_size_stay_within_their_common_axis() -> None:
    def panel(title: str, difference: float) -> EstimationPanel:
        runs = np.array([9.0, 10, 11])
        rows = [
            EstimationRow("low", SERIES[0], Dot(10, 9, 11, runs), None),
            EstimationRow("high", SERIES[1], Dot(10, 9, 11, runs + difference),
                          EstimatedDifference(difference, difference - 1, difference + 1)),
        ]  # fmt: skip
        return EstimationPanel(title, rows, np.empty((0, 2)))

    axes = EstimationAxes("harvest", "difference", LINEAR, None, 0)
    figure = estimation_plot("a", "", "", axes, [panel("clay", 2), panel("sand", 30)])
    ends = [(one.low, one.high) for one in figure.data.quantities if "difference" in one.quantity]
    assert ends
    assert all(low <= 0 and high >= 31 for low, high in ends)


@pytest.mark.usefixtures("wide_only")
def test_errors_of_rounding_are_drawn_as_no_difference() -> None:
    runs = np.array([9.0, 10, 11])
    rows = [
        EstimationRow("low", SERIES[0], Dot(10, 9, 11, runs), None),
        EstimationRow("high", SERIES[1], Dot(10, 9, 11, runs),
                      EstimatedDifference(1e-17, None, None)),
    ]  # fmt: skip
    axes = EstimationAxes("harvest", "difference", LINEAR, None, 0)
    figure = estimation_plot("a", "", "", axes, [EstimationPanel("", rows, np.empty((0, 2)))])
    (ends,) = [
        (one.low, one.high) for one in figure.data.quantities if "difference" in one.quantity
    ]
    assert ends == (-1, 1)
