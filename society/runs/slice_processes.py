"""Slices of the replicates of rules, each played in a process of its own, for all cores.

A batch equals a loop over its replicates, so that it equals slices of them, too. Each process plays
one slice, and this one merges their rounds, digests, records and shows them as those of the batch.
Where none of the replicates of a slice runs any more, it is padded: it goes on as long as others
do. What stops a slice is never told from afar: the society is then played again on one core, which
meets the same error at the same line, or gets by without one. A process that was killed is started
again, and plays its slice again up to where it was.
"""

from __future__ import annotations

import asyncio
import inspect
import mmap
import multiprocessing
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, TextIO

import numpy as np

from society.config.build import Society
from society.config.hook_checks import source_file
from society.engine.array_digests import NEWEST_RULE, RowsElsewhere, block_length
from society.engine.component import Component
from society.engine.environment import Environment
from society.engine.game_master import Outcome
from society.engine.garbage import old_objects_set_aside
from society.engine.gateway import ModelGateway
from society.engine.history import Page, Recorder
from society.engine.joined_arrays import JoinedArrays
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.slices import (
    MergingRunner,
    SliceProgress,
    UnlikeSlices,
    any_runs_after,
    merge_outcomes,
    merge_pages,
)
from society.errors import PartError, Paused, short_path
from society.machine import count_cores

from .chance_watch import chance_watch
from .merged_summaries import SummaryMerger
from .shared_pages import PageLayout, PageReceiver, SlicePage
from .slice_worker import SliceOrder, play_slice

_SLOTS = 6  # for rounds of a slice that are under way, or looked at
_SPARE = 3  # slots that others than those who keep pages shall have
_RESERVED = 1024  # bytes of memory for each agent and page; it is taken when it is used
_SMALLEST, _LARGEST = 2**20, 2**28  # bytes of a slot
_NORESERVE = 0x4000 if sys.platform == "linux" else 0  # of mmap(2)
_WORTH_IT = 2_000_000  # agent-rounds; of fewer, processes would save a twentieth at most
_AGENTS_EACH = 5_000  # of fewer at once, a round is mostly interpreter, which each process needs
_LIVES = 3  # of a process that is killed again and again
_ONE_CORE = "this run is played on one core"

Announce = Callable[[str], None]


