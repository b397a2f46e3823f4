"""A stored database is read within limits, and its damages are told in the words of SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from society.llm.stored_database import StoredDatabase


def test_text_that_is_no_utf_8_is_told_as_what_it_is(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as made:
        made.execute("CREATE TABLE t AS SELECT CAST(x'ff' AS TEXT) AS words")
    made.close()
    stored = StoredDatabase(tmp_path / "a.db", "mode=ro")
    told = pytest.raises(sqlite3.OperationalError, match="Could not decode to UTF-8")
    with told, stored.limited():
        stored.connection.execute("SELECT words FROM t").fetchall()
    stored.close()
