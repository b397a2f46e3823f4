"""A round through the eyes of one agent: what it was told and asked, and nothing else.

knows of all     common facts, as they were last told in the round
sees of others   a row for each one whom it sees, with the entries that it was told
heard            events and questions in their order, with the words that reached it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from society.engine.graph import NOBODY
from society.terminal.console import TerminalColumn, TerminalStyle, layout_table
from society.terminal.labels import Names, spell_kind

from .events import names_at
from .exchange_page import unseen_words
from .history import History
from .knowledge import HeardLine, KnownFact, heard_lines
from .paragraphs import FactWords, labelled, rule
from .view import View

_LONGEST_CELL = 18


def eyes_page(history: History, view: View, width: int, style: TerminalStyle) -> Iterator[Text]:
    """Yield the round as the agent that is chosen was told of it."""
    return _EyesPage(history, view, width, style).lines()


class _EyesPage:
    """Lays out what one agent was told in a round."""

    def __init__(self, history: History, view: View, width: int, style: TerminalStyle) -> None:
        self.history, self.view, self.width, self.style = history, view, width, style
        self.names: Names = names_at(history, view, style)
        self.words = FactWords(self.names, history.manifest.specs, style)
        self.heard = heard_lines(history, view.round, view.replicate, view.agent)

    def lines(self) -> Iterator[Text]:
        """Yield all lines of the page."""
        me = self.names[self.view.agent]
        yield rule(f"this round, as {me} was told of it", self.width, self.style)
        if not self.heard:
            yield Text(f"  {self._silence(me)}", "dim")
            return
        latest = _latest(self.heard)
        yield from self._all(latest)
        yield from self._others(latest)
        for graph in dict.fromkeys(graph for line in self.heard for graph in line.unseen):
            yield from labelled(Text(), self.style.text(unseen_words(graph), "yellow"), self.width)
        yield rule("heard, in this order", self.width, self.style)
        for line in self.heard:
            yield from self._line(line)

    def _silence(self, me: str) -> str:
        if self.history.manifest.level == "summary":
            return "facts were not recorded (level summary); society run --record full does"
        return f"{me} was told nothing"

    def _all(self, latest: Sequence[KnownFact]) -> Iterator[Text]:
        shared = {fact.name for fact in latest if fact.seat not in (NOBODY, self.view.agent)}
        known = [fact for fact in latest if fact.name not in shared]
        for title, value in self.words.facts(known, self.view.agent):
            yield from labelled(Text(), self.style.text(f"{title}: {value}"), self.width, gutter=2)

    def _others(self, latest: Sequence[KnownFact]) -> Iterator[Text]:
        """Yield a table of the agent itself and of those whom it sees."""
        cells: dict[tuple[int, str], Any] = {
            (fact.seat, fact.name): fact.value for fact in latest if fact.seat != NOBODY
        }
        me = self.view.agent
        shared = {name for seat, name in cells if seat != me}
        cells = {key: value for key, value in cells.items() if key[1] in shared}
        if not cells:
            return
        seats = sorted({seat for seat, _ in cells}, key=lambda seat: (seat != me, seat))
        names = list(dict.fromkeys(name for _, name in cells))
        stub = [Text(self.names[seat], "bold" if seat == me else "") for seat in seats]
        columns = [
            TerminalColumn(
                self.style.cut(spell_kind(name), _LONGEST_CELL),
                [self._cell(cells.get((seat, name)), name) for seat in seats],
            )
            for name in names
        ]
        narrow = TerminalStyle(self.style.encoding, self.width)
        yield rule("sees of itself and of others", self.width, self.style)
        yield from layout_table(narrow, stub, columns)

    def _cell(self, value: Any, name: str) -> Text:
        if value is None:
            return Text("")
        spec = self.words.spec(name)
        words = spec.label(value) or (
            self.style.figure(value) if isinstance(value, int | float) else _flat(value)
        )
        return Text(self.style.cut(words, _LONGEST_CELL))

    def _line(self, line: HeardLine) -> Iterator[Text]:
        """Yield an event or question, with the facts that came with it."""
        asked = line.sort == "ask"
        lead = "was asked" if asked else "heard"
        beside = " beside the history" if line.aside else ""
        label = Text(f"  {lead} ", "yellow" if asked else "cyan")
        label.append(self.style.words(spell_kind(line.kind)), "bold").append(beside, "dim")
        yield label
        for title, value in self.words.facts(line.facts, self.view.agent):
            yield from labelled(
                Text(), self.style.text(f"{title}: {value}", "dim"), self.width, gutter=6
            )


def _flat(value: Any) -> str:
    """A text, or several entries one after another."""
    return ", ".join(map(_flat, value)) if isinstance(value, list) else f"{value}"


def _latest(heard: Sequence[HeardLine]) -> list[KnownFact]:
    """Return each fact as it was told last in the round."""
    found: dict[tuple[str, int], KnownFact] = {}
    for line in heard:
        for fact in line.facts:
            found[fact.name, fact.seat] = fact
    return list(found.values())
