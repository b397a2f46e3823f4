"""Figures of the meta-game: payoffs of each type against each, and replicator dynamics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.engine.rng import Array
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.figures.style import FAINT, SERIES, Figure, render_panels, series_style
from society.report.page import SectionPart, folded_section
from society.report.tables import Head, Table

from .scores import file_name

_MOST = 12  # panels of a figure
_ROW = 14  # signs of a row's name, with three panels side by side
_TALL = 1.3  # inches, the share of a type; its fitness below takes as much
_POINTS = 101  # of a curve
_CURVES = (
    "Above: the share of each type in the population. Below: the payoff of the type in that "
    "population, in points. Replicator dynamics from equal shares, mean over runs."
)


def payoff_matrices(game: str, contests: Sequence[Contest]) -> Iterator[SectionPart]:
    """Map payoffs, a panel for each mechanism; none for those in which types do not meet."""
    found = [(contest, try_compute(contest.tensors)) for contest in contests]
    known = [
        (contest, np.mean(tensors, axis=0))
        for contest, tensors in found
        if not isinstance(tensors, NotEstimable)
    ]
    if not known:
        return
    types = ", ".join(f"{number} {one}" for number, one in enumerate(known[0][0].types, 1))
    caption = f"Payoff of the type in the row, in points, mean over seats and runs. Types: {types}."
    if known[0][1].ndim > 2:
        caption += " One co-player has the type in the column, the others are of all types."
    if len(known) > _MOST:
        caption += f" The first {_MOST} of {len(known)} mechanisms."
    panels = [_heat(contest, tensor) for contest, tensor in known[:_MOST]]
    name = f"crossplay_{file_name(game)}_payoffs"
    yield heatmap(name, f"Payoffs of types in {game}", caption, "points", panels)
    yield folded_section(f"All payoffs in {game}", _payoff_table(name, game, known))


def _heat(contest: Contest, tensor: Array) -> HeatPanel:
    """The first type stands at the top; columns have no room for names."""
    values = tensor.mean(axis=tuple(range(2, tensor.ndim)))
    columns = [str(number) for number in range(1, len(values) + 1)]
    names = [f"{number} {one}" for number, one in zip(columns, contest.types, strict=True)]
    # The number tells the rest of a long name.
    rows = [name if len(name) <= _ROW else f"{name[: _ROW - 1]}…" for name in names]
    axes = "type that is paid", "type that it meets, by number"
    return HeatPanel(contest.mechanism, axes, rows[::-1], columns, values[::-1])


def _payoff_table(name: str, game: str, known: Sequence[tuple[Contest, Array]]) -> Table:
    """List the payoff of each type against the types that it meets, whatever their order."""
    rows = [
        (contest.mechanism, types[0], ", ".join(types[1:]), float(tensor[at]))
        for contest, tensor in known
        for at in np.ndindex(*tensor.shape)
        if list(at[1:]) == sorted(at[1:]) and (types := [contest.types[each] for each in at])
    ]
    head: Head = [("text", "mechanism", "type", "meets"), ("share", "payoff")]
    return Table.of(name, f"Payoffs in {game}", head, rows, "Points, mean over seats and runs.")


class SelectionPanel(NamedTuple):
    """Shares and fitness of types after some steps, (P, K), mean over runs."""

    title: str
    types: Sequence[str]
    steps: Array
    shares: Array
    fitness: Array

    def describe(self) -> str:
        last = zip(self.types, self.shares[-1].tolist(), strict=True)
        shares = ", ".join(f"{one} {share:.0%}" for one, share in last)
        return f"After {self.steps[-1]} steps: {shares}."


def selection_curves(game: str, contests: Sequence[Contest]) -> Iterator[SectionPart]:
    """Draw which types would spread, a panel for each mechanism that has a meta-game."""
    found = [try_compute(_selection, contest) for contest in contests]
    panels = [one for one in found if not isinstance(one, NotEstimable)]
    if panels:
        yield _curves(game, panels)


def _selection(contest: Contest) -> SelectionPanel:
    histories = [run.history for run in contest.selections()]
    steps = np.unique(np.linspace(0, len(histories[0]) - 1, _POINTS).round().astype(int))
    fitness = [
        [_fitness(tensor, history[step]) for step in steps]
        for tensor, history in zip(contest.tensors(), histories, strict=True)
    ]
    shares = np.mean([history[steps] for history in histories], axis=0)
    means = np.mean(fitness, axis=0)
    return SelectionPanel(contest.mechanism, contest.types, steps, shares, means)


def _fitness(tensor: Array, shares: Array) -> Array:
    """The payoff of each type, if co-players come from a population with these shares, (K,)."""
    while tensor.ndim > 1:
        tensor = tensor @ shares
    return tensor


def _curves(game: str, panels: Sequence[SelectionPanel]) -> Figure:
    styles, caption = _styles(panels), _CURVES
    if any(one not in styles for panel in panels for one in panel.types):
        caption += f" Grey: all types but the {len(styles)} with the largest shares."

    def draw(own: Sequence[Any], panel: SelectionPanel) -> dict[str, Any]:
        own[0].set_ylim(-0.03, 1.03)
        _draw_lines(own[1], panel, panel.fitness, styles)
        return _draw_lines(own[0], panel, panel.shares, styles)

    return render_panels(
        f"crossplay_{file_name(game)}_selection",
        f"Which types would spread in {game}",
        caption,
        panels,
        draw,
        across=min(len(panels), 2),
        heights=[_TALL, _TALL],
        labels=styles,
        xlabel="step",
        ylabels=["share", "fitness"],
        sharex=True,
    )


def _styles(panels: Sequence[SelectionPanel]) -> Mapping[str, int]:
    """The number of the style of each type; of many, those that came to the largest shares."""
    last: dict[str, float] = {}
    for panel in panels:
        for one, share in zip(panel.types, panel.shares[-1].tolist(), strict=True):
            last[one] = max(share, last.get(one, 0))
    most = sorted(last, key=lambda one: -last[one])[: len(SERIES)]
    return {one: number for number, one in enumerate(each for each in last if each in most)}


def _draw_lines(
    axes: Any, panel: SelectionPanel, values: Array, styles: Mapping[str, int]
) -> dict[str, Any]:
    handles = {}
    for one, own in zip(panel.types, values.T, strict=True):
        if one in styles:
            colour, _, dashes = series_style(styles[one])
            line = {"color": colour, "linestyle": dashes, "linewidth": 1.4}
            (handles[one],) = axes.plot(panel.steps, own, **line)
        else:
            axes.plot(panel.steps, own, color=FAINT, linewidth=0.6, zorder=1)
    return handles
