"""A report's page as text: its policy, its script, its links, what is folded."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from society.report.figures.read_out import name_series
from society.report.figures.style import render_figure
from society.report.page import (
    Chronicle,
    ChronicleEntry,
    RunFiles,
    Section,
    SectionPart,
    relative_link,
    render_page,
)
from society.report.tables import Table, TableColumn

HOSTILE = "</script><script>alert(1)</script>"
MOST_SCRIPT = 30_000  # bytes


def draw(figure: Any) -> None:
    axes = figure.subplots()
    (line,) = axes.plot([1, 2], [3, 4])
    name_series(line, HOSTILE)


@pytest.fixture(scope="module")
def page() -> str:
    texts: list[ChronicleEntry | str] = [
        ChronicleEntry(1, HOSTILE, "norm", [("", HOSTILE)], "2 of 3 votes"),
        "rounds 2 to 4: unchanged",
    ]
    parts: list[SectionPart] = [
        render_figure("f", "A figure shows.", "How to read it.", "a", draw, 1.5),
        Table("t", "A table", [TableColumn("what", ["word " * 80, "short"], "words")]),
        RunFiles([("fine = 2", Path("study/fine=2.run"), "--from 7")]),
        Chronicle([("villager 1", texts)]),
    ]
    return render_page("t", "l", [Section("One", parts, "one")], "f", Path("study/report"))


def test_the_policy_allows_no_request_and_our_script_alone(page: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    assert len(script.encode()) < MOST_SCRIPT
    hashed = b64encode(sha256(script.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src 'sha256-{hashed}'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert not re.search(r"fetch|XMLHttpRequest|WebSocket|import\(|eval\(|innerHTML", script)


def test_labels_from_files_never_leave_the_data_of_a_figure(page: str) -> None:
    (data,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.S)
    assert json.loads(data)["labels"] == [HOSTILE]
    assert "<script>alert" not in page


def test_figures_and_tables_are_numbered_and_lead_to_their_files(page: str) -> None:
    assert "<strong>Figure 1.</strong>" in page
    assert "A figure shows.</strong>" in page
    assert "<span>Table 1. A table</span>" in page
    links = re.findall(r'<a href="([^"#]+)">', page)
    assert links == [
        *("figures/f.svg", "figures/f.png", "figures/f.csv"),
        *("tables/t.csv", "tables/t.md", "tables/t.tex"),
        "../fine%3D2.run",
    ]


def test_a_run_file_has_the_command_that_plays_it_again(page: str) -> None:
    assert '<code class="command">society replay fine=2.run --from 7</code>' in page


def test_no_link_tells_of_folders_far_away() -> None:
    here = Path("/home/somebody/study/report")
    assert relative_link(Path("/home/somebody/study/a b.run"), here) == "../a%20b.run"
    assert relative_link(Path("/data/secret/a.run"), here) == ""
    assert relative_link(Path("a.run"), None) == ""


def test_a_cell_shows_200_signs_at_most_and_folds_the_rest(page: str) -> None:
    (cell,) = re.findall(r'<th scope="row" class="words">(word.*?)</th>', page, re.S)
    begin, rest = cell.split(" <details><summary>… more</summary> ")
    assert len(begin) <= 200
    assert f"{begin} {rest.removesuffix('</details>')}".split() == ["word"] * 80


def test_texts_stand_in_a_chronicle_with_agent_and_round_for_its_filters(page: str) -> None:
    hostile = "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
    assert f'<li data-round="1" data-agent="{hostile}" data-kind="norm">' in page
    assert "2 of 3 votes" in page
    assert '<li class="quiet">rounds 2 to 4: unchanged</li>' in page
