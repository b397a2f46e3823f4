"""The scale on which numbers are averaged and drawn: their own, or that of their logarithms.

Where wealth multiplies, some runs come to thousands of times what others have. Their mean is that
of the few richest, its interval may reach below zero, and on a linear axis all others lie on the
ground. So numbers that are all above zero, and of which the largest is more than TIMES the median,
are averaged as logarithms, which gives the geometric mean, and drawn on a logarithmic axis. It is
decided figure by figure, from what is shown in it, and said below it. (A rule of ours.)
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures.alt_text import figure

TIMES = 20


class Scale(NamedTuple):
    """name: as matplotlib calls it."""

    name: Literal["linear", "log"]

    @classmethod
    def of(cls, values: Array) -> Scale:
        """For what is to be shown together, of any shape; NaN left out.

        >>> Scale.of(np.array([10.0, 40.0, 50.0])).name, Scale.of(np.array([10.0, 40.0, 5e4])).name
        ('linear', 'log')
        """
        known = values[~np.isnan(values)]
        if not len(known) or known.min() <= 0 or known.max() <= TIMES * np.median(known):
            return LINEAR
        return LOG

    @property
    def logarithmic(self) -> bool:
        return self.name == "log"

    @property
    def mean(self) -> str:
        """What its means are called."""
        return "geometric mean" if self.logarithmic else "mean"

    @property
    def contrast(self) -> str:
        """What a difference of means comes to."""
        return "ratio" if self.logarithmic else "difference"

    def on(self, values: Array) -> Array:
        """Numbers as they are averaged."""
        return np.log(values) if self.logarithmic else values

    def off(self, values: Array) -> Array:
        """And back."""
        return np.exp(values) if self.logarithmic else values

    def back(self, value: float) -> float:
        """One of them: a mean, or a difference, which comes to a ratio."""
        return math.exp(value) if self.logarithmic else value

    def lay(self, axes: Any, along: Literal["x", "y"]) -> None:
        """Let an axis of a figure be of this scale."""
        if not self.logarithmic:
            return
        axes.set(**{f"{along}scale": self.name})
        axis = getattr(axes, f"{along}axis")
        # Powers would be set as formulas, which labels are not.
        axis.set_major_formatter(lambda value, place: figure(float(value)))
        axis.set_minor_formatter(lambda value, place: "")


LINEAR, LOG = Scale("linear"), Scale("log")
