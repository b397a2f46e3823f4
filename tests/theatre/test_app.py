"""The theatre on a terminal, driven by keys."""

from __future__ import annotations

import asyncio

from society.terminal.console import TerminalStyle
from society.theatre.app import Theatre
from society.theatre.history import History
from society.theatre.view import View


def played(history: History, *keys: str, size: tuple[int, int] = (80, 24)) -> View:
    """Open the theatre, press keys, and return the view at the end."""

    async def drive() -> View:
        theatre = Theatre(history, View(), TerminalStyle("utf-8", 80))
        async with theatre.run_test(size=size) as pilot:
            await pilot.press(*keys)
            return theatre.view

    return asyncio.run(drive())


def test_keys_reach_the_view(village: History) -> None:
    seen = played(village, "right", "right", "down", "question_mark")
    assert (seen.round, seen.agent, seen.screen) == (2, 0, "help")
