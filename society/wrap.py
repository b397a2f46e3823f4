"""Mechanisms wrap a play and are plays again; the one tool that they are made of is `overhear`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from .table import Table
from .talk import Line, Script

Play = Callable[[Table], Script]
Mechanism = Callable[..., Play]  # (play, *, parameters) -> play
M = TypeVar("M", bound=Mechanism)


def mechanism(wrap: M) -> M:
    """Mark a function (play, *, parameters) -> play, so that scenario files can name it."""
    wrap.is_mechanism = True  # type: ignore[attr-defined]
    return wrap


def overhear(
    script: Script,
    *,
    line: Callable[[Line], Line | Script | None] = lambda said: said,
    answer: Callable[[Line, Any], Any] = lambda said, answered: answered,
) -> Script:
    """Drive `script`, changing each line on its way out and each answer on its way in.

    line: gives the line to yield in its place; None keeps it back (the script receives None); or a
    script of its own, whose result the inner script receives in place of an answer.
    answer: gives what the inner script receives, from its own line and what came back.
    """
    received: Any = None
    while True:
        try:
            said = script.send(received)
        except StopIteration as stop:
            return stop.value
        out = line(said)
        if isinstance(out, Generator):
            received = answer(said, (yield from out))
        else:
            received = answer(said, None if out is None else (yield out))
