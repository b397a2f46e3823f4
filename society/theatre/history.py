"""A recorded history, to be looked at anywhere: rounds, series over rounds, and marks.

Series and marks are gathered in one pass over the rounds, for all replicates at once, and kept
beside the run file (society.theatre.run_index). `gather_behind` gathers in a thread, while what is
there already can be looked at; without it, `course` gathers all before it returns.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from threading import Event, Thread

from society.engine.history import Page
from society.errors import RunFileError
from society.runs.runfile import Manifest, RunFile, open_run_file
from society.terminal.round_view import RoundView

from .gathering import BORDER, BORN, ENDED, GONE, VACANT, Course, Gathering, Mark
from .run_index import keep_index, read_index

__all__ = ["BORDER", "BORN", "ENDED", "GONE", "VACANT", "Course", "History", "Mark"]

_PAGES_KEPT = 64
_AT_ONCE = 200  # rounds; fewer are gathered in less time than a thread takes
_MOST_BYTES = 2**27  # of the series that are gathered at once


class History:
    """The history in a run file that is open.

    Every method raises RunFileError where the file is damaged.
    """

    def __init__(self, run: RunFile) -> None:
        self.run, self.manifest, self.last = run, run.manifest, run.rounds
        self._page = lru_cache(_PAGES_KEPT)(self._read)
        self._paths: list[tuple[int, ...]] | None = None
        self._blocks = dict[int, Gathering]()  # by number
        self._looked_up = False  # whether there was a look for a kept index
        self._behind: _Behind | None = None
        grows = run.status == "running"
        self._block_size = _replicates_at_once(self.manifest, grows, self.last)

    @property
    def paths(self) -> list[tuple[int, ...]]:
        """The path of each round among nested rounds, by number."""
        if self._paths is None or len(self._paths) <= self.last:
            levels, last = self.manifest.stage.levels, self.last
            if len(levels) == 1 and last and self.page(last).path == (last,):
                # Each round was the next outermost one, so that none is within another.
                self._paths = [(), *((number,) for number in range(1, last + 1))]
            else:
                self._paths = self.run.paths()[: last + 1]
        return self._paths

    def _read(self, number: int) -> Page:
        return next(self.run.pages(number))

    def page(self, number: int) -> Page:
        """Return a round; 0 is what precedes the first."""
        return self._page(number)

    def scene(self, number: int) -> RoundView:
        """Return a round as the display of its scenario reads it."""
        before = self.page(number - 1) if number else None
        return RoundView(self.page(number), before, self.manifest.stage)

    def course(self, replicate: int) -> Course:
        """Return series and marks of a replicate, of all rounds; see `gather_behind`."""
        block = self._block(replicate)
        if self._behind is not None and self._behind.gathers(block):
            self._behind.check()
        else:
            _gather(self.run, block, self.last)
        return block.course(replicate, self.last)

    def gathered(self, replicate: int) -> int:
        """Return the number of rounds that the course of a replicate has so far."""
        return self._block(replicate).rounds

    def ready(self, replicate: int) -> bool:
        """Check if the course of a replicate has all rounds."""
        return self.gathered(replicate) > self.last

    def gather_behind(self, replicate: int) -> None:
        """Gather series and marks in a thread; until they are ready, `course` has those so far.

        Few rounds are gathered by `course` itself.
        """
        block = self._block(replicate)
        if self._behind is not None and self._behind.gathers(block):
            return
        self.close()
        if self.last - block.rounds >= _AT_ONCE:
            self._behind = _Behind(self, block)

    def refresh(self) -> bool:
        """Take in rounds that were recorded since; False if there are none."""
        last = self.run.rounds
        if last <= self.last:
            return False
        behind = self._behind
        if behind is not None:
            behind.stop()
        self.last = last
        for block in self._blocks.values():
            block.extend(last)
        if behind is not None and behind.unfinished:
            self._behind = _Behind(self, behind.block)
        return True

    def close(self) -> None:
        """Stop gathering in a thread."""
        if self._behind is not None:
            self._behind.stop()
            self._behind = None

    def _block(self, replicate: int) -> Gathering:
        """Return the gathering that has a replicate, from the kept index if there is one."""
        size = self._block_size
        number = replicate // size
        if number not in self._blocks:
            if not self._looked_up and size >= self.manifest.replicates:
                self._looked_up = True
                found = read_index(self.run)
                if found is not None:
                    self._blocks[0], self._paths = found
                    return self._blocks[0]
            first = number * size
            replicates = range(first, min(first + size, self.manifest.replicates))
            self._blocks[number] = Gathering(self.manifest, replicates, self.last)
        return self._blocks[number]


def _replicates_at_once(manifest: Manifest, grows: bool, last: int) -> int:
    """Count the replicates that are gathered at once, so that they do not fill the memory."""
    columns = len(manifest.stage.columns) + len(manifest.columns) + 2
    rounds = manifest.most if grows else last
    return max(_MOST_BYTES // (8 * columns * max(manifest.agents, 1) * (rounds + 1)), 1)


class _Behind:
    """A thread that gathers one block, from the run file that it opens itself."""

    def __init__(self, history: History, block: Gathering) -> None:
        self.block, self._path, self._last = block, history.run.path, history.last
        self._error: RunFileError | None = None
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="gathering", daemon=True)
        self._thread.start()

    def gathers(self, block: Gathering) -> bool:
        """Check if it is the one that this thread gathers, and is not done with."""
        return block is self.block and (self._thread.is_alive() or self._error is not None)

    @property
    def unfinished(self) -> bool:
        """Whether it stopped before the last round, without an error."""
        return self._error is None and self.block.rounds <= self._last

    def check(self) -> None:
        """Raise what the thread met."""
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with open_run_file(self._path) as run:
                _gather(run, self.block, self._last, self._stopped)
        except RunFileError as error:
            self._error = error


def _gather(run: RunFile, block: Gathering, last: int, stopped: Event | None = None) -> None:
    """Gather the rounds that are still to come, and keep the index of a run that is over."""
    if block.rounds > last:
        return
    for record in islice(run.records(block.rounds), last + 1 - block.rounds):
        if stopped is not None and stopped.is_set():
            return
        block.add(record)
    if len(block.replicates) == run.manifest.replicates:
        keep_index(run, block, last)
