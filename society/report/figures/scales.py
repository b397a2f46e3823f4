"""The scale on which numbers are drawn: that on which they are averaged.

On a linear axis, all but a few of the numbers of wealth that multiplies lie on the ground. It is
decided figure by figure, from what is shown in it, and said below it; see
society.analysis.statistics.value_scale.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal

from society.analysis.statistics.value_scale import ValueScale
from society.optional import require

from .alt_text import format_axis_number

# From so many decades on, the multiples of powers of ten that have ticks; None: as if linear.
_SUBS = ((2.5, (1,)), (1.6, (1, 3)), (0.7, (1, 2, 5)), (0, None))


class AxisScale(ValueScale):
    """The scale of an axis."""

    __slots__ = ()

    def apply(self, axes: Any, along: Literal["x", "y"]) -> None:
        """Set an axis of a figure to this scale."""
        if not self.logarithmic:
            return
        axes.set(**{f"{along}scale": self.name})
        axis = getattr(axes, f"{along}axis")
        axis.set_major_locator(_log_ticks()())
        # Powers would be set as formulas, which labels are not.
        axis.set_major_formatter(lambda value, place: format_axis_number(float(value)))
        axis.set_minor_formatter(lambda value, place: "")


@cache
def _log_ticks() -> Any:
    """Make the class that places ticks on a logarithmic axis: two at least have a label."""
    ticker = require("matplotlib.ticker")

    class LogTicks(ticker.LogLocator):  # type: ignore[misc, name-defined]
        def tick_values(self, low: float, high: float) -> Any:
            low, high = self.nonsingular(low, high)
            if not 0 < low < high:
                return super().tick_values(low, high)
            decades = math.log10(high / low)
            subs = next(subs for least, subs in _SUBS if decades >= least)
            if subs is None:
                return ticker.AutoLocator().tick_values(low, high)
            self.set_params(subs=subs)
            return super().tick_values(low, high)

    return LogTicks


LINEAR, LOG = AxisScale("linear"), AxisScale("log")
