"""One way to play a society into a run file: for the command line, notebooks and sweeps.

The types of a tournament may have to make designs first; these are runs of their own, beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from society.config.build import Society
from society.config.run_config import RunConfig
from society.engine.history import Recorder
from society.llm.providers.budget import Budget
from society.user_code import guard_user_code

from .conclusions import record_findings
from .design_runs import (
    design_files,
    design_runs,
    is_drafting,
    keep_designs,
    make_designs_first,
    refuse_waiting,
)
from .manifest import Level
from .reader import open_run_file
from .session import End, Session
from .trust import RecordedCode

Watch = Callable[[Session], AbstractContextManager[Recorder | None]]


def play(
    setup: Society,
    path: Path,
    level: Level | None = None,
    *,
    overwrite: bool = False,
    watch: Watch = lambda session: nullcontext(),
    awaiting: Callable[[int], None] | None = None,
    conclude: bool = True,
    workers: int | None = 1,
    announce: Callable[[str], None] = lambda line: None,
) -> End:
    """Play a society to its end, or as far as possible, into a new run file; raises InputError.

    watch: called for each run that is played, for a recorder that watches it. awaiting: called with
    the number of calls still under way when the run is interrupted. conclude: record the findings
    of the scenario's own analysis; or else whoever shows the run computes them. workers: processes
    for the replicates of rules; None: one for each core, if the run is long enough. announce:
    called with a line about where they are played.
    """
    runs = sessions(setup, path, level, overwrite=overwrite, awaiting=awaiting)
    return _play(runs, watch, conclude, workers, announce)


def resume(
    path: Path,
    changed: Callable[[RunConfig], RunConfig] = lambda spec: spec,
    watch: Watch = lambda session: nullcontext(),
    awaiting: Callable[[int], None] | None = None,
    conclude: bool = True,
    *,
    trust: bool = False,
    files: Path | None = None,
    announce: Callable[[str], None] = lambda line: None,
    workers: int | None = 1,
) -> End:
    """Play the run in a file on to its end; raises InputError.

    One that has finished stays; findings that it lacks are recorded. trust: execute the Python code
    that the run file names, although this machine does not know it. files: a folder in which the
    files of the run are looked up first. announce: called with a line about each file of code that
    is executed because of `trust`, and about where replicates are played. workers: as in `play`.
    """
    refuse_waiting(path)
    with open_run_file(path, files) as run:
        gate = RecordedCode(path, run.manifest, trust, announce)
    with guard_user_code(gate):
        session = Session.resumed(
            path, changed, files=files, beside=design_files, awaiting=awaiting
        )
        if session is None:
            recorded = record_findings(path, files)
            done = "its findings were missing and are recorded now"
            return End("finished", words=done if recorded else "there is nothing to resume")
        purpose = "designs" if is_drafting(session.setup.spec.mechanisms) else ""
        return _play([session._replace(purpose=purpose)], watch, conclude, workers, announce)


def play_session(session: Session, watch: Watch | None, conclude: bool) -> End:
    """Play a session to its end, or as far as possible."""
    return _play([session], watch or (lambda session: nullcontext()), conclude)


def _play(
    runs: Iterable[Session],
    watch: Watch,
    conclude: bool,
    workers: int | None = 1,
    announce: Callable[[str], None] = lambda line: None,
) -> End:
    end = End("finished")
    for session in runs:
        # Processes are forked before a view opens threads and takes the terminal.
        with (
            session.writer,
            session.in_processes(workers, announce) as processes,
            watch(session) as recorder,
        ):
            watching = [] if recorder is None else [recorder]
            played = session.play(*watching, processes=processes)
            end = session.finish(played, conclude=conclude)
        if end.code:
            break
    return end


def sessions(
    setup: Society,
    path: Path,
    level: Level | None = None,
    *,
    again: bool = False,
    overwrite: bool = False,
    budget: Budget | None = None,
    awaiting: Callable[[int], None] | None = None,
) -> Iterator[Session]:
    """Open the runs to be played, each once the one before it has finished; raises InputError.

    again: resume what is in the files. budget: in place of the run's own.
    """
    if again and path.exists():
        session = Session.resumed(
            path,
            keep_designs(setup.spec),
            beside=design_files,
            budget=budget,
            awaiting=awaiting,
        )
        if session is not None:
            yield session
        return
    # Only a tournament seats agents; what cannot be written is refused before any call.
    if setup.scenario.seats is not None and (overwrite or not path.exists()):
        setup = yield from make_designs_first(setup, path, again, overwrite, budget, awaiting)
    yield Session.begun(
        setup,
        path,
        level,
        overwrite=overwrite,
        budget=budget,
        awaiting=awaiting,
        beside=design_files,
    )


def earlier_runs(setup: Society, path: Path) -> list[tuple[Path, Society]]:
    """List the files and societies of the runs that are played before a society can be."""
    return [(one.file(path), one.setup) for one in design_runs(setup)]
