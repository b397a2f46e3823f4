"""Sessions of a run: one session plays a run from its current state to its end, or until it pauses.

To resume a run, its whole history is played again, rules anew and model calls from the record, and
compared round by round; where the record ends, the run goes live. So a resumed run ends with the
digest of one that was never interrupted and got the same answers.

Memory that a run has freed stays with the process, for the arrays of its next line. A batch makes
and drops some megabytes with every line. By default the C library of Linux returns them to the
system each time, which has to find and clear them again: in large batches of small rules that took
a third of all time. Other systems are left as they are.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, NamedTuple, Self

from society.config.build import Society
from society.config.run_config import RunConfig
from society.config.wiring_issues import announce_deferred
from society.engine.calls import Spent, sum_known
from society.engine.environment import Environment
from society.engine.game_master import Runner
from society.engine.garbage import garbage_sought_seldom
from society.engine.gateway import ModelGateway
from society.engine.history import Recorder
from society.engine.population import UnansweredQuestion
from society.errors import (
    Exhausted,
    Paused,
    SocietyError,
    WiringWarning,
    describe_user_error,
    explain_user_error,
    user_place,
)
from society.llm.providers.budget import Budget
from society.text import clean_line

from .chance_watch import chance_watch
from .conclusions import run_post_analysis
from .manifest import Level, manifest_of
from .memory_check import refuse_too_large
from .provenance import list_changes
from .reader import open_run_file
from .schema import Status
from .slice_processes import PlayedInProcesses, SliceProcesses, replicates_in_processes
from .trust import trust_files
from .writer import Writer

if TYPE_CHECKING:
    from society.llm.providers.batch_desk import BatchDesk
    from society.llm.providers.pool import ModelPool

_LOG = logging.getLogger(__name__)
_TRIM, _OWN_PAGES = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of <malloc.h>


@cache
def keep_freed_memory(at_most: int = 2**28, arrays_up_to: int = 2**25) -> bool:
    """Keep freed memory, up to `at_most` bytes, in the process; return False if it cannot."""
    if sys.platform != "linux":
        return False
    try:
        choose = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return bool(choose(_OWN_PAGES, arrays_up_to) and choose(_TRIM, at_most))


def use_in_file(file: Path) -> Spent:
    """Return the use of models by the run in a file, zero without a file; raises RunFileError."""
    if not file.exists():
        return Spent()
    with open_run_file(file) as run:
        return run.spent


def use_in_files(files: Iterable[Path]) -> Spent:
    """Sum the use of models by the runs in some files; raises RunFileError."""
    used = [use_in_file(file) for file in files]
    calls, tokens = sum(one.calls for one in used), sum(one.tokens for one in used)
    return Spent(calls, tokens, sum_known(one.cost for one in used))


Beside = Callable[[Path, RunConfig], Iterable[Path]]  # files beside that of a run with this spec


class End(NamedTuple):
    """The end of a session: the status to record, an exit code, and the reason in words.

    bug: an exception from a component or script, to be shown with its traceback. limited: True if a
    limit that the user set has stopped the run, and would stop it again. error: the exception that
    ended the session early. file: of the run. saved: False if there was nothing to save. purpose:
    of a run that others wait for.
    """

    status: Status
    code: int = 0
    words: str = ""
    bug: BaseException | None = None
    limited: bool = False
    error: BaseException | None = None
    file: Path | None = None
    saved: bool = True
    purpose: str = ""


class Session(NamedTuple):
    """A run that is ready to be played or continued.

    purpose: of a run that others wait for. fresh: whether it begins here, and so is watched for
    what could not be seen before. minds: the models that it asks, if any.
    """

    setup: Society
    env: Environment
    outside: ModelGateway
    writer: Writer
    purpose: str = ""
    fresh: bool = True
    minds: ModelPool | None = None

    @property
    def desk(self) -> BatchDesk | None:
        """What its batches share; None if it asks nobody."""
        return None if self.minds is None else self.minds.desk

    @classmethod
    def begun(
        cls,
        setup: Society,
        path: Path,
        level: Level | None = None,
        *,
        overwrite: bool = False,
        budget: Budget | None = None,
        awaiting: Callable[[int], None] | None = None,
        beside: Beside = lambda path, spec: (),
    ) -> Self:
        """Start a new run; raises InputError. budget: in place of the run's own.

        awaiting: called with the number of calls still under way when the run is interrupted.
        beside: tells the runs whose use of models counts to the limits of this one.
        """
        used = use_in_files(beside(path, setup.spec))
        refuse_too_large(setup)
        minds, env = setup.minds(used, budget), setup.environment()
        writer = Writer(path, manifest_of(setup, level, env), overwrite=overwrite)
        trust_files(setup.files)
        if minds is not None:
            minds.desk.records = writer.call_store
        limits = None if budget is None else budget.limits
        outside = setup.outside(writer.call_store, awaiting, minds, limits)
        return cls(setup, env, outside, writer, minds=minds)

    @classmethod
    def resumed(
        cls,
        path: Path,
        changed: Callable[[RunConfig], RunConfig] = lambda spec: spec,
        *,
        files: Path | None = None,
        budget: Budget | None = None,
        awaiting: Callable[[int], None] | None = None,
        beside: Beside = lambda path, spec: (),
    ) -> Self | None:
        """Continue the run in a file; None if it has finished. Raises InputError.

        changed: sets other limits, or another way to reach the models. Any other change would make
        another history, and is reported at the first round that differs. files: a folder in which
        the files of the run are looked up first. The others as in `begun`.
        """
        with open_run_file(path, files) as run:
            if run.status == "finished":
                return None
            setup = run.manifest.society(changed)
            minds = setup.minds(use_in_files([path, *beside(path, setup.spec)]), budget)
            if minds is not None and setup.spec.share_identical:
                minds.remember(call.said for call in run.calls())
            writer = Writer.resumed(run, list_changes(run.manifest, setup))
        if minds is not None:
            minds.desk.records = writer.call_store
        limits = None if budget is None else budget.limits
        outside = setup.outside(writer.call_store, awaiting, minds, limits)
        return cls(setup, setup.environment(), outside, writer, fresh=False, minds=minds)

    def play(self, *watching: Recorder, processes: SliceProcesses | None = None) -> End:
        """Play from synchronous code; an interrupt also ends the session.

        processes: those that play slices of the replicates.
        """
        try:
            with _same_directory():
                self._game(watching, processes).play()
        except BaseException as error:  # a component may also leave by sys.exit
            return self._end(error)
        return End("finished")

    def in_processes(
        self, workers: int | None, note: Callable[[str], None]
    ) -> AbstractContextManager[SliceProcesses | None]:
        """Start processes for slices of the replicates; see `replicates_in_processes`."""
        keep_freed_memory()
        return replicates_in_processes(
            self.setup,
            self.env,
            workers,
            rounds=self.writer.manifest.most,
            fresh=self.fresh,
            note=note,
        )

    async def perform(self, *watching: Recorder) -> End:
        """Play within a running event loop; a cancelled session ends as interrupted."""
        try:
            with _same_directory(), garbage_sought_seldom():
                await self._game(watching).perform()
            await asyncio.sleep(0)  # a short game may be over before it hears of a cancellation
        except BaseException as error:  # a cancellation, too, is an end to be recorded
            return self._end(error)
        return End("finished")

    def _end(self, error: BaseException) -> End:
        if isinstance(error, UnansweredQuestion):
            error = self.setup.unanswered() or error
        return _end_from_error(error)

    def _game(
        self, watching: Sequence[Recorder], processes: SliceProcesses | None = None
    ) -> Runner:
        keep_freed_memory()
        setup = self.setup
        _LOG.info(
            "%s: seed %s, %s agents x %s replicates, at most %s rounds, into %s",
            setup.scenario.name,
            setup.seed,
            setup.agents,
            setup.replicates,
            setup.rounds,
            self.writer.path,
        )
        for file, digest in setup.files.items():
            _LOG.info("file %s, SHA-256 %s", file, digest)
        recorders = [self.writer, *watching]
        game: Runner
        if processes is not None:
            entire = bool(watching) or self.writer.manifest.level == "full"
            game = PlayedInProcesses(processes, self.outside, recorders, entire=entire)
        else:
            make = setup.sliced_game if setup.separable else setup.gamemaster
            recorders += chance_watch(setup) if self.fresh else ()
            game = make(recorders, env=self.env, outside=self.outside)
        if self.fresh:
            game.announce = _warn
        return game

    def conclude(self) -> None:
        """Record the findings of the scenario's analysis of its run; none if it has no analysis."""
        with open_run_file(self.writer.path) as run:
            findings, note = run_post_analysis(run, self.setup, self.writer.call_store)
        if not note:
            self.writer.conclude(findings)

    def finish(self, end: End, *, conclude: bool = True) -> End:
        """Record findings, if wanted, and how the run ended; return the end with the file."""
        # Whoever reads the run later does not execute code of the user's to find them, nor check
        # thousands of programs.
        given = self.setup.files or self.setup.objects or self.writer.manifest.programs
        if (conclude or given) and not end.code:
            self.conclude()
        self.close(end)
        if not (end.code or self.purpose):
            announce_deferred(self.setup.wiring)
        file, saved = self.writer.path, self.writer.published
        _LOG.info("%s after round %s: %s", end.status, self.env.moment - 1, end.words or "done")
        return end._replace(file=file, saved=saved, purpose=self.purpose)

    def close(self, end: End) -> None:
        """Record how the run ended."""
        # Where the disk is full, the end cannot be written either: the first error says more.
        with suppress(Paused) if end.code else nullcontext():
            self.writer.close(end.status)


@contextmanager
def _same_directory() -> Iterator[None]:
    """Come back to the working directory, wherever code of the user's goes meanwhile."""
    here = Path.cwd()
    try:
        yield
    finally:
        os.chdir(here)


def _warn(words: str) -> None:
    warnings.warn(words, WiringWarning, stacklevel=2)


def _end_from_error(error: BaseException) -> End:
    if known := explain_user_error(error):
        known.__cause__ = error
        error = known
    return _describe_end(error)._replace(error=error)


def _describe_end(error: BaseException) -> End:
    match error:
        case KeyboardInterrupt() | asyncio.CancelledError():
            return End("interrupted", 130, "interrupted")
        case Paused():
            limited = isinstance(error, Exhausted)
            return End("paused", error.exit_code, f"paused: {error}", limited=limited)
        case SocietyError():
            return End("failed", error.exit_code, str(error))
    *_, (frame, _) = walk_tb(error.__traceback__)
    file = "" if user_place(error) else frame.f_code.co_filename
    return End("failed", 1, clean_line(describe_user_error(error, file)), error)
