"""How lives succeed each other, as agents are told it in words (prompts/generations/)."""

from __future__ import annotations

from typing import NamedTuple

from society.scenarios.selection import Selection


class Succession(NamedTuple):
    """Who lives on and who has children, and by what.

    fitness: the fact that selection looks at. fold: what becomes of its tellings in a generation,
    "mean", "sum" or "last".
    """

    selection: Selection
    fitness: str
    fold: str
