"""What a page reads out of a figure: points of named series, their places, their ids."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from society.report.figures.read_out import FigureData, name_series
from society.report.figures.style import SERIES, Figure, add_legend, render_figure

ROUNDS = np.arange(1, 5)
MEAN = np.array([4.0, 3, np.nan, 1])


def drawn(draw: Any) -> Figure:
    return render_figure("f", "t", "c", "a", draw, 2.0)


def curves(figure: Any) -> None:
    axes = figure.subplots()
    (line,) = axes.plot(ROUNDS, MEAN, color=SERIES[0].colour)
    name_series(line, "fine = 2", low=MEAN - 1, high=MEAN + 1)
    name_series(axes.fill_between(ROUNDS, MEAN - 1, MEAN + 1), "fine = 2")
    (run,) = axes.plot(ROUNDS, MEAN + 5, color=SERIES[0].colour)
    name_series(run, "fine = 2", silent=True)
    (other,) = axes.step(ROUNDS, MEAN * 2, where="post", color=SERIES[1].colour)
    name_series(other, "a very long label of a level, which is cut somewhere")
    axes.set(xlabel="round", ylabel="fish", title="lake", xlim=(0, 5), ylim=(0, 10))
    add_legend(figure, [line, other], ["fine =\n2", "a very long …"])


def test_points_are_read_from_lines_without_those_that_are_not_there() -> None:
    mean, steps = drawn(curves).data.series
    assert (mean.label, mean.sort, steps.sort) == ("fine = 2", "curve", "steps")
    assert (mean.across.tolist(), mean.upwards.tolist()) == ([1, 2, 4], [4, 3, 1])
    assert mean.low is not None
    assert mean.low.tolist() == [3, 2, 0]


def test_every_artist_and_legend_entry_of_a_series_has_an_id_of_it() -> None:
    figure = drawn(curves)
    ids = re.findall(r'id="(series-\d+-[a-z]*)\d', figure.svg)
    assert sorted(ids) == [
        *("series-0-", "series-0-", "series-0-", "series-0-legend", "series-0-legend"),
        *("series-1-", "series-1-legend", "series-1-legend"),
    ]
    assert list(figure.data.labels) == [
        "fine = 2",
        "a very long label of a level, which is cut somewhere",
    ]
    assert 'id="f-wide-series-0-0"' in figure.inline


def test_a_frame_says_where_in_the_svg_a_value_stands() -> None:
    """The tick at 10 fish is drawn where the frame has the upper end of its axis."""
    figure = drawn(curves)
    (frame,) = figure.data.frames
    assert (frame.title, frame.across.label, frame.upwards.label) == ("lake", "round", "fish")
    assert (frame.upwards.low, frame.upwards.high) == (0, 10)
    left, top, width, height = frame.box
    (axes,) = re.findall(r'id="patch_2">\s*<path d="M ([\d.]+) ([\d.]+)', figure.svg)
    assert np.allclose((left, top + height), [float(end) for end in axes], atol=0.01)
    assert left + width < 7.2 * 72


def test_bars_cells_and_dots_have_what_is_read_out() -> None:
    def draw(figure: Any) -> None:
        bars, cells, dots = figure.subplots(1, 3)
        name_series(bars.bar([1, 2], [3, -4], bottom=[10, 0]), "gain")
        name_series(cells.pcolormesh([[1.0, 2.0], [3.0, np.nan]]), "payoff")
        cells.set_xticks([0.5, 1.5], ["tit", "tat"])
        name_series(dots.scatter([1, 2], [5, 6]), "runs", names=["a", "b"])

    gain, payoff, runs = (figure := drawn(draw)).data.series
    assert (gain.across.tolist(), gain.upwards.tolist()) == ([1, 2], [13, -4])
    assert gain.values is not None
    assert gain.values.tolist() == [3, -4]
    assert payoff.values is not None
    assert (payoff.across.tolist(), payoff.values.tolist()) == ([0.5, 1.5, 0.5], [1, 2, 3])
    assert figure.data.frames[1].across.words == [(0.5, "tit"), (1.5, "tat")]
    assert (runs.sort, runs.words) == ("points", ["a", "b"])


def test_a_page_gets_few_digits_and_a_file_all_of_them() -> None:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        (line,) = axes.plot([1, 2], [1 / 3, 2])
        name_series(line, "=SUM(A1)")
        axes.set(xlabel="round", ylabel="fish")

    data = drawn(draw).data
    assert data.for_page()["series"] == [
        {"n": 0, "f": 0, "sort": "curve", "x": [1, 2], "y": [0.33333, 2]}
    ]
    assert data.table("f", "t").csv() == (
        "series,round,fish\n'=SUM(A1),1.0,0.3333333333333333\n'=SUM(A1),2.0,2.0\n"
    )
    assert FigureData().table("f", "t").csv() == "\n"
