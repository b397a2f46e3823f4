"""One condition of an experiment, played in whatever process it has come to."""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from society.calls import Spent
from society.errors import SocietyError
from society.models.budget import Budget
from society.models.settings import Limits
from society.runs.manifest import Level
from society.runs.resume import taken_up
from society.runs.runfile import Status, open_run
from society.runs.sitting import End, Sitting
from society.scenario_file import Spec
from society.spec import Setup, prepared


class Job(NamedTuple):
    """A condition to be played, in a form that can be sent.

    spec: the JSON of a Spec. file: its run, which is taken up if it is there. aside: whether it is
    written elsewhere and moved, since the file may lie where SQLite must not write (on a network).
    limits: what this job may use, over all its sittings.
    """

    spec: dict[str, Any]
    file: str
    level: Level | None = None
    aside: bool = False
    limits: Limits | None = None


class Done(NamedTuple):
    """How a job ended; words say why, if it did not finish."""

    status: Status
    words: str = ""
    seconds: float = 0.0


def work(job: Job) -> Done:
    """Play it, from a process that does nothing else meanwhile or from one of several threads."""
    began = time.perf_counter()
    try:
        with _interruptible():
            end = _worked(job)
    except SocietyError as error:
        end = End("failed", error.exit_code, str(error))
    except KeyboardInterrupt:  # before or after it was played
        end = End("interrupted", 130, "interrupted")
    return Done(end.status, end.words, time.perf_counter() - began)


def sitting(
    setup: Setup, file: Path, level: Level | None, budget: Budget | None = None
) -> Sitting | None:
    """A new run, or the one in the file; None if that has finished. Raises InputError."""
    if not file.exists():
        return Sitting.begun(setup, file, level, budget=budget)
    with open_run(file) as run:
        if run.status == "finished":
            return None
    return taken_up(file, lambda spec: setup.spec, budget)


def spent(file: Path) -> Spent:
    """What the run in a file has used so far; nothing if there is none. Raises RunFileError."""
    if not file.exists():
        return Spent()
    with open_run(file) as run:
        return run.spent


def _worked(job: Job) -> End:
    file = Path(job.file)
    setup = prepared(Spec.model_validate(job.spec))
    if not job.aside:
        return _played(setup, file, job)
    if not file.parent.is_dir():
        raise SocietyError(
            f"a worker does not see the folder {file.parent}; sweep into a folder that all workers "
            "share"
        )
    with tempfile.TemporaryDirectory(prefix="society-") as folder:
        here = Path(folder, file.name)
        end = _played(setup, here, job)
        if here.exists():
            draft = file.with_name(f".{file.name}.{here.parent.name}")
            shutil.move(here, draft)
            draft.replace(file)
    return end


def _played(setup: Setup, file: Path, job: Job) -> End:
    budget = None if job.limits is None else Budget(job.limits, spent(file))
    run = sitting(setup, file, job.level, budget)
    if run is None:
        return End("finished")
    with run.writer:
        end = run.play()
        if not end.code:
            run.conclude()
        run.close(end)
    return end


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends what is played; a process that waits for work leaves that to its parent."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
