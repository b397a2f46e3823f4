"""Lists of the run files in a folder, whole or damaged, each read from a few rows of its file.

A run file is opened and checked as everywhere else. Of its manifest only what a list shows is
parsed, and of its rounds nothing where the file has its row of results (society.runs.results), so
that a thousand files take a second or two. Files that were written before there was such a row,
runs that go on and runs that were killed are read whole.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from society.engine.scenario import Estimate
from society.errors import FileError, InputError, SocietyError, short_path, suggest
from society.llm.providers.settings import ModelSpec
from society.llm.stored_database import check_types
from society.slow_work import slow_work

from .fork_note import ForkNote
from .reader import RunFile, open_run_file
from .schema import SIDES, Status, side_file

UNREADABLE = "unreadable"
_ENDING = ".run"
_SIZES = ("seed", "agents", "replicates")


class ListedRun(NamedTuple):
    """A run file in a list. One that cannot be read has a problem, and no more than a size.

    written: when the file was last changed, as the file system says. size: in bytes. status: as of
    a RunFile, or "unreadable". models: of those who answer; none where rules do. settings: of the
    run, by name: parameters, and mechanisms with theirs. varied: of these, what was given, and is
    different in another listed run of its scenario. measure: the first that the scenario declares.
    cost: in US dollars; None if it is unknown. fork: in words, what it is a fork of.
    """

    path: Path
    written: datetime | None
    size: int
    status: str = UNREADABLE
    problem: str = ""
    scenario: str = ""
    seed: int = 0
    agents: int = 0
    replicates: int = 0
    rounds: int = 0
    horizon: int = 0
    models: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    varied: Mapping[str, Any] = {}
    measure: str = ""
    estimate: Estimate | None = None
    calls: int = 0
    cost: float | None = 0.0
    fork: str = ""

    def facts(self) -> dict[str, Any]:
        """Return what is known of it, as JSON has it."""
        about = {"file": str(self.path), "status": self.status}
        written = self.written and f"{self.written:%Y-%m-%dT%H:%M:%SZ}"
        disk = {"written": written, "bytes": self.size}
        if self.problem:
            return {**about, "problem": self.problem, **disk}
        measure = {"name": self.measure, **vars(self.estimate)} if self.estimate else None
        return {
            **about,
            **{name: getattr(self, name) for name in ("scenario", *_SIZES, "rounds", "horizon")},
            "models": [*self.models],
            "settings": dict(self.settings),
            "varied": dict(self.varied),
            "measure": measure,
            "calls": self.calls,
            "cost": self.cost,
            "fork_of": self.fork or None,
            **disk,
        }


class RunList(NamedTuple):
    """The runs below a folder, by path, and the folders that could not be looked into."""

    runs: Sequence[ListedRun]
    closed: Sequence[str]


def list_run_files(folder: Path) -> RunList:
    """Read every run file in a folder and in those below it; raises FileError for no folder."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "is not there"
        raise FileError(
            f"{short_path(folder)} {what}; name a folder with run files, as `society run SCENARIO` "
            "makes them"
        )
    closed: list[str] = []

    def note(error: OSError) -> None:
        closed.append(f"{short_path(error.filename or folder)}: {error.strerror or error}")

    paths = [
        Path(root, name)
        for root, _, names in os.walk(folder, onerror=note)
        for name in names
        if name.endswith(_ENDING) and not name.startswith(".")
    ]
    with slow_work(f"reading {len(paths):,} run files"):
        return RunList(_with_varied([*map(read_listed, sorted(paths))]), closed)


def read_listed(path: Path) -> ListedRun:
    """Read what a list says of a file; one that is damaged or foreign says so."""
    try:
        told = path.stat()
        sides = (side_file(path, suffix) for suffix in SIDES)
        size = told.st_size + sum(one.stat().st_size for one in sides if one.is_file())
        written = datetime.fromtimestamp(told.st_mtime, UTC)
    except (OSError, OverflowError, ValueError) as error:  # gone meanwhile, or a link to nowhere
        return ListedRun(path, None, 0, problem=f"cannot be read: {error}")
    listed = ListedRun(path, written, size)
    try:
        with open_run_file(path, parse=False) as run:
            return _describe(listed, run)
    except (SocietyError, ValueError, TypeError, LookupError, AttributeError) as error:
        words = str(error).removeprefix(f"{path}: ").removeprefix(f"{path} ")
        return listed._replace(problem=words)


