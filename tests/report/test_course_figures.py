"""Means of survivors are marked: they become thinner, stop, and single runs end in a mark."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from society.report.figures.curves import (
    Curve,
    CurvePanel,
    SingleRun,
    cause_marker,
    choose_limits,
    choose_runs,
    course_grid,
    line_plot,
    list_causes,
)
from society.report.figures.end_labels import spread
from society.report.figures.scales import LINEAR, LOG
from society.report.figures.style import NARROW, SERIES, WIDTH, Figure
from society.report.layout import Layout
from society.report.sections.evolution.populations import Populations
from society.report.sections.over_time import _axis_unit, _Course, _row
from tests.analysis.findings.made_studies import made_run, made_study

LEFT = np.array([10.0, 10, 8, 6, 4, 2])
ROUNDS = np.arange(1, 7)


def dying(label: str = "fine = 2") -> Curve:
    """Ten runs, of which two are left at the end; two of them are drawn."""
    mean = np.linspace(0.1, 0.6, 6)
    runs = [
        SingleRun(np.array([0.1, 0.2, np.nan, np.nan, np.nan, np.nan]), "a villager starved"),
        SingleRun(mean),
    ]
    return Curve(label, SERIES[0], ROUNDS, mean, mean - 0.05, mean + 0.05, LEFT, runs, 10)


@pytest.fixture(scope="module")
def drawn() -> Figure:
    panels = [CurvePanel("Stock", [dying()], limits=(-0.04, 1.04), unit="share")]
    return course_grid("time", "t", "w.", panels, columns=1)


def test_a_mean_stops_where_fewer_than_five_runs_are_left(drawn: Figure) -> None:
    assert np.isnan(dying().shown).tolist() == [False] * 4 + [True] * 2
    rounds = [round_ for one in drawn.data.series for round_ in one.across.tolist()]
    assert max(rounds) == 4


def test_a_mean_becomes_thinner_with_the_runs_that_it_rests_on(drawn: Figure) -> None:
    widths = {
        float(width)
        for width in re.findall(rf"stroke: {SERIES[0].colour}; stroke-width: ([\d.]+)", drawn.svg)
    }
    assert {1.6, 1.2, 0.35} <= widths


def test_a_run_that_has_ended_ends_in_a_mark_and_the_caption_says_why(drawn: Figure) -> None:
    assert drawn.caption == "w. Marks: a villager starved."
    assert cause_marker(["starved", "collapsed"], "starved") != (
        cause_marker(["starved", "collapsed"], "collapsed")
    )
    marks = re.findall(
        rf"<use [^>]*fill: {SERIES[0].colour}; stroke: {SERIES[0].colour}", drawn.svg
    )
    assert len(marks) == 1


def test_runs_of_generations_end_in_a_mark_for_each_cause() -> None:
    mean = np.linspace(0.6, 0.1, 6)
    ended = np.where(np.arange(6) < 3, mean, np.nan)
    runs = [SingleRun(ended, "nobody was left"), SingleRun(mean), SingleRun(ended / 2, "too rich")]
    curve = Curve("", SERIES[0], ROUNDS, mean, mean, mean, LEFT, runs)
    panel = CurvePanel("fitness", [curve], along="generation")
    assert list_causes(runs) == ["nobody was left", "too rich"]
    figure = line_plot("g", "t", "w.", [panel])
    assert [f">ended: {cause}<" in figure.svg for cause in list_causes(runs)] == [True, True]
    assert figure.caption == "w.", "the legend names both"


def test_axes_of_what_has_bounds_are_those_and_others_stop_at_one_bound() -> None:
    panel = CurvePanel("x", [dying()])
    assert choose_limits([panel], (0, 1), LINEAR) == (-0.04, 1.04)
    low, high = choose_limits([panel], (0, None), LINEAR) or (9, 9)
    assert (low, high) == pytest.approx((0.026, 0.674))
    assert choose_limits([panel], (0.05, None), LINEAR) == pytest.approx((0.05, 0.674))
    assert choose_limits([panel], (None, None), LOG) is None


def test_a_share_has_the_axis_of_all_that_is_possible(drawn: Figure) -> None:
    upwards = drawn.data.frames[0].upwards
    assert (upwards.low, upwards.high) == (-0.04, 1.04)


def test_a_figure_is_as_wide_as_a_page_and_as_a_column_of_a_journal(drawn: Figure) -> None:
    wide, narrow = (
        float(re.findall(r'<svg [^>]*width="([\d.]+)pt"', svg)[0])
        for svg in (drawn.svg, drawn.narrow)
    )
    assert (wide, narrow) == pytest.approx((WIDTH * 72, NARROW * 72), abs=0.01)
    for svg in (drawn.svg, drawn.narrow):
        assert min(map(float, re.findall(r"font-size: ([\d.]+)px", svg))) >= 6.5


def test_single_runs_are_the_first_ones() -> None:
    assert list(choose_runs(30, 3)) == [0, 1, 2, 3]
    assert list(choose_runs(2, 1)) == [0, 1]


def test_labels_that_would_cover_each_other_are_moved_apart() -> None:
    assert spread(np.array([0.5, 0.5, 0.0]), 0.2) == pytest.approx([0.4, 0.6, 0.0])
    assert spread(np.array([0.1, 0.9]), 0.2) == pytest.approx([0.1, 0.9])


def test_panels_of_a_measure_share_their_axis_though_they_stand_on_several_figures() -> None:
    """Five lakes are too many to stand side by side; each has a figure of its own."""
    conditions = []
    for lake, fine in product(range(5), range(2)):
        own = {"catch": [float(lake)] * 2}
        factors = {"lake": f"lake {lake}", "fine": fine}
        conditions.append((made_run(own, name=f"{lake},{fine}", factors=factors, rounds=3), own))
    catches = np.repeat(np.arange(5.0), 4)[:, None] + np.arange(3)
    by_round = {"catch": catches, "running": np.ones((20, 3), bool)}
    layout = Layout(made_study(*conditions, by_round=by_round).study)
    groups, lines = layout.figure_panels()
    assert len(groups) == 5
    course = _Course.of(Populations(layout), "catch")
    assert course is not None
    row = _row(layout, course, groups, layout.label_series(groups, lines), all_shown=True)
    assert {panel.limits for panel in row} == {(-0.24, 6.24)}
    assert {panel.quantity for panel in row} == {"catch"}


def test_units_beside_an_axis_are_words_of_their_own() -> None:
    assert _axis_unit("share of catches within the cap") == "share"
    assert _axis_unit("units, mean over agents and games") == "units"
    assert _axis_unit("fish a round") == "fish a round"
