"""What a report's page does in a browser: sort, filter, read out, isolate, copy, search, follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.report import write_sections
from society.report.figures.read_out import name_series
from society.report.figures.style import SERIES, render_figure
from society.report.page import Chronicle, ChronicleEntry, Section
from society.report.tables import Table, TableColumn
from tests.browser import open_browser, open_page

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.thorough]

Shown = Callable[..., Any]
ROUNDS = np.arange(1, 11)


def draw(figure: Any) -> None:
    axes = figure.subplots()
    means = {"fine = 2": 10.0 - ROUNDS, "fine = 10": 20.0 - ROUNDS}
    for (label, mean), style in zip(means.items(), SERIES, strict=False):
        (line,) = axes.plot(ROUNDS, mean, color=style.colour)
        name_series(line, label, low=mean - 1, high=mean + 1)
    axes.set(xlabel="round", ylabel="fish")


def sections() -> list[Section]:
    counts = [3, 1_200, 20, *range(100, 110)]
    columns = [
        TableColumn("name", [f"row {place}" for place in range(13)]),
        TableColumn("fish", counts, "count"),
        TableColumn("p", [0.5, 0.0001, None, *[0.01] * 10], "p"),
    ]
    texts = [
        ChronicleEntry(number, who, "norm", [("", f"{who} says {words}")])
        for who in ("villager 1", "villager 2")
        for number, words in enumerate(("fish less", "fish more"), 1)
    ]
    groups = [(f"villager {place + 1}", texts[2 * place : 2 * place + 2]) for place in range(2)]
    filler = ["A sentence."] * 40
    claim = Section("A claim", ["Its detail."], "claim", folded=True)
    return [
        Section("One", [render_figure("f", "A figure", "c", "a", draw, 2.5), *filler], "one"),
        Section("Two", [Table("t", "A table", columns), *filler], "two"),
        Section("Three", [Chronicle(groups), *filler, claim, *filler], "three"),
    ]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sections("t", "l", sections(), tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def shown(browser: Any, file: Path) -> Shown:
    """`with shown(400) as (tab, seen)` opens the page; seen: its requests and complaints."""
    return lambda width=1280: open_page(browser, file, width)


def rows(tab: Any) -> list[str]:
    found: list[str] = tab.locator("tbody tr:visible th").all_inner_texts()
    return found


def test_a_click_on_a_head_sorts_by_numbers_then_back(shown: Shown) -> None:
    with shown() as (tab, seen):
        head = tab.get_by_role("button", name="fish")
        before = rows(tab)
        head.click()
        assert rows(tab)[:2] == ["row 0", "row 2"]
        assert rows(tab)[-1] == "row 1"
        head.press("Enter")
        assert rows(tab)[0] == "row 1"
        assert tab.locator("th[aria-sort=descending]").inner_text().startswith("fish")
        head.click()
        assert rows(tab) == before
        tab.get_by_role("button", name="p", exact=True).click()
        assert (rows(tab)[0], rows(tab)[-1]) == ("row 1", "row 2")  # <0.001 first, nothing last
        assert seen == []


def test_rows_are_filtered_by_words(shown: Shown) -> None:
    with shown() as (tab, _):
        tab.get_by_role("searchbox", name="Filter the rows").fill("ROW 10")
        assert rows(tab) == ["row 3", "row 4", *(f"row {place}" for place in range(5, 13))]
        assert tab.locator(".filter .count").inner_text() == "10 of 13 rows"


@pytest.mark.parametrize("width", [1280, 400])
def test_a_pointer_reads_all_curves_out_at_its_round(shown: Shown, width: int) -> None:
    with shown(width) as (tab, seen):
        svg = tab.locator("figure svg:visible")
        assert svg.count() == 1
        assert svg.get_attribute("data-view") == ("wide" if width == 1280 else "narrow")
        box = svg.bounding_box()
        middle = box["x"] + box["width"] * 0.55, box["y"] + box["height"] * 0.5
        tab.mouse.move(*middle)
        told = tab.locator(".tip").inner_text()
        number = int(told.split("round: ")[1].split()[0])
        assert 4 <= number <= 7
        for label, first in {"fine = 2": 10, "fine = 10": 20}.items():
            value = first - number
            assert f"{label}{value} [{value - 1}, {value + 1}]" in told.replace("\n", "")
        # The dot stands where the line is drawn at this round.
        dot, line = (tab.locator(one).first.bounding_box() for one in ("svg:visible .read circle",
                     'svg:visible [id*="-series-"]'))  # fmt: skip
        assert line["x"] <= dot["x"] + dot["width"] / 2 <= line["x"] + line["width"]
        assert seen == []


def test_arrow_keys_read_a_figure_out_and_say_so(shown: Shown) -> None:
    with shown() as (tab, _):
        tab.get_by_role("region", name="A figure").focus()
        tab.keyboard.press("ArrowRight")
        assert "round: 1" in tab.locator("[role=status]").inner_text()
        tab.keyboard.press("End")
        assert "round: 10" in tab.locator("[role=status]").inner_text()


def test_a_click_shows_one_series_alone_and_another_all(shown: Shown) -> None:
    faint = "[...document.querySelectorAll(\"svg [id*='-series-1-']\")].map(e => e.style.opacity)"
    with shown() as (tab, _):
        tab.locator('svg:visible [id*="-series-0-"]').first.dispatch_event("click")
        assert set(tab.evaluate(faint)) == {"0.1"}
        tab.locator('svg:visible [id*="-series-0-"]').first.dispatch_event("click")
        assert set(tab.evaluate(faint)) == {""}
        tab.get_by_label("Show one series alone").select_option(label="fine = 2")
        assert set(tab.evaluate(faint)) == {"0.1"}


def test_figures_data_and_tables_are_copied(shown: Shown) -> None:
    copied = "navigator.clipboard.readText()"
    with shown() as (tab, _):
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.get_by_role("button", name="copy data").click()
        tab.get_by_role("button", name="copied").wait_for()
        head, first, *_ = tab.evaluate(copied).splitlines()
        assert (head, first) == ("series,round,fish,low,high", "fine = 2,1,9,8,10")
        tab.get_by_role("button", name="copy SVG").click()
        tab.get_by_role("button", name="copied").nth(1).wait_for()
        drawing = tab.evaluate(copied)
        assert drawing.startswith("<svg")
        assert "var(" not in drawing
        assert "currentColor" not in drawing
        tab.get_by_role("button", name="copy table").click()
        tab.wait_for_timeout(100)
        assert tab.evaluate(copied).splitlines()[:2] == ["name\tfish\tp", "row 0\t3\t0.50"]


def test_texts_are_searched_and_filtered_by_agent_and_round(shown: Shown) -> None:
    with shown() as (tab, _):
        entries = tab.locator(".chronicle li[data-round]:visible")
        tab.get_by_role("searchbox", name="Search the words").fill("MORE")
        assert entries.count() == 2
        tab.get_by_label("Filter by agent").select_option("villager 2")
        assert entries.all_inner_texts() == ["2\nvillager 2, norm\nvillager 2 says fish more"]
        tab.get_by_label("Filter by round").select_option("1")
        assert entries.count() == 0
        assert tab.locator(".chronicle .count").inner_text() == "0 of 4"


@pytest.mark.parametrize("width", [1280, 400])
def test_the_contents_follow_and_keys_lead_through_sections(shown: Shown, width: int) -> None:
    current = "nav a[aria-current]"
    with shown(width) as (tab, _):
        assert tab.locator(current).all_inner_texts() == ["One"]
        tab.evaluate("document.getElementById('three').scrollIntoView()")
        tab.locator(current, has_text="Three").wait_for()
        tab.keyboard.press("k")
        assert tab.evaluate("document.activeElement.tagName") == "FIGURE"
        tab.keyboard.press("k")
        assert tab.evaluate("document.activeElement.id") == "two"
        tab.locator(current, has_text="Two").wait_for()
        tab.keyboard.press("/")
        assert tab.evaluate("document.activeElement.type") == "search"


def test_keys_stop_at_folded_claims(shown: Shown) -> None:
    with shown() as (tab, _):
        tab.evaluate("document.getElementById('three').scrollIntoView()")
        tab.keyboard.press("j")
        assert tab.evaluate("document.activeElement.id") == "three"
        tab.keyboard.press("j")
        assert tab.evaluate("document.activeElement.innerText") == "A claim"


def test_a_page_is_whole_without_scripts(browser: Any, file: Path) -> None:
    window = {"width": 400, "height": 800}
    tab = browser.new_context(java_script_enabled=False, viewport=window).new_page()
    tab.goto(file.as_uri())
    assert tab.get_by_role("navigation").get_by_role("link").count() == 3
    assert tab.locator("figure svg:visible").count() == 1
    assert tab.locator("tbody tr").count() == 13
    assert tab.locator("main button, main input, main select").count() == 0
    tab.locator("summary").first.click()
    assert tab.locator(".chronicle li:visible").count() == 2


def test_links_lead_to_files_that_are_there(shown: Shown, file: Path) -> None:
    with shown() as (tab, _):
        links = tab.locator("a[href]").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    beside = [link for link in links if not link.startswith("#")]
    assert len(beside) == 6
    assert all((file.parent / link).is_file() for link in beside)


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_wider_than_the_window(shown: Shown, width: int) -> None:
    with shown(width) as (tab, _):
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        cut = "all => all.filter(svg => svg.getBoundingClientRect().right > innerWidth).length"
        assert tab.locator("svg:visible").evaluate_all(cut) == 0
