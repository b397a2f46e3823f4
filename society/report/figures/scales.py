"""The scale on which numbers are drawn: that on which they are averaged.

On a linear axis, all but a few of the numbers of wealth that multiplies lie on the ground. It is
decided figure by figure, from what is shown in it, and said below it; see
society.analysis.statistics.value_scale.
"""

from __future__ import annotations

from typing import Any, Literal

from society.analysis.statistics.value_scale import ValueScale

from .alt_text import format_axis_number


class AxisScale(ValueScale):
    """The scale of an axis."""

    __slots__ = ()

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
