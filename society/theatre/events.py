"""What happened in a round, one event a line: deeds, words, births, deaths, decisions, endings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from rich.text import Text

from society.engine.graph import NOBODY
from society.engine.history import Page
from society.lineage import TELL_LIVES
from society.terminal.answer_summary import Answers
from society.terminal.births import Births
from society.terminal.console import TerminalStyle
from society.terminal.labels import Names, count_noun, describe_ending, spell_kind
from society.terminal.pairs import Pairs
from society.terminal.round_view import RoundView, default_display

from .glyphs import Glyphs
from .history import History
from .view import View

_MOST = 200  # events of a round that are shown


class Event(NamedTuple):
    """One event: its line, who did it (-1: nobody in particular), and the question behind it.

    question: the kind of the Ask, such as "punish"; "" if nobody was asked.
    """

    words: Text
    agent: int = -1
    question: str = ""


@lru_cache(maxsize=64)
def scene_at(history: History, number: int) -> RoundView:
    """Return a round as its display reads it; without a display, with all that it holds."""
    scene = history.scene(number)
    stage = default_display(scene.page, scene.stage)
    return scene if stage is scene.stage else RoundView(scene.page, scene.before, stage)


def names_at(history: History, view: View, style: TerminalStyle) -> Names:
    """Return the names of agents as of the round that one looks at."""
    return names_in(history, view.replicate, view.round, style)


def names_in(history: History, replicate: int, number: int, style: TerminalStyle) -> Names:
    """Return the names of the agents of a replicate as of a round."""
    path, rounds = history.paths[number], _numbers(history, history.last)
    # Where lives take turns on a seat, the rounds around this one tell who has it.
    within = [rounds[path[:depth]] for depth in range(1, len(path)) if path[:depth] in rounds]
    telling = [
        other
        for other in dict.fromkeys((1, *within, number))
        if other <= history.last and _tells_lives(history.page(other))
    ]
    return _names(history, replicate, tuple(telling), style.encoding, style.whole)


def made_room(history: History, number: int, words: str) -> bool:
    """Tell whether those of whom this is said left their seats to others in the same round."""
    scene = scene_at(history, number)
    return words in {spell_kind(kind) for kind, _ in scene.gone[: scene.leavers]}


def _tells_lives(page: Page) -> bool:
    return any(step.kind in TELL_LIVES for step in page.steps)


@lru_cache(maxsize=64)
def _names(
    history: History, replicate: int, telling: tuple[int, ...], encoding: str, whole: bool
) -> Names:
    names = Names(history.manifest, TerminalStyle(encoding, 80, whole=whole), replicate)
    for number in telling:
        names.meet(history.page(number))
    return names


@lru_cache(maxsize=4)
def _numbers(history: History, last: int) -> dict[tuple[int, ...], int]:
    """Return the numbers of rounds by path."""
    return {path: number for number, path in enumerate(history.paths)}


def events(history: History, view: View, style: TerminalStyle) -> list[Event]:
    """List the events of the round that one looks at, in one replicate."""
    scene, names = scene_at(history, view.round), names_at(history, view, style)
    if not scene.running[view.replicate, 0]:
        return []
    teller = _Teller(history, view, style, names, scene)
    told = teller.ended() if scene.void(view.replicate) else teller.all()
    found = list(islice(told, _MOST + 1))
    return found if len(found) <= _MOST else [*found[:_MOST], Event(Text("and more", "dim"))]


class _Teller:
    """Tells one round of one replicate."""

    def __init__(
        self, history: History, view: View, style: TerminalStyle, names: Names, scene: RoundView
    ) -> None:
        self.style, self.names, self.scene = style, names, scene
        self.history = history
        self.replicate, self.specs = view.replicate, history.manifest.specs
        self.glyphs = Glyphs(style)
        self.births = Births(style, names, view.replicate)

    def all(self) -> Iterator[Event]:
        """Yield all events of the round, in the order in which they matter."""
        yield from self._vacant()
        yield from self._gone()
        yield from self._arrived()
        yield from self.ended()
        yield from self._changed()
        yield from self._plain(self.births.born(self.scene))
        yield from self._deeds()
        pairs = Pairs(self.style, self.names, self.replicate, self.specs)
        yield from self._plain(pairs.lines(self.scene))
        yield from self._quotes()
        answers = Answers(self.style, self.names, self.replicate, self.specs)
        yield from self._plain(answers.lines(self.scene))
        yield from self._troubles()
        yield from self._plain(self.births.selected(self.scene))
        yield from self._asides()

    def _plain(self, lines: Iterator[Text]) -> Iterator[Event]:
        yield from (Event(line) for line in lines)

    def _deeds(self) -> Iterator[Event]:
        arrow = self.style.words("→")
        questions = [
            question
            for question in self.scene.stage.links
            for _ in self.scene.answered.get(question, ())
        ]
        for question, (verb, peers) in zip(questions, self.scene.links(), strict=True):
            peer = peers[self.replicate]
            for seat in np.flatnonzero(peer != NOBODY).tolist():
                words = Text(self.names[seat])
                words.append(f" {self.style.words(verb)} {arrow} ", "yellow")
                yield Event(words.append(self.names[peer[seat]]), seat, question)

    def _gone(self) -> Iterator[Event]:
        number = self.scene.page.number
        for kind, going in self.scene.gone:
            said = spell_kind(kind)
            there = number - made_room(self.history, number, said)
            names = names_in(self.history, self.replicate, there, self.style)
            for seat in np.flatnonzero(going[self.replicate]).tolist():
                words = f"{self.glyphs.gone} {names[seat]}: {self.style.words(said)}"
                yield Event(Text(words, "bold red"), seat)

    def _vacant(self) -> Iterator[Event]:
        for kind, empty in self.scene.vacant:
            for seat in np.flatnonzero(empty[self.replicate]).tolist():
                words = f"{self.names[seat]}: {self.style.words(spell_kind(kind))}"
                yield Event(Text(f"{self.glyphs.vacant} {words}", "dim"), seat)

    def _arrived(self) -> Iterator[Event]:
        for kind, arriving in self.scene.arrived:
            for seat in np.flatnonzero(arriving[self.replicate]).tolist():
                words = (
                    f"{self.glyphs.born} {self.names[seat]}: {self.style.words(spell_kind(kind))}"
                )
                yield Event(Text(words, "bold green"), seat)

    def ended(self) -> Iterator[Event]:
        """Yield how the replicate ended, if it did."""
        for kind, over in self.scene.ended:
            if over[self.replicate]:
                words = self.style.words(describe_ending(self.scene.stage, kind))
                yield Event(Text(f"{self.glyphs.ended} ended: {words}", "bold red"))

    def _changed(self) -> Iterator[Event]:
        for note in self.scene.stage.notes:
            stated = self.scene.stated(note)
            if stated is None:
                continue
            before, after = (values[self.replicate, 0] for values in stated)
            if before != after and after == after:
                shown = self._noted(after)
                words = f"{self.glyphs.note} {self.style.words(note)} is now {shown}"
                yield Event(Text(words, "magenta"))

    def _noted(self, value: object) -> str:
        if isinstance(value, str):
            return self.style.quoted(value, self.style.width // 2)
        return self.style.figure(value)

    def _quotes(self) -> Iterator[Event]:
        for name, verb, texts in self.scene.quotes():
            for seat in np.flatnonzero(texts[self.replicate] != "").tolist():
                if self.scene.newborn is not None and self.scene.newborn[self.replicate, seat]:
                    continue  # said with the birth
                lead = f"{self.names[seat]} {self.style.words(verb)} "
                said = self.style.quoted(
                    texts[self.replicate, seat], max(self.style.width - len(lead), 12)
                )
                yield Event(Text.assemble(lead, (said, "italic")), seat, name.partition(" ")[0])

    def _troubles(self) -> Iterator[Event]:
        for trouble in self.scene.page.troubles:
            if trouble.replicate == self.replicate and trouble.what == "fallback":
                words = f"{self.names[trouble.agent]} could not be understood: fallback used"
                kind = spell_kind(trouble.kind)
                line = self.style.text(f"{words} ({kind})", "red")
                yield Event(line, trouble.agent, trouble.kind)

    def _asides(self) -> Iterator[Event]:
        """Yield what was asked beside the history, such as a questionnaire, and the answers."""
        for step in self.scene.page.asides:
            who = step.arrays.get(("who", ""), self.scene.present)[self.replicate]
            told = [
                str(step.arrays["common", name][self.replicate, 0])
                for name in ("instrument", "occasion")
                if ("common", name) in step.arrays
            ]
            words = " ".join([spell_kind(step.kind), *map(spell_kind, told)])
            yield Event(
                self.style.text(f"{words}: {count_noun(int(who.sum()), 'agent')} asked", "cyan")
            )
            given = {
                name: values for (role, name), values in step.arrays.items() if role == "answer"
            }
            for seat in np.flatnonzero(who).tolist():
                said = ", ".join(
                    f"{spell_kind(name)} {self.style.figure(values[self.replicate, seat])}".strip()
                    for name, values in given.items()
                    if values.ndim == 2
                )
                line = f"{self.names[seat]} answers {said}"
                yield Event(Text(self.style.cut(line, self.style.width)), seat, step.kind)
