"""The scale on which numbers are averaged: their own, or that of their logarithms.

Where wealth multiplies, some runs come to thousands of times what others have. Their mean is that
of the few richest, and its interval may reach below zero. So numbers that are all above zero, and
of which the largest is more than TIMES the median, are averaged as logarithms, which gives the
geometric mean. (A rule of ours.)
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Self, TypeVar

import numpy as np

from society.engine.rng import Array

TIMES = 20
Number = TypeVar("Number", float, Array)


class ValueScale(NamedTuple):
    """A linear or a logarithmic scale, by the name that matplotlib has for it."""

    name: Literal["linear", "log"]

    @classmethod
    def of(cls, values: Array) -> Self:
        """Choose the scale for values shown together, of any shape; NaN left out.

        >>> ValueScale.of(np.array([10.0, 40.0, 50.0])).name
        'linear'
        >>> ValueScale.of(np.array([10.0, 40.0, 5e4])).name
        'log'
        """
        known = values[~np.isnan(values)]
        if not len(known) or known.min() <= 0 or known.max() <= TIMES * np.median(known):
            return cls("linear")
        return cls("log")

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