def _describe(listed: ListedRun, run: RunFile) -> ListedRun:
    spec, extent, measures = run.entry("spec"), run.entry("extent"), run.entry("measures")
    scenario, horizon, forks = run.entry("scenario"), run.entry("horizon"), run.entry("forks")
    params, sizes = run.entry("params"), [run.entry(name) for name in _SIZES]
    check_types((scenario, horizon, spec, params), str, int, dict, dict)
    check_types(sizes, int, int, int)
    results = run.results()
    measure = measures[0]["name"] if measures else ""
    given, beside = spec.get("parameters", {}), _settings_beside(spec)
    asked = spec.get("models") or run.entry("prompts")
    return listed._replace(
        status=run.status,
        scenario=scenario,
        **dict(zip(_SIZES, sizes, strict=True)),
        rounds=results.rounds,
        horizon=horizon if extent is None else int(extent[0]),
        models=_models(spec.get("models", {})) if asked else (),
        settings={**params, **beside},
        varied={**{name: params[name] for name in given if name in params}, **beside},
        measure=measure,
        estimate=results.measures.get(measure),
        calls=results.calls,
        cost=results.cost,
        fork=ForkNote.model_validate(forks[-1]).words if forks else "",
    )


def _models(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the models of a configuration; without any, it is the offline mind that answers."""
    specs = [ModelSpec.model_validate(one) for one in given.values()] or [
        ModelSpec.model_validate({})
    ]
    return tuple(dict.fromkeys(one.label for one in specs))


def _settings_beside(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten the settings that are no parameters: {"graph": "ring", "repetition.games": 200}."""
    found = {"graph": spec["graph"]} if spec.get("graph") else {}
    for part in spec.get("mechanisms", ()):
        for name, own in part.items():
            found |= {f"{name}.{key}": value for key, value in own.items()} or {name: "yes"}
    return found


def _with_varied(runs: Sequence[ListedRun]) -> list[ListedRun]:
    """Leave out of what was given all that is the same in each run of its scenario."""
    counts = Counter(one.scenario for one in runs)
    alike = Counter(
        (one.scenario, name, repr(value)) for one in runs for name, value in one.settings.items()
    )
    return [
        one._replace(
            varied={
                name: value
                for name, value in one.varied.items()
                if alike[one.scenario, name, repr(value)] < counts[one.scenario]
            }
        )
        for one in runs
    ]


def filter_runs(
    runs: Sequence[ListedRun], scenario: str | None = None, status: str | None = None
) -> list[ListedRun]:
    """Keep runs of a scenario, of a status; raises InputError for a scenario that none is of."""
    known = {one.scenario for one in runs if not one.problem}
    if scenario is not None and known and scenario not in known:
        raise InputError(f"no run here is of {scenario}; {suggest(scenario, sorted(known))}")
    return [
        one for one in runs if scenario in (None, one.scenario) and status in (None, one.status)
    ]


RunStatus = Literal[Status, "unreadable"]
SortKey = Literal["name", "scenario", "written", "status", "rounds", "measure", "cost", "size"]


def sort_runs(runs: Iterable[ListedRun], key: SortKey | None) -> list[ListedRun]:
    """Sort runs: names and states from a to z, numbers from the largest on, what is new first.

    key: None for the names. Runs without a value come last; equal ones stay as they are.
    """
    if key is None or key == "name":
        return sorted(runs, key=lambda one: str(one.path))
    if key == "scenario" or key == "status":
        return sorted(runs, key=lambda one: str(getattr(one, key)))
    return sorted(runs, key=lambda one: -_sort_value(one, key))


def _sort_value(run: ListedRun, key: SortKey) -> float:
    if run.problem and key not in ("written", "size"):
        return -math.inf
    if key == "written":
        return run.written.timestamp() if run.written else -math.inf
    measured = None if run.estimate is None else run.estimate.mean
    value = measured if key == "measure" else getattr(run, key)
    return -math.inf if value is None else float(value)
