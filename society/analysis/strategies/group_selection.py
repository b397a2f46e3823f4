"""Selection of cooperation between groups and within them.

    cov(w, z) / mean(w) = cov(W, Z) / mean(w) + mean of cov(w, z) within groups / mean(w)

w: points of an agent in a game, z: its share of cooperation, W and Z: their means over a group. The
sum is how much selection in proportion to points changes mean cooperation. Groups are as large as
each other. Source: Price 1972, Annals of Human Genetics 35; Nowak 2006, Science 314.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from society.analysis.study.condition import ConditionRun
from society.engine.history import Step
from society.engine.rng import Array


class GroupSelection(NamedTuple):
    """The change of mean cooperation by selection between groups and within them, (R,) each."""

    between: Array
    within: Array


def split_selection(points: Array, cooperation: Array, group: Array) -> GroupSelection:
    """Split selection in one round of games; points, cooperation and group of agents, (R, N) each.

    >>> one = split_selection(*np.array([[[2.0, 2, 1, 1]], [[1, 1, 0, 0]], [[0, 0, 1, 1]]]))
    >>> one.between.round(3).tolist(), one.within.tolist()
    ([0.167], [0.0])
    """
    order = np.argsort(group, axis=1, kind="stable")
    shape = len(points), -1, int((group[:1] == group[0, 0]).sum())
    w, z = (np.take_along_axis(one, order, 1).reshape(shape) for one in (points, cooperation))
    fitness, traits = w.mean(2, keepdims=True), z.mean(2, keepdims=True)
    mean, middle = fitness.mean(1, keepdims=True), traits.mean(1, keepdims=True)
    scale = np.where(mean == 0, 1, mean)[:, 0, 0]
    between = ((fitness - mean) * (traits - middle)).mean((1, 2)) / scale
    return GroupSelection(between, ((w - fitness) * (z - traits)).mean((1, 2)) / scale)


def read_group_selection(run: ConditionRun, generations: int) -> GroupSelection:
    """Average over the first generations of a run of cultural_evolution that keeps every fact."""
    found = list[GroupSelection]()
    with run.opened() as file:
        for page in islice(file.pages(), generations):
            found += [one for step in page.steps for one in _of_step(step)]
    between, within = (np.mean(parts, axis=0) for parts in zip(*found, strict=True))
    return GroupSelection(between, within)


def _of_step(step: Step) -> list[GroupSelection]:
    """Split selection in each repetition that a line tells of, if it does."""
    if ("own", "points") not in step.arrays:
        return []
    points, cooperated, group = (
        step.arrays["own", name].astype(float) for name in ("points", "cooperated", "group")
    )
    lengths = step.arrays["common", "game_lengths"]
    share = cooperated / lengths
    return [
        split_selection(points[..., k], share[..., k], group[..., k])
        for k in range(points.shape[2])
    ]
