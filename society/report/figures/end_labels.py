"""Labels at the right ends of lines, moved apart where they would cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .read_out import name_series
from .style import INK, shorten_label

_TYPE = 7  # points
_APART = 1.15  # of the height of type
_SIGNS = 18
_BESIDE, _LEAST = 0.05, 0.03  # of the axes: from an end to its label, and the lowest label


class EndLabel(NamedTuple):
    """The words at the end of a line, where it ends in data, and its colour."""

    text: str
    across: float
    height: float
    colour: str


def label_ends(axes: Any, labels: Sequence[EndLabel], tall: float) -> None:
    """Name lines at the right of their ends, none if there is but one.

    tall: the height of the axes in inches. Set the limits of both axes first.
    """
    if len(labels) < 2:
        return
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    texts = [shorten_label(label.text, _SIGNS) for label in labels]
    wished = np.array([(label.height - low) / (high - low) for label in labels])
    heights = spread(wished, _TYPE * _APART / (tall * 72))
    heights += max(_LEAST - float(heights.min()), 0)
    for label, text, wish, height in zip(labels, texts, wished, heights, strict=True):
        end = (label.across - left) / (right - left)
        line = {"arrowstyle": "-", "color": label.colour, "linewidth": 0.5, "shrinkA": 0}
        said = axes.annotate(
            text,
            (end, wish),
            (end + _BESIDE, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=_TYPE,
            color=INK,
            annotation_clip=False,
            arrowprops={**line, "shrinkB": 0},
        )
        name_series(said, label.text)


def spread(wished: Array, apart: float) -> Array:
    """Move places, (n,), as little as needed, so that neighbours are `apart`, in their order.

    >>> spread(np.array([0.5, 0.5, 0.0]), 0.2).round(2).tolist()
    [0.4, 0.6, 0.0]
    """
    order = np.argsort(wished, kind="stable")
    blocks: list[list[float]] = []  # sum of where each would have its block begin, and its size
    for rank, place in enumerate(wished[order].tolist()):
        blocks.append([place - rank * apart, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, size = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += size
    begins = [total / size for total, size in blocks for _ in range(int(size))]
    moved = np.empty(len(order))
    moved[order] = np.array(begins) + apart * np.arange(len(order))
    return moved
