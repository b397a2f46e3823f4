"""The figures of evolution: what stands in them, and what is said for those who do not see them."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.rng import Array
from society.lineage import Life, Lineage
from society.report.figures.bars import BarPanel, stacked_bars
from society.report.figures.curves import Curve, CurvePanel, SingleRun, line_plot
from society.report.figures.lineage_tree import LifeMap, colour_limits, life_map, stack_lives
from society.report.figures.scales import LOG
from society.report.figures.scatter import PointCloud, scatter_plot
from society.report.figures.style import INK, PAPER, SERIES, Figure
from society.report.sections.evolution.aggregates import RunMean
from society.report.sections.evolution.strategies import line_of_words

pytestmark = pytest.mark.usefixtures("wide_only")


def texts(picture: Figure) -> list[str]:
    """The words in a picture, without the figures of its axes."""
    found = ElementTree.fromstring(picture.inline).iter("text")
    said = ["".join(text.itertext()) for text in found]
    return [text for text in said if not re.fullmatch(r"[−\d.]+", text)]


def life(number: int, born: int, last: int, parent: int | None = None) -> Life:
    """One of two agents a generation."""
    name = f"{number // 2 + 1}_{number % 2 + 1}"
    return Life(number, name, number % 2, born, last, parent, (), "")


def lineage(*lives: Life) -> Lineage:
    return Lineage({one.number: one for one in lives}, max(one.last for one in lives))


# Founder 1_2 lives for three generations and has a child in the second and in the third one.
TWO = lineage(life(0, 1, 1), life(1, 1, 3), life(2, 2, 2, 1), life(4, 3, 3, 1))


def course(label: str, mean: Array) -> Curve:
    when = np.arange(1, len(mean) + 1)
    return Curve(label, SERIES[0], when, mean, mean - 1, mean + 1, np.full(len(mean), 9.0))


def test_children_stand_below_their_elders() -> None:
    rows = stack_lives(TWO)
    assert [[one.name for one in row] for row in rows] == [
        ["1_1", "1_2"],
        ["1_2", "2_1"],
        ["1_2", "3_1"],
    ]


@st.composite
def lineages(draw: st.DrawFn) -> Lineage:
    """Three agents, of whom each lives on, or is replaced by a child of any."""
    alive, lives = [0, 1, 2], {n: Life(n, str(n), n, 1, 1, None, (), "") for n in range(3)}
    for generation in range(2, draw(st.integers(2, 6))):
        parents, now = list(alive), []
        for seat, old in enumerate(alive):
            if draw(st.booleans()):
                lives[old] = lives[old]._replace(last=generation)
                now.append(old)
            else:
                number = 3 * (generation - 1) + seat
                parent = draw(st.sampled_from(parents))
                lives[number] = Life(
                    number, str(number), seat, generation, generation, parent, (), ""
                )
                now.append(number)
        alive = now
    return lineage(*lives.values())


@given(lineages())
def test_no_line_crosses_another(found: Lineage) -> None:
    """Whoever stands above another, has nobody below a descendant of the other."""
    rows = stack_lives(found)
    for above, below in pairwise(rows):
        place = {one.number: at for at, one in enumerate(above)}
        origins = [
            place[one.number] if one.number in place else place[one.parent or 0] for one in below
        ]
        assert origins == sorted(origins)


def acted(one: Life, *phenotype: float) -> Life:
    return one._replace(phenotype=phenotype)


# The founder 1_2 gives little and has two children; 1_1 gives much and dies.
GIVERS = lineage(
    acted(life(0, 1, 1), 0.9),
    acted(life(1, 1, 3), 0.1, 0.2, 0.3),
    acted(life(2, 2, 2, 1), 0.4),
    acted(life(4, 3, 3, 1), 0.5),
)
LIVES = LifeMap(GIVERS, np.array([-0.2, -0.1, np.nan]))


@pytest.fixture(scope="module")
def drawn() -> Figure:
    return life_map("g", "t", "w", "share", LIVES, colour_limits([LIVES]))


def test_cells_stand_in_the_rows_of_the_lineage_in_the_colour_of_what_each_life_did(
    drawn: Figure,
) -> None:
    """In the second generation 1_2 has moved up to the first row, its child 2_1 is below it."""
    assert LIVES.deeds.tolist() == [[0.9, 0.2, 0.3], [0.1, 0.4, 0.5]]
    (cells,) = (one for one in drawn.data.series if one.sort == "cells")
    assert cells.values is not None
    places = zip(cells.words, cells.across, cells.upwards, cells.values, strict=True)
    assert {name: (x, y, value) for name, x, y, value in places if x > 1.5} == {
        "1_2": (3, 0, 0.3),
        "2_1": (2, 1, 0.4),
        "3_1": (3, 1, 0.5),
    }


def test_selection_stands_on_the_axis_of_the_cells(drawn: Figure) -> None:
    cells, bars = (
        next(o for o in drawn.data.series if o.sort == sort) for sort in ("cells", "bars")
    )
    reaches = [drawn.data.frames[one.frame].across for one in (cells, bars)]
    boxes = [drawn.data.frames[one.frame].box for one in (cells, bars)]
    assert reaches[0][2:4] == reaches[1][2:4] == (0.4, 3.6)
    assert boxes[0][0] == pytest.approx(boxes[1][0])
    assert boxes[0][2] == pytest.approx(boxes[1][2])
    assert bars.across.tolist() == [1, 2]


def test_births_are_drawn_in_ink_which_stands_out_in_grey_print(drawn: Figure) -> None:
    """A ring for each of two newborn agents; the first generation has none."""
    rings = re.findall(rf'<use [^>]*style="fill: {PAPER}; stroke: {INK}', drawn.svg)
    assert len(rings) == 2
    assert {"1_1", "3_1"} <= set(texts(drawn))
    assert "#ff2e1f" not in drawn.svg


def test_a_life_map_says_what_all_did_and_how_it_was_selected(drawn: Figure) -> None:
    assert drawn.alt == (
        "mean: 0.5 in generation 1, 0.4 in generation 3, lowest 0.3 in generation 2, highest 0.5 "
        "in generation 1. selection: -0.2 in generation 1, -0.1 in generation 2, lowest -0.2 in "
        "generation 1, highest -0.1 in generation 2."
    )


def test_several_populations_have_one_scale_of_colours() -> None:
    other = LifeMap(lineage(acted(life(0, 1, 1), 2.0)), np.array([0.0]))
    assert colour_limits([LIVES, other]) == (0.1, 2.0)


def test_parts_of_a_change_add_up_to_the_line() -> None:
    parts = {"selection": np.array([0.2, -0.1]), "newborn agents": np.array([-0.05, 0.1])}
    panel = BarPanel("", np.array([2, 3]), parts)
    assert panel.total == pytest.approx([0.15, 0])
    picture = stacked_bars("s", "t", "w", "change", [panel])
    assert texts(picture) == ["to generation", "change", "selection", "newborn agents", "sum"]
    assert "sum: 0.15 in generation 2, 0 in generation 3" in picture.alt


def test_every_quantity_has_a_scale_of_its_own() -> None:
    small, large = course("a", np.array([0.1, 0.2])), course("a", np.array([1e4, 2e4]))
    runs = np.array([[1e4, 3e4], [1e4, 1e4]])
    panels = [
        CurvePanel("share", [small], along="generation"),
        CurvePanel(
            "x", [large._replace(runs=[SingleRun(run) for run in runs])], along="generation"
        ),
    ]
    picture = line_plot("t", "t", "w", panels)
    assert texts(picture) == ["generation", "a  share", "generation", "b  x"]
    assert picture.alt == (
        "share: a: 0.1 in generation 1, 0.2 in generation 2, lowest 0.1 in generation 1, highest "
        "0.2 in generation 2. x: a: 10,000 in generation 1, 20,000 in generation 2, lowest 10,000 "
        "in generation 1, highest 20,000 in generation 2."
    )


def test_a_point_is_a_run() -> None:
    cloud = PointCloud(np.array([0.1, 0.4, np.nan]), np.array([5.0, 9.0, 7.0]), SERIES[0])
    picture = scatter_plot("s", "t", "w", ("first", "last"), {"a": cloud, "b": cloud})
    assert texts(picture) == ["first", "last", "a", "b"]
    assert picture.alt == (
        "a: across 0.1 to 0.4, upwards 5 to 9. b: across 0.1 to 0.4, upwards 5 to 9."
    )


def test_a_standard_error_takes_two_runs() -> None:
    values = np.array([[1.0, 3.0, np.nan], [3.0, np.nan, np.nan]])
    count, mean, error = RunMean.of(values)
    assert count.tolist() == [2, 1, 0]
    assert mean[:2] == pytest.approx([2, 3])
    assert error[0] == pytest.approx(1)
    assert np.isnan([mean[2], *error[1:]]).all()


def test_a_mean_is_drawn_as_long_as_nearly_all_runs_have_a_value() -> None:
    """Of ten runs one may be missing; then the mean would be that of a choice."""
    values = np.ones((10, 3))
    values[0, 1:] = values[1, 2:] = np.nan
    summed = RunMean.of(values)
    assert summed.runs.tolist() == [10, 9, 8]
    assert summed.representative == pytest.approx([1, 1, np.nan], nan_ok=True)


def test_what_multiplies_has_a_logarithmic_axis() -> None:
    runs = np.array([[10.0, 100.0, 1e6]])
    panel = CurvePanel(
        "units", [course("a", runs[0])._replace(runs=[SingleRun(run) for run in runs])], LOG
    )
    found = ElementTree.fromstring(line_plot("t", "t", "w", [panel]).inline).iter("text")
    assert {"10", "1,000", "100,000"} <= {text.text for text in found}


def test_points_of_what_multiplies_fill_the_figure() -> None:
    upwards = np.array([10.0, 100.0, 1000.0, 1e6])
    picture = scatter_plot(
        "s", "t", "w", ("first", "last"), {"a": PointCloud(np.arange(4.0), upwards, SERIES[0])}
    )
    heights = [
        float(y) for y in re.findall(r'<use [^>]*y="([\d.]+)"[^>]*stroke: #0072b2', picture.svg)
    ]
    assert np.ptp(heights) > 100


def test_words_are_followed_from_the_founder_with_what_each_child_changed() -> None:
    told = lineage(
        life(1, 1, 1)._replace(strategy="Give half of all."),
        life(2, 2, 2, 1)._replace(strategy="Give less of all."),
    )
    founder, child = line_of_words(told, 2)
    assert (founder.round, founder.pieces) == (1, [("", "Give half of all.")])
    assert child.pieces == [("", "Give "), ("gone", "half "), ("new", "less "), ("", "of all.")]
