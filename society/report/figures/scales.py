"""The scale on which numbers are averaged and drawn: their own, or that of their logarithms.

Where wealth multiplies, some runs come to thousands of times what others have. Their mean is that
of the few richest, its interval may reach below zero, and on a linear axis all others lie on the
ground. So numbers that are all above zero, and of which the largest is more than TIMES the median,
are averaged as logarithms, which gives the geometric mean, and drawn on a logarithmic axis. It is
decided figure by figure, from what is shown in it, and said below it. (A rule of ours.)
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from society.engine.rng import Array

from .alt_text import format_axis_number

TIMES = 20
Number = TypeVar("Number", float, Array)


class AxisScale(NamedTuple):
    """A linear or a logarithmic scale, by the name that matplotlib has for it."""

    name: Literal["linear", "log"]

    @classmethod
    def of(cls, values: Array) -> AxisScale:
        """Choose the scale for values shown together, of any shape; NaN left out.

        >>> AxisScale.of(np.array([10.0, 40.0, 50.0])).name
        'linear'
        >>> AxisScale.of(np.array([10.0, 40.0, 5e4])).name
        'log'
        """
        known = values[~np.isnan(values)]
        if not len(known) or known.min() <= 0 or known.max() <= TIMES * np.median(known):
            return LINEAR
        return LOG

    @property
    def logarithmic(self) -> bool:
        return self.name == "log"

    @property
    def mean_name(self) -> str:
        return "geometric mean" if self.logarithmic else "mean"

    @property
    def contrast_name(self) -> str:
        """The name of a difference of means, as it reads on the original scale."""
        return "ratio" if self.logarithmic else "difference"

    def transform(self, values: Array) -> Array:
        """Take logarithms, if this scale is logarithmic."""
        return np.log(values) if self.logarithmic else values

    def invert(self, value: Number) -> Number:
        """Undo `transform` for a mean; a difference of means becomes a ratio."""
        return np.exp(value) if self.logarithmic else value

    def apply(self, axes: Any, along: Literal["x", "y"]) -> None:
        """Set an axis of a figure to this scale."""
        if not self.logarithmic:
            return
        axes.set(**{f"{along}scale": self.name})
        axis = getattr(axes, f"{along}axis")
        # Powers would be set as formulas, which labels are not.
        axis.set_major_formatter(lambda value, place: format_axis_number(float(value)))
        axis.set_minor_formatter(lambda value, place: "")


LINEAR, LOG = AxisScale("linear"), AxisScale("log")
