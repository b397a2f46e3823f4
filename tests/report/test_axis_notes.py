"""One quantity has one axis on a page, or the page says where it has not."""

from __future__ import annotations

import numpy as np
import pytest

from society.report.axis_notes import axis_notes
from society.report.figures.curves import Curve, CurvePanel, line_plot
from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.read_out import FigureData, QuantityAxis
from society.report.figures.scales import LOG
from society.report.figures.style import SERIES, Figure
from society.report.page import Section, render_page

pytestmark = pytest.mark.usefixtures("wide_only")


def figure(name: str, *axes: QuantityAxis) -> Figure:
    return Figure(name, name, "", "", "", b"", FigureData(quantities=axes))


def notes(*figures: Figure) -> dict[str, str]:
    return axis_notes((f"Figure {place}", one) for place, one in enumerate(figures, 1))


def axis(
    low: float, high: float, quantity: str = "payoff, points", *, log: bool = False
) -> QuantityAxis:
    return QuantityAxis(quantity, log, low, high)


def test_a_quantity_with_the_same_axis_in_all_figures_needs_no_note() -> None:
    assert notes(figure("a", axis(0, 100)), figure("b", axis(-3, 103))) == {}


def test_another_axis_is_named_with_its_ends_and_those_of_the_figure_before() -> None:
    same = figure("a", axis(0, 100)), figure("b", axis(0, 100))
    assert notes(*same, figure("c", axis(0, 30))) == {
        "c": "The axis of payoff differs from that in Figure 1: 0 to 30 here, 0 to 100 there."
    }


def test_other_quantities_are_not_compared() -> None:
    assert notes(figure("a", axis(0, 100)), figure("b", axis(0, 30, "share"))) == {}


def test_the_unit_tells_quantities_apart_and_capitals_do_not() -> None:
    units = axis(0, 100, "payoff, points"), axis(0, 30, "payoff, share")
    assert notes(*(figure("ab"[at], one) for at, one in enumerate(units))) == {}
    found = notes(figure("a", axis(0, 100)), figure("b", axis(0, 30, "Payoff, points")))
    assert found["b"].startswith("The axis of payoff differs from that in Figure 1: ")


def test_a_logarithmic_axis_is_another_one_than_a_linear_one() -> None:
    found = notes(figure("a", axis(1, 100, log=True)), figure("b", axis(1, 100)))
    assert found["b"].endswith("1 to 100 here, 1 to 100 (logarithmic) there.")
    near = notes(figure("a", axis(1, 1e6, log=True)), figure("b", axis(2, 1e6, log=True)))
    assert near == {}, "as far apart as eyes see on such an axis"


def test_panels_of_one_figure_that_differ_say_so() -> None:
    assert notes(figure("a", axis(0, 100), axis(0, 30))) == {
        "a": "The axes of payoff differ from panel to panel."
    }


def test_a_note_names_two_quantities_and_counts_the_others() -> None:
    names = ("a", "b", "c", "d")
    first = figure("p", *(axis(0, 1, name) for name in names))
    found = notes(first, figure("q", *(axis(0, 9, name) for name in names)))
    assert found["q"].count("The axis of ") == 2
    assert found["q"].endswith("The same goes for 2 more of its axes.")
    found = notes(first, figure("q", *(axis(0, 9, name) for name in names[:3])))
    assert found["q"].endswith("The same goes for one more of its axes.")


# What a figure tells of its axes


def dots(
    name: str, mean: float, bounds: tuple[float | None, float | None] = (None, None)
) -> Figure:
    panel = DotPanel("", ["x"], {"": [Dot(mean, None, None, np.array([mean, mean + 1]))]})
    return dot_plot(name, name, "c.", "survival time, rounds", [panel], bounds=bounds)


def curve(title: str, top: float) -> CurvePanel:
    rounds, mean = np.arange(1, 4), np.array([0.0, top / 2, top])
    none = np.full(3, np.nan)
    line = Curve("x", SERIES[0], rounds, mean, none, none, np.full(3, 9.0))
    return CurvePanel(title, [line], LOG if top > 1e3 else CurvePanel("", []).scale)


def test_a_row_of_dots_is_read_along_its_axis_and_a_curve_by_its_height() -> None:
    (across,) = dots("a", 40).data.quantities
    assert across.quantity == "survival time, rounds"
    (upwards,) = line_plot("b", "b", "c.", [curve("Stock", 1.0)]).data.quantities
    assert upwards.quantity == "Stock"
    (shared,) = line_plot("b", "b", "c.", [curve("rich", 1.0)], axis="stock").data.quantities
    assert shared.quantity == "stock"


def test_dots_of_what_has_bounds_show_all_that_is_possible() -> None:
    one, other = (dots(name, mean, (0, 100)) for name, mean in (("a", 40), ("b", 90)))
    assert one.data.quantities == other.data.quantities
    assert (one.data.quantities[0].low, one.data.quantities[0].high) == (-3, 103)


def test_a_page_writes_the_note_below_its_figure() -> None:
    page = render_page("t", "", [Section("s", [dots("a", 40), dots("b", 900)])], "")
    assert page.count("The axis of survival time differs from that in Figure 1: ") == 1
