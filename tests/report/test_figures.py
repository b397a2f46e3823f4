"""Figures: what stands in them; equal numbers give equal bytes, and labels are never code."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from society.engine.rng import Array
from society.report.figures import style
from society.report.figures.curves import (
    Curve,
    CurvePanel,
    SurvivalLine,
    SurvivalPanel,
    course_grid,
    line_plot,
    survival_plot,
)
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.figures.intervals import Dot, DotPanel, bin_runs, dot_plot
from society.report.figures.scatter import PointCloud, norm_space
from society.report.figures.style import (
    SERIES,
    Figure,
    add_colour_bar,
    constant_range,
    shorten_label,
    shorten_svg,
    thin_ticks,
    wrap_label,
)
from society.report.sections.survival_section import survival_title
from tests.sweeps import all_but


def texts(picture: Figure) -> list[str]:
    """The words in a picture, without the figures of its axes."""
    found = ElementTree.fromstring(picture.inline).iter("text")
    said = ["".join(text.itertext()) for text in found]
    return [text for text in said if not re.fullmatch(r"[−\d.]+", text)]


def tones(picture: Figure) -> set[str]:
    """Colours of series that occur."""
    return {look.colour for look in SERIES if look.colour in picture.svg}


def ticks(picture: Figure, axis: str) -> list[str]:
    """The figures along the first axis x or y of a picture."""
    (group,) = re.findall(
        rf'<g id="matplotlib.axis_{" xy".index(axis)}">.*?<g id="(?:patch|matplotlib)',
        picture.svg,
        re.S,
    )[:1]
    return [text.replace("−", "-") for text in re.findall(r">([−\d.]+)</text>", group)]


def dot(mean: float) -> Dot:
    return Dot(mean, mean - 1, mean + 1, np.array([mean - 2, mean + 2, np.nan]))


def compared(name: str = "dots") -> Figure:
    panels = [
        DotPanel("lake = harsh", ["small", "large"], {"fine = 2": [dot(3), dot(9)]}, ["a", "b"]),
        DotPanel("lake = rich", ["small", "large"], {"fine = 2": [dot(4), None]}),
    ]
    return dot_plot(name, "Survival", "Larger is later.", "survival_time, rounds", panels)


def course(name: str, number: int | None, *, leave: bool = False) -> Curve:
    rounds = np.arange(1, 11)
    mean = rounds / 10
    left = 11.0 - rounds if leave else np.full(10, 10.0)
    style = None if number is None else SERIES[number]
    return Curve(name, style, rounds, mean, mean - 0.1, mean + 0.1, left)


def test_dots_stand_in_rows_with_letters_at_their_right() -> None:
    assert texts(compared()) == [
        *("survival_time, rounds", "small", "large", "a", "b", "a  lake = harsh"),
        *("survival_time, rounds", "small", "large", "b  lake = rich"),
    ]


def test_the_same_numbers_give_the_same_bytes() -> None:
    one, other = compared(), compared()
    assert (one.svg, one.png) == (other.svg, other.png)


@pytest.mark.thorough
def test_ids_of_two_pictures_of_a_page_never_collide() -> None:
    first, second = (
        set(re.findall(r'\bid="([^"]+)"', compared(name).inline)) for name in ("one", "two")
    )
    assert first
    assert not first & second


def test_what_a_picture_refers_to_is_in_it() -> None:
    inline = compared().inline
    ids = set(re.findall(r'\bid="([^"]+)"', inline))
    wanted = set(re.findall(r'(?:href="#|url\(#)([^")]+)', inline))
    assert wanted
    assert wanted <= ids


def test_a_page_lends_a_picture_its_ink_and_paper() -> None:
    picture = compared()
    assert "#ffffff" in picture.svg
    assert "currentColor" in picture.inline
    assert "var(--paper)" in picture.inline
    assert "#ffffff" not in picture.inline


def test_a_picture_names_no_date_no_program_and_no_address_to_load() -> None:
    svg = re.sub(r'xmlns(:xlink)?="[^"]+"|"http://www.w3.org/[^"]+\.dtd"', "", compared().svg)
    assert "http" not in svg
    assert "atplotlib v" not in svg
    assert "metadata" not in svg


def test_labels_are_never_markup_and_never_formulas() -> None:
    panel = DotPanel("$x^2$", ["<script>alert(1)</script>", "a & b"], {"": [dot(1), dot(2)]})
    picture = dot_plot("d", "t", "w", "u", [panel])
    assert "<script" not in picture.inline
    assert texts(picture) == ["u", "<script>alert(1)</script>", "a & b", "$x^2$"]


def strokes(*runs: float) -> list[tuple[float, float]]:
    """Find the strokes in a picture of one dot: their places and their height, both in points."""
    one = Dot(float(np.mean(runs)), None, None, np.array(runs))
    svg = dot_plot("d", "t", "w", "rounds", [DotPanel("", ["a"], {"": [one]})]).svg
    colour = SERIES[0].colour
    drawn = re.findall(rf'<path d="([^"]+)"[^>]*stroke: {colour}; stroke-width: 0.8', svg)
    points = [
        [float(number) for number in pair] for pair in re.findall(r"[ML] (\S+) (\S+)", drawn[0])
    ]
    return [
        (foot[0], foot[1] - top[1]) for foot, top in zip(points[::2], points[1::2], strict=True)
    ]


def test_a_stroke_is_the_taller_the_more_runs_have_its_value() -> None:
    """Of 21 runs 16 have lasted to the end, 4 have ended in round 20, and one in round 10."""
    (_, one), (_, four), (_, sixteen) = strokes(10, *[20] * 4, *[60] * 16)
    assert (four / one, sixteen / one) == pytest.approx((2, 4), abs=1e-2)


def test_strokes_that_would_cover_each_other_are_one() -> None:
    places, counts = bin_runs(np.array([3.0, 3.1, np.nan, 9.0, 60.0]), step=0.25)
    assert (places.tolist(), counts.tolist()) == ([3.05, 9, 60], [2, 1, 1])
    same_place, count = bin_runs(np.array([3.0, 3.0]), step=0)
    assert (same_place.tolist(), count.tolist()) == ([3], [2])


def test_words_say_what_a_stroke_stands_for() -> None:
    assert compared().caption == "Larger is later. Strokes: single runs."
    several = Dot(3, 2, 4, np.array([3.0, 3, 4]))
    picture = dot_plot("d", "t", "w.", "rounds", [DotPanel("", ["a"], {"": [several]})])
    assert (
        picture.caption
        == "w. Strokes: runs, taller where there are more of them (2 in the tallest)."
    )


def test_a_long_label_keeps_whole_words_at_its_ends_and_nothing_unseen() -> None:
    assert shorten_label("fine = 2\u200b, lake = harsh") == "fine = 2, lake = harsh"
    assert shorten_label("one two three four five", 15) == "one … five"
    assert shorten_label("fine = 2, lake = harsh, share = 0.5", 29) == "fine = 2, … share = 0.5"
    assert shorten_label("fine=2,lake=harsh,share=0.5", 23) == "fine=2, … share=0.5"
    assert shorten_label("incomprehensibilities", 11) == "inco … ties"


def test_long_words_of_an_axis_are_broken_into_lines_between_words() -> None:
    assert wrap_label("share of catches above an equal share", 20) == (
        "share of catches\nabove an equal share"
    )
    assert wrap_label("share of catches above an equal share", 12) == "share of\ncatches …"
    assert wrap_label("fine=2,lake=harsh", 10) == "fine=2,\nlake=harsh"
    assert wrap_label("norm_similarity", 10) == "norm_\nsimilarity"
    assert wrap_label("x = 1, lake = harsh", 13) == "x = 1,\nlake = harsh"


def test_no_axis_magnifies_values_that_are_all_the_same() -> None:
    assert constant_range(np.array([3, 3, np.nan])) == (0, 6)
    assert constant_range(np.array([-3, -3 + 1e-12])) == (-6, 0)
    assert constant_range(np.zeros(2)) == (-1, 1)
    assert constant_range(np.array([3, 3.1])) is None
    one = Dot(3, 3, 3, np.full(4, 3.0))
    picture = dot_plot("d", "t", "w", "rounds", [DotPanel("", ["a"], {"": [one]})])
    assert ticks(picture, "x") == ["0", "1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
def test_rounds_are_whole(rounds: int) -> None:
    when = np.arange(1, rounds + 1)
    value = when / 10
    curve = Curve("a", SERIES[0], when, value, value, value, np.full(rounds, 9.0))
    assert all(
        tick.isdigit()
        for tick in ticks(line_plot("c", "t", "w", [CurvePanel("", [curve])], "u"), "x")
    )


def test_series_differ_by_colour_by_marker_and_by_dashes() -> None:
    for feature in zip(*SERIES, strict=True):
        assert len(set(feature)) == len(SERIES)


def test_ticks_are_thinned_at_even_distances() -> None:
    assert thin_ticks([2, 4, 6, 8, 10, 12, 14], 4) == [2, 6, 10, 14]
    assert thin_ticks([2, 4], 4) == [2, 4]


def heat_panel(rows: list[str], columns: list[str], values: Array) -> HeatPanel:
    return HeatPanel("", ("growth", "fine"), rows, columns, values)


def printed(picture: Figure) -> list[str]:
    """The numbers on cells, whose type is larger than that of axes."""
    return re.findall(r"<text style=\"[^\"]*font-size: 7px[^>]*>(\d+)</text>", picture.svg)


def test_heat_maps_print_their_values_while_there_is_room() -> None:
    small = HeatPanel(
        "", ("growth", "fine"), ["0.2", "0.6"], ["2", "10"], np.array([[1.5, 2.25], [np.nan, 40]])
    )
    assert printed(heatmap("h", "t", "w", "rounds", [small])) == ["2", "2", "40"]
    large = HeatPanel(
        "", ("a", "b"), [str(n) for n in range(20)], [str(n) for n in range(20)], np.ones((20, 20))
    )
    assert not printed(heatmap("h", "t", "w", "u", [large]))


def test_names_of_columns_stand_upright_where_they_would_run_into_each_other() -> None:
    for names, turned in ((["2", "10"], 0), ([f"villager {n}" for n in range(10)], 10)):
        square = heat_panel(names, names, np.ones((len(names), len(names))))
        both = heatmap("h", "t", "w", "u", [square])
        assert len(re.findall(r"rotate\(-90[^>]*>(?:villager )?\d+</text>", both.svg)) == turned


def test_the_strip_of_runs_left_appears_only_where_runs_leave() -> None:
    staying = [CurvePanel("", [course("a", 0), course("b", 1)])]
    leaving = [CurvePanel("", [course("a", 0), course("b", 1, leave=True)])]
    assert texts(line_plot("c", "t", "w", staying, "share")) == ["round", "share", "a", "b"]
    assert texts(line_plot("c", "t", "w", leaving, "share")) == [
        *("share", "round", "runs left", "a", "b")
    ]


def test_courses_in_grey_have_no_colour_and_no_place_in_the_legend() -> None:
    panel = CurvePanel("", [course("rest", None), course("lowest", 0), course("highest", 1)])
    picture = line_plot("c", "t", "w", [panel], "share")
    assert tones(picture) - {SERIES[-1].colour} == {SERIES[0].colour, SERIES[1].colour}
    assert "rest" not in texts(picture)


@pytest.mark.parametrize("panels", all_but([2], [1, 2, 3]))
def test_survival_curves_tell_how_many_runs_are_at_risk(panels: int) -> None:
    times, share = np.array([0.0, 2, 4]), np.array([1, 0.5, 0.25])
    curve = SurvivalLine(
        "fine = 2",
        "2",
        SERIES[0],
        times,
        share,
        share,
        share,
        np.array([2, 2, 4, 4]),
        np.array([4.0]),
    )
    picture = survival_plot("s", "t", "w", "rounds", [SurvivalPanel("", [curve])] * panels)
    assert texts(picture).count("runs at risk") == panels
    # At rounds 0 to 4: those that ended at 2 are at risk until then.
    small = r'font-size: 6.5px[^>]*middle[^>]* x="([\d.]+)"[^>]*>(\d)<'
    found = re.findall(small, picture.svg)
    assert sorted(text for _, text in found) == sorted([*"01234", *"44422"] * panels)
    # The numbers stand at the ticks of their own axis.
    columns = Counter(round(float(place), 1) for place, _ in found)
    assert set(columns.values()) == {2 * -(-panels // 2), 2 * (panels // 2)} - {0}


def test_norms_lie_on_the_curve_of_their_number_of_agents() -> None:
    similarity = np.array([0.2, 0.5])
    norms = PointCloud(similarity, np.sqrt((1 + 9 * similarity) / 10), SERIES[3])
    picture = norm_space("n", "t", "w", [10], {"small": norms, "large": norms})
    assert {"N = 10", "small", "large"} <= set(texts(picture))
    assert tones(picture) - {SERIES[-1].colour} == {SERIES[3].colour}


@pytest.mark.thorough
def test_panels_may_lack_some_of_the_curves() -> None:
    """Those that they have look the same in all panels, and the legend names each once."""
    both = CurvePanel("lake = harsh", [course("a", 0), course("b", 1)])
    one = CurvePanel("lake = rich", [course("b", 1)])
    assert texts(line_plot("c", "t", "w", [both, one], "share"))[-2:] == ["a", "b"]
    assert texts(line_plot("c", "t", "w", [one, both], "share"))[-2:] == ["b", "a"]
    assert tones(line_plot("c", "t", "w", [one], "share")) - {SERIES[-1].colour} == {
        SERIES[1].colour
    }


def test_what_is_to_be_seen_is_said_for_those_who_do_not_see_it() -> None:
    assert compared().alt == (
        "lake = harsh: Lowest: 3 (small, fine = 2). Highest: 9 (large, fine = 2). "
        "lake = rich: small, fine = 2: 4."
    )
    heat = HeatPanel(
        "", ("growth", "fine"), ["0.2", "0.6"], ["2", "10"], np.array([[1.5, 2.25], [np.nan, 40]])
    )
    assert heatmap("h", "t", "w", "rounds", [heat]).alt == (
        "Lowest: 1.5 (growth = 0.2, fine = 2). Highest: 40 (growth = 0.6, fine = 10)."
    )
    rounds = np.arange(1, 5)
    mean = np.array([0.5, 0.9, 0.1, np.nan])
    curve = Curve("a", SERIES[0], rounds, mean, mean, mean, np.full(4, 9.0))
    flat = Curve("b", SERIES[1], rounds, mean * 0 + 0.3, mean, mean, np.full(4, 9.0))
    assert line_plot("c", "t", "w", [CurvePanel("", [curve, flat, course("", None)])], "u").alt == (
        "a: 0.5 in round 1, 0.1 in round 3, lowest 0.1 in round 3, highest 0.9 in round 2. "
        "b: 0.3 from round 1 to 3."
    )
    times, share = np.array([0.0, 2, 4]), np.array([1, 0.5, 0.25])
    lasting = SurvivalLine(
        "a", "a", SERIES[0], times, share, share, share, np.array([2, 4]), np.array([4.0])
    )
    lasted = lasting._replace(label="b", style=SERIES[1], share=np.ones(3))
    assert survival_plot("s", "t", "w", "u", [SurvivalPanel("", [lasting, lasted])]).alt == (
        "a: half by round 2, 0.25 at round 4. b: all to the end, 1 at round 4."
    )
    norms = {"small": PointCloud(np.array([0.2, 0.5]), np.array([0.5, 0.75]), SERIES[0])}
    seen = norm_space("n", "t", "w", [10], norms).alt
    assert seen == "small: mean similarity 0.35, mean alignment 0.625."


@pytest.mark.parametrize(
    ("shares", "title"),
    [
        ([[1, 1]], "Survival time: not over in any run by the last round"),
        ([[1, 0.75]], "Survival time: not over in more than half of the runs by the last round"),
        ([[1, 0.5]], "Survival time: over in half of the runs by round 9"),
        (
            [[1, 0.5], [1, 1]],
            "Survival time: over in half of the runs by round 9 with a, never with b",
        ),
    ],
)
def test_a_title_says_by_when_a_time_was_over_whether_or_not_runs_went_on(
    shares: list[list[float]], title: str
) -> None:
    times, none = np.array([0.0, 9]), np.array([])
    lines = [
        SurvivalLine(name, name, SERIES[0], times, share, share, share, none, none)
        for name, share in zip("ab", map(np.array, shares), strict=False)
    ]
    assert survival_title("survival time", [SurvivalPanel("", lines)]) == title


def test_a_drawing_loses_nothing_that_is_seen() -> None:
    fonts = "font-family: 'DejaVu Sans', sans-serif; "
    long = f"""<g id="figure_1">
 <g id="xtick_1">
  <g id="line2d_1"/>
  <path d="M 1.23456 2
