"""Files of programs: their classes checked, and chosen to play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from society.components.programs.program_files import ProgramFile, ReadyProgram
from society.errors import FileError, SandboxError, short_path, suggest
from society.sandbox.checker import CheckedProgram
from society.sandbox.kept_programs import KeptProgram
from society.sandbox.strategy_folder import MANIFEST, read_strategies


class CheckedClass(NamedTuple):
    """A class of a file, and what the check found."""

    file: Path
    program: CheckedProgram

    def facts(self) -> dict[str, Any]:
        """Return what was found, as JSON has it."""
        one = self.program
        return {
            "class": one.name,
            "accepted": one.accepted,
            "reason": one.reason,
            "line": one.line,
            "file": str(self.file),
            "interface": one.interface,
            "reads": sorted(one.reads) if one.accepted else [],
            "random": one.random,
            "keeps_state": one.keeps_state,
            "answers": list(one.answers),
            "reads_sources": one.reads_sources,
            "simulates": one.simulates,
        }

    def describe(self) -> str:
        """Say what a program reads, draws and remembers, or where and why it is refused."""
        one = self.program
        if not one.accepted:
            return f"{short_path(self.file)}:{one.line}: {one.reason}"
        words = [
            f"interface {one.interface}",
            f"reads {', '.join(sorted(one.reads)) or 'nothing'}",
            "draws at random" if one.random else "deterministic",
            "keeps state" if one.keeps_state else "keeps no state",
        ]
        if one.reads_sources:
            words.append("reads sources")
        if one.simulates:
            words.append("simulates")
        if one.answers:
            words.append(f"answers {', '.join(one.answers)}")
        return "; ".join(words)


def program_paths(given: Sequence[Path]) -> list[Path]:
    """List the files that are meant, those of folders included; raises FileError."""
    found = list[Path]()
    for path in given:
        inside = sorted(path.glob("*.py")) if path.is_dir() else [path]
        if not inside:
            raise FileError(f"{short_path(path)} has no .py file; name a folder of strategies")
        if not path.exists():
            raise FileError(f"there is no file {short_path(path)}; give FILE.py")
        found += inside
    return found


def check_classes(
    given: Sequence[Path], game: str | None, allow: Sequence[str] = ()
) -> list[CheckedClass]:
    """Check all classes of files and folders; raises FileError, SandboxError.

    game: that they are for, if it is known. allow: names of numpy that programs may use as well.
    """
    return [
        CheckedClass(file, _judged(one, game))
        for file in program_paths(given)
        for one in ProgramFile(file, allow).checked
    ]


def _judged(program: CheckedProgram, game: str | None) -> CheckedProgram:
    """Refuse a program that is called with a stock in a game that has none, or the reverse."""
    if not program.accepted or game is None or program.interface != "counts":
        return program
    if program.takes_stock == (game == "common_pool"):
        return program
    with_stock = "takes current_stock" if program.takes_stock else "does not take current_stock"
    reason = f"{program.name} {with_stock}, so that it cannot play {game}; name its own game"
    return replace(program, accepted=False, reason=reason)


def choose_programs(
    given: Sequence[Path], game: str, classes: Sequence[str] = (), allow: Sequence[str] = ()
) -> list[ReadyProgram]:
    """Check the classes that shall play, all without `classes`.

    Raises FileError, and SandboxError for one that is refused.
    """
    checked = check_classes(given, game, allow)
    fallbacks = {file: _declared_fallbacks(file) for file in dict(checked)}
    known = [one.name for _, one in checked]
    for name in classes:
        if name not in known:
            raise SandboxError(f"there is no class {name!r}; {suggest(name, known)}")
    ready: dict[str, ReadyProgram] = {}
    for file, one in checked:
        if classes and one.name not in classes:
            continue
        if not one.accepted:
            raise SandboxError(f"{short_path(file)}:{one.line}: {one.reason}")
        if one.name in ready:
            raise SandboxError(
                f"{short_path(file)}:{one.line}: two classes are called {one.name}; rename one"
            )
        fallback = fallbacks[file].get(one.name, "D")
        kept = KeptProgram(name=one.name, number=0, source=one.source, fallback=fallback)
        ready[one.name] = ReadyProgram.of(kept, one)
    for name, program in ready.items():
        if "move" not in program.answers:
            raise SandboxError(f"{name} makes no moves; give it a method act(self, history)")
    return list(ready.values())


def _declared_fallbacks(file: Path) -> dict[str, Literal["C", "D"]]:
    """Return the fallbacks of the strategies in a file, if a manifest beside it lists them."""
    if not (file.parent / MANIFEST).exists():
        return {}
    listed = read_strategies(file.parent).manifest.strategies
    return {one.name: one.fallback for one in listed if one.file == file.name}
