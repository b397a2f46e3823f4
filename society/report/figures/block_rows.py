"""Rows in blocks: a row for each type, say, and a block of them for each mechanism.

Blocks have their names at the left, in rows of their own, so that nothing is written over what is
drawn. `block_bars` draws the shares of actions in each row as one bar from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_extremes
from .read_out import name_series
from .style import (
    FAINT,
    PAPER,
    SMALL,
    Figure,
    Panel,
    letter_panel,
    render_panels,
    shorten_label,
    wrap_label,
)

ROW = 0.128  # inches: a row of text
_LONGEST = 24  # characters of a row's name, or a block's
_GAP = 0.4  # rows above a block
_PAD = 3.5  # points between a name and its row
_ROOM = 0.075  # inches
_SIGN, _TITLE_SIGN = 0.055, 0.063  # inches: a character of a name, and of a title
_BOLD = 1.15  # times the width of other text
_THICK = 0.74  # of a row: its bar


class RowBlock(NamedTuple):
    """Rows under one name; "": they need none."""

    name: str
    rows: Sequence[str]


class RowLayout(NamedTuple):
    """Where rows and the names of blocks stand, in lines of text from the top.

    tall: lines that a row takes.
    """

    blocks: Sequence[RowBlock]
    tall: float = 1.0

    @property
    def places(self) -> Array:
        """The middles of all rows, block after block."""
        return np.array([place for place, _, heading in self._lines() if not heading])

    @property
    def end(self) -> float:
        """The lower edge of the last row."""
        return self._lines()[-1][0] + self.tall / 2

    @property
    def height(self) -> float:
        """The height of all rows, in inches."""
        return ROW * (self.end + 0.5)

    @property
    def names_width(self) -> float:
        """The width that names take at the left, in inches."""
        return max(len(shorten_label(name, _LONGEST)) for _, name, _ in self._lines()) * _SIGN

    def _lines(self) -> list[tuple[float, str, bool]]:
        """The middle and name of each line; True: that of a block."""
        lines, top = list[tuple[float, str, bool]](), 0.0
        for number, block in enumerate(self.blocks):
            top += _GAP * (number > 0)
            if block.name:
                lines.append((top + 0.5, block.name, True))
                top += 1
            for row in block.rows:
                lines.append((top + self.tall / 2, row, False))
                top += self.tall
        return lines

    def apply(self, axes: Any) -> None:
        """Scale some axes for these rows, and name them at the left of the first column."""
        lines = [(at, shorten_label(name, _LONGEST), head) for at, name, head in self._lines()]
        # The longest name is a tick, so that there is room for all of them; ticks take their time.
        widest = max(lines, key=lambda line: len(line[1]) * (_BOLD if line[2] else 1))
        axes.set_yticks([widest[0]], [widest[1]], fontsize=SMALL, fontweight=_weight(widest[2]))
        named = axes.get_subplotspec().is_first_col()
        axes.tick_params(axis="y", length=0, labelleft=named)
        place, va, ha = axes.get_yaxis_text1_transform(_PAD)
        look = {"transform": place, "va": va, "ha": ha, "fontsize": SMALL, "clip_on": False}
        for line in lines if named else ():
            if line is not widest:
                text = axes.text(0, line[0], line[1], fontweight=_weight(line[2]), **look)
                text.set_in_layout(False)
        axes.set_ylim(self.end + 0.25, -0.25)
        axes.grid(axis="y", visible=False)


def fit_rows(layout: RowLayout, panels: Sequence[Panel]) -> Callable[[Any, list[Any]], None]:
    """Make room at either side of panels with these rows, and break titles to their widths."""

    def finish(figure: Any, grid: list[Any]) -> None:
        # Text of a PNG may be wider than it was measured.
        figure.get_layout_engine().set(w_pad=_ROOM)
        beside = grid[0][0].get_subplotspec().get_gridspec().ncols
        wide = (figure.get_figwidth() - layout.names_width) / beside - 2 * _ROOM
        for place, (own, panel) in enumerate(zip(grid, panels, strict=True)):
            title = wrap_label(panel.title, max(int(wide / _TITLE_SIGN) - 3, 8), 3)
            own[0].set_title(letter_panel(place, title) if len(panels) > 1 else title)

    return finish


def _weight(heading: bool) -> str:
    return "bold" if heading else "normal"


def name_rows(blocks: Sequence[RowBlock]) -> list[str]:
    """Name all rows, with their blocks.

    >>> name_rows([RowBlock("", ["all"]), RowBlock("voting", ["yes", "no"])])
    ['all', 'voting, yes', 'voting, no']
    """
    return [f"{one.name}, {row}" if one.name else row for one in blocks for row in one.rows]


class ActionStyle(NamedTuple):
    """An action by the words of the legend, its colour, and its hatch."""

    words: str
    colour: str
    hatch: str = ""


class BarPanelOfRows(NamedTuple):
    """Shares of actions in each row, (rows, actions); NaN: not offered, or no move was made.

    counts: moves that each row is about, (rows,).
    """

    title: str
    blocks: Sequence[RowBlock]
    shares: Array
    counts: Array
    actions: Sequence[ActionStyle]

    def describe(self) -> str:
        first = dict(zip(name_rows(self.blocks), self.shares[:, 0].tolist(), strict=True))
        return f"{self.actions[0].words}: {describe_extremes(first)}"


def block_bars(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[BarPanelOfRows],
    *,
    across: int,
    xlabel: str,
) -> Figure:
    """Draw how often each action was done, all actions of a row in one bar.

    The panels have the same blocks and rows.
    """
    layout = RowLayout(panels[0].blocks)
    actions = dict.fromkeys(action.words for panel in panels for action in panel.actions)

    def draw(own: Sequence[Any], panel: BarPanelOfRows) -> Mapping[str, Any]:
        (axes,) = own
        handles = _draw_bars(axes, panel, layout)
        layout.apply(axes)
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        # Otherwise "1" of a panel and "0" of the next one touch.
        for label, side in zip(axes.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_ha(side)
        return handles

    return render_panels(
        name,
        title,
        caption,
        panels,
        draw,
        across=across,
        narrow=max(1, across // 2),
        heights=[layout.height],
        finish=fit_rows(layout, panels),
        labels=actions,
        xlabel=xlabel,
    )


def _draw_bars(axes: Any, panel: BarPanelOfRows, layout: RowLayout) -> dict[str, Any]:
    places, begin = layout.places, np.zeros(len(panel.shares))
    said = [
        f"{name} ({count:,} moves)"
        for name, count in zip(name_rows(panel.blocks), panel.counts.tolist(), strict=True)
    ]
    handles = {}
    for action, shares in zip(panel.actions, panel.shares.T, strict=True):
        look = {"color": action.colour, "edgecolor": PAPER, "linewidth": 0.5, "hatch": action.hatch}
        bars = axes.barh(places, np.nan_to_num(shares), _THICK, begin, **look)
        name_series(bars, action.words, values=shares, names=said)
        handles[action.words] = bars
        begin += np.nan_to_num(shares)
    for place in places[np.isnan(panel.shares).all(1)]:
        axes.text(0.02, place, "–", va="center", fontsize=SMALL, color=FAINT)
    return handles
