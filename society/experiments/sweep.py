"""A sweep: every condition of an experiment played, each into a run file of its own.

Rules are played in worker processes, a condition each; societies that ask models are played
together in one event loop of this process, so that they share its limits. With a cluster of other
machines everything goes there. Whatever the number of workers, a condition is given by its spec
alone, so that the results are the same. What is finished is not played again, what was interrupted
goes on, and what fails does not stop the others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from society.config.run_config import RunConfig
from society.engine.calls import Spent, Usage
from society.engine.history import Page
from society.engine.interrupts import run_interruptible
from society.engine.scenario import Folded
from society.errors import SocietyError
from society.llm.providers.batch_desk import BatchDesk
from society.llm.providers.budget import Budget
from society.llm.providers.named_servers import named_addresses
from society.llm.providers.settings import Limits
from society.runs.fallbacks import describe_fallbacks
from society.runs.provenance import list_changes, name_runs
from society.runs.runfile import Level, open_run_file
from society.runs.session import use_in_files
from society.terminal.console import TerminalStyle
from society.terminal.labels import count_noun
from society.terminal.run_table import mean_words

from .clusters import Cluster
from .experiment import Experiment
from .folder import SweepFolder
from .jobs import PlannedRun, planned_runs, run_statuses
from .limits import divide_rate_limits, max_at_once, share_of_limits
from .worker import Job, JobResult, play_run

_AT_ONCE = 32  # conditions that ask models; the limits of a model say how many calls that makes
_TRIES = 3  # for a job whose process dies
_LOOK = 1.0  # seconds between two looks at the file of a worker
_LOOKING = 6  # of the time, one part in so many at most is spent on looking


class SweepListener(Protocol):
    """A listener to the progress of a sweep."""

    def advanced(
        self, name: str, share: float, ledger: Sequence[Usage], so_far: str = ""
    ) -> None: ...
    def awaiting(self, name: str, count: int) -> None: ...
    def batched(self, name: str, awaited: Sequence[str]) -> None: ...
    def done(self, name: str, done: JobResult) -> None: ...
    def noted(self, words: str) -> None: ...


class Sweep:
    """A sweep in one session.

    limits: what all runs together may use, over all sessions; None leaves each run its own.
    strict: whether a warning about its wiring ends a run.
    results: how each part ended, filled on the way, also if the session is interrupted.
    """

    def __init__(
        self,
        cluster: Cluster,
        watching: SweepListener,
        level: Level | None = None,
        limits: Limits | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self.cluster, self.watching, self.level, self.limits = cluster, watching, level, limits
        self.strict = strict
        self.results: dict[str, JobResult] = {}

    async def play(self, parts: Sequence[PlannedRun], used: Spent) -> None:
        """Play all that are given. used: by these and other parts in earlier sessions."""
        speakers = [part for part in parts if part.speaks]
        away, budget = self.cluster.away, None if self.limits is None else Budget(self.limits, used)
        specs = [part.setup.spec for part in speakers]
        together = max_at_once(specs, self.cluster.slots) if away else _AT_ONCE
        places = asyncio.Semaphore(together)
        slots = asyncio.Semaphore(len(parts) or 1 if away else self.cluster.slots)
        own = {part.name: use_in_files(part.files) for part in speakers} if away else {}

        async def one(part: PlannedRun) -> None:
            async with places if part.speaks else slots:
                self.watching.advanced(part.name, 0.0, ())
                if not part.speaks:
                    done = await self._sent(part, part.setup.spec)
                elif away:
                    asked = _Share(used, own[part.name], len(speakers), together)
                    done = await self._speaking_away(part, asked)
                else:
                    done = await self._here(part, budget)
            if done.status == "finished":
                done = done._replace(found=_first_measure(part.file))
            self._tell(part, done)

        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(one(part))

    async def _here(self, part: PlannedRun, budget: Budget | None) -> JobResult:
        """Play a part in this process, among others."""
        watched = _Watched(part, self.watching)
        return await play_run(part.setup, part.file, self._level(part), budget, watched)

    async def _speaking_away(self, part: PlannedRun, asked: _Share) -> JobResult:
        """Have a part that asks models played by a worker, within its share of the limits."""
        limits = None
        if self.limits is not None:
            # Machines cannot look into one purse: each condition gets a share of what is left.
            limits = share_of_limits(self.limits, asked.used, asked.own, asked.among)
            if limits is None:
                words = f"the rest of the limits cannot be shared by {asked.among} conditions"
                return JobResult("paused", f"paused: {words}; raise or lift the limits")
        return await self._sent(part, divide_rate_limits(part.setup.spec, asked.together), limits)

    async def _sent(
        self, part: PlannedRun, spec: RunConfig, limits: Limits | None = None
    ) -> JobResult:
        """Have a part played by a worker."""
        given, file = spec.model_dump(mode="json"), str(part.file.resolve())
        level, away = self._level(part), self.cluster.away
        job = Job(given, file, level, away, limits, named_addresses(), self.strict)
        if away:  # its file comes when it is over
            return await self._submitted(job)
        follower = asyncio.create_task(_follow(part, self.watching))
        try:
            return await self._submitted(job)
        finally:
            follower.cancel()
            await asyncio.wait([follower])

    async def _submitted(self, job: Job) -> JobResult:
        """Return what a worker says of a job, once it has played it; of several, if some die."""
        for _ in range(_TRIES):
            try:
                done = await asyncio.wrap_future(self.cluster.submit(job))
            except BrokenExecutor:
                continue
            except asyncio.CancelledError:
                if _stopped():
                    raise
                return JobResult(
                    "failed",
                    "the connection to the cluster was lost; repeat the command to play it",
                )
            except Exception as error:  # whatever a cluster says when it has lost a job
                return JobResult(
                    "failed", f"no worker could play it: {type(error).__name__}: {error}"
                )
            if done.status != "interrupted":  # or else somebody has stopped this one worker
                return done
        return JobResult(
            "failed", f"its worker died {_TRIES} times; check that there is enough memory"
        )

    def skip(self, parts: Iterable[PlannedRun]) -> None:
        """Skip parts that have finished; note all that has changed since they were played."""
        changed: dict[str, list[str]] = {}
        for part in parts:
            with open_run_file(part.file) as run:
                since = list_changes(run.manifest, part.setup).removeprefix("; ")
            self._tell(part, JobResult("finished", since))
            if since:
                changed.setdefault(since, []).append(part.name)
        for since, names in changed.items():
            again = "--overwrite plays again what was made otherwise"
            self.watching.noted(f"{name_runs(names)} played before; {since}; {again}")

    def _tell(self, part: PlannedRun, done: JobResult) -> None:
        """Note that a part is over, and the calls that it has made."""
        if part.speaks and part.file.exists():
            limits = self.limits or part.setup.spec.limits
            with open_run_file(part.file) as run:
                ledger = run.ledger()
            self.watching.advanced(part.name, 1.0, ledger)
            if done.status == "finished":
                words = describe_fallbacks(ledger, limits.max_fallbacks)
                done = done._replace(fallbacks=words)
        self.results[part.name] = done
        self.watching.done(part.name, done)

    def _level(self, part: PlannedRun) -> Level:
        """Choose the record level: measures for rules, everything for models, asked only once."""
        return part.level or self.level or ("full" if part.speaks else "summary")


def _first_measure(file: Path) -> str:
    """Describe the first measure of a run: "survival_time 41.2 ± 3.1"; "" if it has none."""
    with open_run_file(file) as run:
        for name, one in run.results().measures.items():
            said = mean_words(one, TerminalStyle("utf-8", 80).figure)
            return f"{name} {said or 'not measured'}"
    return ""


def play_experiment(
    experiment: Experiment,
    path: Path,
    sweep: Sweep,
    *,
    overwrite: bool = False,
    said: Mapping[str, Any] | None = None,
) -> None:
    """Play what is not finished yet; raises InputError, KeyboardInterrupt.

    path: the folder, made if it is not there. said: limits of the command line, to be kept in it.
    """
    folder, wanted = SweepFolder.of(experiment, path, said), planned_runs(experiment, path)
    found = run_statuses(wanted, overwrite=overwrite)
    folder.keep({})
    sweep.skip([part for part in wanted if found.get(part.name) == "finished"])
    todo = [part for part in wanted if part.name not in sweep.results]
    try:
        run_interruptible(
            sweep.play(todo, use_in_files(file for part in wanted for file in part.files))
        )
    finally:
        failed = {
            name: done.words for name, done in sweep.results.items() if done.status == "failed"
        }
        folder.keep(failed)


class _Share(NamedTuple):
    """The share of the limits for a part that cannot see the use of the others.

    used: by all parts before this session. own: by the part. among: parts that ask models.
    together: how many of them are played at once.
    """

    used: Spent
    own: Spent
    among: int
    together: int


def _stopped() -> bool:
    """Tell whether the sweep itself was told to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class WorkersRun:
    """The run of a worker, as its file shows it while it is written."""

    def __init__(self, part: PlannedRun, watched: _Watched) -> None:
        self._file, self._watched = part.file, watched
        self._read = 0  # rounds

    def look(self) -> tuple[float, str] | None:
        """Read the rounds that have come since the last look; return how far the run is by then.

        That is the share of its rounds, and its first measure in words; None if there is no news.
        """
        found = None
        with suppress(SocietyError):  # it is being begun or closed, and is seen next time
            if self._file.exists():
                with open_run_file(self._file) as run:
                    # What stands there may be an earlier run that is to be overwritten.
                    under_way = run.status == "running"
                    for record in run.records(self._read, lines=False) if under_way else ():
                        self._read += 1
                        found = self._watched.take(record.page)
        return found


