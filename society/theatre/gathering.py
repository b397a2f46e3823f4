"""Series and marks of many replicates, gathered round by round in one pass over a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

import numpy as np

from society.engine.fact_specs import UNSPECIFIED
from society.engine.graph import NOBODY
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import COURSELESS, DisplaySpec
from society.lineage import SELECTED
from society.runs.runfile import Manifest, Record
from society.runs.series import played
from society.terminal.console import TerminalStyle
from society.terminal.labels import describe_ending, spell_kind
from society.terminal.round_view import (
    RoundView,
    default_display,
    facts_told,
    last_common_fact,
)

GONE, BORN, ENDED, BORDER = "gone", "born", "ended", "border"
VACANT = "vacant"
NOT_SELECTED = "not selected"
MARK_FIELDS = "round", "replicate", "lane", "agent", "times", "words"
_AT, _REPLICATE, _LANE, _AGENT, _TIMES, _WORDS = range(len(MARK_FIELDS))
_STYLE = TerminalStyle("utf-8", 80)


class Mark(NamedTuple):
    """Something worth a mark on the time line: its round, its lane, and the seats (none: -1).

    lane: the verb of a link ("fined"), the name of a note that changed, or GONE, BORN, ENDED,
    VACANT for seats that nobody has at first, or BORDER for the first round of an outer level.
    times: how often it happened in that round.
    """

    round: int
    lane: str
    words: str
    agent: int = -1
    times: int = 1


class Course(NamedTuple):
    """All rounds of one replicate: numbers over rounds, by name, and marks in order.

    common: facts, and measures that do not share a fact's name, (T + 1,). own: columns, (T + 1, N).
    measures: all but those of which single rounds say nothing, (T + 1,). NaN where nothing
    was told, for agents who were absent, and in rounds that are still to be gathered.
    """

    common: dict[str, Array]
    own: dict[str, Array]
    marks: tuple[Mark, ...]
    measures: dict[str, Array] = {}  # noqa: RUF012 - a NamedTuple has no other default; never changed

    def first(self, lane: str) -> Mark | None:
        """Return the first mark of a lane; None if there is none."""
        return next((mark for mark in self.marks if mark.lane == lane), None)

    def quantiles(self, name: str, shares: Array) -> Array:
        """Return quantiles of a column over the agents that have it, (T + 1, K); NaN for nobody."""
        ranked = np.sort(self.own[name], axis=1)  # NaN comes last
        count = (~np.isnan(ranked)).sum(1)
        place = np.maximum(count - 1, 0)[:, None] * np.asarray(shares)
        low = np.floor(place).astype(int)
        below, above = (
            np.take_along_axis(ranked, np.minimum(at, ranked.shape[1] - 1), 1)
            for at in (low, np.ceil(place).astype(int))
        )
        quantiles: Array = below + (place - low) * (above - below)
        return quantiles


class Gathered(NamedTuple):
    """The arrays of a gathering: R replicates, T + 1 rounds, M marks.

    common, measures: (R, T + 1). own: (R, T + 1, N). marks: (M, 6), one column for each field of a
    mark and the replicate, by round; lane and words are places in the lists.
    """

    common: dict[str, Array]
    measures: dict[str, Array]
    own: dict[str, Array]
    marks: Array
    lanes: list[str]
    words: list[str]


class Gathering:
    """Gathers series and marks of some replicates; rounds are added in their order."""

    def __init__(self, manifest: Manifest, replicates: range, last: int) -> None:
        self.manifest, self.replicates = manifest, replicates
        self.rounds = 0  # that were added
        self._capacity = last + 1
        stage = manifest.stage
        facts = [stage.gauge[0]] if stage.gauge else []
        facts += stage.limits.values()
        facts += [level for level in stage.reference.values() if isinstance(level, str)]
        self._facts = list(dict.fromkeys(facts))
        self._courses = [one.name for one in manifest.measures if one.fold not in COURSELESS]
        self._owners, self._specs = manifest.owners(), manifest.specs
        self._heritable = [one.name for one in manifest.columns if one.heritable]
        self._common = dict[str, Array]()
        self._measures = dict[str, Array]()
        self._own = dict[str, Array]()
        self._marks = list[Array]()
        self._lanes, self._words = dict[str, int](), dict[str, int]()
        self._notes = dict[str, Array]()  # as stated last, (R, 1)
        self._before: Page | None = None
        self._made: dict[int, tuple[int, tuple[Mark, ...]]] = {}

    def extend(self, last: int) -> None:
        """Make room for rounds up to `last`."""
        more = last + 1 - self._capacity
        if more <= 0:
            return
        more = max(more, self._capacity // 4)  # so that a run that grows is not copied each time
        for series in (self._common, self._measures, self._own):
            for name, values in series.items():
                shape = values.shape[0], more, *values.shape[2:]
                series[name] = np.concatenate([values, np.full(shape, np.nan, values.dtype)], 1)
        self._capacity += more

    def add(self, record: Record) -> None:
        """Take in the next round."""
        page, block = record.page, slice(self.replicates.start, self.replicates.stop)
        scene = RoundView(page, self._before, default_display(page, self.manifest.stage))
        here = played(page, record.ends, self._before)[block]
        for name in self._facts:
            if (told := last_common_fact(page, name)) is not None:
                self._put(self._common, name, told[block, 0], here)
        for name in self._courses:
            if (measured := page.measures.get(name)) is not None:
                self._put(self._measures, name, measured[block], here)
        for name in self._columns(scene.stage):
            self._put_own(scene, name, here)
        self._add_marks(scene, here)
        for cause, replicates in record.ends.items():
            words = describe_ending(self.manifest.stage, cause)
            ended = np.isin(np.asarray(self.replicates), replicates)
            self._mark(page.number, ENDED, np.flatnonzero(ended), words=words)
        self._before = page
        self.rounds += 1  # last, since others look meanwhile

    def _columns(self, stage: DisplaySpec) -> Iterator[str]:
        meeting = stage.meeting
        paired = () if meeting is None else (meeting.share, meeting.holds)
        names = (*stage.columns, *(name for name in paired if name), *self._heritable)
        yield from dict.fromkeys(names)

    def _put(self, series: dict[str, Array], name: str, values: Array, here: Array) -> None:
        """Write the values of a round, (R,) or (R, N), where `here` says so."""
        if values.dtype.kind not in "biuf":
            return
        if name not in series:
            shape = len(values), self._capacity, *values.shape[1:]
            series[name] = np.full(shape, np.nan)
        series[name][:, self.rounds] = np.where(here, values, np.nan)

    def _put_own(self, scene: RoundView, name: str, here: Array) -> None:
        values = scene.column(name)
        if values is None:
            return
        block = slice(self.replicates.start, self.replicates.stop)
        there = scene.present[block] & here[:, None]
        if values is scene.page.public.get(name) and name in self._owners:
            there &= self._owners[name][block]
        if scene.is_answer(name):
            there &= scene.answered[name][-1].asked[block]
        self._put(self._own, name, values[block], there)

    def _add_marks(self, scene: RoundView, here: Array) -> None:
        page, block = scene.page, slice(self.replicates.start, self.replicates.stop)
        at, before = page.number, self._before
        if before is not None and (words := self._border(page.path, before.path)):
            self._mark(at, BORDER, np.flatnonzero(here), words=words)
        counts = dict[str, Array]()
        for verb, peers in scene.links():
            count = (peers[block] != NOBODY).sum(1) * here
            counts[verb] = counts[verb] + count if verb in counts else count
        for verb, count in counts.items():
            acting = np.flatnonzero(count)
            self._mark(at, verb, acting, times=count[acting])
        for note in scene.stage.notes:
            self._mark_note(scene, note, here)
        for kind, going in scene.vacant:
            self._mark_agents(at, VACANT, going[block] & here[:, None], spell_kind(kind))
        for kind, going in scene.gone:
            self._mark_agents(at, GONE, going[block] & here[:, None], spell_kind(kind))
        survives = facts_told(page, SELECTED, "survives")
        if survives is not None:
            leaving = scene.present[block] & ~survives[block].astype(bool) & here[:, None]
            self._mark_agents(at, GONE, leaving, NOT_SELECTED)
        if scene.newborn is not None and at > 1:  # founders are no news
            self._mark_agents(at, BORN, scene.newborn[block] & here[:, None], "born")
        for kind, arriving in scene.arrived:
            self._mark_agents(at, BORN, arriving[block] & here[:, None], spell_kind(kind))

    def _mark_note(self, scene: RoundView, note: str, here: Array) -> None:
        """Mark a note where it has changed since the round before, or first within this one."""
        stated = scene.stated(note)
        if stated is None:
            return
        block = slice(self.replicates.start, self.replicates.stop)
        first, last = (values[block] for values in stated)
        known = self._notes.get(note, first)
        changed = np.flatnonzero(_differ(known, last)[:, 0] & here)
        self._notes[note] = np.where(here[:, None], last, known)
        self._put(self._common, note, last[:, 0], here)
        if note not in self.manifest.stage.notes:  # what is shown of scenarios without a display
            return
        if last.dtype.kind in "biuf":
            self._mark(scene.page.number, note, changed)
            return
        for row in changed.tolist():
            words = str(last[row, 0])
            self._mark(scene.page.number, note, np.array([row]), words=words)

    def _mark_agents(self, at: int, lane: str, which: Array, words: str) -> None:
        rows, seats = np.nonzero(which)
        self._mark(at, lane, rows, agent=seats, words=words)

    def _mark(
        self,
        at: int,
        lane: str,
        rows: Array,
        *,
        agent: Array | int = -1,
        times: Array | int = 1,
        words: str = "",
    ) -> None:
        """Add one mark for each row, the place of a replicate in the block."""
        if not len(rows):
            return
        marks = np.empty((len(rows), len(MARK_FIELDS)), np.int32)
        marks[:, _AT], marks[:, _REPLICATE] = at, rows
        marks[:, _LANE] = self._lanes.setdefault(lane, len(self._lanes))
        marks[:, _AGENT], marks[:, _TIMES] = agent, times
        marks[:, _WORDS] = self._words.setdefault(words, len(self._words))
        self._marks.append(marks)

    def _border(self, path: tuple[int, ...], before: tuple[int, ...]) -> str:
        """Name the outermost level of which the next one begins: "generation 2"; "" if none."""
        levels = self.manifest.stage.levels
        depth = max(len(levels), len(path), len(before))
        now, then = (one + (1,) * (depth - len(one)) for one in (path, before))
        for level, number in enumerate(now[: self._outer(depth)]):
            if number != then[level]:
                named = depth == len(levels)
                return f"{levels[level]} {number}" if named else ".".join(map(str, path))
        return ""

    def _outer(self, depth: int) -> int:
        """Count the levels that hold more than one round each."""
        extent = self.manifest.extent
        sizes = () if extent is None else extent.sizes
        if len(sizes) != depth:
            return depth - 1
        return max((level for level, size in enumerate(sizes) if size > 1), default=0)

    def gathered(self) -> Gathered:
        """Return the arrays of the rounds that were added; their numbers are not copied."""
        common, measures, own = (
            {name: values[:, : self.rounds] for name, values in each.items()}
            for each in (self._common, self._measures, self._own)
        )
        lanes, words = [*self._lanes], [*self._words]
        return Gathered(common, measures, own, self._all_marks(), lanes, words)

    @classmethod
    def restored(cls, manifest: Manifest, found: Gathered, rounds: int) -> Self:
        """Return a gathering of all replicates that goes on from its arrays."""
        self = cls(manifest, range(manifest.replicates), rounds - 1)
        self._common, self._measures, self._own = found.common, found.measures, found.own
        self._marks, self.rounds = [found.marks], rounds
        self._lanes = {lane: place for place, lane in enumerate(found.lanes)}
        self._words = {words: place for place, words in enumerate(found.words)}
        return self

    def course(self, replicate: int, last: int) -> Course:
        """Return the course of a replicate, of rounds 0 to `last`; some may be still to come."""
        rounds, row = self.rounds, replicate - self.replicates.start
        common, measures, own = (
            {name: values[row, : last + 1] for name, values in [*each.items()]}
            for each in (self._common, self._measures, self._own)
        )
        own = {name: own[name] for name in self._columns(self.manifest.stage) if name in own} | own
        seen, marks = self._made.get(row, (0, ()))
        if seen != rounds:  # a frame asks often, while another thread goes on
            marks += tuple(self._marks_of(row, seen, rounds, common))
            self._made[row] = rounds, marks
        no_facts = {name: one for name, one in measures.items() if name not in self._facts}
        return Course({**no_facts, **common}, own, marks, measures)

    def _all_marks(self) -> Array:
        """Return all marks, (M, 6), and join those that came since."""
        count = len(self._marks)  # another thread may add to them
        if count != 1:
            nothing = np.empty((0, len(MARK_FIELDS)), np.int32)
            self._marks[:count] = [np.concatenate([nothing, *self._marks[:count]])]
        return self._marks[0]

    def _marks_of(
        self, row: int, first: int, end: int, common: Mapping[str, Array]
    ) -> Iterator[Mark]:
        """Yield the marks of a replicate in the rounds from `first` on, before `end`."""
        found = self._all_marks()
        low, high = np.searchsorted(found[:, _AT], (first, end))  # they come in order
        found = found[low:high][found[low:high, _REPLICATE] == row]
        lanes, words = [*self._lanes], [*self._words]
        for at, _, lane, agent, times, place in found.tolist():
            yield Mark(
                at,
                lanes[lane],
                words[place] or self._describe(lanes[lane], at, times, common),
                agent,
                times,
            )

    def _describe(self, lane: str, at: int, times: int, common: Mapping[str, Array]) -> str:
        """Describe a deed by its count, and a note by its number."""
        if lane in self.manifest.stage.notes:
            spec = self._specs.get(lane, UNSPECIFIED)
            return _STYLE.quantity(common[lane][at], spec)
        return f"{lane} once" if times == 1 else f"{lane} {times} times"


def _differ(one: Array, other: Array) -> Array:
    """Mark entries that differ; NaN equals NaN."""
    differ: Array = one != other
    if one.dtype.kind == "f" and other.dtype.kind == "f":
        differ &= ~(np.isnan(one) & np.isnan(other))
    return differ
