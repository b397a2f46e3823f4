"""The strategies of one or two folders, measured and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from society.analysis.statistics.samples import NotEstimable
from society.components.programs.program_host import chosen_confinement
from society.errors import FileError, short_path
from society.sandbox.stage_games import GameName
from society.sandbox.strategy_folder import (
    MANIFEST,
    StrategyFolder,
    adopt_files,
    read_strategies,
)
from society.sandbox.workers.program_pool import ProgramPool

from .compared_sets import FolderSet, SetComparison, SetPair, compare_sets


def compare_folders(
    given: Sequence[Path], game: GameName | None = None, seed: int = 0
) -> SetComparison:
    """Measure all sets of some folders in one plane; raises FileError, SandboxError.

    game: of folders without a manifest.
    """
    folders = [_read_folder(path, game) for path in given]
    with ProgramPool(confinement=chosen_confinement()) as pool:
        return compare_sets(pool, folders, seed=seed)


def _read_folder(path: Path, game: GameName | None) -> StrategyFolder:
    """Read a folder; one without a manifest holds published files, of the game that is named."""
    if game is not None and not (path / MANIFEST).exists():
        return StrategyFolder(path, adopt_files(path, game))
    folder = read_strategies(path)
    if game not in (None, folder.manifest.game):
        raise FileError(
            f"the strategies of {short_path(path)} were written for {folder.manifest.game}, and "
            f"not for {game}; leave out --game"
        )
    return folder


def describe_refused(compared: SetComparison) -> Iterator[str]:
    """Say how many strategies of each folder are left out, since they are refused."""
    for number, folder in enumerate(compared.folders):
        every = len(folder.manifest.strategies)
        there = sum(
            len(found.names) for one, found in compared.measured.items() if one.folder == number
        )
        if there < every:
            words = f"{every - there} of {every} strategies of {short_path(folder.path)}"
            yield f"{words} are refused and left out"


def comparison_facts(compared: SetComparison) -> dict[str, Any]:
    """Return all numbers of a comparison, as JSON has them."""
    plane, ellipses = compared.plane, compared.plane.ellipses()
    return {
        "folders": [{"path": str(one.path), "game": one.manifest.game} for one in compared.folders],
        "sets": [
            {
                **_named(compared, one),
                **{name: _number(value) for name, value in summary._asdict().items()},
                "failing": list(compared.measured[one].failing),
                "ellipse": ellipses[compared.label(one)]._asdict(),
            }
            for one, summary in compared.summaries.items()
        ],
        "attitudes": [_pair(compared, one) for one in compared.attitudes],
        "shifts": [_pair(compared, one) for one in compared.shifts],
        "plane": {
            "explained": list(plane.explained),
            "cooperation_correlation": _number(plane.meanings.cooperation),
            "responsiveness_correlation": _number(plane.meanings.responsiveness),
            "references": {name: place.tolist() for name, place in plane.references.items()},
        },
    }


def _named(compared: SetComparison, one: FolderSet) -> dict[str, Any]:
    folder = compared.folders[one.folder]
    return {"folder": str(folder.path), **one.name._asdict()}


def _pair(compared: SetComparison, pair: SetPair) -> dict[str, Any]:
    return {
        "first": _named(compared, pair.first),
        "second": _named(compared, pair.second),
        "distance": pair.shift.distance,
        "cohens_d": _number(pair.shift.effect),
    }


def _number(value: float | str | NotEstimable) -> float | str | None:
    """Return a number; null where there is none."""
    if isinstance(value, str | int):
        return value
    return None if isinstance(value, ValueError) or value != value else value
