"""The programs that members may have: those of a folder, or some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from society.errors import CastError, SandboxError, short_path, suggest
from society.sandbox.checker import check_programs
from society.sandbox.kept_programs import KeptFolder, KeptProgram, kept_folder
from society.sandbox.strategy_folder import StrategyEntry, read_strategies

from .program_files import ProgramFile, ReadyProgram, find_class
from .program_host import ProgramHost

NameFilter = str | tuple[str, ...]


@dataclass(frozen=True)
class ProgramChoice:
    """The programs of a folder that are meant: by class, attitude and author; none named: all."""

    names: NameFilter
    attitude: NameFilter
    author: NameFilter
    allow: tuple[str, ...]

    def of(self, programs: Sequence[KeptProgram], path: str) -> tuple[KeptProgram, ...]:
        """Return those of a folder's programs that are meant; raises SandboxError for none."""
        _expect("class", self.names, [one.name for one in programs], path)
        _expect("attitude", self.attitude, [one.attitude for one in programs], path)
        _expect("author", self.author, [one.author for one in programs], path)
        found = tuple(one for one in programs if self._takes(one))
        if not found:
            raise SandboxError(
                f"{short_path(path)} has no program of this class, attitude and author at once; "
                "leave one of them out"
            )
        return found

    def named_among(self, programs: Sequence[KeptProgram]) -> bool:
        """Tell whether all classes that are named are among these programs."""
        return {*_several(self.names)} <= {one.name for one in programs}

    def _takes(self, program: KeptProgram) -> bool:
        return (
            program.name in (_several(self.names) or (program.name,))
            and program.attitude in (_several(self.attitude) or (program.attitude,))
            and program.author in (_several(self.author) or (program.author,))
        )


def _several(names: NameFilter) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,) if names else ()
    return names


def _expect(what: str, wanted: NameFilter, known: Sequence[str], path: str) -> None:
    for name in _several(wanted):
        if name not in known:
            hint = suggest(name, set(known) - {""})
            raise SandboxError(f"{short_path(path)} has no {what} {name!r}; {hint}")


@dataclass(frozen=True)
class ChosenPrograms:
    """Programs that members of a cohort may have, by name.

    game: what they were written for. hashes: SHA-256 of the files of the folder.
    """

    path: str
    game: str
    hashes: Mapping[str, str]
    by_name: Mapping[str, ReadyProgram]

    @cached_property
    def folder(self) -> KeptFolder:
        """The programs as a run file keeps them; raises SandboxError if they are too many."""
        programs = (one.kept for one in self.by_name.values())
        return KeptFolder.pack(self.game, programs, self.hashes, self.path)

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """Kinds of questions that all of them answer; raises SandboxError if they differ."""
        (first, one), *others = self.by_name.items()
        for name, other in others:
            for kind in sorted(one.answers ^ other.answers):
                has, lacks = (first, name) if kind in one.answers else (name, first)
                raise SandboxError(
                    f"of the programs of {short_path(self.path)}, {has} answers {kind!r} and "
                    f"{lacks} does not; choose programs that answer the same, by class"
                )
        return tuple(sorted(one.answers))

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """Kinds of events of which the component takes notice."""
        played = {"played"} if "move" in self.answers else set[str]()
        return tuple(sorted(played.union(*(one.hears for one in self.by_name.values()))))

    def numbers(self, host: ProgramHost) -> dict[str, int]:
        """Return the numbers by which a host knows the programs."""
        loaded = [one.loaded for one in self.by_name.values()]
        return dict(zip(self.by_name, host.numbers(loaded), strict=True))

    def refuse_game(self, game: str) -> None:
        """Raise CastError for a dilemma that the programs were not written for."""
        if game != self.game:
            raise CastError(
                f"the programs of {short_path(self.path)} were written for {self.game}, and this "
                f"game is {game}; name a folder of programs for it"
            )

    def refuse_stranger(self, name: str) -> None:
        """Raise CastError for a program that is none of these, but was inherited."""
        if name not in self.by_name:
            raise CastError(
                f"the program {name!r} was inherited, and this cohort has none of that name; give "
                "all cohorts whose children may be each other's the same programs"
            )


def chosen_programs(path: str, choice: ProgramChoice) -> ChosenPrograms:
    """Find and check the programs of a folder that are meant; raises SandboxError, FileError.

    A run file has those that were played. A fork may name others, for which the folder is read.
    """
    kept = kept_folder(path)
    if kept is not None and choice.named_among(kept.programs):
        checked = [
            (one, check_programs(one.source, filename=one.name, allow=choice.allow))
            for one in choice.of(kept.programs, path)
        ]
        ready = [
            ReadyProgram.of(one, find_class(found, one.class_name, path)) for one, found in checked
        ]
        return _chosen(path, kept.game, kept.hashes, ready)
    return _read(path, choice)


def _chosen(
    path: str, game: str, hashes: Mapping[str, str], ready: Sequence[ReadyProgram]
) -> ChosenPrograms:
    return ChosenPrograms(path, game, hashes, {one.kept.name: one for one in ready})


def _read(path: str, choice: ProgramChoice) -> ChosenPrograms:
    """Read the programs that are meant from a folder."""
    folder = read_strategies(Path(path))
    entries = folder.manifest.strategies
    if not entries:
        raise SandboxError(f"{short_path(path)} lists no strategy; write some into it")
    names = Counter(one.name for one in entries)
    listed = [_listed(number, one, names) for number, one in enumerate(entries)]
    wanted = choice.of(listed, path)
    texts = dict.fromkeys(entries[one.number].file for one in wanted)
    files = {name: ProgramFile(Path(path, name), choice.allow) for name in texts}
    ready = [files[entries[one.number].file].ready(one) for one in wanted]
    hashes = {name: file.sha256 for name, file in files.items()}
    return _chosen(path, folder.manifest.game, hashes, ready)


def _listed(number: int, entry: StrategyEntry, names: Mapping[str, int]) -> KeptProgram:
    """Return a strategy as its folder lists it, without its text."""
    alone = names[entry.name] == 1
    return KeptProgram(
        name=entry.name if alone else f"{Path(entry.file).stem}.{entry.name}",
        number=number,
        source="",
        fallback=entry.fallback,
        author=entry.model,
        attitude=entry.attitude,
        description=entry.description,
    )
