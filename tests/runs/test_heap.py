"""Freed memory that stays at hand."""

from __future__ import annotations

import sys

import pytest

from society.runs.session import keep_freed_memory


def test_where_the_c_library_has_no_such_choice_nothing_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert keep_freed_memory.__wrapped__() is False


def test_it_is_chosen_once_for_the_process() -> None:
    assert keep_freed_memory() is keep_freed_memory()
