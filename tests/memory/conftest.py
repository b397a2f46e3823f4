"""The real sentence model, loaded once for all tests that need it."""

from __future__ import annotations

import pytest

from society.memory.embedders import MiniLM, MissingExtra


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """all-MiniLM-L6-v2; its tests are skipped where the extra is not installed."""
    try:
        return MiniLM()
    except MissingExtra as missing:
        pytest.skip(str(missing))
