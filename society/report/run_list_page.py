"""A page over the run files of a folder: a table to sort and filter, with links and commands.

It stands alone, in one file. Links lead from where it is written, so that it can be moved together
with the runs; commands are for the folder that was listed.
"""

from __future__ import annotations

import csv
import os
import shlex
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from pathlib import Path

from society.errors import FileError, InputError, short_path
from society.runs.manifest import library_versions
from society.runs.run_list import ListedRun
from society.terminal.run_table import estimate_words, varied_words
from society.text import clean_line, format_number

from .page import Caveat, Section, SectionPart, relative_link, render_page
from .tables import CellValue, ColumnFormat, Table, TableColumn

MOST_RUNS = 2_000  # rows, with which a browser still sorts at once
_KILOBYTE = 1000
_ENDINGS = (".html", ".htm")


def write_run_list(folder: Path, runs: Sequence[ListedRun], out: Path) -> Path:
    """Write the page over these runs of a folder; gives its path. Raises FileError, InputError."""
    if out.suffix.lower() not in _ENDINGS:
        raise InputError(f"{short_path(out)} is not the name of a page; end it in .html")
    sections = [Section("Runs", [*_run_parts(folder, runs, out.parent)], "runs")]
    title = clean_line(f"Runs in {folder.resolve().name or folder}")
    footer = f"Made by society {library_versions()['society']}."
    html = render_page(title, _count_statuses(runs), sections, footer, out.parent)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(html, "utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"cannot write {short_path(out)}: {reason}; name another file") from error
    return out


def _count_statuses(runs: Sequence[ListedRun]) -> str:
    counts = Counter(one.status for one in runs)
    words = ", ".join(f"{count:,} {status}" for status, count in counts.most_common())
    return f"{len(runs):,} run file{'s' * (len(runs) != 1)}: {words or 'none'}."


def _run_parts(folder: Path, runs: Sequence[ListedRun], beside: Path) -> Iterator[SectionPart]:
    """Make the table, and say what it leaves out. beside: the folder of the page."""
    if not runs:
        yield "There is none to show."
        return
    shown = runs[:MOST_RUNS]
    if more := len(runs) - len(shown):
        yield Caveat(
            f"The first {len(shown):,} of {len(runs):,} run files are shown; {more:,} are left "
            "out. `society list runs --json` has all; --status, --scenario and --sort choose."
        )
    places = [Path(os.path.relpath(run.path, folder)).as_posix() for run in shown]
    links = {
        clean_line(place): relative_link(run.path, beside)
        for place, run in zip(places, shown, strict=True)
    }
    files_of = cache(read_listed_files)
    reports = [find_report(run.path, files_of) for run in shown]
    named = [Path(os.path.relpath(one, folder)).as_posix() if one else "" for one in reports]
    links |= {
        clean_line(name): relative_link(page, beside)
        for name, page in zip(named, reports, strict=True)
        if page
    }
    near = {text: link for text, link in links.items() if link}
    if len(near) < len(links):
        count = len(links) - len(near)
        yield (
            f"Without a link, as they are more than two folders above this page: {count:,} of "
            f"{len(links):,} files and reports. Write the page nearer to them."
        )
    columns = [*_columns(shown, places, named)]
    note = (
        "Commands are for the folder that was listed. written: when a file was last changed, in "
        "UTC. A report is linked if it has been made in the folder of the run or in report/ there, "
        "or is that of its reproduction, and lists the run."
    )
    yield Table("runs", "Run files", columns, [note], whole=True, page_only=True, links=near)


def _columns(
    runs: Sequence[ListedRun], places: Sequence[str], reports: Sequence[str]
) -> Iterator[TableColumn]:
    """Make the columns; one in which nothing stands is left out."""
    readable = [one for one in runs if not one.problem]
    measures = {one.measure for one in readable if one.measure}
    common = next(iter(measures)) if len(measures) == 1 else ""

    def column(
        heading: str, cell: Callable[[ListedRun], CellValue], form: ColumnFormat = "text"
    ) -> Iterator[TableColumn]:
        cells = ["" if one.problem else cell(one) for one in runs]
        if any(one not in ("", None) for one in cells):
            yield TableColumn(heading, cells, form)

    def measured(run: ListedRun) -> str:
        words = estimate_words(run, _figure)
        return words if common or not words else f"{words} ({run.measure})"

    yield TableColumn("file", places, "words")
    yield from column("scenario", lambda one: one.scenario)
    yield from column("varied", varied_words, "words")
    yield TableColumn("status", [one.status for one in runs])
    if len(readable) < len(runs):
        yield TableColumn("problem", [one.problem for one in runs], "words")
    yield from column("rounds", lambda one: one.rounds, "count")
    yield from column("at most", lambda one: one.horizon, "count")
    yield from column(common or "measure", measured, "figure")
    yield from column("US dollars", lambda one: one.cost if one.calls else "", "dollars")
    yield from column("model", lambda one: ", ".join(one.models))
    yield from column("seed", lambda one: str(one.seed))
    written = [f"{one.written:%Y-%m-%d %H:%M}" if one.written else "" for one in runs]
    yield TableColumn("written", written)
    yield TableColumn("kB", [one.size / _KILOBYTE for one in runs], "count")
    yield from column("fork of", lambda one: one.fork)
    if any(reports):
        yield TableColumn("report", reports)
    commands = [
        "" if run.problem else _replay(place) for run, place in zip(runs, places, strict=True)
    ]
    if any(commands):
        yield TableColumn("to see it again", commands, "command")


def _figure(value: float, decimals: int | None) -> str:
    return format_number(value) if decimals is None else f"{value:,.{decimals}f}"


def _replay(place: str) -> str:
    """Write the command that plays a file again; a name like an option has its folder in front."""
    return f"society replay {shlex.quote(f'./{place}' if place.startswith('-') else place)}"


def find_report(run: Path, files_of: Callable[[Path], Container[str]]) -> Path | None:
    """Find the report beside a run file that lists it, or the page of its reproduction.

    files_of: the run files in a table of a report.
    """
    folder, above = run.parent, run.parent.parent
    candidates = (
        (folder / "report", "runs"),
        (folder, "runs"),
        (above, f"{folder.name}-runs"),
    )
    for place, table in candidates:
        if run.name in files_of(place / "tables" / f"{table}.csv"):
            page = place / "report.html"
            return page if page.is_file() else None
    return None


def read_listed_files(table: Path) -> frozenset[str]:
    """Read which run files a report is of; none if it is not there or not one of ours."""
    try:
        with table.open(encoding="utf-8", newline="") as lines:
            return frozenset(row.get("file") or "" for row in csv.DictReader(lines))
    except (OSError, ValueError, csv.Error):
        return frozenset()
