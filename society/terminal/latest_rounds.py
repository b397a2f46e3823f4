"""The agents after the last round of a run that is being played, and the events of its last rounds.

Of several replicates the first one that still runs is shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.text import Text

from society.engine.history import Page
from society.engine.scenario import DisplaySpec
from society.lineage import TELL_LIVES

from .agent_table import CROWD, AgentTable, Traits
from .console import TerminalStyle
from .event_lines import EventLines
from .labels import Names, RoundLabels
from .pairs import Pairs, other_columns
from .round_view import RoundView, default_display, present_at_end

if TYPE_CHECKING:
    from society.runs.runfile import Manifest

_KEPT = 12  # rounds
_MOST_KEPT = 100_000  # agents in all rounds that are kept; of more, only the last two are
_LEAST_EVENTS = 3  # lines, for which agents make way


class _Tools(NamedTuple):
    """What draws one replicate in one style."""

    names: Names
    table: AgentTable
    pairs: Pairs
    events: EventLines
    more: Text  # in place of what does not fit


class LatestRounds:
    """The latest rounds of one run, and how they are drawn."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest
        crowd = manifest.agents * manifest.replicates
        self._rounds: deque[Page] = deque(maxlen=max(min(_KEPT, _MOST_KEPT // crowd), 2))
        self._labels = RoundLabels(manifest)
        self._style: tuple[str, int, int] | None = None
        self._tools: _Tools | None = None
        self._born: Page | None = None  # the last round in which lives began
        self._agents_of: dict[int, list[Text]] = {}  # drawn, by round
        self._events_of: dict[int, list[Text]] = {}

    def add(self, page: Page) -> None:
        """Take in a finished round."""
        if any(step.kind in TELL_LIVES for step in page.steps):
            self._born = page
        self._rounds.append(page)

    def lines(self, ink: TerminalStyle, room: int, *, last: bool = False) -> list[Text]:
        """Draw the agents, and as many events as there is room for; at most `room` lines.

        last: only the events of the last round.
        """
        rounds = list(self._rounds)[-2 if last else 0 :]
        if len(rounds) < 2 or room < 1:
            return []
        replicate = self._replicate(rounds)
        tools = self._tooled(ink, replicate)
        if self._born is not None:
            tools.names.meet(self._born)
        agents = self._agents(tools, rounds[-2], rounds[-1])
        if self.manifest.replicates > 1:
            agents = [Text(f"replicate {replicate}", "bold"), *agents]
        most = max(room - _LEAST_EVENTS, 1)
        if len(agents) > most:
            agents = [*agents[: most - 1], tools.more]
        return [*agents, *self._events(tools, rounds, room - len(agents))]

    def _replicate(self, rounds: list[Page]) -> int:
        """Return the first replicate that ran in the last round."""
        running = np.flatnonzero(present_at_end(rounds[-2])[1][:, 0])
        return int(running[0]) if len(running) else 0

    def _tooled(self, ink: TerminalStyle, replicate: int) -> _Tools:
        style = ink.encoding, ink.width, replicate
        if self._tools is None or self._style != style:
            given, names = self.manifest, Names(self.manifest, ink, replicate)
            self._style, self._events_of, self._agents_of = style, {}, {}
            self._tools = _Tools(
                names,
                AgentTable(ink, names, replicate, Traits(given, replicate)),
                Pairs(ink, names, replicate, given.specs),
                EventLines(ink, names, replicate, given.specs),
                ink.text("… more than there is room for", "dim"),
            )
        return self._tools

    def _agents(self, tools: _Tools, before: Page, page: Page) -> list[Text]:
        """Draw pairs and agents, once for each round."""
        if page.number not in self._agents_of:
            self._agents_of = {page.number: list(self._drawn_agents(tools, before, page))}
        return self._agents_of[page.number]

    def _drawn_agents(self, tools: _Tools, before: Page, page: Page) -> Iterator[Text]:
        scene, replicate = self._scene(page, before), tools.table.replicate
        if scene.void(replicate):
            return
        stage: DisplaySpec = scene.stage
        if scene.newborn is not None:
            columns = dict.fromkeys((*stage.columns, *tools.table.traits.names))
            stage = replace(stage, columns=tuple(columns))
        pairs = list(tools.pairs.lines(scene))
        crowd = scene.present[replicate].sum() > CROWD
        yield from pairs
        yield from tools.table.lines(
            scene, stage.columns if not pairs or crowd else other_columns(stage)
        )

    def _events(self, tools: _Tools, rounds: list[Page], room: int) -> Iterator[Text]:
        """Yield the events of the last rounds, the latest last; those that do not fit are cut."""
        shown: list[list[Text]] = []
        drawn: dict[int, list[Text]] = {}
        for before, page in reversed([*pairwise(rounds)]):
            left = room - sum(map(len, shown))
            if left < 1 or (self._born is not None and page.number < self._born.number):
                break  # those who were born since have the names of the seats
            block = self._events_of.get(page.number)
            if block is None:
                told = [*tools.events.lines(self._scene(page, before))]
                block = [Text(self._labels.title(page), "bold cyan"), *told] if told else []
            drawn[page.number] = block
            # Of an earlier round all is shown, or nothing: a part would read as the whole.
            if shown and len(block) > left:
                break
            if len(block) > left:
                block = [*block[: left - 1], tools.more]
            shown.append(block)
        self._events_of = drawn
        for block in reversed(shown):
            yield from block

    def _scene(self, page: Page, before: Page) -> RoundView:
        return RoundView(page, before, default_display(page, self.manifest.stage))
