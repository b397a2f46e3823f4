"""Workers: play one run of a sweep, in whatever process it was sent to."""

from __future__ import annotations

import asyncio
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Protocol

from society.config.build import Society, build
from society.config.run_config import RunConfig
from society.config.wiring_issues import collected_warnings
from society.engine.history import Recorder
from society.engine.interrupts import EscalatingHandler
from society.errors import (
    FileError,
    SocietyError,
    WiringWarning,
    describe_user_error,
    short_path,
)
from society.llm.providers.batch_desk import BatchDesk
from society.llm.providers.budget import Budget
from society.llm.providers.named_servers import naming_servers
from society.llm.providers.settings import Limits
from society.runs.manifest import Level
from society.runs.play import earlier_runs, sessions
from society.runs.runfile import Status
from society.runs.schema import SIDES, side_file
from society.runs.session import End, use_in_files

from .folder import NOTE


class Job(NamedTuple):
    """A condition to be played, in a form that can be sent.

    spec: the JSON of a Spec. file: its run, which is taken up if it is there. away: whether that
    may be on another machine than the worker. limits: what this job may use, over all its sessions.
    servers: addresses that the user named, to which keys may go. strict: whether a warning about
    its wiring ends it.
    """

    spec: dict[str, Any]
    file: str
    level: Level | None = None
    away: bool = False
    limits: Limits | None = None
    servers: tuple[str, ...] = ()
    strict: bool = False


class JobResult(NamedTuple):
    """The end of a job; words say why, if it did not finish. warned: of its wiring meanwhile.

    fallbacks: how many answers of its models these are, in words, if they are too many. found: its
    first measure in words, of a run that was played in this session.
    """

    status: Status
    words: str = ""
    warned: tuple[str, ...] = ()
    fallbacks: str = ""
    found: str = ""


class Spectator(Recorder, Protocol):
    """A recorder that is also told what a run waits for.

    awaiting: replies under way, of an interrupted run. batching: batches, on the desk of the run.
    """

    def awaiting(self, count: int) -> None: ...
    def batching(self, desk: BatchDesk) -> None: ...


class _Playing(NamedTuple):
    """A job under way, in the event loop of the thread that plays it."""

    loop: asyncio.AbstractEventLoop
    task: asyncio.Task[JobResult]
    insistence: EscalatingHandler


_playing: dict[str, _Playing] = {}  # in this process, by file


def run_job(job: Job) -> JobResult:
    """Play a job, in a process that does nothing else meanwhile or in one of several threads."""
    work = _worked(job)
    try:
        with _interruptible(), naming_servers(job.servers):
            if threading.current_thread() is not threading.main_thread():
                return asyncio.run(work)  # warnings are of the whole process
            with collected_warnings(strict=job.strict) as warned:
                done = asyncio.run(work)
            return done._replace(warned=(*done.warned, *warned))
    except (KeyboardInterrupt, asyncio.CancelledError):  # before or after it was played
        return JobResult("interrupted", "interrupted")
    finally:
        work.close()  # it may never have begun


async def interrupt_jobs(files: Sequence[str]) -> None:
    """Interrupt the jobs of this process that play into some files, and wait until they end."""
    told = set[str]()
    while under_way := _playing.keys() & set(files):
        for file in under_way - told:
            interrupt_job(file)
        told |= under_way
        await asyncio.sleep(0.05)


async def play_run(
    setup: Society,
    file: Path,
    level: Level | None,
    budget: Budget | None = None,
    spectator: Spectator | None = None,
) -> JobResult:
    """Play the run in a file, from where it stands; a new one if there is none."""
    try:
        awaiting, end = None if spectator is None else spectator.awaiting, End("finished")
        for run in sessions(setup, file, level, again=True, budget=budget, awaiting=awaiting):
            # A condition is as far as its own run is, which has not begun while designs are made.
            watching = [] if spectator is None or run.purpose else [spectator]
            if spectator is not None and run.desk is not None:
                spectator.batching(run.desk)
            with run.writer:
                end = run.finish(await run.perform(*watching))
            if end.code:
                break
    except SocietyError as error:
        return JobResult("failed", str(error))
    except Exception as error:  # of a scenario that concludes something
        return JobResult("failed", describe_user_error(error))
    before = "" if end.file in (None, file) else f"{short_path(end.file)}: "
    refused = end.error is not None and isinstance(end.error.__cause__, WiringWarning)
    words = f"{before}{end.words}" if end.code else end.words
    return JobResult(end.status, words, (end.words,) if refused else ())


async def _worked(job: Job) -> JobResult:
    file, task = Path(job.file), asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    insistence = EscalatingHandler(loop, lambda *_: interrupt_job(job.file))
    _playing[job.file] = _Playing(loop, task, insistence)
    try:
        if job.away and not (file.parent / NOTE).exists():
            raise FileError(
                f"a worker does not see the folder {file.parent}; sweep into one that is at this "
                "path for all workers, with --out"
            )
        spec = RunConfig.model_validate(job.spec, context={"resolved": True})
        setup = build(spec, rehearsed=False)
        budget = None
        if job.limits is not None:
            earlier = [made for made, _ in earlier_runs(setup, file)]
            budget = Budget(job.limits, use_in_files([file, *earlier]))
        # A paid answer must be where the next worker finds it; rules can be played again.
        if not job.away or setup.models_named:
            return await play_run(setup, file, job.level, budget)
        with tempfile.TemporaryDirectory(prefix="society-") as folder:
            done = await play_run(setup, Path(folder, file.name), job.level, budget)
            for made in Path(folder).glob("*.run"):
                _moved(made, file.with_name(made.name))
            return done
    except SocietyError as error:
        return JobResult("failed", str(error))
    finally:
        insistence.end()
        del _playing[job.file]


def _moved(made: Path, file: Path) -> None:
    """Give a run its name: all at once, in place of what was there."""
    draft = file.with_name(f".{file.name}.{made.parent.name}")
    shutil.move(made, draft)
    for side in SIDES:  # of a run that was killed there
        side_file(file, side).unlink(missing_ok=True)
    draft.replace(file)


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends what is played, and not only the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _heed)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _heed(number: int, frame: FrameType | None) -> None:
    if not _playing:
        raise KeyboardInterrupt
    for playing in list(_playing.values()):
        playing.insistence(number, frame)


def interrupt_job(file: str) -> None:
    """Interrupt the job of this process that plays into a file; it keeps what it has."""
    with suppress(KeyError, RuntimeError):  # it has ended meanwhile
        playing = _playing[file]
        playing.loop.call_soon_threadsafe(playing.task.cancel)
