"""A checked program as the worker holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import Literal

from society.sandbox.running.facades import Interface
from society.sandbox.source.play_analysis import PlayAnalysis


@dataclass(frozen=True)
class LoadedProgram:
    """A checked program: its instrumented code, and what is known of it without running it.

    code defines the class of this name; source is the text that the code was made of. reads are the
    attributes of the history that it uses; fallback is the move ("C" or "D") where it gives none.
    takes_stock: whether it is called with the stock of a common pool, beside the history.
    sees_sources: whether it can read or simulate its co-players; head: what stands before its
    source where they read it. analysis: what tables of its moves need to know.
    """

    name: str
    code: CodeType
    source: str
    interface: Interface
    fallback: Literal["C", "D"]
    random: bool
    keeps_state: bool
    reads: frozenset[str]
    analysis: PlayAnalysis = field(compare=False)  # it follows from the source
    takes_stock: bool = False
    sees_sources: bool = False
    head: str = ""

    @property
    def text(self) -> str:
        """The text that co-players read: programs of equal texts do the same."""
        return f"{self.head}\n\n{self.source}" if self.head else self.source
