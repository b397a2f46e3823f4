"""The scale of what multiplies: when it is taken, and what means and tests are then."""

from __future__ import annotations

import doctest
import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from society.analysis.study import ConditionRun, Study
from society.config.build import build
from society.config.run_config import load_config
from society.engine.rng import Array
from society.experiments.factors import Label
from society.report.figures import scales
from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.scales import LINEAR, LOG, AxisScale
from society.report.layout import Layout
from society.report.sections.pairwise_tests import contrasts
from society.report.tables import Table
from society.runs.runfile import Writer, manifest_of


def test_examples_hold() -> None:
    assert doctest.testmod(scales).failed == 0


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([10.0, 10.0, 10.0, 200.0], LINEAR),
        ([10.0, 10.0, 10.0, 201.0], LOG),
        ([0.0, 10.0, 10.0, 1e6], LINEAR),
        ([-1.0, 10.0, 10.0, 1e6], LINEAR),
        ([np.nan, 10.0, 10.0, 1e6], LOG),
        ([np.nan], LINEAR),
        ([], LINEAR),
    ],
)
def test_heavy_tails_above_zero_are_logarithmic(values: list[float], scale: AxisScale) -> None:
    assert AxisScale.of(np.array(values)) == scale


def test_a_geometric_mean_has_an_interval_above_zero() -> None:
    """One rich run among poor ones: the interval of the mean would begin at -320,000."""
    runs = np.array([10.0, 10.0, 100.0, 1e5, 1e6])
    poor, rich = Dot.of(runs, LOG), Dot.of(runs)
    assert poor is not None
    assert rich is not None
    assert poor.mean == pytest.approx(1000)
    assert poor.low is not None
    assert 0 < poor.low < 1000
    assert rich.low is not None
    assert rich.low < 0


def test_differences_of_logarithms_are_ratios() -> None:
    assert LOG.invert(math.log(8) - math.log(2)) == pytest.approx(4)
    assert LINEAR.invert(6.0) == 6


def test_dots_of_what_multiplies_have_a_logarithmic_axis() -> None:
    runs: Array = np.array([10.0, 100.0, 1e6])
    panel = DotPanel("", ["a"], {"": [Dot(1000, 10, 1e5, runs)]})
    picture = dot_plot("d", "t", "w", "units", [panel], LOG)
    assert ">1,000<" in picture.svg
    assert ">1,000<" not in dot_plot("d", "t", "w", "units", [panel]).svg


# Wealth is `worth` times a number that chance spreads over six orders of magnitude.
WEALTH = """
import numpy as np

from society.engine.component import Component
from society.engine.population import Cohort
from society.engine.scenario import Measure, Params, scenario
from society.engine.script import Tell, common


class Wealth(Params):
    worth: float = 1.0


@scenario(
    params=Wealth,
    cast=lambda p, n: [Cohort("nobody", n, (Component(),))],
    measures=(Measure("wealth", "units", lambda told, env: told["wealth"]),),
    agents=1,
    rounds=1,
)
def wealth(env):
    "Somebody grows rich."
    luck = env.draws("luck").uniform("wealth")[:, :1]
    for _ in env.rounds():
        yield Tell("grown", {"wealth": common(env.params.worth * 10 ** (6 * luck))})
"""


def test_contrasts_of_what_multiplies_are_ratios_of_geometric_means(tmp_path: Path) -> None:
    """Twice the worth is twice the wealth in every run, whatever its luck."""
    (tmp_path / "wealth.py").write_text(WEALTH)
    worth: list[Label] = [1, 2, 6]
    study = Study("wealth", tuple(_run(tmp_path, one) for one in worth), {"worth": worth})
    layout = Layout(study)
    assert layout.scale == LOG
    (found,) = (part for part in contrasts(layout) if isinstance(part, Table))
    columns = {column.heading: column.cells for column in found.columns}
    assert columns["ratio"] == pytest.approx([2, 6])
    assert "difference" not in columns


def _run(folder: Path, worth: Label) -> ConditionRun:
    changes = {"replicates": 20, "parameters": {"worth": worth}}
    setup = build(load_config(str(folder / "wealth.py"), changes))
    path = folder / f"worth={worth}.run"
    with Writer(path, manifest_of(setup)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return ConditionRun.read(path, path.stem, {"worth": worth})


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(10, 14, [10, 11, 12, 13, 14]), (9, 230, [10, 20, 50, 100, 200]), (1, 1e4, [1, 10, 100, 1e3])],
)
def test_a_logarithmic_axis_has_several_labels(low: float, high: float, shown: list[float]) -> None:
    axes = Figure().subplots()
    axes.set_ylim(low, high)
    LOG.apply(axes, "y")
    assert set(shown) <= {round(float(tick), 6) for tick in axes.get_yticks()}
