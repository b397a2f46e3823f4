"""A replicate in words, for a page: rounds, agents with what they said, exchanges with models.

Frames show a screen; a page has room for all that was said, and is read aloud by screen readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from society.engine.fact_specs import UNSPECIFIED
from society.engine.history import Page
from society.engine.rng import Array
from society.llm.call_tables import Call
from society.terminal.console import TerminalStyle
from society.terminal.event_lines import EventLines
from society.terminal.labels import Names, RoundLabels
from society.terminal.pairs import Pairs
from society.terminal.round_view import (
    RoundView,
    default_display,
    full_scale,
    last_common_fact,
)
from society.theatre.history import History

_ONE_LINE = 100_000  # cells; nothing that an agent says is longer, or it takes two lines
_GAPS = re.compile(r"\s{2,}")
_BARS = re.compile("[━╸]+")


@dataclass
class ToldLife:
    """An agent while it has its seat: its name, and what it said, each with the round's number.

    type: "" if all agents are of one type. first, last: the rounds between which the seat has this
    name.
    """

    seat: int
    name: str
    type: str
    first: int
    last: int
    said: list[tuple[int, str]] = field(default_factory=list)


class ToldItems(NamedTuple):
    """What happened in a round, of one sort: "2 fined", "villager 1 fined villager 3", ...

    label: "" where a single item says it all.
    """

    label: str
    items: list[str]


class ToldRound(NamedTuple):
    """A round in words: its title, and what happened."""

    title: str
    events: list[ToldItems]


class Retelling:
    """Tells the rounds of one replicate in words; `lives` grows while rounds are told."""

    def __init__(self, history: History, replicate: int) -> None:
        self.history, self.replicate, manifest = history, replicate, history.manifest
        self.stage, self.specs = manifest.stage, manifest.specs
        self._style = ink = TerminalStyle("utf-8", _ONE_LINE, whole=True)
        self._names, self._labels = Names(manifest, ink, replicate), RoundLabels(manifest)
        self._events = EventLines(ink, self._names, replicate, manifest.specs)
        self._pairs = Pairs(ink, self._names, replicate, manifest.specs)
        self._full, self._measures_only = full_scale(manifest), manifest.level == "summary"
        self.lives: list[ToldLife] = []
        self._living: list[ToldLife | None] = [None] * manifest.agents

    def rounds(self, first: int, last: int) -> Iterator[ToldRound]:
        """Tell the rounds from `first` to `last`."""
        before: Page | None = None
        # Founders are told of in the first round, and have their names before it.
        if self.history.last > 0:
            self._names.meet(self.history.page(1))
        for number in range(last + 1):
            page = self.history.page(number)  # which frames of the same round need as well
            self._names.meet(page)
            if page.number >= first and self._measures_only:
                yield ToldRound(self._labels.title(page), [*self._measures(page)])
            elif page.number >= first:
                self._meet(page.number)
                yield self._round(page, before)
            before = page

    def life_on(self, seat: int, number: int) -> int | None:
        """Return the place among `lives` of who has a seat in a round."""
        places = (
            place
            for place, life in enumerate(self.lives)
            if life.seat == seat and life.first <= number <= life.last
        )
        return next(places, None)

    def _meet(self, number: int) -> None:
        """Note which names have the seats in a round."""
        for seat, life in enumerate(self._living):
            name = self._names[seat]
            if life is None or life.name != name:
                kind = self._names.cohorts[seat] if self._names.several else ""
                life = ToldLife(seat, name, kind, number, number)
                self._living[seat] = life
                self.lives.append(life)
            life.last = number

    def _round(self, page: Page, before: Page | None) -> ToldRound:
        scene = RoundView(page, before, default_display(page, self.stage))
        title = self._labels.title(page)
        if not scene.running[self.replicate, 0]:
            return ToldRound(title, [ToldItems("", ["This replicate has ended."])])
        standing = (ToldItems("", [words]) for words in self._standing(scene))
        self._hear(scene)
        return ToldRound(title, [*standing, *self._pairings(scene), *self._deeds(scene)])

    def _measures(self, page: Page) -> Iterator[ToldItems]:
        """Yield the measures of a round, where nothing else was recorded."""
        for measure in self.history.manifest.measures:
            taken = page.measures.get(measure.name)
            if taken is not None and not np.isnan(taken[self.replicate]):
                figure = self._style.figure(taken[self.replicate])
                yield ToldItems(measure.name, [self._style.words(f"{figure} {measure.unit}")])

    def _standing(self, scene: RoundView) -> Iterator[str]:
        """Yield how many take part, and the state of the gauge."""
        here = scene.present[self.replicate].sum()
        yield f"{here} of {self.history.manifest.agents} {self.stage.presence}"
        name = self.stage.gauge[0] if self.stage.gauge else ""
        stock = last_common_fact(scene.page, name)
        if stock is not None:
            ink, level = self._style, float(stock[self.replicate, 0])
            full = ink.quantity(self._full, self.specs.get(name, UNSPECIFIED))
            yield ink.words(f"{name}: {ink.figure(level)} of {full}")

    def _pairings(self, scene: RoundView) -> Iterator[ToldItems]:
        """Yield who met whom, a pair each."""
        if not scene.void(self.replicate):
            for line in self._pairs.lines(scene):
                words = _BARS.sub("", line.plain).strip()
                yield ToldItems("", [_GAPS.sub(" · ", words).replace("· →", "→")])

    def _deeds(self, scene: RoundView) -> Iterator[ToldItems]:
        told: list[ToldItems] = []
        for line in self._events.lines(scene):
            label, *items = _GAPS.split(line.plain.rstrip())
            if label or not told:
                told.append(ToldItems(label, items))
            else:
                told[-1].items.extend(items)
        yield from told

    def _hear(self, scene: RoundView) -> None:
        """Note the words that agents say in a round, or come to hold."""
        for name, verb, texts in scene.quotes():
            for seat in np.flatnonzero(_said(texts[self.replicate])):
                life = self._living[seat]
                assert life is not None
                words = f"{verb} ({name}): {texts[self.replicate, seat]}"
                life.said.append((scene.page.number, self._style.words(words)))


def _said(texts: Array) -> Array:
    """Mark the entries that are words, (N,)."""
    return np.array([isinstance(text, str) and text != "" for text in texts], bool)


def call_heading(call: Call) -> str:
    """Say in one line what a call was about, and what it took."""
    request, said = call.request, call.said
    sides = (
        "unknown" if one is None else f"{one:,}"
        for one in (said.prompt_tokens, said.completion_tokens)
    )
    parts = [request.address.kind, said.model or request.model, f"{' + '.join(sides)} tokens"]
    if request.again:
        parts.append(f"{request.again}: {request.reason}" if request.reason else request.again)
    if said.finish != "stop":
        parts.append(said.finish)
    return " · ".join(parts)
