"""The page over a folder of runs: what stands in it, where it leads, and what a browser does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from society.engine.scenario import Estimate
from society.errors import FileError, InputError
from society.report import run_list_page
from society.report.run_list_page import write_run_list
from society.runs.run_list import ListedRun
from tests.browser import open_browser, open_page

WRITTEN = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)
VILLAGE = ListedRun(
    Path("a.run"),
    WRITTEN,
    73_728,
    "finished",
    scenario="fishing_village",
    seed=1,
    rounds=20,
    horizon=40,
    measure="survival_time",
)


def village(path: Path, **changes: Any) -> ListedRun:
    return VILLAGE._replace(path=path, **changes)


def page_of(folder: Path, runs: Sequence[ListedRun], out: str = "runs.html") -> str:
    return unescape(write_run_list(folder, runs, folder / out).read_text("utf-8"))


def cells(page: str) -> list[list[str]]:
    """The rows of the table as text."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.S)
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.S)]
        for row in rows
    ]


def report_of(folder: Path, *files: str, table: str = "runs") -> None:
    """Make what `society report` leaves in a folder, as far as the page looks at it."""
    (folder / "tables").mkdir(parents=True)
    (folder / "report.html").write_text("a report")
    (folder / "tables" / f"{table}.csv").write_text(
        "\n".join(["condition,file", *(f"c,{one}" for one in files)])
    )


def test_a_row_says_what_a_run_was_and_how_to_see_it_again(tmp_path: Path) -> None:
    run = village(
        tmp_path / "my lake.run", varied={"fine": 2.0}, models=("lab/one",), calls=3, cost=0.5
    )
    measured = run._replace(estimate=Estimate(12.5, 0.5, 4, "rounds"))
    (head, row) = cells(page_of(tmp_path, [measured]))
    assert dict(zip(head, row, strict=True)) == {
        "file": "my lake.run",
        "scenario": "fishing_village",
        "varied": "fine 2",
        "model": "lab/one",
        "seed": "1",
        "written": "2026-11-28 09:30",
        "status": "finished",
        "rounds": "20",
        "at most": "40",
        "survival_time": "12.50 ± 0.50",
        "US dollars": "0.5000",
        "kB": "74",
        "to see it again": "society replay 'my lake.run'",
    }


def test_links_lead_from_the_page_to_files_and_to_reports_that_list_them(tmp_path: Path) -> None:
    report_of(tmp_path / "fines" / "report", "a.run")
    runs = [village(tmp_path / "fines" / name) for name in ("a.run", "b.run")]
    page = page_of(tmp_path, runs, "pages/all.html")
    assert set(re.findall(r'<a href="(\.\.[^"]*)"', page)) == {
        *("../fines/a.run", "../fines/b.run", "../fines/report/report.html")
    }
    assert [row[-2:] for row in cells(page)[1:]] == [
        ["fines/report/report.html", "society replay fines/a.run"],
        ["", "society replay fines/b.run"],
    ]


def test_a_run_of_a_reproduction_leads_to_its_page(tmp_path: Path) -> None:
    report_of(tmp_path, "a.run", table="norms-runs")
    page = page_of(tmp_path, [village(tmp_path / "norms/a.run"), village(tmp_path / "more/a.run")])
    assert [row[-2] for row in cells(page)[1:]] == ["report.html", ""]


def test_files_far_above_the_page_are_said_to_be_unlinked(tmp_path: Path) -> None:
    page = page_of(tmp_path, [village(tmp_path / "a.run")], "a/b/c/runs.html")
    assert "more than two folders above this page: 1 of 1 files and reports." in page
    assert 'href="../../../a.run' not in page


def test_a_file_that_cannot_be_read_says_why_and_has_nothing_else(tmp_path: Path) -> None:
    torn = ListedRun(tmp_path / "torn.run", WRITTEN, 6, problem="is <b>not</b> a run file")
    page = page_of(tmp_path, [torn, village(tmp_path / "whole.run")])
    assert "2 run files: 1 unreadable, 1 finished." in page
    assert cells(page)[1] == [
        *("torn.run", "", "unreadable", "is not a run file", "", "", "", "2026-11-28 09:30"),
        *("0", ""),
    ]
    raw = (tmp_path / "runs.html").read_text("utf-8")
    assert "is &lt;b&gt;not&lt;/b&gt; a run file" in raw


def test_too_many_runs_are_counted_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_list_page.MOST_RUNS == 2_000
    monkeypatch.setattr(run_list_page, "MOST_RUNS", 3)
    runs = [village(tmp_path / f"{place}.run") for place in range(5)]
    page = page_of(tmp_path, runs)
    assert "The first 3 of 5 run files are shown; 2 are left out." in page
    assert [row[0] for row in cells(page)[1:]] == ["0.run", "1.run", "2.run"]


def test_a_folder_without_runs_has_a_page_too(tmp_path: Path) -> None:
    assert "0 run files: none." in page_of(tmp_path, [])


def test_the_page_is_a_page_in_a_folder_that_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"runs.run is not the name of a page; end it in .html"):
        write_run_list(tmp_path, [], tmp_path / "runs.run")
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="name another file"):
        write_run_list(tmp_path, [], tmp_path / "file" / "runs.html")


@pytest.mark.thorough
@pytest.mark.xdist_group("browser")
def test_in_a_browser_runs_are_sorted_filtered_and_their_commands_copied(tmp_path: Path) -> None:
    def run(place: int) -> ListedRun:
        made = village(tmp_path / f"{place:03}.run", rounds=place, size=1000 * (200 - place))
        if place == 70:
            return made._replace(status="failed")
        return made._replace(written=WRITTEN.replace(minute=59 - place % 60, hour=9 + place // 60))

    page = write_run_list(tmp_path, [run(place) for place in range(100)], tmp_path / "runs.html")

    def files(tab: Any) -> list[str]:
        found: list[str] = tab.locator("tbody tr:visible th").all_inner_texts()
        return found

    with open_browser() as browser, open_page(browser, page, 1400) as (tab, seen):
        assert len(files(tab)) == 100
        tab.get_by_role("button", name="kB").click()
        assert files(tab)[0] == "099.run"
        tab.get_by_role("button", name="written").click()
        assert files(tab)[:2] == ["059.run", "058.run"]
        tab.get_by_role("searchbox").fill("failed fishing")
        assert files(tab) == ["070.run"]
        assert tab.locator(".count").inner_text() == "1 of 100 rows"
        tab.locator("td:visible button").click()
        tab.locator("td:visible button", has_text="copied").wait_for()
        assert seen == []
