"""The printed history of a run, round by round.

Each round shows a gauge of the common stock, a row for every agent, actions between agents,
departures with their causes, and decisions. The scenario's DisplaySpec says which facts these are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.engine.history import Page
from society.engine.scenario import COURSELESS, DisplaySpec
from society.errors import InputError
from society.lineage import DESCENDED
from society.runs.match_names import MatchNames, has_matches

from .agent_table import CROWD, AgentTable, Traits
from .console import (
    TerminalStyle,
    flow_items,
    labelled_row,
    layout_table,
    number_column,
    print_lines,
)
from .event_lines import EventLines
from .labels import (
    Names,
    Place,
    RoundLabels,
    count_noun,
    describe_status,
    enclosing_rounds,
    find_round,
    spell_kind,
)
from .pairs import Pairs, other_columns
from .round_view import (
    RoundView,
    default_display,
    facts_told,
    full_scale,
    last_common_fact,
    mean_measures,
)
from .trace import Trace

if TYPE_CHECKING:
    from rich.console import Console

    from society.runs.runfile import Manifest, Record, RunFile

_WIDEST = 120
_OFTEN = 0.25  # seconds between two looks at a run that is followed
_LONGEST_GAUGE = 50
_WIDE = 60  # from this width on, the change of the stock stands beside its gauge,
_CHANGE = 12  # in so many cells


def print_history(
    run: RunFile,
    console: Console,
    start: Place = 0,
    replicate: int = 0,
    speed: float = math.inf,
    *,
    whole: bool = False,
    follow: bool = False,
) -> None:
    """Print the history of one replicate from round `start` on; 0 stands for the initial state.

    start: the number of a round, or its path. speed: rounds per second at most. whole: shorten
    nothing, whatever the width. follow: wait for the rounds of a run that is still being written,
    until it ends. Raises InputError for a round or a replicate that the run does not have.
    """
    manifest, paths = run.manifest, run.paths()
    first = find_round(start, paths)
    check_replicate(manifest, replicate)
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST), whole=whole)
    teller = _Teller(manifest, ink, replicate)
    print_lines(console, teller.opening(), whole=whole)
    if manifest.level == "summary":
        if follow:
            raise InputError(
                "--follow prints rounds, and this run keeps measures only (level summary); leave "
                "it out, or run again with --record full"
            )
        print_lines(console, teller.measures(run.records(first, lines=False)), whole=whole)
    else:
        before: Page | None = None
        # Founders are told of in the first round, and have their names before it.
        for page in islice(run.pages(1), 1):
            teller.names.meet(page)
        for number in enclosing_rounds(paths, first):
            teller.names.meet(next(run.pages(number)))
        begin = max(first - 1, 0)
        for page in followed_pages(run, begin) if follow else run.pages(begin):
            if page.number >= first:
                print_lines(console, teller.round(page, before), whole=whole)
                if follow:
                    console.file.flush()  # whoever reads a pipe waits for it
            else:
                teller.names.meet(page)
                if speed < math.inf:
                    time.sleep(1 / speed)
            before = page
    closing = teller.closing(run.status, run.paths() if follow else paths)
    print_lines(console, closing, whole=whole)


def followed_pages(run: RunFile, start: int) -> Iterator[Page]:
    """Yield the rounds from `start` on, and those that are written meanwhile, until the run ends.

    Between two looks the file is let go of, so that its writer is not held up.
    """
    while True:
        running = run.status == "running"  # asked first: what is written after that is seen, too
        for page in run.pages(start):
            start = page.number + 1
            yield page
        if not running:
            return
        run.let_go()
        time.sleep(_OFTEN)


def check_replicate(manifest: Manifest, replicate: int) -> None:
    """Raise InputError for a replicate that a run does not have."""
    if not 0 <= replicate < manifest.replicates:
        last = manifest.replicates - 1
        raise InputError(
            f"there is no replicate {replicate}; give --replicate a number from 0 to {last}"
        )


class _Teller:
    """Prints the rounds of one replicate, and remembers the last one for comparison."""

    def __init__(self, manifest: Manifest, ink: TerminalStyle, replicate: int) -> None:
        self.manifest, self.ink, self.replicate = manifest, ink, replicate
        self.stage: DisplaySpec = manifest.stage
        self.places = RoundLabels(manifest)
        names = self.names = Names(manifest, ink, replicate)
        self.traits = Traits(manifest, replicate)
        self.roll = AgentTable(ink, names, replicate, self.traits)
        self.pairs = Pairs(ink, names, replicate, manifest.specs)
        self.deeds = EventLines(ink, names, replicate, manifest.specs)
        self.course = Trace()
        self.level: float | None = None
        self.explained = set[str]()  # columns with a mark
        self.after = False  # whether anything was printed after this replicate had ended

    def opening(self) -> Iterator[Text]:
        """Yield the title: scenario, agents, seed and replicate."""
        given, ink = self.manifest, self.ink
        about = [ink.text(given.scenario, "bold"), Text(count_noun(given.agents, "agent"))]
        about.append(Text(f"seed {given.seed}"))
        if given.level == "summary":
            yield from flow_items(about, ink.width, gap=ink.words(" · "))
            return
        if given.replicates > 1:
            which, others = f"replicate {self.replicate}", given.replicates - 1
            if has_matches(given):
                which += f": {MatchNames(given)[self.replicate].words()}"
            about.append(ink.text(f"{which} ({others} more not shown)"))
        yield from flow_items(about, ink.width, gap=ink.words(" · "))
        if given.forks:
            yield from flow_items([ink.text(f"fork of {given.forks[-1].words}")], ink.width)
        if self.stage.meeting is not None and (held := self.stage.meeting.holds):
            unit = f" ({unit})" if (unit := self.traits.spec(held).unit) else ""
            legend = f"beside each name: {spell_kind(held)}{unit}"
            yield from flow_items([ink.text(legend, "dim")], ink.width)

    def round(self, page: Page, before: Page | None) -> Iterator[Text]:
        """Yield one round; after this replicate has ended, only endings elsewhere."""
        self.names.meet(page)
        stage = default_display(page, self.stage)
        if facts_told(page, DESCENDED, "newborn") is not None:
            columns = dict.fromkeys((*stage.columns, *self.traits.names))
            stage = replace(stage, columns=tuple(columns))
        scene = RoundView(page, before, stage)
        shown = bool(scene.running[self.replicate, 0])
        if shown:
            yield Text()
            yield self._title(scene)
            yield from self._gauge(page)
            if not scene.void(self.replicate):
                pairs = list(self.pairs.lines(scene))
                yield from pairs
                crowd = scene.present[self.replicate].sum() > self.ink.most(CROWD)
                all_columns = not pairs or crowd
                yield from self.roll.lines(
                    scene, stage.columns if all_columns else other_columns(stage)
                )
                yield from self._marks(page)
            yield from self.deeds.lines(scene)
        ended = {kind: np.flatnonzero(over) for kind, over in scene.ended}
        label = "elsewhere" if shown else self.places.label(page)
        fates = list(self.deeds.fates(label, ended, stage, but=self.replicate))
        if fates and not shown and not self.after:
            self.after = True
            yield Text()
        yield from fates

    def _marks(self, page: Page) -> Iterator[Text]:
        """Explain the mark of a column, once there is a limit to exceed."""
        for column, limit in self.stage.limits.items():
            stated = last_common_fact(page, limit)
            if column in self.explained or stated is None or stated.dtype.kind not in "iuf":
                continue
            if np.isfinite(stated[self.replicate, 0]):
                self.explained.add(column)
                words = self.ink.text(f"! marks a {column} above the {limit}", "dim")
                yield from flow_items([words], self.ink.width)

    def measures(self, records: Iterable[Record]) -> Iterator[Text]:
        """Yield the measures and endings of each round, where no details were recorded."""
        given, ink = self.manifest, self.ink
        words = (
            "Details were not recorded (level summary); `society run --record full` records them."
        )
        if given.replicates > 1:
            words += f" Numbers are means over the running ones of {given.replicates} replicates."
        yield from flow_items([Text(words)], ink.width)
        rounds: list[Text] = []
        taken: list[dict[str, float]] = []
        fates: list[Text] = []
        for page, _, ended in records:
            if page.number:
                rounds.append(Text(self.places.label(page)))
                taken.append(mean_measures(page.measures))
            fates += self.deeds.fates(self.places.label(page), ended, given.stage)
        names = [measure.name for measure in given.measures if measure.fold not in COURSELESS]
        series = {name: np.array([means.get(name, np.nan) for means in taken]) for name in names}
        yield Text()
        yield from layout_table(
            ink, rounds, [number_column(ink, *named) for named in series.items()]
        )
        yield from fates

    def closing(self, status: str, paths: Sequence[tuple[int, ...]]) -> Iterator[Text]:
        """Yield the course of the stock and the end of the record; paths: of all rounds."""
        ink = self.ink
        yield Text()
        if self.stage.gauge is not None and len(self.course.samples) > 1:
            told_of = self.course.rounds
            cells = min(told_of, _LONGEST_GAUGE)
            line = ink.sparkline(self.course.spread(told_of, cells), full_scale(self.manifest))
            items = [Text(line, "green"), Text(f"in {count_noun(told_of, 'round')}", "dim")]
            yield from labelled_row(ink, self.stage.gauge[0], items, gap="  ")
        far = self.places.rounds_among(len(paths) - 1)
        if self.places.nested:
            far = ", ".join(self.places.reached(paths[-1], len(paths) - 1))
        words = f"The end, after {far}."
        if status != "finished":
            words = f"So far {far}; {describe_status(status)}."
        yield from flow_items([Text(words, "bold")], ink.width)

    def _title(self, scene: RoundView) -> Text:
        page, ink = scene.page, self.ink
        left = scene.present[self.replicate].sum()
        who = ink.words(f" {left} of {self.manifest.agents} {self.stage.presence}")
        line = ink.cut(f"── {self.places.title(page)}", ink.width)
        spare = ink.width - len(line) - cell_len(who)
        if spare > 1:
            line += " " + ink.words("─") * (spare - 1) + who
        return Text(line, "bold cyan")

    def _gauge(self, page: Page) -> Iterator[Text]:
        """Yield the stock at the end of the round, and its change."""
        name = self.stage.gauge[0] if self.stage.gauge else ""
        stock, ink = last_common_fact(page, name), self.ink
        if stock is None:
            return
        level, full = float(stock[self.replicate, 0]), full_scale(self.manifest)
        reading = ink.text(
            f"{ink.figure(level)} of {ink.quantity(full, self.traits.spec(name))}", "bold"
        )
        wide = ink.width >= _WIDE
        room = ink.width - ink.gutter - reading.cell_len - (_CHANGE if wide else 2)
        bar = ink.gauge(level / full, max(min(room, _LONGEST_GAUGE), 8))
        items = [Text(bar, _health(level / full)), reading]
        if wide and self.level is not None:
            change = level - self.level
            items.append(
                ink.text(f"{'▲' if change >= 0 else '▼'} {ink.figure(abs(change))}", "dim")
            )
        self.level = level
        self.course.add(level)
        yield from labelled_row(ink, name, items, gap="  ")


def _health(share: float) -> str:
    return "green" if share > 0.5 else "yellow" if share > 0.2 else "red"
