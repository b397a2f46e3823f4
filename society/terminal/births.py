"""Lines on births and selection in a round, where societies evolve.

Lineages are read off whole runs in society.lineage; here is one generation as it begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.text import Text

from society.engine.graph import NOBODY
from society.lineage import DESCENDED, SELECTED

from .console import TerminalStyle, first_items, labelled_lines, labelled_row
from .labels import Names
from .round_view import RoundView, facts_told

_SHOWN = 12  # of those who are born, live on, or do not; the others are counted
_QUOTE = 160  # cells


class Births:
    """Prints births and selection in one replicate."""

    def __init__(self, ink: TerminalStyle, names: Names, replicate: int) -> None:
        self.ink, self.names, self.replicate = ink, names, replicate

    def born(self, scene: RoundView) -> Iterator[Text]:
        """List the newborn: a line for each with words of its own, else names in a row."""
        newborn, parents = scene.newborn, facts_told(scene.page, DESCENDED, "parent")
        if newborn is None or parents is None:
            return
        seats = np.flatnonzero(newborn[self.replicate] & scene.present[self.replicate])
        said = {seat: self._said(scene, seat) for seat in seats[: self.ink.most(_SHOWN)]}
        items = []
        for seat, words in said.items():
            parent = parents[self.replicate, seat]
            child = "" if parent == NOBODY else f", child of {self.names.of_life(parent)}"
            comma = "," if child and words else ""
            items.append(self.ink.text(f"{self.names[seat]}{child}{comma}{words}"))
        yield from self._listed(f"{len(seats)} born", items, len(seats), apart=any(said.values()))

    def _said(self, scene: RoundView, seat: int) -> str:
        quotes = [
            f" {verb} {self.ink.quoted(texts[self.replicate, seat], _QUOTE)}"
            for _, verb, texts in scene.quotes()
            if texts[self.replicate, seat]
        ]
        return ",".join(quotes)

    def selected(self, scene: RoundView) -> Iterator[Text]:
        """List the survivors and the others with their fitness, the fittest first."""
        fitness, survives = (
            facts_told(scene.page, SELECTED, name) for name in ("fitness", "survives")
        )
        if fitness is None or survives is None:
            return
        own, lives = fitness[self.replicate], survives[self.replicate]
        ranked = [seat for seat in np.argsort(-own, kind="stable") if not np.isnan(own[seat])]
        for label, style, kept in (("live on", "bold green", lives), ("leave", "bold", ~lives)):
            seats = [seat for seat in ranked if kept[seat]]
            items = [
                self.ink.text(f"{self.names[seat]} ({self.ink.figure(own[seat])})")
                for seat in seats[: self.ink.most(_SHOWN)]
            ]
            yield from self._listed(f"{len(seats)} {label}", items, len(seats), style=style)

    def _listed(
        self, label: str, items: list[Text], count: int, *, apart: bool = False, style: str = "bold"
    ) -> Iterator[Text]:
        if items:
            shown = first_items(items, count, self.ink.most(_SHOWN))
            yield from (labelled_lines if apart else labelled_row)(self.ink, label, shown, style)
