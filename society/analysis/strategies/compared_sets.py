"""Sets of strategies of some folders: their diversity, and how far they are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from string import ascii_uppercase
from typing import NamedTuple

from society.sandbox.strategy_folder import StrategyFolder
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.strategy_pool import Gene

from .measured_behaviour import StrategySet, measure_sets, reference_features
from .principal_plane import PrincipalPlane, principal_plane
from .set_diversity import SetShift, SetSummary, set_shift, summarise_set


class FolderSet(NamedTuple):
    """A set of a folder: its number among those given, and what the set is known by."""

    folder: int
    name: Gene


class SetPair(NamedTuple):
    """Two sets, and how far apart they are."""

    first: FolderSet
    second: FolderSet
    shift: SetShift


class SetComparison(NamedTuple):
    """All sets of some folders.

    attitudes: pairs of attitudes of one model in one game. shifts: the same model and attitude in
    two folders.
    """

    folders: Sequence[StrategyFolder]
    measured: Mapping[FolderSet, StrategySet]
    summaries: Mapping[FolderSet, SetSummary]
    attitudes: Sequence[SetPair]
    shifts: Sequence[SetPair]
    plane: PrincipalPlane

    def label(self, one: FolderSet) -> str:
        """Name a set, and its folder if there are several."""
        return set_label(one, self.folders)


def set_label(one: FolderSet, folders: Sequence[StrategyFolder]) -> str:
    """Name a set by model and attitude, and by its folder if there are several."""
    where = f"{ascii_uppercase[one.folder]}: " if len(folders) > 1 else ""
    return f"{where}{one.name}"


def compare_sets(
    pool: ProgramPool, folders: Sequence[StrategyFolder], *, seed: int = 0
) -> SetComparison:
    """Measure and compare all sets of some folders, in one plane; raises SandboxError."""
    measured = {
        FolderSet(number, name): found
        for number, folder in enumerate(folders)
        for name, found in measure_sets(pool, folder, seed=seed).items()
    }
    return SetComparison(
        folders=folders,
        measured=measured,
        summaries={one: summarise_set(found, seed) for one, found in measured.items()},
        attitudes=_pairs(folders, measured, across=False),
        shifts=_pairs(folders, measured, across=True),
        plane=principal_plane(
            {set_label(one, folders): found.features for one, found in measured.items()},
            reference_features(pool, seed),
        ),
    )


def _pairs(
    folders: Sequence[StrategyFolder], measured: Mapping[FolderSet, StrategySet], *, across: bool
) -> list[SetPair]:
    """Compare attitudes of one model in one game or, across folders, sets of the same name."""

    def are_attitudes(one: FolderSet, other: FolderSet) -> bool:
        """Check that two sets are attitudes of one model, which may have a folder for each."""
        games = {folders[each.folder].manifest.game for each in (one, other)}
        if len(games) > 1 or one.name.model != other.name.model or one.name == other.name:
            return False
        crossed = (one._replace(name=other.name), other._replace(name=one.name))
        return one.folder == other.folder or measured.keys().isdisjoint(crossed)

    return [
        SetPair(one, other, set_shift(measured[one].features, measured[other].features))
        for one, other in combinations(measured, 2)
        if (one.name == other.name if across else are_attitudes(one, other))
    ]
