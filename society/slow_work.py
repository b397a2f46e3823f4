"""Slow work in words, for whoever watches: `with slow_work("loading the embedding model"): ...`.

Where nobody watches, nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)
_UNDER_WAY: ContextVar[str] = ContextVar("slow work under way", default="")


@contextmanager
def watch_slow_work(listener: Callable[[str], None]) -> Iterator[None]:
    """Call `listener` with words about the work that begins, and with "" when it is over."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def slow_work(words: str) -> Iterator[None]:
    """Say what is being done until the block is left; work within work has the word meanwhile."""
    listener = _LISTENER.get()
    if listener is None:
        yield
        return
    outer = _UNDER_WAY.get()
    token = _UNDER_WAY.set(words)
    listener(words)
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)
        listener(outer)
