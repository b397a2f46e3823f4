"""The search for garbage while games are played: seldom, and not among what was there before.

Python looks for objects that refer to each other alone whenever 700 have come. A game with
thousands of questions under way has hundreds of thousands that all stay, and would look through
them again and again. What it drops is free at once all the same: only rings of objects wait.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

_SELDOM = 50_000  # new objects between two searches


class _Games:
    """The games under way in this process, and how garbage was looked for before the first."""

    def __init__(self) -> None:
        self._lock, self._count = Lock(), 0
        self._usual, self._before = gc.get_threshold(), ExitStack()

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._usual = first, *later = gc.get_threshold()
                self._before.enter_context(old_objects_set_aside())
                if first:  # else somebody has turned the search off
                    gc.set_threshold(max(first, _SELDOM), *later)
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                gc.set_threshold(*self._usual)
                self._before.close()


_GAMES = _Games()


@contextmanager
def garbage_sought_seldom() -> Iterator[None]:
    """Look for garbage seldom until a game is over, or the last of several."""
    _GAMES.begin()
    try:
        yield
    finally:
        _GAMES.end()


@contextmanager
def old_objects_set_aside() -> Iterator[None]:
    """Do not look for garbage among what is there; what the program has set aside stays so."""
    froze = not gc.get_freeze_count()
    if froze:
        gc.freeze()
    try:
        yield
    finally:
        if froze:
            gc.unfreeze()
