"""Replicator curves: which types spread when better ones are taken up, and what they are paid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.analysis.crossplay import Contest
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.draws import Array
from society.report.figures import alt_text as described
from society.report.figures.style import (
    FAINT,
    LOOKS,
    Picture,
    legend,
    legend_height,
    look,
    panelled,
    picture,
    wrapped,
)
from society.report.page import Part
from society.report.sections.crossplay.names import filed

_TALL = 1.3  # inches, the share of a type; its fitness below takes as much
_POINTS = 101  # of a curve


class Spread(NamedTuple):
    """One panel: shares and fitness of types after some steps, (P, K), mean over runs."""

    title: str
    types: Sequence[str]
    steps: Array
    shares: Array
    fitness: Array


def selection(game: str, contests: Sequence[Contest]) -> Iterator[Part]:
    """One panel for each mechanism that has a meta-game."""
    panels = [
        found
        for contest in contests
        if not isinstance(found := try_compute(_spread, contest), NotEstimable)
    ]
    if panels:
        yield _curves(game, panels)


def _spread(contest: Contest) -> Spread:
    histories = [run.history for run in contest.selections()]
    steps = np.unique(np.linspace(0, len(histories[0]) - 1, _POINTS).round().astype(int))
    fitness = [
        [_fitness(tensor, history[step]) for step in steps]
        for tensor, history in zip(contest.tensors(), histories, strict=True)
    ]
    shares = np.mean([history[steps] for history in histories], axis=0)
    return Spread(contest.mechanism, contest.types, steps, shares, np.mean(fitness, axis=0))


def _fitness(tensor: Array, shares: Array) -> Array:
    """What each type is paid, if co-players come from a population with these shares, (K,)."""
    while tensor.ndim > 1:
        tensor = tensor @ shares
    return tensor


def _curves(game: str, panels: Sequence[Spread]) -> Picture:
    looks = _looks(panels)
    names = {one: wrapped(one) for one in looks}
    words = (
        "Above: the share of each type in the population; below: what it would be paid there, in "
        "points. Replicator dynamics from equal shares, mean over runs."
    )
    if any(one not in looks for panel in panels for one in panel.types):
        words += f" Grey: types beyond the {len(looks)} that came to the largest shares."
    across = min(len(panels), 2)
    lines = math.ceil(len(panels) / across)

    def draw(figure: Any) -> None:
        handles: dict[str, Any] = {}
        places = panelled(figure, len(panels), across, (1, 1), sharex=True)
        for place, ((above, below), panel) in enumerate(zip(places, panels, strict=True)):
            above.set_title(wrapped(panel.title, 60 // across))
            above.set_ylim(-0.03, 1.03)
            handles |= _lines(above, panel, panel.shares, looks)
            _lines(below, panel, panel.fitness, looks)
            if place % across == 0:
                above.set_ylabel("share")
                below.set_ylabel("fitness")
            if place + across >= len(panels):
                below.set_xlabel("step")
        shown = [one for one in names if one in handles]
        legend(figure, [handles[one] for one in shown], [names[one] for one in shown])

    seen = described.paneled([(panel.title, _told(panel)) for panel in panels])
    tall = lines * (2 * _TALL + 0.4) + 0.3 + legend_height([*names.values()])
    title = f"Which types would spread in {game}"
    return picture(f"crossplay_{filed(game)}_selection", title, words, seen, draw, tall)


def _looks(panels: Sequence[Spread]) -> Mapping[str, int]:
    """The number of the look of each type; of many, those that came to the largest shares."""
    last: dict[str, float] = {}
    for panel in panels:
        for one, share in zip(panel.types, panel.shares[-1].tolist(), strict=True):
            last[one] = max(share, last.get(one, 0))
    most = sorted(last, key=lambda one: -last[one])[: len(LOOKS)]
    return {one: number for number, one in enumerate(each for each in last if each in most)}


def _lines(axes: Any, panel: Spread, values: Array, looks: Mapping[str, int]) -> dict[str, Any]:
    handles = {}
    for one, own in zip(panel.types, values.T, strict=True):
        if one not in looks:
            axes.plot(panel.steps, own, color=FAINT, linewidth=0.6, zorder=1)
            continue
        given = look(looks[one])
        (handles[one],) = axes.plot(
            panel.steps, own, color=given.colour, linestyle=given.dashes, linewidth=1.4
        )
    return handles


def _told(panel: Spread) -> str:
    """In words: the shares to which it comes."""
    last = zip(panel.types, panel.shares[-1].tolist(), strict=True)
    shares = ", ".join(f"{one} {share:.0%}" for one, share in last)
    return f"After {panel.steps[-1]} steps: {shares}."