@contextmanager
def replicates_in_processes(
    setup: Society,
    env: Environment,
    workers: int | None,
    *,
    rounds: int,
    fresh: bool,
    note: Announce,
) -> Iterator[SliceProcesses | None]:
    """Start processes that play slices of the replicates of a society; None: one core is better.

    workers: how many; None: one for each core, as far as these are of use. rounds: at most.
    """
    reason = one_core_reason(setup)
    most = -(-setup.replicates // block_length(setup.replicates))
    if workers is None:
        useful = useful_processes(setup.replicates * setup.agents, rounds)
        count = 1 if reason else min(useful, most, count_cores())
    else:
        count = 1 if reason else min(workers, most)
        if workers > 1 and reason:
            note(f"{_ONE_CORE}: {reason}")
        elif workers > count:
            each = block_length(setup.replicates)  # replicates, whose digests are of one block
            words = f"there are {setup.replicates} replicates"
            words += f", of which {each} stay together" if each > 1 else ""
            note(f"--workers {workers}: {words}, and so {count} workers")
    if count == 1:
        yield None
        return
    try:
        processes = SliceProcesses(setup, env, count, fresh=fresh, note=note)
    except OSError as error:  # no memory for them, or no more processes or files
        note(f"{_ONE_CORE}: processes for the replicates cannot be started: {error.strerror}")
        yield None
        return
    with processes:
        yield processes


def useful_processes(agents: int, rounds: int) -> int:
    """Return how many processes are of use for so many agents in all replicates; 1 for none.

    Measured by tests/benchmarks/cores.py, which society/runs/DESIGN.md cites.
    """
    return max(agents // _AGENTS_EACH, 1) if agents * rounds >= _WORTH_IT else 1


def slices_of_blocks(replicates: int, workers: int) -> list[Array]:
    """Split the numbers of replicates for processes, where their digests fall into blocks."""
    length = block_length(replicates)
    blocks = np.array_split(np.arange(0, replicates, length), workers)
    ends = [*(int(block[0]) for block in blocks[1:]), replicates]
    return [np.arange(block[0], end) for block, end in zip(blocks, ends, strict=True)]


def one_core_reason(setup: Society) -> str:
    """Say why the replicates of a society are not played in processes; "" where they may be."""
    if "fork" not in multiprocessing.get_all_start_methods() or sys.platform == "darwin":
        return "this system does not fork processes that have threads"
    if setup.replicates == 1:
        return "there is one replicate"
    if setup.past:
        return "a fork plays through its past, which is one for all"
    if outside := [one for cohort in setup.cast() if (one := asks_outside(cohort))]:
        return f"{outside[0]} is no rule, and asks outside"
    if code := setup.unseparable_code:
        name = getattr(code[0], "__name__", repr(code[0]))
        return (
            f"{name} is code of yours that does not say `separable`, so that it may look at other "
            "replicates"
        )
    for file in setup.files:
        if file.endswith(".py") and source_file(file).has_chance_of_its_own:
            return f"{short_path(file)} draws chance that all replicates share"
    return ""


def asks_outside(cohort: Cohort) -> str:
    """Name a component of a cohort that may ask somebody outside of this program; "" for none."""
    return next((part.title() for part in cohort.components if not _is_rule(part)), "")


def _is_rule(part: Component) -> bool:
    """Tell whether a component asks nobody outside of this program."""
    hooks = (part.begin, part.notice)
    return not (
        part.models
        or part.kept_folders
        or part.overrides("consult")
        or any(inspect.iscoroutinefunction(inspect.unwrap(hook)) for hook in hooks)
    )


class _Stopped(Exception):
    """A slice cannot be played to its end in its process."""


class _RemoteSlice(SliceProgress):
    """A slice that another process plays.

    leased: slots that hold arrays which somebody looks at. pages, places: rounds that wait to be
    merged, and the slot of each. waits: whether it waits to hear if others run, before the line
    waits_at. received: how many of its pages have come. lives: how many processes were started for
    it.
    """

    def __init__(self, replicates: Array, agents: int) -> None:
        super().__init__()
        self.replicates = replicates
        size = min(max(len(replicates) * agents * _RESERVED, _SMALLEST), _LARGEST)
        flags = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | _NORESERVE
        self.slots = [mmap.mmap(-1, size, flags) for _ in range(_SLOTS)]
        self.leased = set[int]()
        self.pages, self.places = list[SlicePage](), list[int]()
        self.receiver = PageReceiver({})
        self.waits, self.waits_at = False, 0
        self.received = self.lives = 0
        self.outcome: Outcome | None = None
        self.pipe: Connection | None = None
        self.process: Any = None
        self._lock = threading.RLock()  # a slot may be let go in any thread, at any moment

    def tell(self, *message: object) -> None:
        """Send a message; a process that is gone does not need it."""
        with self._lock, suppress(OSError):
            if self.pipe is not None:
                self.pipe.send(message)

    def lease(self, slot: int) -> Array:
        """Return the bytes of a slot; it is free again when nobody holds an array of it."""
        lease = np.frombuffer(self.slots[slot], np.uint8)
        self.leased.add(slot)
        weakref.finalize(lease, self._let_go, slot).atexit = False
        return lease

    def _let_go(self, slot: int) -> None:
        self.leased.discard(slot)
        self.tell("free", slot)


class SliceProcesses:
    """Processes that play slices of one society; `with` ends them.

    They are forked when this is made: before threads, windows and connections are opened.
    env: of the whole. fresh: whether the run begins here. note: is told why the society is played
    on one core after all. entire: whether all of a page is looked at, as soon as that is known.
    """

    entire: bool | None = None

    def __init__(
        self, setup: Society, env: Environment, workers: int, *, fresh: bool, note: Announce
    ) -> None:
        self.setup, self.env, self.note, self.fresh = setup, env, note, fresh
        self._layouts: dict[PageLayout, PageLayout] = {}
        parts = slices_of_blocks(env.replicates, workers)
        self.slices = [_RemoteSlice(part, env.agents) for part in parts]
        # What is there already is not written to by each process when it looks for garbage.
        with old_objects_set_aside():
            try:
                for one in self.slices:
                    self.start(one)
            except BaseException:
                self.end()
                raise

    def start(self, one: _RemoteSlice) -> None:
        """Start a process for a slice, which plays it from its beginning."""
        here, there = multiprocessing.Pipe()
        order = SliceOrder(
            self.setup,
            self.env,
            one.replicates,
            one.slots,
            [slot for slot in range(_SLOTS) if slot not in one.leased],
            one.received,
            self.entire,
            self.fresh,
            there,
            [here, *(other.pipe for other in self.slices if other.pipe is not None)],
        )
        context = multiprocessing.get_context("fork")
        one.process = context.Process(target=play_slice, args=(order,), daemon=True)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            one.process.start()  # Python warns of other threads, none of whose locks it needs
        there.close()
        one.pipe, one.waits, one.receiver = here, False, PageReceiver(self._layouts)
        one.lives += 1

    def begin(self, *, entire: bool) -> None:
        """Let the slices send their rounds; entire: whether all of a page is looked at."""
        self.entire = entire or self.env.digest_rule < NEWEST_RULE
        for one in self.slices:
            one.tell("entire", self.entire)

    def end(self) -> None:
        """End all processes, whatever they do, and let go of their memory."""
        for one in self.slices:
            pipe, one.pipe = one.pipe, None
            if pipe is not None:
                pipe.close()
                one.process.kill()
                one.process.join()
            one.process, one.slots, one.pages, one.places = None, [], [], []

    def __enter__(self) -> SliceProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class PlayedInProcesses(MergingRunner):
    """A game whose slices are played by processes; on one core where that does not work out.

    entire: whether a recorder looks at all of a page, and not at its measures and ends only.
    """

    def __init__(
        self,
        processes: SliceProcesses,
        gateway: ModelGateway,
        recorders: Sequence[Recorder],
        *,
        entire: bool,
    ) -> None:
        super().__init__(processes.env, gateway, recorders)
        self._processes = processes
        self._slices = processes.slices
        self._digests: list[bytes] = []
        self._announced, self._warned = set[str](), set[tuple[Any, ...]]()
        self._registry: dict[Any, Any] = {}  # of warnings that were shown, as modules have one
        self._summaries = SummaryMerger()
        processes.begin(entire=entire)

    async def perform(self) -> Outcome:
        if self.pages:
            raise PartError("this game has already been played; make a new one to play again")
        try:
            return await self._in_processes()
        except (_Stopped, UnlikeSlices, RowsElsewhere) as stopped:
            self._processes.end()
            return await self._on_one_core(str(stopped))
        finally:
            self._processes.end()
            await self.gateway.close()

    async def _in_processes(self) -> Outcome:
        loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = loop.create_future()
        for one in self._slices:
            self._listen(loop, one)
        try:
            await self._done
        finally:
            for one in self._slices:
                if one.pipe is not None:
                    loop.remove_reader(one.pipe.fileno())
        if any(one.pages for one in self._slices):
            raise UnlikeSlices(self.pages)
        parts = [one.outcome for one in self._slices if one.outcome is not None]
        return merge_outcomes(parts, self.pages, self.digest, self.gateway.ledger.entries())

    def _listen(self, loop: asyncio.AbstractEventLoop, one: _RemoteSlice) -> None:
        assert one.pipe is not None
        loop.add_reader(one.pipe.fileno(), self._hear, loop, one)

    def _hear(self, loop: asyncio.AbstractEventLoop, one: _RemoteSlice) -> None:
        """Take in a message of a slice, or its end."""
        if self._done.done() or one.pipe is None:
            return
        try:
            try:
                message = one.pipe.recv()
            except (EOFError, OSError):
                loop.remove_reader(one.pipe.fileno())
                self._revive(one)
                self._listen(loop, one)
                return
            self._take(one, message)
            if one.over:
                loop.remove_reader(one.pipe.fileno())
            if all(each.over for each in self._slices):
                self._done.set_result(None)
        except BaseException as error:
            self._done.set_exception(error)

    def _take(self, one: _RemoteSlice, message: Any) -> None:
        match message:
            case "pages", int(lines), ended, int(slot), list(notes):
                one.lines, one.ended = max(one.lines, lines), ended
                lease = one.lease(slot)
                one.pages += [one.receiver.receive(note, lease) for note in notes]
                one.places += [slot] * len(notes)
                one.received += len(notes)
                del lease, notes, message
                self._merge()
            case "waits", int(lines), ended:
                one.lines, one.ended, one.waits = max(one.lines, lines), ended, True
                one.waits_at = lines
            case "announced", str(words):
                self._announce(words)
            case "warned", text, category, file, line:
                self._warned.add((text, category, file, line))
                warnings.warn_explicit(text, category, file, line, registry=self._registry)
            case "over", Outcome() as outcome:
                one.outcome, one.over = outcome, True
            case "stopped", str(reason):
                raise _Stopped(reason)
        self._answer_waiting()

    def _answer_waiting(self) -> None:
        """Tell slices whether others go on, as soon as that is known."""
        for one in self._slices:
            if one.waits:
                others = any_runs_after(self._slices, one.waits_at)
                if others is not None:
                    one.waits = False
                    one.tell("run", others)

    def _announce(self, words: str) -> None:
        """Announce once what several slices say, each of the first agent that it has met."""
        subject = words.partition(" with ")[0]
        if self.announce is not None and subject not in self._announced:
            self._announced.add(subject)
            self.announce(words)

    def _merge(self) -> None:
        """Hand on the rounds that all slices have played."""
        while all(one.pages for one in self._slices):
            pages = [one.pages.pop(0) for one in self._slices]
            if self._processes.entire:
                page = merge_pages([part.whole() for part in pages], self.env.digest_rule)
            else:
                page = self._summaries.merge(pages, self.env.digest_rule)
            del pages
            for one in self._slices:
                one.places.pop(0)
            if any(len(one.leased - {*one.places}) > _SLOTS - _SPARE for one in self._slices):
                _settle(page)
            self._digests.append(page.digest)
            self.hand_on(page)

    def _revive(self, one: _RemoteSlice) -> None:
        """Start a process again that has ended before its last line."""
        one.process.join()
        if one.lives == _LIVES:
            first, last = one.replicates[[0, -1]].tolist()
            raise Paused(
                f"the process that plays replicates {first} to {last} was ended from outside "
                f"{_LIVES} times (the last time with code {one.process.exitcode}); if memory does "
                "not suffice, go on with --workers 1"
            )
        try:
            self._processes.start(one)
        except OSError as error:
            words = "a process was ended from outside and cannot be started again"
            raise _Stopped(f"{words}: {error.strerror}") from error

    async def _on_one_core(self, reason: str) -> Outcome:
        """Play the whole in this process; rounds that were handed on are compared."""
        self._processes.note(f"{_ONE_CORE} from here on: {reason}")
        env = self.env
        env.moment = 0
        setup = self._processes.setup
        watches = chance_watch(setup) if self._processes.fresh else ()
        game = setup.gamemaster([_Later(self), *watches], env=env, outside=self.gateway)
        game.announce = self._announce
        with _without(self._warned):
            return await game.perform()


@contextmanager
def _without(said: Container[tuple[Any, ...]]) -> Iterator[None]:
    """Do not show warnings again that slices have met: text, category, file and line."""
    usual = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if (str(message), category, filename, lineno) not in said:
            usual(message, category, filename, lineno, file, line)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = usual


class _Later:
    """Receives the rounds of the whole, and hands on those that slices have not come to."""

    def __init__(self, runner: PlayedInProcesses) -> None:
        self._runner = runner

    def page(self, page: Page) -> None:
        runner = self._runner
        if page.number >= runner.pages:
            runner.hand_on(page)
        elif runner._digests[page.number] != page.digest:
            raise PartError(
                f"round {page.number} is not the same for slices of replicates and for all of "
                "them: code of yours looks at other replicates, or at chance without an address; "
                "take `separable` back, or play with --workers 1"
            )


def _settle(page: Page) -> None:
    """Join all arrays of a page, so that it holds none of the slots that it came in."""
    of_lines = (step.arrays for step in (*page.steps, *page.asides))
    for arrays in (*of_lines, page.public, page.measures):
        if isinstance(arrays, JoinedArrays):
            for _ in arrays.values():
                pass
