"""The sections on sets of strategies: how diverse they are, how far apart, and where they lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase

from society.analysis.strategies.compared_sets import SetComparison, SetPair
from society.analysis.strategies.principal_plane import PrincipalPlane
from society.errors import page_path
from society.report.figures.behaviour_plane import behaviour_plane
from society.report.page import Section
from society.report.tables import Head, Table

_DIVERSITY = (
    "Behaviours: strategies that differ in any of 961 contexts. MPD: mean Euclidean distance of "
    "two strategies, raw, and divided by that of uniform random vectors. PR: participation "
    "ratio, an effective number of dimensions."
)
_CHARACTER = (
    "Cooperation: rate over 961 contexts of a game of 4 players and 5 rounds. Responsiveness: "
    "slope over opponents who cooperated last. Typical: the strategy next to the centroid. "
    "Failing: strategies that gave no move in some context, where their fallback counts."
)


def set_section(compared: SetComparison) -> Section:
    """Show sets of strategies in their plane and in tables."""
    return Section(
        "Diversity of strategies",
        [
            *_where(compared),
            plane_sentence(compared.plane),
            behaviour_plane("behaviour_plane", "Strategies by their behaviour", compared.plane),
            *set_tables(compared),
        ],
    )


def _where(compared: SetComparison) -> list[str]:
    """Say which folder is called A, and which B, if there are two."""
    if len(compared.folders) == 1:
        return []
    named = [
        f"{letter}: {page_path(folder.path)} ({folder.manifest.game.replace('_', ' ')})"
        for letter, folder in zip(ascii_uppercase, compared.folders, strict=False)
    ]
    return [f"Folders: {'; '.join(named)}."]


def plane_sentence(plane: PrincipalPlane) -> str:
    """Tell what the principal components explain and mean."""
    first, second = plane.explained
    axes = ("the first one", "the cooperation rate"), ("the second one", "responsiveness")
    meanings = [
        f"{axis} correlates with {what} by {found:.2f}"
        for (axis, what), found in zip(axes, plane.meanings, strict=True)
        if not math.isnan(found)
    ]
    explained = f"The first two components explain {first:.1%} and {second:.1%} of the variance."
    if not meanings:
        return f"{explained} No strategy differs from another, so that axes have no meaning."
    return (
        f"{explained} Over strategies and references, {', and '.join(meanings)}; this describes "
        "the axes, and is no test."
    )


def set_tables(compared: SetComparison) -> list[Table]:
    """Tabulate the diversity of each set, and distances between sets as far as there are pairs."""
    tables = [diversity_table(compared), character_table(compared)]
    if compared.attitudes:
        title = "Distance of the centroids of two attitudes"
        tables.append(_pair_table("attitudes", title, compared, compared.attitudes))
    if compared.shifts:
        title = "Shift of centroids between folders"
        tables.append(_pair_table("shifts", title, compared, compared.shifts))
    return tables


def diversity_table(compared: SetComparison) -> Table:
    """Tabulate how diverse each set is."""
    rows = [
        (
            compared.label(one),
            summary.strategies,
            summary.behaviours,
            summary.mpd,
            summary.normalised_mpd,
            summary.participation_ratio,
        )
        for one, summary in compared.summaries.items()
    ]
    head: Head = [
        ("text", "set"),
        ("count", "strategies", "behaviours"),
        ("statistic", "MPD", "normalised MPD", "PR"),
    ]
    title = "Diversity of sets of strategies"
    return Table.of("diversity", title, head, rows, _DIVERSITY, whole=True)


def character_table(compared: SetComparison) -> Table:
    """Tabulate how strategies of each set behave."""
    rows = [
        (
            compared.label(one),
            summary.cooperation,
            summary.responsiveness,
            summary.typical,
            len(compared.measured[one].failing),
        )
        for one, summary in compared.summaries.items()
    ]
    head: Head = [
        ("text", "set"),
        ("share", "cooperation", "responsiveness"),
        ("text", "typical"),
        ("count", "failing"),
    ]
    return Table.of("character", "Behaviour of strategies", head, rows, _CHARACTER, whole=True)


def _pair_table(name: str, title: str, compared: SetComparison, pairs: Sequence[SetPair]) -> Table:
    rows = [(compared.label(one.first), compared.label(one.second), *one.shift) for one in pairs]
    head: Head = [("text", "first", "second"), ("statistic", "distance", "Cohen's d")]
    note = "Cohen's d: distance / sqrt(pooled variance of a feature * number of features)."
    return Table.of(name, title, head, rows, note, whole=True)
