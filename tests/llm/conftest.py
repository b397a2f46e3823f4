"""What tests of stored calls share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from society.llm.call_tables import SCHEMA


@pytest.fixture
def book() -> Iterator[sqlite3.Connection]:
    """The tables, empty."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    yield connection
    connection.close()