async def _follow(part: PlannedRun, watching: SweepListener) -> None:
    """Look at the file of a worker from time to time, and tell what is new in it."""
    run, pause = WorkersRun(part, _Watched(part, watching)), _LOOK
    while True:
        await asyncio.sleep(pause)
        began = time.monotonic()
        # In a thread, since others are asked in this loop; told here, so never after its end.
        found = await asyncio.to_thread(run.look)
        if found is not None:
            watching.advanced(part.name, found[0], (), found[1])
        pause = max(_LOOK, (_LOOKING - 1) * (time.monotonic() - began))


class _Watched:
    """Tells how far a run has come, and what its first measure is by then."""

    def __init__(self, part: PlannedRun, watching: SweepListener) -> None:
        self.part, self.watching = part, watching
        self.measured = {
            one.name: Folded(one.fold, one.unit, part.setup.replicates)
            for one in part.setup.scenario.measures[:1]
        }

    def page(self, page: Page) -> None:
        share, so_far = self.take(page)
        self.watching.advanced(self.part.name, share, page.ledger, so_far)

    def take(self, page: Page) -> tuple[float, str]:
        """Take in a round; return the share of all rounds that are over, and the first measure."""
        return page.number / self.part.setup.rounds, self._so_far(page)

    def _so_far(self, page: Page) -> str:
        """Describe the first measure: "survival_time 12 ± 0.5 so far, 3 of 8 runs over"."""
        for name, folded in self.measured.items():
            if name in page.measures:
                folded.add(page.number, page.measures[name])
            if said := mean_words(folded.estimate(), TerminalStyle("utf-8", 80).figure):
                ran = page.running.size
                over = ran - int(page.running.sum())
                runs = f", {over} of {count_noun(ran, 'run')} over" if ran > 1 else ""
                return f"{name} {said} so far{runs}"
        return ""

    def batching(self, desk: BatchDesk) -> None:
        name = self.part.name
        desk.announce = lambda words: self.watching.noted(f"{name}: {words}")
        desk.changed = lambda: self.watching.batched(name, desk.awaited())

    def awaiting(self, count: int) -> None:
        self.watching.awaiting(self.part.name, count)
