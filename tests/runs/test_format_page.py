"""docs/run-file-format.md says which tables, columns and formats a run file has."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from society.llm.call_tables import BATCHES, INHERITED
from society.runs.encoding import _CODECS
from society.runs.manifest import FORMAT, READABLE, Manifest
from society.runs.results import RESULTS
from society.runs.schema import OURS, SCHEMA

PAGE = (Path(__file__).parents[2] / "docs" / "run-file-format.md").read_text(encoding="utf-8")


def columns_of_page() -> dict[str, list[tuple[str, str]]]:
    rows = re.findall(r"^\| (?:`(\w+)` )?\| `(\w+)` \| ([A-Z]+) \|", PAGE, re.M)
    found, table = dict[str, list[tuple[str, str]]](), ""
    for named, column, sort in rows:
        table = named or table
        found.setdefault(table, []).append((column, sort))
    return found


def columns_of_schema() -> dict[str, list[tuple[str, str]]]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA + BATCHES + INHERITED + RESULTS)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    found = {
        table: [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]
        for (table,) in tables
    }
    connection.close()
    return found


def keys_of(heading: str) -> set[str]:
    """Names in the first column of the table below a heading."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", part, re.M)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_page_has_each_table_with_its_columns_in_order() -> None:
    assert columns_of_page() == columns_of_schema()


def test_the_page_has_each_key_of_the_manifest() -> None:
    assert keys_of("The manifest") == set(Manifest.model_fields)


def test_the_page_has_each_format_that_is_read() -> None:
    rows = re.findall(r"^\| (\d) \|.*\| (yes|no) \| \w", PAGE, re.M)
    assert {int(number) for number, read in rows if read == "yes"} == set(READABLE)
    assert max(int(number) for number, _ in rows) == FORMAT
    assert f"`application_id` {OURS} " in PAGE


def test_the_page_has_each_code_of_arrays() -> None:
    assert set(_CODECS) <= keys_of("Arrays")
