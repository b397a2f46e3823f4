"""Drawings in a page are shorter than their files, and look the same."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from society.report.figures.page_drawings import PageDrawings
from society.report.figures.read_out import name_series
from society.report.figures.style import Figure, render_figure


def figure(name: str, *heights: float) -> Figure:
    """Draw a line and its label."""

    def draw(own: object) -> None:
        axes = own.subplots()  # type: ignore[attr-defined]
        (line,) = axes.plot([0, 1], heights, color="#0072b2", marker="o")
        name_series(line, "catch")
        axes.text(0.5, 1, "catch & release <1>", rotation=30)

    return render_figure(name, "t", "c", "a", draw, 2.0)


FIGURES = [figure("first", 1, 2), figure("second", 3, 1)]
DRAWINGS = PageDrawings.of(FIGURES)
RULES = dict(re.findall(r"\.(d\d+) \{ (.*) \}", DRAWINGS.rules))


def drawn(svg: str) -> list[tuple[str, str, str, str]]:
    """List the shapes and texts of an SVG in their order: kind, style, place and words."""
    found = []
    for one in ElementTree.fromstring(svg).iter():
        kind = one.tag.rpartition("}")[2]
        style = one.get("style") or RULES.get(one.get("class", ""), "")
        place = one.get("d", "") + one.get("x", "") + one.get("transform", "")
        if kind in {"path", "use", "text", "rect"}:
            found.append((kind, style, place, one.text or ""))
    return found


def test_every_shape_keeps_its_style_and_place() -> None:
    for given in FIGURES:
        assert drawn(DRAWINGS.wide[given.name]) == drawn(given.inline)
        assert drawn(DRAWINGS.narrow[given.name]) == drawn(given.inline_narrow)


def test_a_page_says_each_style_once_and_each_drawing_is_half_as_long() -> None:
    together = "".join([*DRAWINGS.wide.values(), *DRAWINGS.narrow.values()])
    assert set(re.findall(r'style="([^"]*)"', together)) == {"width: 867px", "width: 424px"}
    assert len(set(RULES.values())) == len(RULES)
    assert len(DRAWINGS.wide["first"]) < 0.5 * len(FIGURES[0].inline)


def test_series_are_found_and_no_name_stands_twice_in_a_page() -> None:
    together = "".join([*DRAWINGS.wide.values(), *DRAWINGS.narrow.values()])
    names = re.findall(r'\bid="([^"]+)"', together)
    assert len(names) == len(set(names))
    assert [one for one in names if "series" in one] == [
        *("w0-series-0-0", "w1-series-0-0"),
        *("n0-series-0-0", "n1-series-0-0"),
    ]
    wanted = set(re.findall(r'(?:href="#|url\(#)([^")]+)', together))
    assert wanted
    assert wanted <= set(names)
