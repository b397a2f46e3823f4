"""The files of a report: a new one leaves nothing of the former one, and everything else."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from society.report import write_sections
from society.report.page import Section
from society.report.tables import Table, TableColumn


def reported(out: Path, *names: str) -> set[str]:
    """Write a report with these tables; what is in its folder then."""
    tables = [Table(name, "T", [TableColumn("n", [1, 2], "count")]) for name in names]
    write_sections("a report", "", [Section("One", tables, "one")], out)
    return {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}


def files(*names: str) -> set[str]:
    endings = ("csv", "md", "tex")
    tables = {f"tables/{name}.{ending}" for name in names for ending in endings}
    return {"report.html", "SHA256SUMS", *tables}


def test_what_a_former_report_has_written_is_removed(tmp_path: Path) -> None:
    assert reported(tmp_path, "a", "b") == files("a", "b")
    assert reported(tmp_path, "b", "c") == files("b", "c")


def test_what_the_user_has_written_or_changed_stays(tmp_path: Path) -> None:
    reported(tmp_path, "a", "b")
    (tmp_path / "tables/mine.csv").write_text("n\n3\n")
    (tmp_path / "tables/a.csv").write_text("n\n3\n")
    kept = {"tables/mine.csv", "tables/a.csv"}
    assert reported(tmp_path, "b") == files("b") | kept
    assert reported(tmp_path, "c") == files("c") | kept


@pytest.mark.parametrize(
    "path",
    ["../mine.csv", "tables/../mine.csv", "tables/../../mine.csv", "mine.csv", "/mine.csv", "x"],
)
def test_a_list_that_was_tampered_with_reaches_nothing_else(tmp_path: Path, path: str) -> None:
    out = tmp_path / "report"
    reported(out, "a")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    for mine in (tmp_path / "mine.csv", out / "mine.csv"):
        mine.touch()
    with (out / "SHA256SUMS").open("a") as sums:
        sums.write(f"{empty}  {path}\nnonsense\n")
    assert reported(out, "b") == files("b") | {"mine.csv"}
    assert (tmp_path / "mine.csv").exists()


def test_sums_are_those_of_sha256sum(tmp_path: Path) -> None:
    reported(tmp_path, "a")
    assert (tmp_path / "SHA256SUMS").read_text() == "".join(
        f"{sha256((tmp_path / path).read_bytes()).hexdigest()}  {path}\n"
        for path in ("tables/a.md", "tables/a.csv", "tables/a.tex", "report.html")
    )
