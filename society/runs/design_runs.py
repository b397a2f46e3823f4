"""Designs that all matches of a tournament share, made before it in a separate run.

A mechanism says how (society.engine.scenario.Drafts): each type of agent makes a design for each
seat. The designs become part of the spec of the tournament, so that its run file is complete.
A run of designs has a run file like any other: it can be resumed, verified and shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from society.config.build import Society, build
from society.config.run_config import RunConfig
from society.engine.calls import Minds
from society.engine.history import InMemoryRecorder, Page
from society.engine.scenario import Drafts, Layer
from society.errors import RunFileError
from society.former_names import spellings
from society.llm.providers.budget import Budget

from .provenance import run_file_statuses
from .reader import RunFile, open_run_file
from .session import Session
from .writer import path_before_rescue

_SEATS_APART = "draft_designs"  # the mechanism that seats types apart
# By type, one for each seat of the first repetition, then of the next; None where there is none.
Designs = Mapping[str, list[Any]]


class DesignRun(NamedTuple):
    """Designs that are still to be made, for one mechanism.

    setup: the society of the run in which they are made.
    """

    mechanism: str
    drafts: Drafts
    setup: Society

    def file(self, tournament: Path) -> Path:
        """Return the path of the run of designs, beside that of the tournament."""
        return design_file(tournament, self.mechanism)

    def kept(self, file: Path) -> Designs:
        """Read the designs from the run in a file; raises RunFileError."""
        with open_run_file(file) as run:
            return self.found(run.pages())

    def used_in(self, tournament: Path) -> bool:
        """Check if a tournament was played with the designs in the file beside it."""
        with suppress(RunFileError), open_run_file(self.file(tournament)) as made:
            if made.status == "finished":
                with open_run_file(tournament) as run:
                    given = run.manifest.config.drafts.get(self.mechanism, {})
                return given.get(self.drafts.parameter) == self.found(made.pages())
        return False

    def found(self, pages: Iterable[Page]) -> Designs:
        """Extract the designs from the pages of a run."""
        fact = "own", self.drafts.told
        told = [step.arrays[fact] for page in pages for step in page.steps if fact in step.arrays]
        # A replicate for each repetition, type and seat, in which that seat alone makes a design.
        texts = [row[number % len(row)] for number, row in enumerate(told[-1])]
        made = [json.loads(text) if text else None for text in texts]
        seats, types = self.setup.agents, [cohort.name for cohort in self.setup.cast()]
        each = [made[start : start + seats] for start in range(0, len(made), seats)]
        return {name: list(chain(*each[k :: len(types)])) for k, name in enumerate(types)}


def design_runs(setup: Society) -> Iterator[DesignRun]:
    """Yield the designs to be made before a tournament can be played; none for other runs."""
    spec, scenario = setup.spec, setup.scenario
    if scenario.seats is None:
        return
    beneath = len(scenario.layers) - len(spec.mechanisms)  # those of a scenario in Python
    for place, layer in enumerate(scenario.layers[beneath:]):
        drafts = layer.spec.drafts
        if drafts is None or not _is_open(layer, drafts):
            continue
        ((name, given),) = spec.mechanisms[place].items()
        stage = dict([drafts.stage])
        anew = {"repetitions": scenario.layers[-1].parameters.get("repetitions", 1)}
        apart = {_SEATS_APART: {} if anew["repetitions"] == 1 else anew}
        mechanisms = [*spec.mechanisms[:place], {name: {**given, **stage}}, apart]
        drafting = spec.model_copy(update={"mechanisms": mechanisms})
        stages = build(drafting, setup.own, rehearsed=False)
        yield DesignRun(name, drafts, stages)


def _is_open(layer: Layer, drafts: Drafts) -> bool:
    """Check if a mechanism needs designs and was given none."""
    key, value = drafts.stage
    return layer.given.get(drafts.parameter) is None and layer.given.get(key) != value


def with_designs(setup: Society, made: Mapping[str, Mapping[str, Designs]]) -> Society:
    """Return the setup with designs added, by mechanism and parameter; raises InputError."""
    drafts = {**setup.spec.drafts, **made}
    if not made:
        return setup
    return build(setup.spec.model_copy(update={"drafts": drafts}), setup.own, rehearsed=False)


def make_designs(setup: Society, minds: Minds | None = None) -> Society:
    """Make all designs now, without a file, and return the setup with them."""
    made = {}
    for one in design_runs(setup):
        recorder = InMemoryRecorder()
        one.setup.gamemaster([recorder], minds=minds).play()
        made[one.mechanism] = {one.drafts.parameter: one.found(recorder.pages)}
    return with_designs(setup, made)


def make_designs_first(
    setup: Society,
    path: Path,
    again: bool,
    overwrite: bool,
    budget: Budget | None,
    awaiting: Callable[[int], None] | None,
) -> Generator[Session, None, Society]:
    """Open the runs that make designs for a tournament, and return its setup with the designs.

    Takes what society.runs.play.sessions takes. All these runs count to the limits of each.
    """
    designs = list(design_runs(setup))
    if not again:
        run_file_statuses([(one.file(path), one.setup) for one in designs], overwrite=overwrite)

    def others(file: Path, spec: RunConfig) -> list[Path]:
        return [one.file(path) for one in designs if one.file(path) != file]

    made = {}
    options: dict[str, Any] = {"budget": budget, "awaiting": awaiting, "beside": others}
    for one in designs:
        file = one.file(path)
        # Designs that no tournament has used yet were paid for in a session that was cut short.
        anew = not again and overwrite and file.exists() and one.used_in(path)
        session: Session | None
        if file.exists() and not anew:
            session = Session.resumed(file, keep_designs(one.setup.spec), **options)
        else:
            session = Session.begun(one.setup, file, "full", overwrite=anew, **options)
        if session is not None:
            yield session._replace(purpose=f"designs for {one.mechanism}")
        made[one.mechanism] = {one.drafts.parameter: one.kept(file)}
    return with_designs(setup, made)


def keep_designs(now: RunConfig) -> Callable[[RunConfig], RunConfig]:
    """Return a function that gives a recorded spec as it is now, with the designs it has."""
    return lambda spec: now.model_copy(update={"drafts": spec.drafts})


def design_file(tournament: Path, mechanism: str) -> Path:
    """Return the path of the run in which the designs of a mechanism are made.

    A file that was made when the mechanism had another name is found, and that of a tournament
    before it was rescued.

    >>> design_file(Path("runs/dilemma-1.run"), "contracts").name
    'dilemma-1.contracts-designs.run'
    """
    names = [mechanism, *spellings("mechanism", mechanism)]
    paths = dict.fromkeys((tournament, path_before_rescue(tournament)))
    files = [path.with_name(f"{path.stem}.{name}-designs.run") for path in paths for name in names]
    return next((file for file in files if file.exists()), files[0])


def design_files(tournament: Path, spec: RunConfig) -> list[Path]:
    """List the files of the runs in which the designs in its spec were made."""
    return [design_file(tournament, name) for name in spec.drafts]


def refuse_waiting(tournament: Path) -> None:
    """Raise RunFileError for a tournament that waits for its designs."""
    made = [] if tournament.exists() else drafts_of(tournament)
    for file in made:
        with open_run_file(file) as run:
            if run.status != "finished" or file == made[-1]:
                raise RunFileError(
                    f"{tournament} has not begun, because its designs come first: {file} is "
                    f"{run.status} after {run.spent.calls} calls; repeat the command that was to "
                    f"make {tournament}"
                )


def drafts_of(tournament: Path) -> list[Path]:
    """List the files of runs that make designs for a tournament, begun or not."""
    return sorted(tournament.parent.glob(f"{escape(tournament.stem)}.*-designs.run"))


def of_designs(run: RunFile) -> list[str]:
    """Describe the designs of a run: the file where its own were made, or those it has made."""
    spec = run.manifest.spec
    if is_drafting(spec.get("mechanisms", ())):
        *_, drafts, _ = spec["mechanisms"]
        (mechanism,) = drafts
        words = "each replicate has the design of one type for one seat"
        return [f"for {mechanism}: {words}; read them with society replay --replicate R"]
    return [_describe_designs(name, design_file(run.path, name)) for name in spec.get("drafts", ())]


def _describe_designs(mechanism: str, file: Path) -> str:
    """Name the file of the designs and its calls, which the tournament does not count."""
    try:
        with open_run_file(file) as run:
            calls = f": {run.spent.calls} more calls"
    except RunFileError:
        calls = ", which cannot be read"
    return f"for {mechanism}, made in {file}{calls}"


def is_drafting(mechanisms: Sequence[Mapping[str, Any]]) -> bool:
    """Check if a run with these mechanisms makes designs, and is not a tournament."""
    names = spellings("mechanism", _SEATS_APART)
    return bool(mechanisms) and not mechanisms[-1].keys().isdisjoint(names)
