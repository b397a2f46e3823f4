"""Commands about experiments: they sweep, plan and report."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .runs import minds_given
from .stdout import console

if TYPE_CHECKING:
    from society.lab.clusters import Cluster
    from society.lab.experiment import Experiment
    from society.lab.sweep import Sweep, Watching
    from society.models.settings import Limits


def sweep(args: argparse.Namespace) -> int:
    """society sweep"""
    from society.lab.coded import coded
    from society.lab.experiment import experiment
    from society.lab.sweep import Sweep, swept
    from society.scenario_file import told

    minds = minds_given(args)
    read = experiment(args.experiment, lambda spec: told(spec, minds | {"limits": {}}))
    folder = args.out or Path("sweeps") / read.name
    with (
        _watched(args, len(read.conditions) + (read.coding is not None)) as watching,
        _cluster(args) as cluster,
    ):
        sitting = Sweep(cluster, watching, read.record, _limits(read, minds["limits"]))
        notes, interrupted = list[str](), False
        try:
            swept(read, folder, sitting, overwrite=args.overwrite)
            notes = coded(read, folder, sitting, overwrite=args.overwrite)
        except KeyboardInterrupt:
            interrupted = True
    for note in notes:
        print(f"society: {note}", file=sys.stderr)
    return _told(args, read, folder, sitting, interrupted)


def _watched(args: argparse.Namespace, conditions: int) -> AbstractContextManager[Watching]:
    from society.lab.progress import Progress, Silent

    return nullcontext(Silent()) if args.quiet or args.json else Progress(conditions)


def _cluster(args: argparse.Namespace) -> AbstractContextManager[Cluster]:
    from society.lab.clusters import dask, processes

    return processes(args.workers) if args.dask is None else dask(args.dask, args.workers)


def _limits(read: Experiment, given: dict[str, Any]) -> Limits | None:
    """Of all runs together: those of the file, outweighed by those of the command line."""
    from society.models.settings import Limits

    said = {} if read.limits is None else read.limits.model_dump()
    return Limits(**{**said, **given}) if said or given else None


def _told(
    args: argparse.Namespace, read: Experiment, folder: Path, sitting: Sweep, interrupted: bool
) -> int:
    """Say what a sweep has come to; gives the exit code."""
    statuses = [done.status for done in sitting.results.values()]
    code = 130 if interrupted else 1 if "failed" in statuses else 3 if "paused" in statuses else 0
    if args.json:
        print(json.dumps(_facts(read, folder, sitting), indent=2))
    ended = [sitting.results.get(condition.name) for condition in read.conditions]
    finished = sum(done is not None and done.status == "finished" for done in ended)
    words = f"{read.name}: {finished} of {len(ended)} conditions are finished"
    if code:
        again = f"go on with: society sweep {args.experiment} --out {folder}"
        print(f"society: {words}; what was played is kept; {again}", file=sys.stderr)
    elif not (args.json or args.quiet):
        console().print(f"{words} · {folder}\nsociety report {folder}", markup=False)
    return code


def _facts(read: Experiment, folder: Path, sitting: Sweep) -> dict[str, Any]:
    from society.lab.sweep import total
    from society.lab.worker import Done

    conditions = []
    for name, factors, _, file in read.conditions:
        done = sitting.results.get(name, Done("interrupted"))
        told = {"status": done.status, "words": done.words}
        conditions.append({"name": name, "factors": dict(factors), "file": file, **told})
    used = total(folder / one.file for one in read.conditions)
    return {
        "name": read.name,
        "out": str(folder),
        "spent": used._asdict(),
        "conditions": conditions,
    }


def report(args: argparse.Namespace) -> int:
    """society report"""
    from society.lab.report import report
    from society.lab.study import studied

    one_sweep = len(args.paths) == 1 and args.paths[0].is_dir()
    folder = args.paths[0] / "report" if one_sweep else Path("report")
    page = report(studied(args.paths), args.out or folder)
    print(page)
    return 0
