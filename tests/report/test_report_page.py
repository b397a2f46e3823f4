"""A report's page as a browser shows it; skipped where there is no Chromium or no playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.style import SERIES
from society.report.page import Caveat, Section, Verbatim, folded_section, render_page
from society.report.tables import Table, TableColumn
from tests.browser import open_browser, open_page

pytestmark = pytest.mark.xdist_group("browser")  # one for all

HOSTILE = (
    "<script>document.title='taken'</script><img src=http://example.org/x.png onerror=alert(1)>"
)
WIDE, NARROW = 1280, 400
PAPER = 680  # pixels between the margins of A4

Shown = Callable[..., Any]


def sections() -> list[Section]:
    """Sections of every kind, all of whose words are an attack."""
    series: dict[str, list[Dot | None]] = {"x": [dot(3), dot(9)], "y": [dot(4), None]}
    panel = DotPanel("", [HOSTILE, "b"], series, ["a", "b"], styles=SERIES[:2])
    figures = [
        dot_plot(name, f"Figure {name}", "Larger is later.", "rounds", [panel]) for name in "pq"
    ]
    names = [
        TableColumn("who", [HOSTILE, "b"], "words"),
        TableColumn("file", ["fine=2,lake=harsh.run"] * 2),
    ]
    numbers = [TableColumn(f"column {place}", [1234.5, 2.5], "figure") for place in range(14)]
    wide = Table("wide", "A wide table", [*names, *numbers])
    long = Table("long", "A table", [TableColumn("n", list(range(200)), "count")])
    chosen = replace(long, name="chosen", chosen=[0, 99, 199])
    return [
        Section("One", [Caveat(HOSTILE, [HOSTILE]), HOSTILE, *figures], "one"),
        Section("Two", [Section(HOSTILE, [wide, Section("Deeper", [long, chosen])])], "two"),
        Section("Three", [folded_section("Text", Verbatim(f"{HOSTILE}\n" + "x" * 500))], "three"),
    ]


def dot(mean: float) -> Dot:
    return Dot(mean, mean - 1, mean + 1, np.array([mean - 2, mean + 2]))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """`with shown(width=400, scheme="dark") as (tab, seen)` opens the page.

    seen: what the page has asked for, and what its console has said.
    """
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(render_page(HOSTILE, HOSTILE, sections(), "Made by society"), "utf-8")
    with open_browser() as browser:
        yield lambda width=WIDE, scheme="light": open_page(browser, file, width, scheme)


def test_a_page_loads_nothing_runs_its_own_script_alone_and_has_no_complaints(shown: Shown) -> None:
    with shown() as (tab, seen):
        assert seen == []
        assert tab.title() == HOSTILE
        assert tab.locator("script:not([type]), img, iframe, object, link").count() == 1


def test_hostile_words_are_shown_as_they_are(shown: Shown) -> None:
    with shown() as (tab, _):
        assert tab.locator("h1").inner_text() == HOSTILE
        assert tab.locator("h3").inner_text() == HOSTILE
        assert tab.locator("th.words").first.inner_text() == HOSTILE


@pytest.mark.thorough
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_what_is_too_wide_scrolls_in_its_own_box(shown: Shown, width: int) -> None:
    with shown(width) as (tab, _):
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        box = tab.get_by_role("region", name="A wide table")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")


@pytest.mark.thorough
def test_a_picture_has_a_name_and_a_description_for_those_who_do_not_see_it(shown: Shown) -> None:
    with shown() as (tab, _):
        for name in "pq":
            picture = tab.get_by_role("img", name=f"Figure {name}")
            assert picture.count() == 1
            described = picture.get_attribute("aria-describedby").split()
            assert [tab.locator(f"#{each}").inner_text() for each in described] == [
                "Larger is later. Strokes: single runs.",
                "Lowest: 3 (HOSTILE, x). Highest: 9 (b, x).".replace("HOSTILE", HOSTILE),
            ]
            assert tab.locator(f"#{described[1]}").bounding_box()["width"] <= 1


@pytest.mark.thorough
def test_every_box_that_may_scroll_has_a_name_of_its_own(shown: Shown) -> None:
    with shown() as (tab, _):
        boxes = tab.locator("[tabindex]").all()
        names = [box.get_attribute("aria-label") for box in boxes]
        assert names == ["Figure p", "Figure q", "A wide table", "A table", "A table (2)"]
        assert all(tab.get_by_role("region", name=name, exact=True).count() == 1 for name in names)


@pytest.mark.thorough
def test_a_table_has_a_caption_and_heads_of_columns_and_rows(shown: Shown) -> None:
    with shown() as (tab, _):
        table = tab.get_by_role("table", name="A wide table")
        assert table.get_by_role("columnheader").count() == 16
        assert table.get_by_role("rowheader").all_inner_texts() == [HOSTILE, "b"]
        assert table.get_by_role("cell").count() == 2 * 15


@pytest.mark.thorough
def test_a_page_shows_the_first_rows_of_a_long_table_or_those_that_it_names(shown: Shown) -> None:
    with shown() as (tab, _):
        both = [
            tab.get_by_role("region", name=name, exact=True) for name in ("A table", "A table (2)")
        ]
        rows = [box.get_by_role("rowheader").all_inner_texts() for box in both]
        assert rows == [[str(n) for n in range(60)], ["0", "99", "199"]]
        said = [text for text in tab.locator(".remarks p").all_inner_texts() if "rows" in text]
        assert said == [
            "The first 60 of 200 rows; all are in tables/long.csv.",
            "3 of 200 rows; all are in tables/chosen.csv.",
        ]


@pytest.mark.thorough
def test_no_heading_is_deeper_by_two_than_the_one_before(shown: Shown) -> None:
    with shown() as (tab, _):
        depths = tab.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
            "all => all.map(heading => Number(heading.tagName[1]))"
        )
        assert depths == [1, 2, 2, 3, 4, 2]


@pytest.mark.thorough
def test_nothing_is_wider_than_paper_in_print(shown: Shown) -> None:
    with shown(PAPER) as (tab, _):
        tab.emulate_media(media="print")
        assert tab.evaluate("document.documentElement.scrollWidth") == PAPER
        wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert tab.locator(".scroll").evaluate_all(wide) == 0
        cut = "all => all.filter(cell => cell.scrollWidth > cell.clientWidth + 1).length"
        assert tab.locator("td, th").evaluate_all(cut) == 0


@pytest.mark.thorough
def test_ink_follows_the_scheme_and_series_keep_their_markers(shown: Shown) -> None:
    ink = "text => getComputedStyle(text).fill"
    paper = "body => getComputedStyle(body).backgroundColor"
    found = {}
    for scheme in ("light", "dark"):
        with shown(scheme=scheme) as (tab, _):
            found[scheme] = [
                tab.locator("svg text").first.evaluate(ink),
                tab.locator("body").evaluate(paper),
            ]
    assert found == {
        "light": ["rgb(32, 37, 43)", "rgb(255, 255, 255)"],
        "dark": ["rgb(228, 231, 234)", "rgb(20, 23, 27)"],
    }


@pytest.mark.thorough
def test_the_contents_lead_to_every_section(shown: Shown) -> None:
    with shown() as (tab, _):
        links = tab.get_by_role("navigation").get_by_role("link")
        assert links.all_inner_texts() == ["One", "Two", "Three"]
        links.last.click()
        assert tab.locator("h2#three").evaluate("title => title.getBoundingClientRect().top < 800")


@pytest.mark.thorough
def test_folds_open_on_request_and_in_print(shown: Shown) -> None:
    with shown() as (tab, _):
        inside = tab.locator("details pre")
        assert not inside.is_visible()
        tab.emulate_media(media="print")
        assert inside.bounding_box()["height"] > 0
        assert not tab.get_by_role("navigation").is_visible()
        tab.emulate_media(media="screen")
        tab.locator("summary").click()
        assert inside.is_visible()


@pytest.mark.thorough
def test_no_label_of_a_figure_is_cut_off(shown: Shown) -> None:
    outside = """svg => [...svg.querySelectorAll("text")].filter(text => {
        const [own, all] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
        return own.left < all.left - 1 || own.right > all.right + 1
            || own.top < all.top - 1 || own.bottom > all.bottom + 1;
    }).map(text => text.textContent)"""
    for width in (WIDE, NARROW):
        with shown(width) as (tab, _):
            assert tab.locator("svg").first.evaluate(outside) == []
