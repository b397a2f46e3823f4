"""Pairs of a round, a line each: who did what to whom, and what both have thereafter.

Of two who both did something, the line of the first says what the other one did as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec

from .console import BARS, TerminalStyle, decimals_for, first_items, flow_items, labelled_row
from .labels import Names, spell_kind
from .round_view import RoundView

_SHOWN = 12  # pairs, and agents without one; the others are counted
_LONGEST_BAR = 10
_GAP = "  "
_BAR, _RIGHT = 3, (1, 5)  # the columns of bars, and of numbers
_FIGURE = re.compile(r"\{(\w+)(:%)?\}")


class Pairs:
    """Prints the pairs of one replicate; facts: units and labels by name."""

    def __init__(
        self, ink: TerminalStyle, names: Names, replicate: int, facts: Mapping[str, FactSpec]
    ) -> None:
        self.ink, self.names, self.replicate, self.facts = ink, names, replicate, facts

    def lines(self, scene: RoundView) -> Iterator[Text]:
        """Yield the lines of all pairs; none if the display or the round has no pairs."""
        meeting = scene.stage.meeting
        if meeting is None:
            return
        peer, deed = self._own(scene, meeting.peer), self._own(scene, meeting.deed)
        if peer is None or deed is None:
            return
        clauses = [
            meeting.clauses[number] if 0 <= number < len(meeting.clauses) else "" for number in deed
        ]
        actors = [seat for seat in np.flatnonzero(peer != NOBODY).tolist() if clauses[seat]]
        both = {seat for seat in actors if clauses[peer[seat]] and peer[peer[seat]] == seat}
        actors = [seat for seat in actors if seat not in both or seat < peer[seat]]
        shown = actors[: self.ink.most(_SHOWN)]
        has = self._holdings(scene, meeting.holds)
        bars = self._bars(scene, meeting.share, shown)
        yield from self._table(
            [
                (
                    *(
                        self.names.with_type(seat),
                        has[seat],
                        self._did(scene, clauses[seat], seat),
                        bar,
                    ),
                    f"{'↔' if seat in both else '→'} {self.names.with_type(other)}",
                    *(has[other], self._did(scene, clauses[other] if seat in both else "", other)),
                )
                for seat, other, bar in zip(shown, peer[shown], bars, strict=True)
            ]
        )
        yield from first_items((), len(actors), self.ink.most(_SHOWN), "more pairs")
        yield from self._without(scene, peer, has)

    def deeds_of(self, scene: RoundView, seat: int) -> Iterator[str]:
        """Yield what an agent did to its partner, and what others did to it, as clauses."""
        meeting = scene.stage.meeting
        if meeting is None:
            return
        peer, deed = self._own(scene, meeting.peer), self._own(scene, meeting.deed)
        if peer is None or deed is None:
            return
        for actor in [seat, *np.flatnonzero(peer == seat).tolist()]:
            number, other = int(deed[actor]), int(peer[actor])
            clause = meeting.clauses[number] if 0 <= number < len(meeting.clauses) else ""
            if other != NOBODY and clause and (actor == seat or other == seat):
                who = "" if actor == seat else f"{self.names[actor]} "
                whom = f" to {self.names[other]}" if actor == seat else " to it"
                yield f"{who}{self._did(scene, clause, actor)}{whom}"

    def _own(self, scene: RoundView, name: str) -> Array | None:
        """Return the values of a column in this replicate, (N,); None without such a column."""
        values = scene.column(name) if name else None
        return None if values is None else values[self.replicate]

    def _holdings(self, scene: RoundView, name: str) -> list[str]:
        """Format the holdings of all agents, with the same number of decimals."""
        held = self._own(scene, name)
        if held is None:
            return [""] * scene.present.shape[1]
        decimals = decimals_for(held)
        return [self.ink.figure(value, decimals) for value in held]

    def _did(self, scene: RoundView, clause: str, seat: int) -> str:
        return fill_clause(scene, self.replicate, clause, seat, self.ink, self.facts)

    def _bars(self, scene: RoundView, name: str, seats: Sequence[int]) -> list[str]:
        shares = self._own(scene, name)
        if shares is None:
            return [""] * len(seats)
        return [self.ink.bar(shares[seat], _LONGEST_BAR) for seat in seats]

    def _table(self, rows: Sequence[Sequence[str]]) -> Iterator[Text]:
        """Lay out the pairs in rows; drop the bars, then the alignment, where there is no room."""
        columns = [list(map(self.ink.words, column)) for column in zip(*rows, strict=True)]
        widths = [max(map(cell_len, column)) for column in columns]
        shown = [place for place, width in enumerate(widths) if width]
        if _width(widths[place] for place in shown) > self.ink.width:
            shown = [place for place in shown if place != _BAR]
        fits = _width(widths[place] for place in shown) <= self.ink.width
        for row in zip(*columns, strict=True):
            cells = []
            for place in shown:
                blank = " " * (widths[place] - cell_len(row[place])) if fits else ""
                words = blank + row[place] if place in _RIGHT else row[place] + blank
                cells.append(Text(words, BARS if place == _BAR else ""))
            yield from flow_items(cells, self.ink.width, gap=_GAP if fits else " ")

    def _without(self, scene: RoundView, peer: Array, has: Sequence[str]) -> Iterator[Text]:
        """List the agents who met without a result, and those who met nobody."""
        meeting, alone = scene.stage.meeting, scene.present[self.replicate] & (peer == NOBODY)
        apart = self._own(scene, meeting.apart) if meeting is not None else None
        if meeting is not None and apart is not None:
            yield from self._listed(spell_kind(meeting.apart), np.flatnonzero(alone & apart), has)
            alone = alone & ~apart
        yield from self._listed("alone", np.flatnonzero(alone), has)

    def _listed(self, label: str, seats: Array, has: Sequence[str]) -> Iterator[Text]:
        items = (Text(f"{self.names.with_type(seat)} {has[seat]}".rstrip()) for seat in seats)
        if len(seats):
            shown = first_items(items, len(seats), self.ink.most(_SHOWN))
            yield from labelled_row(self.ink, f"{len(seats)} {label}", shown)


def fill_clause(
    scene: RoundView,
    replicate: int,
    clause: str,
    seat: int,
    ink: TerminalStyle,
    facts: Mapping[str, FactSpec],
) -> str:
    """Fill the figures of an agent into a clause of a meeting: "gave {share:%}", "gave 5 %"."""

    def figure(found: re.Match[str]) -> str:
        values = scene.column(found[1])
        value = float("nan") if values is None else values[replicate, seat]
        if found[2]:
            return f"{ink.figure(100 * value, 0)} %"
        return ink.quantity(value, facts.get(found[1], UNSPECIFIED))

    return _FIGURE.sub(figure, clause)


def other_columns(stage: DisplaySpec) -> list[str]:
    """List the columns of a display that the lines of its pairs do not show."""
    meeting = stage.meeting
    if meeting is None:
        return list(stage.columns)
    held = {meeting.peer, meeting.deed, meeting.share, meeting.holds, meeting.apart}
    held |= {name for clause in meeting.clauses for name, _ in _FIGURE.findall(clause)}
    return [name for name in stage.columns if name not in held]


def _width(widths: Iterable[int]) -> int:
    """Return the width of columns side by side."""
    return sum(width + len(_GAP) for width in widths) - len(_GAP)
