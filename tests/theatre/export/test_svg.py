"""A frame as a picture: cells have a fixed size, and nothing is loaded."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from rich.text import Text

from society.theatre.export.svg import draw_svg
from society.theatre.frame import Size, fit

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*lines: Text, width: int = 40) -> ElementTree.Element:
    """A picture of these lines, as XML."""
    frame = fit(lines, Size(width, len(lines)))
    return ElementTree.fromstring(draw_svg(frame, "A village", frame.plain))


def places(picture: ElementTree.Element, tag: str) -> list[tuple[str | None, ...]]:
    names = ("x", "y", "width", "height", "textLength", "class", "fill-opacity")
    return [
        (one.text, *(one.get(name) for name in names if one.get(name)))
        for one in picture.iterfind(f"{SVG}g/{SVG}{tag}")
    ]


def test_words_stand_in_cells_of_8_by_17_pixels() -> None:
    picture = drawn(Text("stock  184.6 fish", "red"), Text("  漁業 x"))
    assert (picture.get("width"), picture.get("height")) == ("344", "58")
    assert places(picture, "text") == [
        ("stock", "0", "13", "40", "c1"),
        ("184.6 fish", "56", "13", "80", "c1"),
        ("漁業 x", "16", "30", "48"),
    ]


def test_bars_are_shapes_and_neighbours_are_one() -> None:
    picture = drawn(Text("██▌░░").append("▄", "blue"))
    assert places(picture, "text") == []
    assert places(picture, "rect") == [
        (None, "0", "0", "16", "17"),
        (None, "16", "0", "4", "17"),
        (None, "24", "0", "16", "17", "0.25"),
        (None, "40", "8.5", "8", "8.5", "c4"),
    ]


def test_lines_meet_in_corners() -> None:
    assert places(drawn(Text("──")), "rect") == [(None, "0", "8", "16", "1")]
    assert places(drawn(Text("┐")), "rect") == [
        (None, "0", "8", "4.5", "1"),
        (None, "3.5", "8", "1", "9"),
    ]


def test_a_background_lies_below_its_words() -> None:
    picture = drawn(Text().append(" here ", "reverse"))
    assert [one.tag.removeprefix(SVG) for one in picture.find(f"{SVG}g") or ()] == ["rect", "text"]
    assert places(picture, "rect") == [(None, "0", "0", "48", "17", "gink")]


def test_a_picture_loads_nothing_and_has_colours_for_light_and_dark() -> None:
    picture = draw_svg(fit([Text("<script>&", "red")], Size(20, 1)), "<b>", "&")
    assert re.findall(r"(?:https?:|url\(|@import|href|<script)[^\s\"]*", picture) == [
        "http://www.w3.org/2000/svg"
    ]
    assert "@media(prefers-color-scheme:dark)" in picture
    assert "&lt;script&gt;&amp;" in picture


def test_those_who_do_not_see_it_get_a_title_and_the_words() -> None:
    picture = drawn(Text("stock 184.6"))
    assert picture.get("role") == "img"
    assert [picture.findtext(f"{SVG}{tag}") for tag in ("title", "desc")] == [
        "A village",
        "stock 184.6\n",
    ]
