"""The strategies of some folders, sorted by gene: the model that wrote them, and its attitude.

A gene is a model and an attitude. Genes are numbered model by model, in alphabetical order, and all
models have the same attitudes, so that a gene can change in either part. Programs are numbered gene
by gene, in the order of the folders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from society.components.programs.program_choice import (
    ChosenPrograms,
    ProgramChoice,
    chosen_programs,
)
from society.components.programs.program_files import ReadyProgram
from society.engine.rng import Array
from society.errors import SandboxError, short_path, suggest
from society.sandbox.checker import check_file
from society.sandbox.kept_programs import KeptFolder, kept_folder, kept_folders
from society.sandbox.loaded_program import LoadedProgram

EVERYTHING = ProgramChoice(names=(), attitude=(), author=(), allow=())


class Gene(NamedTuple):
    """A model and an attitude: what users choose, and imitate."""

    model: str
    attitude: str

    def __str__(self) -> str:
        return f"{self.model} {self.attitude}".strip()


@dataclass(frozen=True, eq=False)
class StrategyPool:
    """Programs by gene.

    programs: all of them, gene by gene. names: FOLDER/CLASS of each, CLASS where there is a single
    folder. counts: how many each gene has, (K,). folders: as a run file keeps them, by path.
    """

    genes: tuple[Gene, ...]
    programs: tuple[LoadedProgram, ...]
    names: tuple[str, ...]
    counts: Array
    folders: Mapping[str, KeptFolder]

    @cached_property
    def firsts(self) -> Array:
        """The number of each gene's first program, (K,)."""
        firsts: Array = np.cumsum(self.counts) - self.counts
        return firsts

    @cached_property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(gene.model for gene in self.genes))

    @cached_property
    def attitudes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(gene.attitude for gene in self.genes))

    def model_of(self, gene: Array) -> Array:
        """The number of the model of each gene."""
        model: Array = gene // len(self.attitudes)
        return model

    def attitude_of(self, gene: Array) -> Array:
        """The number of the attitude of each gene."""
        attitude: Array = gene % len(self.attitudes)
        return attitude

    def gene_of(self, model: Array, attitude: Array) -> Array:
        """The gene of a model and an attitude, by their numbers."""
        gene: Array = model * len(self.attitudes) + attitude
        return gene

    def draw(self, gene: Array, uniform: Array) -> Array:
        """A program of each gene, all of them equally likely, for a number in [0, 1) each."""
        place = np.floor(uniform * self.counts[gene]).astype(np.int64)
        drawn: Array = self.firsts[gene] + np.minimum(place, self.counts[gene] - 1)
        return drawn

    def of_gene(self, gene: int) -> Array:
        """The numbers of a gene's programs."""
        return np.arange(self.counts[gene]) + self.firsts[gene]

    def refuse_single_gene(self) -> None:
        """Raise SandboxError unless there are two genes at least."""
        if len(self.genes) < 2:
            raise SandboxError(
                f"all strategies of {_listed(self.folders)} have one gene, {self.genes[0]}; give "
                "strategies of another model or attitude as well, so that there is a choice"
            )


def read_pool(folders: Sequence[str], game: str) -> StrategyPool:
    """Read all strategies of folders that were written for a game; raises SandboxError."""
    chosen = {path: chosen_programs(path, EVERYTHING) for path in dict.fromkeys(folders)}
    return _pool(chosen, game)


def built_in_pool(game: str) -> StrategyPool:
    """Read the strategies for a game that come with the program, or what a run file kept of them.

    A run file names them by their game, since they lie elsewhere on another machine.
    """
    name = f"built-in strategies for {game}"
    kept = kept_folder(name)
    if kept is None:
        path = str(Path(__file__).parent / "strategies" / game)
        return _pool({name: chosen_programs(path, EVERYTHING)}, game)
    with kept_folders({name: kept}):
        return read_pool([name], game)


def _pool(chosen: Mapping[str, ChosenPrograms], game: str) -> StrategyPool:
    for one in chosen.values():
        one.refuse_game(game)
    listed = [
        (_gene(ready), f"{Path(path).name}/{name}" if len(chosen) > 1 else name, _loaded(ready))
        for path, one in chosen.items()
        for name, ready in one.by_name.items()
    ]
    listed.sort(key=lambda one: one[0])  # stable: within a gene the order of the folders stays
    counts = {gene: len([*some]) for gene, some in groupby(listed, key=lambda one: one[0])}
    _refuse_gaps([*counts], chosen)
    return StrategyPool(
        genes=tuple(counts),
        programs=tuple(loaded for _, _, loaded in listed),
        names=tuple(name for _, name, _ in listed),
        counts=np.array([*counts.values()]),
        folders={path: one.folder for path, one in chosen.items()},
    )


def _gene(ready: ReadyProgram) -> Gene:
    return Gene(ready.kept.author, ready.kept.attitude)


def _loaded(ready: ReadyProgram) -> LoadedProgram:
    if "move" not in ready.answers:
        raise SandboxError(f"{ready.kept.name} has no move; give it act(self, history)")
    return ready.loaded


def _refuse_gaps(genes: Sequence[Gene], folders: Mapping[str, object]) -> None:
    """Raise SandboxError where a model has strategies of some attitudes only."""
    models = sorted({gene.model for gene in genes})
    attitudes = sorted({gene.attitude for gene in genes})
    for gene in map(Gene, *zip(*product(models, attitudes), strict=True)):
        if gene not in genes:
            raise SandboxError(
                f"{_listed(folders)}: {gene.model} has no strategy with the attitude "
                f"{gene.attitude!r}, which other models have; give it some, or leave that out"
            )


def _listed(folders: Mapping[str, object]) -> str:
    return ", ".join(map(short_path, folders))


def number_of(name: str, names: Sequence[str], what: str) -> int:
    """The place of a name among others; raises SandboxError if it is not there."""
    if name not in names:
        raise SandboxError(f"there is no {what} {name!r} in these folders; {suggest(name, names)}")
    return names.index(name)


DEFECTOR = """\
class AlwaysDefect:
    def __init__(self, game):
        pass

    def act(self, history):
        return D
"""


def always_defect(like: LoadedProgram) -> LoadedProgram:
    """Make a program that always defects."""
    (checked,) = check_file(DEFECTOR)
    assert checked.code is not None
    return replace(
        like,
        name=checked.name,
        code=checked.code,
        source=checked.source,
        interface="society",
        fallback="D",
        random=False,
        keeps_state=False,
        reads=frozenset(),
        takes_stock=False,
    )
