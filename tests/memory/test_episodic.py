"""An episodic log keeps the last things that happened, in their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.memory.episodic import Episode, EpisodicLog


def diary(*entries: tuple[int, str], limit: int = 200) -> EpisodicLog:
    log = EpisodicLog(limit)
    for moment, text in entries:
        log.add(moment, text)
    return log


WEEK = [(1, "caught 4"), (1, "fined"), (2, "caught 3"), (4, "caught nothing")]


def test_the_latest_come_oldest_first() -> None:
    assert diary(*WEEK).latest(2) == [Episode(2, "caught 3"), Episode(4, "caught nothing")]


def test_the_latest_are_all_if_fewer_are_kept() -> None:
    assert diary(*WEEK).latest(10) == WEEK


def test_no_episodes_are_the_latest_none() -> None:
    assert diary(*WEEK).latest(0) == []


def test_a_full_log_drops_the_oldest() -> None:
    log = diary(*WEEK, limit=3)
    assert len(log) == 3
    assert [text for _, text in log] == ["fined", "caught 3", "caught nothing"]


@pytest.mark.parametrize("original_first", [True, False])
def test_a_copy_goes_its_own_way_and_keeps_the_limit(original_first: bool) -> None:
    log = diary(*WEEK, limit=4)
    twin = log.copy()
    changed, untouched = (log, twin) if original_first else (twin, log)
    changed.add(5, "moved away")
    assert list(untouched) == WEEK
    assert list(changed) == [*WEEK[1:], (5, "moved away")]


def test_an_episode_of_the_past_is_refused() -> None:
    log = diary((3, "caught 2"))
    with pytest.raises(ValueError, match="moment 2 after one of moment 3"):
        log.add(2, "caught 5")


def test_a_log_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of at least 1"):
        EpisodicLog(0)


@given(st.lists(st.integers(0, 20)), st.integers(1, 8))
def test_a_log_is_the_tail_of_all_that_happened(moments: list[int], limit: int) -> None:
    all_of_it = [(when, f"event {number}") for number, when in enumerate(sorted(moments))]
    log = diary(*all_of_it, limit=limit)
    assert list(log) == all_of_it[-limit:]
