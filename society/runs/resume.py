"""Going on with a run that was interrupted, paused or cut off.

The whole history is driven again, rules anew and outside minds from the record, and compared round
by round; where the record ends, the run goes live. So a resumed run ends on the digest of one that
was never interrupted and got the same answers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from society.errors import RunFileError, brief
from society.models.budget import Budget
from society.scenario_file import Spec
from society.spec import Setup, prepared

from .changes import changes
from .drafting import drafted_beside
from .manifest import Level
from .reader import open_run
from .sitting import Sitting
from .spending import total
from .writer import Writer


def begun_or_taken_up(
    setup: Setup,
    path: Path,
    level: Level | None = None,
    budget: Budget | None = None,
    awaiting: Callable[[int], None] | None = None,
) -> Sitting | None:
    """A new run, or the one in the file; None if that has finished. Raises InputError."""
    if not path.exists():
        return Sitting.begun(setup, path, level, budget=budget, awaiting=awaiting)
    with open_run(path) as run:
        if run.status == "finished":
            return None
    return taken_up(path, lambda spec: setup.spec, budget, awaiting)


def taken_up(
    path: Path | str,
    changed: Callable[[Spec], Spec] = lambda spec: spec,
    budget: Budget | None = None,
    awaiting: Callable[[int], None] | None = None,
) -> Sitting:
    """The run in a file, ready to go on; raises InputError.

    changed: gives other limits, or another way to reach the models. Whatever else it changed would
    make another history, which the first round that differs would tell. budget: in place of the
    run's own. awaiting: as in Sitting.begun.
    """
    path = Path(path)
    with open_run(path) as run:
        if run.status == "finished":
            raise RunFileError(f"{brief(path)} is finished; there is nothing to resume")
        setup = prepared(changed(Spec.model_validate(run.manifest.spec)))
        minds = setup.minds(total([path, *drafted_beside(path, setup.spec)]), budget)
        writer = Writer.resumed(run, changes(run.manifest, setup))
    outside = setup.outside(writer.vault, awaiting, minds)
    return Sitting(setup, setup.table(), outside, writer)
