"""Episodic log: what happened, in the order in which it happened, as far back as `limit` entries.

A new entry pushes out the oldest one, so an agent's log never outgrows its bound, however long the
run: adding costs the same at the first moment and at the millionth.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple


class Episode(NamedTuple):
    """A memory: something that happened at a moment, in words."""

    moment: int
    text: str


class EpisodicLog:
    """The last `limit` episodes, oldest first; at least one."""

    def __init__(self, limit: int = 200) -> None:
        if limit < 1:
            raise ValueError(f"an episodic log of {limit} entries; give a limit of at least 1")
        self._episodes: deque[Episode] = deque(maxlen=limit)

    def add(self, moment: int, text: str) -> None:
        """Append an episode; the oldest is dropped if the log is full.

        Raises ValueError for a moment before that of the last episode.
        """
        if self._episodes and moment < self._episodes[-1].moment:
            raise ValueError(
                f"an episode of moment {moment} after one of moment {self._episodes[-1].moment}; "
                "add episodes in the order in which they happen"
            )
        self._episodes.append(Episode(moment, text))

    def latest(self, count: int) -> list[Episode]:
        """The last `count` episodes, or all that are left, oldest first."""
        return list(islice(reversed(self._episodes), count))[::-1]

    def copy(self) -> EpisodicLog:
        """An independent log of the same episodes and limit."""
        twin = object.__new__(EpisodicLog)
        twin._episodes = self._episodes.copy()
        return twin

    def __len__(self) -> int:
        return len(self._episodes)

    def __iter__(self) -> Iterator[Episode]:
        return iter(self._episodes)
