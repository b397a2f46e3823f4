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
from society.spec import prepared

from .changes import changes
from .reader import open_run
from .sitting import Sitting
from .writer import Writer


def taken_up(
    path: Path | str,
    changed: Callable[[Spec], Spec] = lambda spec: spec,
    budget: Budget | None = None,
) -> Sitting:
    """The run in a file, ready to go on; raises InputError.

    changed: gives other limits, or another way to reach the models. Whatever else it changed would
    make another history, which the first round that differs would tell. budget: in place of the
    run's own.
    """
    with open_run(path) as run:
        if run.status == "finished":
            raise RunFileError(f"{brief(path)} is finished; there is nothing to resume")
        setup = prepared(changed(Spec.model_validate(run.manifest.spec)))
        minds = setup.minds(run.spent, budget)
        writer = Writer.resumed(run, changes(run.manifest, setup))
    game = setup.gamemaster(minds=minds)
    return Sitting(setup, game, writer)
