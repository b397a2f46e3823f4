"""Notes below the figures of a page: where one quantity has another axis than in a figure before.

A reader compares heights over all figures of a page. Where the same quantity is drawn again, its
axis should be the same; where it is not, as its values would lie on the ground there, the page says
so, and names the figure with the other one. Axes are the same if their ends are, as far as a reader
sees it. Time is no such quantity: figures may show some rounds only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .figures.alt_text import format_axis_number
from .figures.read_out import QuantityAxis
from .figures.style import Figure

_SEEN = 0.1  # of the longer axis: ends that are nearer to each other look the same
_MOST = 2  # quantities that a note names


class AxisSpan(NamedTuple):
    """The axis of a quantity in one figure: its ends over all panels, and whether panels differ."""

    number: str
    axis: QuantityAxis
    differ: bool


def axis_notes(figures: Iterable[tuple[str, Figure]]) -> dict[str, str]:
    """Write the notes of a page's figures, by name; figures: in order, each with its number.

    A figure without a note has the axes of those before it, or quantities of its own.
    """
    first: dict[str, AxisSpan] = {}
    notes = {}
    for number, figure in figures:
        said: list[str] = []
        for span in _spans(number, figure.data.quantities):
            known = first.setdefault(span.axis.quantity.lower(), span)
            said += _note(span, known)
        if said:
            left = len(said) - _MOST
            more = f" The same goes for {left} more of its axes." if left > 1 else ""
            more = " The same goes for one more of its axes." if left == 1 else more
            notes[figure.name] = f"{' '.join(said[:_MOST])}{more}"
    return notes


def _spans(number: str, axes: Sequence[QuantityAxis]) -> Iterator[AxisSpan]:
    """Join the axes of each quantity in a figure."""
    by_name: dict[str, list[QuantityAxis]] = {}
    for one in axes:
        by_name.setdefault(one.quantity, []).append(one)
    for own in by_name.values():
        whole = own[0]._replace(low=min(one.low for one in own), high=max(one.high for one in own))
        yield AxisSpan(number, whole, any(not _alike(own[0], one) for one in own))


def _note(span: AxisSpan, known: AxisSpan) -> Iterator[str]:
    name = span.axis.quantity.partition(",")[0]
    name = name[:1].lower() + name[1:]
    if span.differ:
        yield f"The axes of {name} differ from panel to panel."
    elif known.number != span.number and not _alike(known.axis, span.axis):
        here, there = _ends(span.axis), _ends(known.axis)
        yield (
            f"The axis of {name} differs from that in {known.number}: {here} here, {there} there."
        )


def _alike(one: QuantityAxis, other: QuantityAxis) -> bool:
    if one.logarithmic != other.logarithmic:
        return False
    (low, high), (other_low, other_high) = one.drawn, other.drawn
    room = _SEEN * max(high - low, other_high - other_low)
    return abs(low - other_low) <= room and abs(high - other_high) <= room


def _ends(axis: QuantityAxis) -> str:
    """Write the ends of an axis: "1 to 100 (logarithmic)"."""
    ends = " to ".join(format_axis_number(end) for end in (axis.low, axis.high))
    return f"{ends} (logarithmic)" if axis.logarithmic else ends
