"""The events of a round besides the numbers: actions, words, votes and endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec

from .answer_summary import Answers
from .births import Births
from .console import TerminalStyle, first_items, labelled_lines, labelled_row
from .labels import Names, describe_ending, spell_kind
from .round_view import Chosen, RoundView
from .usage_tables import count_mishaps

_SHOWN = 12  # of a list; the others are counted
_OPTIONS = 3  # that are named after a vote
_QUOTES = 4  # of one sort in a round
_QUOTE, _LAW = 100, 240  # cells of what somebody said, and of what holds for all


class EventLines:
    """Tells the deeds of one replicate; facts: units and labels of what is noted, by name."""

    def __init__(
        self, ink: TerminalStyle, names: Names, replicate: int, facts: Mapping[str, FactSpec]
    ) -> None:
        self.ink, self.names, self.replicate, self.facts = ink, names, replicate, facts
        self.births = Births(ink, names, replicate)
        self.answers = Answers(ink, names, replicate, facts)

    def lines(self, scene: RoundView) -> Iterator[Text]:
        """Yield actions, departures, quotes, decisions and the ending of the replicate."""
        if scene.void(self.replicate):
            yield from self._troubles(scene)
            yield from self._ended(scene)
            return
        for part in (
            self.births.born,
            self._done,
            self._vacant,
            self._gone,
            self._arrived,
            self._quotes,
            self.answers.lines,
            self._notes,
            self._troubles,
            self.births.selected,
            self._ended,
        ):
            yield from part(scene)

    def fates(
        self, label: str, ended: Mapping[str, Iterable[int]], stage: DisplaySpec, but: int = NOBODY
    ) -> Iterator[Text]:
        """Yield a line on the replicates that ended, by cause; `but` is left out."""
        items = []
        for kind, replicates in ended.items():
            others = [number for number in replicates if number != but]
            if others:
                which = "replicate" if len(others) == 1 else "replicates"
                most = self.ink.most(_SHOWN)
                listed = ", ".join(map(str, others[:most]))
                more = f" and {len(others) - most} more" if len(others) > most else ""
                words = f"{which} {listed}{more} ended: {describe_ending(stage, kind)}"
                items.append(self.ink.text(words, "dim"))
        if items:
            yield from labelled_row(self.ink, label, items, "dim")

    def _done(self, scene: RoundView) -> Iterator[Text]:
        for verb, peers in scene.links():
            peer = peers[self.replicate]
            actors = np.flatnonzero(peer != NOBODY)
            deeds = (
                self.ink.text(f"{self.names[actor]} {verb} {self.names[peer[actor]]}")
                for actor in actors
            )
            label = f"{len(actors)} {verb}" if len(actors) else verb
            yield from labelled_row(self.ink, label, self._first(deeds, len(actors)))

    def _gone(self, scene: RoundView) -> Iterator[Text]:
        """Yield those who have gone; a seat may be another's by now."""
        for place, (kind, gone) in enumerate(scene.gone):
            name = self.names.former if place < scene.leavers else self.names.__getitem__
            yield from self._named(kind, gone, name, "bold red")

    def _vacant(self, scene: RoundView) -> Iterator[Text]:
        """Yield the seats that nobody has at first."""
        for kind, empty in scene.vacant:
            yield from self._named(kind, empty, self.names.__getitem__, "dim")

    def _arrived(self, scene: RoundView) -> Iterator[Text]:
        for kind, arrived in scene.arrived:
            yield from self._named(kind, arrived, self.names.__getitem__, "bold green")

    def _named(
        self, kind: str, which: Array, name: Callable[[int], str], look: str
    ) -> Iterator[Text]:
        """Yield a row with the names of those marked, (R, N)."""
        seats = np.flatnonzero(which[self.replicate]).tolist()
        if seats:
            names = self._first((Text(name(seat), look) for seat in seats), len(seats))
            yield from labelled_row(self.ink, spell_kind(kind), names, look)

    def _quotes(self, scene: RoundView) -> Iterator[Text]:
        for label, verb, texts in scene.quotes():
            said = texts[self.replicate]
            if scene.newborn is not None:  # their words are printed with their births
                said = np.where(scene.newborn[self.replicate], "", said)
            seats = np.flatnonzero(said != "")
            items = (
                self.ink.text(f"{self.names[seat]} {verb} {self.ink.quoted(said[seat], _QUOTE)}")
                for seat in seats
            )
            shown = first_items(items, len(seats), self.ink.most(_QUOTES))
            yield from labelled_lines(self.ink, label, shown)

    def _notes(self, scene: RoundView) -> Iterator[Text]:
        for note in scene.stage.notes:
            stated = scene.stated(note)
            if stated is None:
                continue
            before, after = (values[self.replicate, 0] for values in stated)
            chosen = scene.chosen(note, self.replicate)
            if isinstance(after, str):
                yield from labelled_lines(self.ink, note, self._sentence(after, chosen))
            elif not _endless(before) or not _endless(after):
                yield from self._number(note, before, after, chosen)

    def _number(self, note: str, before: Any, after: Any, chosen: Chosen | None) -> Iterator[Text]:
        """Yield a number before and after the round, and how it was decided.

        A limit that is endless is none; where there never was one, nothing is shown.
        """
        spec = self.facts.get(note, UNSPECIFIED)
        first, last = (
            spec.label(value) or ("none" if _endless(value) else self.ink.figure(value))
            for value in (before, after)
        )
        then = f"{first}{self.ink.words(' → ')}" if first != last else ""
        shown = last if _endless(after) else self.ink.quantity(after, spec)
        items = [self.ink.text(f"{then}{shown}", "bold magenta")]
        if chosen is not None:
            items.append(self.ink.text(f"{chosen.words}{self._figures(chosen, after)}"))
        yield from labelled_row(self.ink, note, items, "bold magenta")

    def _figures(self, chosen: Chosen, won: Any) -> str:
        answers = chosen.answers
        if chosen.voted:
            votes = [
                f"{count} for {self.ink.figure(answer)}"
                for answer, count in self._most(chosen, won)
            ]
            return (
                f": {', '.join(votes)}{', ...' if len(answers) > self.ink.most(_OPTIONS) else ''}"
            )
        if answers.dtype.kind in "iuf":
            return f", {self.ink.figure(answers[0])} to {self.ink.figure(answers[-1])}"
        return ""

    def _sentence(self, after: str, chosen: Chosen | None) -> Iterator[Text]:
        """Yield a text that holds for all, then how it was decided, line by line."""
        if after:
            yield self.ink.text(self.ink.quoted(after, _LAW), "bold magenta")
        if chosen is None:
            return
        yield self.ink.text(chosen.words)
        if not chosen.voted:
            return
        for answer, count in self._most(chosen, after):
            which = "it" if answer == after else self.ink.quoted(answer, _QUOTE)
            yield self.ink.text(f"{count} for {which}")
        yield from first_items((), len(chosen.answers), self.ink.most(_OPTIONS))

    def _troubles(self, scene: RoundView) -> Iterator[Text]:
        here = [each for each in scene.page.troubles if each.replicate == self.replicate]
        failed = [each for each in here if each.what == "fallback"]
        so = "" if scene.void(self.replicate) else ": the fallback was used"
        words = (
            self.ink.text(
                f"{self.names.with_type(each.agent)} could not be understood "
                f"({spell_kind(each.kind)}){so}",
                "red",
            )
            for each in failed
        )
        items = list(first_items(words, len(failed), self.ink.most(_SHOWN)))
        mended = Counter(each.what for each in here if each.what != "fallback")
        if mended:
            items.append(Text(count_mishaps(mended), "dim"))
        yield from labelled_lines(self.ink, "trouble", items, "bold red")

    def _ended(self, scene: RoundView) -> Iterator[Text]:
        for kind, over in scene.ended:
            if over[self.replicate]:
                words = self.ink.text(describe_ending(scene.stage, kind), "bold red")
                yield from labelled_row(self.ink, "ended", [words], "bold red")

    def _most(self, chosen: Chosen, won: Any) -> list[tuple[Any, int]]:
        """Return the most frequent answers, each with its count, the winner first."""
        ranked = np.lexsort((chosen.answers != won, -chosen.counts))[: self.ink.most(_OPTIONS)]
        return [(chosen.answers[k], int(chosen.counts[k])) for k in ranked]

    def _first(self, items: Iterable[Text], count: int) -> Iterator[Text]:
        """Yield the first items, or "nobody"."""
        if count == 0:
            yield Text("nobody", "dim")
        yield from first_items(items, count, self.ink.most(_SHOWN))


def _endless(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isinf(value))
