"""The live view of a run: a picture that redraws itself on a terminal, else a line now and then.

The picture takes the room that the terminal has, and stays when the run is over; a run that takes
less than a moment is drawn once. Everything goes to stderr, so that stdout stays clean. A round
costs one look at the stock; the rest is worked out only when something is drawn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console, Group
from rich.live import Live as Screen
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED
from society.engine.graph import NOBODY
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import COURSELESS
from society.slow_work import watch_slow_work

from .calls_text import CallsInState, describe_calls, list_calls
from .console import TerminalStyle, flow_items
from .labels import RoundLabels, count_noun
from .latest_rounds import LatestRounds
from .round_view import RoundView, full_scale, last_common_fact, mean_measures, present_at_end
from .trace import Trace
from .usage_tables import spending_words
from .visible_console import VisibleConsole

if TYPE_CHECKING:
    from society.engine.calls import Usage
    from society.llm.providers.calls_under_way import CallUnderWay
    from society.runs.runfile import Manifest

_DRAWN_A_SECOND = 8
_LINES = 10  # a run, where there is no terminal
_WIDEST = 160
_MOMENT = 0.5  # seconds before the first picture
_SLOW = 1.0  # seconds from which on work is slow
_GUTTER = 18
_LONGEST_CLOCK = 12
_LONGEST_NOTE = 40


class Live:
    """A recorder that shows how a run goes: `with Live(manifest) as live: ...`.

    Numbers are means over the replicates that ran in the round. The default console is stderr.
    asked: gives the use of models so far; it is called whenever the view is drawn, since a round
    of language agents may take minutes. awaited: describes the batches that the run waits for.
    under_way: gives the calls that have no reply yet.
    """

    def __init__(
        self,
        manifest: Manifest,
        console: Console | None = None,
        asked: Callable[[], Sequence[Usage]] = tuple,
        awaited: Callable[[], Sequence[str]] = tuple,
        under_way: Callable[[], Sequence[CallUnderWay]] = tuple,
    ) -> None:
        self.manifest, self._asked, self._awaited = manifest, asked, awaited
        self._under_way = under_way
        self.console = VisibleConsole(stderr=True) if console is None else console
        self._places = RoundLabels(manifest)
        self._course = Trace()
        self._scale = full_scale(manifest)
        self._stock = float("nan")
        self._taken: Mapping[str, Array] = {}
        # The round before and the last one; one tuple, since the view is drawn in its own thread.
        self._latest: tuple[Page | None, Page | None] = (None, None)
        self._rounds = LatestRounds(manifest)
        self._started = time.monotonic()
        self._work = "", 0.0  # slow work, and since when
        self._lines = self._tallest = 0
        self._left_open = ExitStack()
        self._over, self._lock = threading.Event(), threading.Lock()
        self._paused = False
        self._screen: Screen | None = None
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self._screen = self._new_screen()

    def _new_screen(self) -> Screen:
        return Screen(
            console=self.console,
            get_renderable=self._picture,
            refresh_per_second=_DRAWN_A_SECOND,
            redirect_stdout=False,
        )

    def __enter__(self) -> Live:
        self._started = time.monotonic()
        self._left_open.enter_context(watch_slow_work(self._note_work))
        threading.Thread(target=self._look, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._left_open.close()
        self._over.set()
        if self._screen is None:
            return
        with self._lock:
            begun = self._latest[0] is not None
            if self._screen.is_started:
                self._screen.transient = not begun  # there is nothing to be left
                self._screen.stop()
            elif begun:
                self.console.print(self._picture())

    def pause(self) -> None:
        """Take the picture away, and draw nothing until `resume`."""
        with self._lock:
            self._paused = True
            if self._screen is not None and self._screen.is_started:
                self._screen.transient = True
                self._screen.stop()
                self._screen = self._new_screen()

    def resume(self) -> None:
        """Draw again."""
        with self._lock:
            self._paused = False
            if self._screen is not None and not self._over.is_set():
                self._screen.start()

    def _look(self) -> None:
        """Begin to draw after a moment; where nothing is drawn, print what takes long."""
        if self._screen is not None:
            if not self._over.wait(_MOMENT):
                with self._lock:
                    if not (self._over.is_set() or self._paused):
                        self._screen.start()
            return
        said = self._work
        while not self._over.wait(_SLOW / 2):
            words, since = work = self._work
            if words and work != said and time.monotonic() - since > _SLOW:
                said = work
                self.announce(words)

    def _note_work(self, words: str) -> None:
        self._work = words, time.monotonic()

    def page(self, page: Page) -> None:
        """Take in a finished round."""
        before = self._latest[1]
        self._follow(page, before)
        if self._screen is not None:
            self._rounds.add(page)
        # A measure that is taken once in a generation is shown until it is taken again.
        self._taken = {**self._taken, **page.measures} if self._places.nested else page.measures
        self._latest = before, page
        passed = int(self._done(page) * _LINES)
        if self._screen is None and passed > self._lines:
            self._lines = passed
            ink = TerminalStyle(self.console.encoding, self.console.width)
            name, reading = self._gauge(ink)
            stock = Text.assemble(name, " ", reading) if reading else reading
            (place, *within), news = self._where(ink), [*self._news(ink), *self._spent()]
            items = [place, stock, *within, *news, self._left(page)]
            line = ink.words(" · ").join(item.plain for item in items if item)
            self.console.print(Text(line), soft_wrap=True)

    def announce(self, words: str) -> None:
        """Print a line about a batch, where there is no picture that shows it."""
        if self._screen is None:
            self.console.print(Text(words), soft_wrap=True)

    def _follow(self, page: Page, before: Page | None) -> None:
        """Record the stock after this round."""
        gauge = self.manifest.stage.gauge
        stock = last_common_fact(page, gauge[0]) if gauge else None
        if stock is not None:
            self._stock = float(stock[_ran(page, before)].mean())
            self._course.add(self._stock)

    def _picture(self) -> Group:
        """Draw the current view; while it changes, it never becomes lower, or it would jump."""
        ink = TerminalStyle(self.console.encoding, min(self.console.width, _WIDEST))
        lines = self._head(ink)
        over, room = self._over.is_set(), self.console.height - len(lines) - 1
        lines += self._rounds.lines(ink, room, last=over)
        if not over:
            lines += [Text()] * (min(self._tallest, self.console.height - 1) - len(lines))
            self._tallest = len(lines)
        return Group(*lines)

    def _head(self, ink: TerminalStyle) -> list[Text]:
        """Draw what the run has come to."""
        page = self._latest[1]
        left, (name, reading) = self._left(page), self._gauge(ink)
        beside = max(_LONGEST_CLOCK, reading.cell_len) + 2
        place, *within = self._where(ink)
        gutter = max(_GUTTER, place.cell_len + 2)
        cells = max(ink.width - gutter - beside, 8)
        bar = ink.progress(self._done(page), cells)
        lines = list(flow_items([bar, left], ink.width, label=place, gutter=gutter, gap="  "))
        if reading:
            values = self._course.spread(self.manifest.most, cells)
            spark = Text(ink.sparkline(values, self._scale).ljust(cells), "green")
            lines += flow_items([spark, reading], ink.width, label=name, gutter=gutter, gap="  ")
        news = (*within, *self._news(ink))
        doing = (ink.text(words, "yellow" if wrong else "cyan") for words, wrong in self._now())
        for items in map(list, (news, self._measures(ink), self._spent(), doing)):
            lines += flow_items(items, ink.width, gap=ink.words(" · ")) if items else ()
        return lines

    def _where(self, ink: TerminalStyle) -> list[Text]:
        """Name the current round; of nested rounds the outermost first."""
        page = self._latest[1]
        path, number = ((), 0) if page is None else (page.path, page.number)
        words = self._places.reached(path, number)
        return [ink.text(each, "" if place else "bold") for place, each in enumerate(words)]

    def _done(self, page: Page | None) -> float:
        """Return the share of all rounds that has been played."""
        return 0.0 if page is None else min(page.number / self.manifest.most, 1.0)

    def _left(self, page: Page | None) -> Text:
        """Estimate the time for the other rounds; a run may end before."""
        done = self._done(page)
        if self._over.is_set() or page is None or not page.running.any() or not 0 < done < 1:
            return Text()
        seconds = round((time.monotonic() - self._started) * (1 - done) / done)
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        return Text(f"{clock} left", "dim")

    def _gauge(self, ink: TerminalStyle) -> tuple[Text, Text]:
        """Return the name and the reading of the stock; empty without one."""
        gauge = self.manifest.stage.gauge
        if gauge is None or np.isnan(self._stock):
            return Text(), Text()
        full = ink.quantity(self._scale, self.manifest.specs.get(gauge[0], UNSPECIFIED))
        reading = f"{ink.figure(self._stock)} of {full}"
        return Text(ink.cut(gauge[0], _GUTTER - 2), "bold"), ink.text(reading)

    def _news(self, ink: TerminalStyle) -> Iterator[Text]:
        """Yield the agents left, the rules in force, and counts of actions in the last round."""
        before, page = self._latest
        if page is None:
            return
        given = self.manifest
        ran = _ran(page, before)
        left = ink.figure(float(page.present[ran].sum(1).mean()))
        yield ink.text(f"{left} of {given.agents} {given.stage.presence}")
        if given.replicates > 1:
            yield Text(f"{page.running.sum()} of {given.replicates} replicates running")
        scene = RoundView(page, before, given.stage)
        for note in given.stage.notes:
            stated = scene.stated(note)
            if stated is None:
                continue
            if stated[1].dtype.kind in "iuf":
                value = float(stated[1][ran].mean())
                spec = given.specs.get(note, UNSPECIFIED)
                if not np.isinf(value):  # an endless limit is none
                    yield ink.text(f"{note} {ink.quantity(value, spec)}", "magenta")
            elif given.replicates == 1 and stated[1][0, 0]:
                yield ink.text(f"{note} {ink.cut(stated[1][0, 0], _LONGEST_NOTE)}", "magenta")
        for verb, peers in scene.links():
            often = float((peers[ran] != NOBODY).sum(1).mean())
            yield ink.text(f"{ink.figure(often)} {verb}", "yellow" if often else "dim")
        unread = sum(mind.fallbacks for mind in page.ledger)
        if unread:
            yield Text(f"{count_noun(unread, 'answer')} could not be read", "red")

    def _spent(self) -> Iterator[Text]:
        for words in spending_words(self._asked()):
            yield Text(words, "dim")

    def calls(self) -> list[CallsInState]:
        """List the calls that have no reply yet, one by one."""
        return list_calls(self._under_way(), time.monotonic(), self.manifest.replicates)

    def doing(self) -> list[CallsInState]:
        """List in clauses what the run has spent, and what it is doing now."""
        spent = [CallsInState(words) for words in spending_words(self._asked())]
        return [*spent, *self._now()]

    def _now(self) -> Iterator[CallsInState]:
        """Yield calls without a reply, batches, and slow work."""
        now = time.monotonic()
        yield from describe_calls(self._under_way(), now)
        for words in self._awaited():
            yield CallsInState(words, wrong=True)
        words, since = self._work
        if words:
            yield CallsInState(f"{words} ({now - since:.0f} s)", wrong=True)

    def _measures(self, ink: TerminalStyle) -> Iterator[Text]:
        """Yield the latest values of the measures that can change from round to round."""
        taken = mean_measures(self._taken)
        for measure in self.manifest.measures:
            if measure.name in taken and measure.fold not in COURSELESS:
                yield ink.text(f"{measure.name} {ink.figure(taken[measure.name])}", "dim")


def _ran(page: Page, before: Page | None) -> Array:
    """Return which replicates were running when the round began, (R,) of bool."""
    running = present_at_end(page if before is None else before)[1][:, 0]
    return running if running.any() else np.ones_like(running)
