"""A sweep: every condition of an experiment played, each into a run file of its own.

Rules are played in worker processes, a condition each; societies that ask models are played
together in one event loop of this process, so that they share its limits. With a cluster of other
machines everything goes there. Whatever the number of workers, a condition is given by its spec
alone, so that the results are the same. What is finished is not played again, what was interrupted
goes on, and what fails does not stop the others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from society.calls import Entry, Spent, added
from society.errors import RunFileError, brief
from society.models.budget import Budget
from society.models.settings import Limits
from society.runs.changes import changes
from society.runs.runfile import Level, Status, open_run
from society.runs.store import SIDES, Header, beside
from society.scenario_file import Spec
from society.spec import Setup
from society.talk import Page

from .clusters import Cluster
from .essence import essence
from .experiment import Experiment
from .folder import Folder
from .shares import at_once, share, shared_out
from .worker import Done, Job, played, spent

_AT_ONCE = 32  # conditions that ask models; the limits of a model say how many calls that makes
_TRIES = 3  # for a job whose process dies


class Watching(Protocol):
    """Whoever is told how a sweep goes."""

    def advanced(self, name: str, share: float, ledger: Sequence[Entry]) -> None: ...
    def awaiting(self, name: str, count: int) -> None: ...
    def done(self, name: str, done: Done) -> None: ...
    def noted(self, words: str) -> None: ...


class Part(NamedTuple):
    """Something to be played: a condition, or the coding of norms.

    level: to be recorded, whatever the experiment says.
    """

    name: str
    setup: Setup
    file: Path
    level: Level | None = None

    @property
    def speaks(self) -> bool:
        """Whether it asks models."""
        return bool(self.setup.models_named)


def parts(experiment: Experiment, folder: Path) -> list[Part]:
    """The conditions, with where each is kept."""
    return [Part(one.name, one.setup, folder / one.file) for one in experiment.conditions]


def standing(parts: Iterable[Part], *, overwrite: bool = False) -> dict[str, Status]:
    """How the run of each part stands, of those that were begun; raises RunFileError.

    Runs that were made otherwise than their parts say now are refused, or removed by `overwrite`,
    and so are damaged ones; `overwrite` also removes what was made with other code.
    """
    found, others = dict[str, Status](), list[Path]()
    for part in parts:
        if part.file.exists():
            status = _status(part, overwrite)
            if status is None:
                others.append(part.file)
            else:
                found[part.name] = status
    if others and not overwrite:
        raise RunFileError(
            f"{_named([brief(file) for file in others])} played from another experiment than the "
            "one given now; sweep into another folder with --out, or replace such runs by "
            "--overwrite"
        )
    for file in others:
        for suffix in ("", *SIDES):
            beside(file, suffix).unlink(missing_ok=True)
    return found


def _status(part: Part, overwrite: bool) -> Status | None:
    """How its run stands; None if that is another one."""
    try:
        with open_run(part.file) as run:
            status, manifest = run.status, run.manifest
            deque(run.records(), 0)  # raises if it is damaged anywhere
    except RunFileError as error:
        if overwrite and Header.of(part.file).ours:
            return None
        raise RunFileError(f"{error}; --overwrite plays it again") from error
    if status == "running":
        raise RunFileError(f"{brief(part.file)} is being written right now; wait for that sweep")
    same = essence(Spec.model_validate(manifest.spec)) == essence(part.setup.spec)
    if overwrite and changes(manifest, part.setup):
        return None
    return status if same else None


def _named(names: Sequence[str]) -> str:
    """Who was it?

    >>> _named(["a"]), _named(["a", "b", "c"])
    ('a was', 'a and 2 more were')
    """
    return f"{names[0]} was" if len(names) == 1 else f"{names[0]} and {len(names) - 1} more were"


class Sweep:
    """One sitting of a sweep.

    limits: what all runs together may use, over all sittings; None leaves each run its own.
    results: how each part ended, filled on the way, also if the sitting is interrupted.
    """

    def __init__(
        self,
        cluster: Cluster,
        watching: Watching,
        level: Level | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.cluster, self.watching, self.level, self.limits = cluster, watching, level, limits
        self.results: dict[str, Done] = {}

    async def play(self, parts: Sequence[Part], used: Spent) -> None:
        """Play all that are given. used: by these and other parts in earlier sittings."""
        speakers = [part for part in parts if part.speaks]
        away, budget = self.cluster.away, None if self.limits is None else Budget(self.limits, used)
        specs = [part.setup.spec for part in speakers]
        together = at_once(specs, self.cluster.slots) if away else _AT_ONCE
        places = asyncio.Semaphore(together)
        slots = asyncio.Semaphore(len(parts) or 1 if away else self.cluster.slots)

        async def one(part: Part) -> None:
            async with places if part.speaks else slots:
                if not part.speaks:
                    done = await self._sent(part, part.setup.spec)
                elif away:
                    done = await self._speaking_away(part, used, len(speakers), together)
                else:
                    done = await self._here(part, budget)
            self.results[part.name] = done
            self._tell(part, done)

        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(one(part))

    async def _here(self, part: Part, budget: Budget | None) -> Done:
        """Play a part in this process, among others."""
        watched = _Watched(part, self.watching)
        return await played(part.setup, part.file, self._level(part), budget, watched)

    async def _speaking_away(self, part: Part, used: Spent, speakers: int, together: int) -> Done:
        """Have a part that asks models played by a worker, within its share of all limits."""
        limits = None
        if self.limits is not None:
            # Machines cannot look into one purse: each condition gets a share of what is left.
            limits = share(self.limits, used, spent(part.file), speakers)
            if limits is None:
                words = f"what is left of the limits cannot be shared by {speakers} conditions"
                return Done("paused", f"paused: {words}; raise or lift them")
        return await self._sent(part, shared_out(part.setup.spec, together), limits)

    async def _sent(self, part: Part, spec: Spec, limits: Limits | None = None) -> Done:
        """Have a part played by a worker."""
        given, file = spec.model_dump(mode="json"), str(part.file.resolve())
        job = Job(given, file, self._level(part), self.cluster.away, limits)
        for _ in range(_TRIES):
            try:
                done = await asyncio.wrap_future(self.cluster.submit(job))
            except BrokenExecutor:
                continue
            except asyncio.CancelledError:
                if _stopped():
                    raise
                return Done("failed", "the cluster was lost before it was played")
            except Exception as error:  # whatever a cluster says when it has lost a job
                return Done("failed", f"no worker could play it: {type(error).__name__}: {error}")
            if done.status != "interrupted":  # or else somebody has stopped this one worker
                return done
        return Done("failed", f"its worker died {_TRIES} times; is there enough memory?")

    def skip(self, parts: Iterable[Part]) -> None:
        """Those that have finished; tells what has changed since they were played."""
        changed: dict[str, list[str]] = {}
        for part in parts:
            with open_run(part.file) as run:
                since = changes(run.manifest, part.setup).removeprefix("; ")
            self.results[part.name] = done = Done("finished", since)
            self._tell(part, done)
            if since:
                changed.setdefault(since, []).append(part.name)
        for since, names in changed.items():
            again = "--overwrite plays again what was made otherwise"
            self.watching.noted(f"{_named(names)} played before; {since}; {again}")

    def _tell(self, part: Part, done: Done) -> None:
        """That a part is over, and what it has asked, wherever and whenever that was."""
        if part.speaks and part.file.exists():
            with open_run(part.file) as run:
                self.watching.advanced(part.name, 1.0, run.ledger())
        self.watching.done(part.name, done)

    def _level(self, part: Part) -> Level:
        """What is recorded: measures of rules, everything of minds, who cannot be asked again."""
        return part.level or self.level or ("full" if part.speaks else "summary")


def swept(
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
    folder, wanted = Folder.of(experiment, path, said), parts(experiment, path)
    found = standing(wanted, overwrite=overwrite)
    folder.keep({})
    sweep.skip([part for part in wanted if found.get(part.name) == "finished"])
    todo = [part for part in wanted if part.name not in sweep.results]
    try:
        asyncio.run(sweep.play(todo, total(part.file for part in wanted)))
    finally:
        failed = {
            name: done.words for name, done in sweep.results.items() if done.status == "failed"
        }
        folder.keep(failed)


def total(files: Iterable[Path]) -> Spent:
    """What the runs in some files have used together."""
    used = [spent(file) for file in files]
    calls, tokens = sum(one.calls for one in used), sum(one.tokens for one in used)
    return Spent(calls, tokens, added(one.cost for one in used))


def _stopped() -> bool:
    """Whether it is we who were told to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _Watched:
    """Tells how far a run has come."""

    def __init__(self, part: Part, watching: Watching) -> None:
        self.part, self.watching = part, watching

    def page(self, page: Page) -> None:
        self.watching.advanced(self.part.name, page.number / self.part.setup.rounds, page.ledger)

    def awaiting(self, count: int) -> None:
        self.watching.awaiting(self.part.name, count)
