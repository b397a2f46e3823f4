"""The strategies of some folders, sorted by gene: the model that wrote them, and its attitude.

A gene is a model and an attitude. Genes are numbered model by model, in alphabetical order, and all
models have the same attitudes, so that a gene can change in either part. Programs are numbered gene
by gene, in the order of the folders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
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
from society.sandbox.checker import check_programs
from society.sandbox.kept_programs import KeptFolder, kept_folder, kept_folders
from society.sandbox.running.loaded_program import LoadedProgram

BUILT_IN = "built-in strategies"  # in place of a path: it differs from machine to machine
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
        numbers: Array = np.arange(self.counts[gene]) + self.firsts[gene]
        return numbers

    def refuse_single_gene(self) -> None:
        """Raise SandboxError unless there are two genes at least."""
        if len(self.genes) < 2:
            raise SandboxError(
                f"all strategies of {_listed(self.folders)} have one gene, {self.genes[0]}; give "
                "strategies of another model or attitude as well, so that there is a choice"
            )


@dataclass(frozen=True)
class PoolSource:
    """The source of programs for a game: folders, or what a run file kept of them.

    stamps: of each path, a hash of what is kept, or the times at which its files were changed; so
    that the same programs are read and checked once. kept: texts of kept folders, by path.
    """

    paths: tuple[str, ...]
    game: str
    stamps: tuple[object, ...]
    kept: Mapping[str, KeptFolder] = field(compare=False, repr=False)

    @classmethod
    def now(cls, folders: Sequence[str], game: str) -> PoolSource:
        """Note what stands for folders at the moment; without any, the built-in strategies."""
        paths = tuple(dict.fromkeys(folders)) or (BUILT_IN,)
        found = {path: kept_folder(path) for path in paths}
        kept = {path: one for path, one in found.items() if one is not None}
        stamps = tuple(_stamp(path, kept.get(path)) for path in paths)
        return cls(paths, game, stamps, kept)

    def pool(self) -> StrategyPool:
        """Read the programs; raises SandboxError."""
        return _read_pool(self)


def _stamp(path: str, kept: KeptFolder | None) -> object:
    if kept is not None:
        return sha256(kept.texts.encode()).hexdigest()
    files = sorted(_folder(path).glob("*"))
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


def _folder(path: str) -> Path:
    """The folder on this machine."""
    return Path(__file__).parent / "strategies" / "any_dilemma" if path == BUILT_IN else Path(path)


@lru_cache(16)  # a reproduction plays some sets in turn
def _read_pool(source: PoolSource) -> StrategyPool:
    with kept_folders(source.kept):
        chosen = {
            path: chosen_programs(path if path in source.kept else str(_folder(path)), EVERYTHING)
            for path in source.paths
        }
    for path, one in chosen.items():
        if path != BUILT_IN:  # these play any dilemma
            one.refuse_game(source.game)
    return _pool(chosen)


def _pool(chosen: Mapping[str, ChosenPrograms]) -> StrategyPool:
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
        folders={path: _kept(path, one) for path, one in chosen.items()},
    )


def _kept(path: str, chosen: ChosenPrograms) -> KeptFolder:
    """Return programs as a run file keeps them; built-in ones are no files that a user may move."""
    folder = chosen.folder
    return folder.model_copy(update={"hashes": {}}) if path == BUILT_IN else folder


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
    (checked,) = check_programs(DEFECTOR)
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
        sees_sources=False,
        head="",
    )
