"""A sweep: every condition of an experiment played, each into a run file of its own.

Rules are played in worker processes, a condition each; societies that ask models are played
together in one event loop of this process, so that they share its limits. With a cluster of other
machines everything goes there. Whatever the number of workers, a condition is given by its spec
alone, so that the results are the same. What is finished is not played again, what was interrupted
goes on, and what fails does not stop the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from society.calls import Entry, Spent
from society.errors import RunFileError, SocietyError, brief
from society.models.budget import Budget
from society.models.settings import Limits, ModelSpec
from society.runs.runfile import Level, Status, open_run
from society.scenario_file import Spec
from society.spec import Setup
from society.talk import Page

from .clusters import Cluster
from .experiment import Experiment
from .folder import Folder
from .worker import Done, Job, sitting, spent

_AT_ONCE = 32  # conditions that ask models; the limits of a model say how many calls that makes
_TRIES = 3  # for a job whose process dies: it may have been another job that killed it

# How models are reached, which changes no result.
_REACH = (
    *("api_base", "timeout", "concurrency", "requests_per_minute", "tokens_per_minute"),
    *("attempts", "backoff", "deadline"),
)


class Watching(Protocol):
    """Whoever is told how a sweep goes."""

    def advanced(self, name: str, share: float, ledger: Sequence[Entry]) -> None: ...
    def done(self, name: str, done: Done) -> None: ...


class Part(NamedTuple):
    """Something to be played: a condition, or the coding of norms."""

    name: str
    setup: Setup
    file: Path

    @property
    def speaks(self) -> bool:
        """Whether it asks models."""
        return bool(self.setup.models_named)


def parts(experiment: Experiment, folder: Path) -> list[Part]:
    """The conditions, with where each is kept."""
    return [Part(one.name, one.setup, folder / one.file) for one in experiment.conditions]


def standing(parts: Iterable[Part], *, overwrite: bool = False) -> dict[str, Status]:
    """How the run of each part stands, of those that were begun; raises RunFileError.

    A run that was made otherwise than its part says now is refused, or removed by `overwrite`.
    """
    found: dict[str, Status] = {}
    others = []
    for part in parts:
        if not part.file.exists():
            continue
        with open_run(part.file) as run:
            same = _essence(Spec.model_validate(run.manifest.spec)) == _essence(part.setup.spec)
            status = run.status
        if same:
            found[part.name] = status
        elif overwrite and status != "running":
            others.append(part.file)
        else:
            raise RunFileError(
                f"{brief(part.file)} was played from another experiment than the one given now; "
                "sweep into another folder with --out, or replace such runs by --overwrite"
            )
    for file in others:
        file.unlink()
    return found


def _essence(spec: Spec) -> dict[str, Any]:
    """What makes a run what it is."""
    models = {name: _unreached(model) for name, model in spec.models.items()}
    bare = spec.model_copy(update={"limits": Limits(), "models": models})
    return bare.model_dump(mode="json")


def _unreached(model: ModelSpec) -> ModelSpec:
    usual = ModelSpec()
    return model.model_copy(update={name: getattr(usual, name) for name in _REACH})


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
        budget = None if self.limits is None else Budget(self.limits, used)
        places = asyncio.Semaphore(_AT_ONCE)
        slots = asyncio.Semaphore(len(parts) or 1 if self.cluster.away else self.cluster.slots)

        async def played(part: Part) -> None:
            if part.speaks and not self.cluster.away:
                async with places:
                    done = await self._here(part, budget)
            else:
                async with slots:
                    done = await self._away(part, used, len(speakers))
            self.results[part.name] = done
            self.watching.done(part.name, done)

        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(played(part))

    async def _here(self, part: Part, budget: Budget | None) -> Done:
        """Play a part in this process, among others."""
        try:
            run = sitting(part.setup, part.file, self._level(part), budget)
            if run is None:
                return Done("finished")
            with run.writer:
                end = await run.perform(_Watched(part, self.watching))
                if not end.code:
                    run.conclude()
                run.close(end)
        except SocietyError as error:
            return Done("failed", str(error))
        return Done(end.status, end.words)

    async def _away(self, part: Part, used: Spent, speakers: int) -> Done:
        """Have a part played by a worker."""
        spec, limits = part.setup.spec, None
        if part.speaks:
            spec = _shared_out(spec, self.cluster.slots)
            if self.limits is not None:
                # Machines cannot look into one purse: each condition gets a share of what is left.
                limits = _share(self.limits, used, spent(part.file), speakers)
                if limits is None:
                    return Done("paused", "paused: nothing is left within the limits; raise them")
        given = spec.model_dump(mode="json")
        # A paid answer must be where the next worker finds it; rules can be played again.
        aside = self.cluster.away and not part.speaks
        job = Job(given, str(part.file.resolve()), self._level(part), aside, limits)
        for _ in range(_TRIES):
            try:
                return await asyncio.wrap_future(self.cluster.submit(job))
            except BrokenExecutor:
                continue
            except Exception as error:  # whatever a cluster says when it has lost a job
                return Done("failed", f"its worker was lost: {type(error).__name__}: {error}")
        return Done("failed", f"its worker died {_TRIES} times; is there enough memory?")

    def _level(self, part: Part) -> Level:
        """What is recorded: measures of rules, everything of minds, who cannot be asked again."""
        return self.level or ("full" if part.speaks else "summary")


def swept(
    experiment: Experiment,
    path: Path,
    sweep: Sweep,
    *,
    overwrite: bool = False,
) -> None:
    """Play what is not finished yet, then have norms coded; raises InputError, KeyboardInterrupt.

    path: the folder, made if it is not there.
    """
    folder, wanted = Folder.of(experiment, path), parts(experiment, path)
    found = standing(wanted, overwrite=overwrite)
    folder.keep({})
    for part in wanted:
        if found.get(part.name) == "finished":
            sweep.results[part.name] = Done("finished")
            sweep.watching.done(part.name, Done("finished"))
    todo = [part for part in wanted if part.name not in sweep.results]
    try:
        asyncio.run(sweep.play(todo, total([part.file for part in wanted])))
    finally:
        failed = {
            name: done.words for name, done in sweep.results.items() if done.status == "failed"
        }
        folder.keep(failed)


def total(files: Iterable[Path]) -> Spent:
    """What the runs in some files have used together."""
    calls = tokens = 0
    cost: float | None = 0.0
    for one in map(spent, files):
        calls, tokens = calls + one.calls, tokens + one.tokens
        cost = None if cost is None or one.cost is None else cost + one.cost
    return Spent(calls, tokens, cost)


def _share(limits: Limits, used: Spent, own: Spent, speakers: int) -> Limits | None:
    """An equal share of what is left, and what the part itself has used; None if nothing is left.

    used: by all parts so far. own: by this one.
    """
    shares: dict[str, float] = {}
    for name, all_used, own_used in zip(
        ("max_calls", "max_tokens", "max_cost"), used, own, strict=True
    ):
        limit = getattr(limits, name)
        if limit is None:
            continue
        left = (limit - (all_used or 0)) / speakers
        share = left if name == "max_cost" else int(left)
        if share <= 0:
            return None
        shares[name] = share + (own_used or 0)
    return Limits(**shares)


class _Watched:
    """A recorder that tells how far a run has come."""

    def __init__(self, part: Part, watching: Watching) -> None:
        self.part, self.watching = part, watching

    def page(self, page: Page) -> None:
        self.watching.advanced(self.part.name, page.number / self.part.setup.rounds, page.ledger)


def _shared_out(spec: Spec, workers: int) -> Spec:
    """With each model's limits divided: a provider counts all workers together."""

    def part(model: ModelSpec) -> ModelSpec:
        bounds = ("concurrency", "requests_per_minute", "tokens_per_minute")
        given = {name: getattr(model, name) for name in bounds}
        shares = {name: max(1, bound // workers) for name, bound in given.items() if bound}
        return model.model_copy(update=shares)

    models = {"default": ModelSpec()} | spec.models
    return spec.model_copy(update={"models": {name: part(one) for name, one in models.items()}})
