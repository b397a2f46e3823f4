"""What happened in a round besides the numbers: deeds, ends, and what was chosen and how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from rich.text import Text

from society.graph import NOBODY
from society.scenario import Stage

from .ink import Ink, labelled
from .scene import Chosen, Scene
from .words import Names, ending, spoken

_SHOWN = 12  # of a list; the others are counted
_OPTIONS = 3  # that are named after a vote


class Deeds:
    """Tells the deeds of one replicate."""

    def __init__(self, ink: Ink, names: Names, replicate: int) -> None:
        self.ink, self.names, self.replicate = ink, names, replicate

    def lines(self, scene: Scene) -> Iterator[Text]:
        """Who did what to whom, who went, what was chosen, and how the replicate ended."""
        for part in (self._done, self._gone, self._notes, self._ended):
            yield from part(scene)

    def fates(
        self, label: str, ended: Mapping[str, Iterable[int]], stage: Stage, but: int = NOBODY
    ) -> Iterator[Text]:
        """Which replicates ended, by cause; nothing if there are none `but` this one."""
        items = []
        for kind, replicates in ended.items():
            others = [number for number in replicates if number != but]
            if others:
                which = "replicate" if len(others) == 1 else "replicates"
                listed = ", ".join(map(str, others[:_SHOWN]))
                more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
                words = f"{which} {listed}{more} ended: {ending(stage, kind)}"
                items.append(self.ink.text(words, "dim"))
        if items:
            yield from labelled(self.ink, label, items, "dim")

    def _done(self, scene: Scene) -> Iterator[Text]:
        for verb, peers in scene.links():
            peer = peers[self.replicate]
            actors = np.flatnonzero(peer != NOBODY)
            deeds = (
                self.ink.text(f"{self.names[actor]} {verb} {self.names[peer[actor]]}")
                for actor in actors
            )
            label = f"{len(actors)} {verb}" if len(actors) else verb
            yield from labelled(self.ink, label, _first(deeds, len(actors)))

    def _gone(self, scene: Scene) -> Iterator[Text]:
        for kind, gone in scene.gone:
            seats = np.flatnonzero(gone[self.replicate])
            if len(seats):
                names = _first((Text(self.names[seat], "bold red") for seat in seats), len(seats))
                yield from labelled(self.ink, spoken(kind), names, "bold red")

    def _notes(self, scene: Scene) -> Iterator[Text]:
        for note in scene.stage.notes:
            stated = scene.stated(note)
            if stated is None:
                continue
            before, after = (self._value(values[self.replicate, 0]) for values in stated)
            change = after if before == after else self.ink.words(f"{before} → {after}")
            chosen = scene.chosen(note, self.replicate)
            won = stated[1][self.replicate, 0]
            how = [] if chosen is None else [self.ink.text(self._how(chosen, won))]
            items = [Text(change, "bold magenta"), *how]
            yield from labelled(self.ink, note, items, "bold magenta")

    def _how(self, chosen: Chosen, won: Any) -> str:
        answers = chosen.answers
        if chosen.voted:
            most = np.lexsort((answers != won, -chosen.counts))[:_OPTIONS]
            votes = [f"{chosen.counts[k]} for {self._value(answers[k])}" for k in most]
            more = ", ..." if len(answers) > _OPTIONS else ""
            return f"{chosen.words}: {', '.join(votes)}{more}"
        if answers.dtype.kind in "iuf":
            return f"{chosen.words}, {self._value(answers[0])} to {self._value(answers[-1])}"
        return chosen.words

    def _value(self, value: Any) -> str:
        return f'"{self.ink.words(value)}"' if isinstance(value, str) else self.ink.figure(value)

    def _ended(self, scene: Scene) -> Iterator[Text]:
        for kind, over in scene.ended:
            if over[self.replicate]:
                words = self.ink.text(ending(scene.stage, kind), "bold red")
                yield from labelled(self.ink, "ended", [words], "bold red")


def _first(items: Iterable[Text], count: int) -> Iterator[Text]:
    """As many as are shown, and how many there are besides."""
    yield from islice(items, _SHOWN)
    if count == 0:
        yield Text("nobody", "dim")
    if count > _SHOWN:
        yield Text(f"and {count - _SHOWN} more", "dim")