L 3.98765 4
"/>
  <text style="font-size: 7px; {fonts}fill: red" x="1.98765" transform="rotate(-0 1 2)">1.987</text>
  <text style="{fonts}fill: red" transform="rotate(-90 1.98765 2)">  two  words</text>
 </g>
</g>"""
    assert (
        shorten_svg(long)
        == """<g id="figure_1" style="font-family: 'DejaVu Sans', sans-serif">
<g>
<path d="M 1.23 2L 3.98 4"/>
<text style="font-size: 7px; fill: red" x="1.98">1.987</text>
<text style="fill: red" transform="rotate(-90 1.98 2)">  two  words</text>
</g>
</g>"""
    )


def test_fonts_stay_with_their_texts_where_they_differ() -> None:
    two = '<text style="font-family: A; x: 1"/><text style="font-family: B; x: 1"/>'
    assert shorten_svg(two) == two


@pytest.mark.parametrize("kind", ["square", "colour bar"])
def test_a_label_stands_beside_its_ticks_also_where_axes_move_at_the_end(kind: str) -> None:
    """Axes of equal aspect and colour bars get their place last."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        mesh = axes.pcolormesh(np.arange(9.0).reshape(3, 3))
        axes.set_yticks([0, 1, 2], ["a long name"] * 3)
        axes.set_ylabel("who does it")
        if kind == "square":
            axes.set_aspect("equal", anchor="W")
        else:
            add_colour_bar(figure, mesh, "share", 0.7)

    with matplotlib.rc_context():
        figure = style._lay_out(draw, style.WIDTH, 2.5)
        axis = figure.axes[-1].yaxis
        label = axis.label.get_window_extent()
        ticks = [text.get_window_extent() for text in axis.get_ticklabels() if text.get_text()]
        assert ticks
        assert not any(label.overlaps(one) for one in ticks)


def test_a_dot_whose_runs_are_all_the_same_has_no_interval_also_at_a_bound() -> None:
    same = Dot.of(np.full(12, 20.0), bounds=(0, 20))
    assert same is not None
    assert same[:3] == (20.0, None, None)
    spread = Dot.of(np.array([20.0] * 11 + [0]), bounds=(0, 20))
    assert spread is not None
    assert spread.low is not None
    assert spread.low < spread.mean


def test_the_letter_of_a_panel_is_part_of_the_room_of_its_title() -> None:
    """Four panels stand side by side, each with room for a title of some twenty signs."""
    panels = [CurvePanel("Dominance of one gene", [course("", 0)], unit="share") for _ in range(4)]
    figure = course_grid("g", "t", "c.", panels, columns=1)
    assert texts(figure).count("Dominance of one") == 0, "its letter stands before it"
    assert [f"{letter}  Dominance of" in " ".join(texts(figure)) for letter in "abcd"] == [True] * 4
    assert all("Dominance of one gene" not in text for text in texts(figure))
