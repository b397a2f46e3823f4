"""Payoff matrices as heat maps: what each type scores against each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.draws import Array
from society.report.figures.heatmaps import Heat, heat_maps
from society.report.page import Fold, Part
from society.report.sections.crossplay.names import filed
from society.report.tables import Cell, Column, Table

_MOST = 12  # panels of a figure
_ROW = 14  # signs of a row's name, with three panels side by side


def matrices(game: str, contests: Sequence[Contest]) -> Iterator[Part]:
    """One panel for each mechanism; none for those in which types do not meet in matches."""
    found = [(contest, try_compute(contest.tensors)) for contest in contests]
    known = [
        (contest, np.mean(tensors, axis=0))
        for contest, tensors in found
        if not isinstance(tensors, NotEstimable)
    ]
    if not known:
        return
    panels = [_heat(contest, tensor) for contest, tensor in known[:_MOST]]
    types = ", ".join(f"{number} {one}" for number, one in enumerate(known[0][0].types, 1))
    words = f"Payoff of the type in the row, in points, mean over seats and runs. Types: {types}."
    if known[0][1].ndim > 2:
        words += " Of the co-players one is of the type in the column, the others of all types."
    if len(known) > _MOST:
        words += f" The first {_MOST} of {len(known)} mechanisms."
    axes = ("type that is paid", "type that it meets, by number")
    name = f"crossplay_{filed(game)}_payoffs"
    yield heat_maps(name, f"Who is paid what in {game}", words, axes, "points", panels)
    yield Fold(f"All payoffs in {game}", [_table(name, game, known)])


def _heat(contest: Contest, tensor: Array) -> Heat:
    """The first type stands at the top; columns have no room for names."""
    values = tensor.mean(axis=tuple(range(2, tensor.ndim)))
    columns = [str(number) for number in range(1, len(values) + 1)]
    rows = [_short(f"{number} {one}") for number, one in zip(columns, contest.types, strict=True)]
    return Heat(contest.mechanism, rows[::-1], columns, values[::-1])


def _short(name: str) -> str:
    """Its beginning: the number tells the rest."""
    return name if len(name) <= _ROW else f"{name[: _ROW - 1]}…"


def _table(name: str, game: str, known: Sequence[tuple[Contest, Array]]) -> Table:
    """A row for each type that is paid, and the types that it meets, whatever their order."""
    rows = [
        (contest, at, float(tensor[at]))
        for contest, tensor in known
        for at in np.ndindex(*tensor.shape)
        if list(at[1:]) == sorted(at[1:])
    ]
    payoffs: list[Cell] = [payoff for *_, payoff in rows]
    columns = [
        Column("mechanism", [contest.mechanism for contest, *_ in rows]),
        Column("type", [contest.types[at[0]] for contest, at, _ in rows]),
        Column("meets", [", ".join(contest.types[j] for j in at[1:]) for contest, at, _ in rows]),
        Column("payoff", payoffs, "share"),
    ]
    return Table(name, f"Payoffs in {game}", columns, ["Points, mean over seats and runs."])
