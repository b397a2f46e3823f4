"""Designs that all matches of a tournament share, made before it in a run of their own.

A mechanism says how (society.engine.scenario.Drafts): each type of agent makes a design for each
seat. The designs become part of the spec of the tournament, whose run file is thus complete on its
own. A run of designs is a run file like all others: it is resumed, verified and shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

from society.config.build import Setup, prepared
from society.config.spec import Spec
from society.engine.calls import Minds
from society.engine.history import Page
from society.engine.scenario import Drafts, Layer
from society.errors import RunFileError

from .reader import RunFile, open_run

DRAFTED = "drafted"  # the mechanism that seats types apart
Designs = Mapping[str, list[Any]]  # by type, one for each seat; None where there is none


class Drafting(NamedTuple):
    """Designs that are still to be made, for one mechanism.

    setup: of the run in which they are made.
    """

    mechanism: str
    drafts: Drafts
    setup: Setup

    def file(self, tournament: Path) -> Path:
        """Of its run, beside that of the tournament."""
        return drafted_in(tournament, self.mechanism)

    def kept(self, file: Path) -> Designs:
        """The designs that were made in the run of a file; raises RunFileError."""
        with open_run(file) as run:
            return self.found(run.pages())

    def used_in(self, tournament: Path) -> bool:
        """Whether the run in a file was played with the designs that are kept beside it."""
        with suppress(RunFileError), open_run(self.file(tournament)) as made:
            if made.status == "finished":
                with open_run(tournament) as run:
                    given = Spec.model_validate(run.manifest.spec).drafts.get(self.mechanism, {})
                return given.get(self.drafts.parameter) == self.found(made.pages())
        return False

    def found(self, pages: Iterable[Page]) -> Designs:
        """The designs that were made on these pages."""
        fact = "own", self.drafts.told
        told = [step.arrays[fact] for page in pages for step in page.steps if fact in step.arrays]
        # A replicate for each type and seat, in which that seat alone makes a design.
        texts = [row[number % len(row)] for number, row in enumerate(told[-1])]
        made = [json.loads(text) if text else None for text in texts]
        seats = self.setup.agents
        types = [cohort.name for cohort in self.setup.cast()]
        return {name: made[seats * k : seats * (k + 1)] for k, name in enumerate(types)}


def draftings(setup: Setup) -> Iterator[Drafting]:
    """What is to be made before a society can be played; nothing outside of tournaments."""
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
        mechanisms = [*spec.mechanisms[:place], {name: {**given, **stage}}, {DRAFTED: {}}]
        yield Drafting(name, drafts, prepared(spec.model_copy(update={"mechanisms": mechanisms})))


def _is_open(layer: Layer, drafts: Drafts) -> bool:
    """Whether a mechanism plays, and no designs are given to it."""
    key, value = drafts.stage
    return layer.given.get(drafts.parameter) is None and layer.given.get(key) != value


def completed(setup: Setup, made: Mapping[str, Designs]) -> Setup:
    """With the designs that were made, by mechanism; raises InputError."""
    if not made:
        return setup
    drafts = {
        one.mechanism: {one.drafts.parameter: made[one.mechanism]} for one in draftings(setup)
    }
    return prepared(setup.spec.model_copy(update={"drafts": {**setup.spec.drafts, **drafts}}))


def drafted(setup: Setup, minds: Minds | None = None) -> Setup:
    """With designs that are made now and kept in its spec alone; minds: as for a game master."""
    made = {}
    for one in draftings(setup):
        album = _Album()
        one.setup.gamemaster([album], minds=minds).play()
        made[one.mechanism] = one.found(album.pages)
    return completed(setup, made)


def drafted_in(tournament: Path, mechanism: str) -> Path:
    """The file of the run in which the designs of a mechanism are made.

    >>> drafted_in(Path("runs/dilemma-1.run"), "contracted").name
    'dilemma-1.contracted-designs.run'
    """
    return tournament.with_name(f"{tournament.stem}.{mechanism}-designs.run")


def drafted_beside(tournament: Path, spec: Spec) -> list[Path]:
    """The files of the runs in which the designs in its spec were made."""
    return [drafted_in(tournament, name) for name in spec.drafts]


def drafts_of(tournament: Path) -> list[Path]:
    """The files of the runs in which designs for it were begun, whether or not it has begun."""
    return sorted(tournament.parent.glob(f"{escape(tournament.stem)}.*-designs.run"))


def of_designs(run: RunFile) -> list[str]:
    """What a run has to say of designs: where its own were made, or which ones it has made."""
    spec = run.manifest.spec
    if is_drafting(spec.get("mechanisms", ())):
        *_, drafts, _ = spec["mechanisms"]
        (mechanism,) = drafts
        words = "one type on one seat in each replicate; `society replay` tells them"
        return [f"for {mechanism}: {words}, by --replicate"]
    return [_made(name, drafted_in(run.path, name)) for name in spec.get("drafts", ())]


def _made(mechanism: str, file: Path) -> str:
    """Where its designs were made, and with how many calls, which no tournament counts."""
    try:
        with open_run(file) as run:
            calls = f": {run.spent.calls} more calls"
    except RunFileError:
        calls = ", which cannot be read"
    return f"for {mechanism}, made in {file}{calls}"


def is_drafting(mechanisms: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a run in these makes designs, and is no condition of anything."""
    return bool(mechanisms) and DRAFTED in mechanisms[-1]


class _Album:
    """A recorder that keeps every page."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    def page(self, page: Page) -> None:
        self.pages.append(page)
