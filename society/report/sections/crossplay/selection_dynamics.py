"""Figures of replicator dynamics: which types would spread, from equal shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.metagame import evolutionarily_stable
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.engine.rng import Array
from society.report.figures.simplex import SimplexPanel, simplex_grid, simplex_plot
from society.report.figures.stacked_shares import SharePanel, stacked_shares
from society.report.figures.type_colours import TypeStyle
from society.report.page import SectionPart

from .payoffs import MOST_PANELS
from .scores import file_name

_POINTS = 401  # of a course
_STACKED = (
    "Replicator dynamics from equal shares, mean over runs: a type spreads as far as it earns more "
    "than the average of the population. Each area is a type; at its end stands its last share."
)
_SETTLED = " Drawn until shares hardly change any more; {steps} steps were computed."
_SIMPLEX = (
    "A point is a population: the nearer to a corner, the more of that type. Arrows: where "
    "replicator dynamics leads, with payoffs averaged over runs; their lengths say nothing. Line: "
    "from equal shares (open circle) to where {steps} steps lead (full circle). Full squares: "
    "types that keep both others out (evolutionarily stable); open squares: the others."
)


def selection_figures(
    game: str, contests: Sequence[Contest], styles: Mapping[str, TypeStyle]
) -> Iterator[SectionPart]:
    """Draw which types would spread under each mechanism that has a meta-game.

    As a triangle if there are three types, else as stacked areas.
    """
    found = [(contest, try_compute(contest.selections)) for contest in contests]
    known = [
        (contest, [run.history for run in runs])
        for contest, runs in found
        if not isinstance(runs, NotEstimable)
    ]
    of_three = [pair for pair in known if len(pair[0].types) == 3][:MOST_PANELS]
    others = [pair for pair in known if len(pair[0].types) != 3][:MOST_PANELS]
    name, title = f"crossplay_{file_name(game)}_selection", _title(game, known)
    if of_three:
        steps = len(of_three[0][1][0]) - 1
        panels = [_triangle(*pair) for pair in of_three]
        yield simplex_plot(f"{name}_simplex", title, _SIMPLEX.format(steps=steps), panels, styles)
    if others:
        steps = len(others[0][1][0]) - 1
        areas = [_areas(*pair).until_settled() for pair in others]
        caption = _STACKED + _SETTLED.format(steps=f"{steps:,}")
        yield stacked_shares(name, title, caption, areas, styles, "step of selection")


def _areas(contest: Contest, histories: Sequence[Array]) -> SharePanel:
    steps = np.unique(np.linspace(0, len(histories[0]) - 1, _POINTS).round().astype(int))
    shares = np.mean([history[steps] for history in histories], axis=0)
    return SharePanel(contest.mechanism, contest.types, steps, shares)


def _triangle(contest: Contest, histories: Sequence[Array]) -> SimplexPanel:
    tensor: Array = np.mean(contest.tensors(), axis=0)
    shares = simplex_grid()
    fitness = np.array([_fitness(tensor, own) for own in shares])
    changes = shares * (fitness - (shares * fitness).sum(1, keepdims=True))
    path = np.mean(histories, axis=0)
    stable = evolutionarily_stable(tensor)
    return SimplexPanel(contest.mechanism, contest.types, (shares, changes), path, stable)


def _fitness(tensor: Array, shares: Array) -> Array:
    """The payoff of each type, if co-players come from a population with these shares, (K,)."""
    while tensor.ndim > 1:
        tensor = tensor @ shares
    return tensor


def _title(game: str, known: Sequence[tuple[Contest, Sequence[Array]]]) -> str:
    """Name the type that takes over, if it is the same under all mechanisms."""
    ends = set()
    for contest, histories in known:
        last = np.mean([history[-1] for history in histories], axis=0)
        most = int(np.argmax(last))
        ends.add(contest.types[most] if last[most] > 0.5 else "")
    if len(ends) == 1 and (winner := ends.pop()):
        return f"{winner} would spread to most of the population in {game}"
    return f"Which types would spread in {game}"
