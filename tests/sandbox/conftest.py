"""Each test of the sandbox begins with all steps."""

from __future__ import annotations

import pytest

from society.sandbox.running.step_budget import budget


@pytest.fixture(autouse=True)
def all_steps() -> None:
    budget.reset()
