"""Numbers on the cells of heat maps and matrices, which never run into each other.

Where the widest number of some axes is wider than its cell, all of them stand upright; where that
does not fit either, none is printed: colours, the read-out and the file of the figure have them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_GAP = 2.0  # points between two numbers
_MEASURED = 4  # longest numbers of which the widest is looked for


def print_on_cell(
    axes: Any,
    at: tuple[float, float],
    words: str,
    *,
    colour: str,
    size: float,
    cell: tuple[float, float] = (1, 1),
) -> None:
    """Print a number in the middle of its cell.

    size: of the text, in points. cell: width and height, in units of the axes.
    """
    text = axes.text(*at, words, color=colour, fontsize=size, ha="center", va="center")
    text.set_in_layout(False)  # it stands inside; looking at all of them takes seconds
    text.cell = cell


def fit_cell_numbers(axes: Any) -> None:
    """Turn the numbers on the cells of axes, or leave them out, where they are wider than cells.

    To be called when the axes have their final place.
    """
    numbers = [text for text in axes.texts if hasattr(text, "cell")]
    if not numbers:
        return
    longest = sorted(numbers, key=lambda text: -len(text.get_text()))[:_MEASURED]
    extents = [text.get_window_extent() for text in longest]
    width = max(one.width for one in extents)
    height = max(one.height for one in extents)
    narrowest = np.min([text.cell for text in numbers], axis=0)
    corner, far = axes.transData.transform([(0, 0), narrowest])
    gap = _GAP * axes.get_figure().dpi / 72
    room, tall = np.abs(far - corner) - gap
    if width <= room:
        return
    upright = width <= tall and height <= room + gap
    for text in numbers:
        if upright:
            text.set_rotation(90)
        else:
            text.remove()
