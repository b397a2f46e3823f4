"""Slow work is told to whoever watches."""

from __future__ import annotations

import pytest

from society.slow_work import slow_work, watch_slow_work


def test_work_within_work_has_the_word_until_it_is_over() -> None:
    heard: list[str] = []
    with (
        watch_slow_work(heard.append),
        slow_work("embedding 3 texts"),
        slow_work("loading the model"),
    ):
        pass
    assert heard == ["embedding 3 texts", "loading the model", "embedding 3 texts", ""]


def test_work_that_fails_is_over_too() -> None:
    heard: list[str] = []
    with watch_slow_work(heard.append), pytest.raises(ZeroDivisionError), slow_work("dividing"):
        print(1 / 0)
    assert heard == ["dividing", ""]


def test_nobody_hears_of_it_where_nobody_watches() -> None:
    heard: list[str] = []
    with watch_slow_work(heard.append):
        pass
    with slow_work("packing"):
        pass
    assert heard == []
