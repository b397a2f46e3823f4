"""The page of an agent: its columns over rounds, what it was asked, and its history in words.

The history goes back from the round that one looks at, as far as there is room: so it costs the
same however long the run is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.text import Text

from society.engine.action_spaces import Choice, Neighbour
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.lineage import DESCENDED, SELECTED
from society.terminal.agent_table import Traits
from society.terminal.console import TerminalStyle, decimals_for
from society.terminal.labels import Names, RoundLabels, describe_ending, spell_kind
from society.terminal.pairs import Pairs
from society.terminal.round_view import Answered, RoundView, answer_words, facts_told

from .axis import TimeAxis
from .events import names_at, scene_at
from .exchange_page import exchange_line, given_words
from .exchanges import exchanges
from .glyphs import Glyphs
from .history import BORN, GONE, VACANT, History
from .lanes import lanes
from .paragraphs import FactWords, labelled, rule
from .view import View

_LONGEST_TITLE, _FIGURE = 24, 9
_MOST_EXCHANGES = 8


def agent_page(history: History, view: View, width: int, style: TerminalStyle) -> Iterator[Text]:
    """Yield the page of the agent that is chosen, as of the round that one looks at."""
    return _AgentPage(history, view, width, style).lines()


class _AgentPage:
    """Lays out the page of one agent."""

    def __init__(self, history: History, view: View, width: int, style: TerminalStyle) -> None:
        self.history, self.view, self.width, self.style = history, view, width, style
        self.seat, self.replicate = view.agent, view.replicate
        self.glyphs = Glyphs(style)
        self.scene = scene_at(history, view.round)
        self.names: Names = names_at(history, view, style)
        self.words = FactWords(self.names, history.manifest.specs, style)
        self.traits = Traits(history.manifest, view.replicate)

    def lines(self) -> Iterator[Text]:
        """Yield all lines of the page, those of its history last."""
        yield self._heading()
        yield from self._numbers()
        yield from self._held()
        yield from self._exchanges()
        yield from self._past()

    def _heading(self) -> Text:
        parts = [self.names.with_type(self.seat)]
        present = self.history.page(self.view.round).present[self.replicate, self.seat]
        stage = self.history.manifest.stage
        found = lanes(self.history, self.replicate)
        some = [found[name].until(self.view.round) for name in (VACANT, GONE) if name in found]
        left = [mark for marks in some for mark in marks if mark.agent == self.seat]
        if self.history.manifest.level == "summary":
            parts.append("details were not recorded (level summary)")
        elif present:
            parts.append(stage.presence)
        elif left and left[-1].lane == VACANT:
            parts.append(f"{self.glyphs.vacant} {left[-1].words} from the beginning")
        elif left:
            parts.append(f"{self.glyphs.gone} {left[-1].words} in round {left[-1].round}")
        else:
            parts.append(f"not {stage.presence}")
        return rule(self.glyphs.dot.join(parts), self.width, self.style)

    def _lifetime(self) -> tuple[int, int]:
        """Return the round in which the life on this seat began, and that of the next one."""
        lane = lanes(self.history, self.replicate).get(BORN)
        born = [] if lane is None else [one.round for one in lane.marks if one.agent == self.seat]
        before = [number for number in born if number <= self.view.round]
        after = [number for number in born if number > self.view.round]
        return max(before, default=0), min(after, default=self.history.last + 1)

    def _numbers(self) -> Iterator[Text]:
        """Yield a line for each column of numbers: its title, its value now, and its course."""
        course = self.history.course(self.replicate)
        axis = TimeAxis.of(self.history.last, self.width - _LONGEST_TITLE - _FIGURE - 16)
        born, end = self._lifetime()
        rounds = np.arange(self.history.last + 1)
        for name, values in course.own.items():
            mine = np.where((rounds >= born) & (rounds < end), values[:, self.seat], np.nan)
            known = mine[np.isfinite(mine)]
            if not len(known) or self.traits.spec(name).labels:
                continue
            line = self.style.text(self.style.cut(spell_kind(name), _LONGEST_TITLE))
            line.append(" " * (_LONGEST_TITLE - line.cell_len))
            now = self.style.figure(mine[self.view.round], decimals_for(known))
            line.append(now.rjust(_FIGURE) + " ", "bold")
            unit = self.style.cut(self.traits.spec(name).unit, 10)
            line.append(unit.ljust(11), "dim")
            scale = float(np.nanmax(np.append(values[np.isfinite(values)], 0)))
            yield line.append_text(
                axis.bars(self.style, mine, scale or 1.0, self.view.round, "blue")
            )

    def _held(self) -> Iterator[Text]:
        """Yield columns of words and labels: its strategy, its norm."""
        stage = self.scene.stage
        names = dict.fromkeys((*stage.columns, *self.traits.names, *stage.quotes))
        for name in names:
            column = self.scene.column(name)
            if column is None:
                continue
            spec = self.traits.spec(name)
            shown = self.traits.shown(name, column[self.replicate])[self.seat]
            if isinstance(shown, str) and shown:
                # What is short stands below the numbers; a sentence takes the width.
                said = shown.rjust(_FIGURE) if spec.labels else f'"{shown}"'
                words = self.style.text(said, "italic")
                label = self.style.text(spell_kind(name))
                yield from labelled(label, words, self.width, gutter=_LONGEST_TITLE)

    def _exchanges(self) -> Iterator[Text]:
        found = exchanges(self.history, self.view.round, self.replicate, self.seat)
        few = {0: "asked nothing", 1: "asked once", 2: "asked twice"}
        asked = few.get(len(found), f"asked {len(found)} times")
        yield rule(f"{asked} in this round", self.width, self.style)
        chosen = min(self.view.exchange, len(found) - 1)
        start = min(max(chosen - _MOST_EXCHANGES // 2, 0), max(len(found) - _MOST_EXCHANGES, 0))
        for place, one in enumerate(found[start : start + _MOST_EXCHANGES], start):
            here = place == chosen
            line = Text(f"{self.glyphs.chosen if here else ' '} ", "bold cyan")
            line.append_text(exchange_line(one, self.words, self.width - 2))
            line.truncate(self.width, overflow="crop", pad=here)
            if here:
                line.stylize("reverse")
            yield line
        if len(found) > start + _MOST_EXCHANGES:
            more = len(found) - start - _MOST_EXCHANGES
            yield Text(f"  and {more} more below", "dim")

    def _past(self) -> Iterator[Text]:
        yield rule("its history, the latest first", self.width, self.style)
        labels, told = RoundLabels(self.history.manifest), False
        for number in range(self.view.round, 0, -1):
            scene = scene_at(self.history, number)
            names = self.names
            if scene.newborn is not None or self._lives_take_turns:
                at = View(round=number, replicate=self.replicate)
                names = names_at(self.history, at, self.style)
            deeds = list(_AgentsDeeds(self, scene, names).all())
            label = self.style.text(labels.label(scene.page).split()[-1], "dim")
            for deed in deeds:
                told = True
                yield from labelled(label, self.style.text(deed), self.width, gutter=9)
                label = Text()
            if scene.newborn is not None and scene.newborn[self.replicate, self.seat]:
                return  # what came before is another life
        if not told:
            yield Text("  nothing is told of it so far", "dim")

    @property
    def _lives_take_turns(self) -> bool:
        return self.history.manifest.naming.by_life


class _AgentsDeeds:
    """Tells one round of one agent: what it did, what was done to it, what became of it."""

    def __init__(self, page: _AgentPage, scene: RoundView, names: Names) -> None:
        self._page, self._scene, self._names = page, scene, names
        self._seat, self._replicate = page.seat, page.replicate
        self._words = FactWords(names, page.history.manifest.specs, page.style)

    def all(self) -> Iterator[str]:
        """Yield a clause for each event, the end of the round first."""
        yield from self._fate()
        yield from self._deeds()
        yield from self._said()
        yield from self._answers()
        yield from self._asides()
        yield from self._birth()

    def _fate(self) -> Iterator[str]:
        for kind, empty in self._scene.vacant:
            if empty[self._replicate, self._seat]:
                yield f"{self._page.glyphs.vacant} {spell_kind(kind)}"
        for kind, going in self._scene.gone:
            if going[self._replicate, self._seat]:
                yield f"{self._page.glyphs.gone} {spell_kind(kind)}"
        for kind, over in self._scene.ended:
            if over[self._replicate] and self._scene.present[self._replicate, self._seat]:
                yield f"all ended: {describe_ending(self._scene.stage, kind)}"
        survives = facts_told(self._scene.page, SELECTED, "survives")
        fitness = facts_told(self._scene.page, SELECTED, "fitness")
        if survives is not None and fitness is not None:
            here = self._replicate, self._seat
            lives = "lived on" if survives[here] else "was not selected"
            yield f"{lives}, with fitness {self._page.style.figure(fitness[here])}"

    def _deeds(self) -> Iterator[str]:
        for verb, peers in self._scene.links():
            mine: Array = peers[self._replicate]
            if mine[self._seat] != NOBODY:
                yield f"{verb} {self._names[mine[self._seat]]}"
            by = [self._names[other] for other in np.flatnonzero(mine == self._seat).tolist()]
            if by:
                yield f"was {verb} by {', '.join(by)}"
        specs = self._page.history.manifest.specs
        pairs = Pairs(self._page.style, self._names, self._replicate, specs)
        yield from pairs.deeds_of(self._scene, self._seat)

    def _said(self) -> Iterator[str]:
        for _, verb, texts in self._scene.quotes():
            if words := texts[self._replicate, self._seat]:
                yield f'{verb} "{words}"'

    def _answers(self) -> Iterator[str]:
        """Yield answers to questions that no column, link or quote shows, and troubles."""
        here = self._replicate, self._seat
        said = {texts[here] for _, _, texts in self._scene.quotes()}
        for step, fields in self._scene.unshown():
            given = {
                name: one
                for name, one in fields.items()
                if one.asked[here] and answer_words(one)[here] not in said
            }
            parts = [
                f"{spell_kind(name)} {self._answer(step.kind, name, one)}".strip()
                for name, one in given.items()
            ]
            if parts:
                yield f"{spell_kind(step.kind)}: {', '.join(parts)}"
        for each in self._scene.page.troubles:
            if (each.replicate, each.agent) == here and each.what == "fallback":
                yield f"could not be understood ({spell_kind(each.kind)})"

    def _answer(self, kind: str, name: str, given: Answered) -> str:
        value = answer_words(given)[self._replicate, self._seat]
        if given.form.startswith(Neighbour.code):
            return self._words.peer(value)
        if given.form.startswith(Choice.code):
            return str(value)
        spec = self._words.spec(f"{kind} {name}" if name else kind)
        return self._words.value(value.item() if hasattr(value, "item") else value, spec)

    def _asides(self) -> Iterator[str]:
        """Yield answers to questionnaires."""
        page = self._scene.page
        if not page.asides:
            return
        for one in exchanges(self._page.history, page.number, self._replicate, self._seat):
            if one.line is not None and one.line.aside:
                said = given_words(one, self._words)
                yield f"asked beside the history: {spell_kind(one.kind)}, {said}"

    def _birth(self) -> Iterator[str]:
        scene = self._scene
        if scene.newborn is None or not scene.newborn[self._replicate, self._seat]:
            return
        parents = facts_told(scene.page, DESCENDED, "parent")
        parent = NOBODY if parents is None else parents[self._replicate, self._seat]
        yield "born" if parent == NOBODY else f"born, child of {self._names.of_life(parent)}"
