"""The one tool that mechanisms are made of: listen in on a script and change what passes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from .talk import Line, Script


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
