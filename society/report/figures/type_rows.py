"""Figures with a row for each type: the ranking beside payoffs, cooperation beside reactions.

At the left stands one number of each type, at the right a matrix with the same rows. Mechanisms
stand below each other, with types in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics.means import mean
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.engine.rng import Array
from society.optional import require

from .alt_text import describe_extremes, prefix_title
from .cell_numbers import print_on_cell
from .read_out import name_series
from .style import (
    FAINT,
    PAPER,
    SMALL,
    Figure,
    letter_panel,
    render_figure,
    shorten_label,
    wrap_label,
)
from .type_colours import TypeStyle, is_dark, payoff_colours, place_on_scale

_ROW, _HEAD, _FOOT = 0.17, 0.36, 0.75  # inches: a type, what a panel has above it, the columns
_BELOW = 0.8  # inches: what a matrix that stands below has besides its rows
_BESIDE = 5.0  # inches of a figure that has room for both side by side
_LONGEST = 18  # characters of a type's name
_SIGNS_BELOW = 40  # that fit side by side below a matrix
_ON_CELLS = ("#111111", "#fdfdfd")  # figures on light and on dark cells
_PRINTED = 16  # rows at most whose cells have room for their figures
_HALF = 0.6  # of a cell, the room of a number in its half
_FEW = 5  # runs; fewer are drawn one by one, and have no interval
_ABOVE_MARKS = SMALL + 7  # points: a title over the words at marks of the ranking
_BAR_TOP = 0.45  # inches: the bar of colours


class Anchors(NamedTuple):
    """Payoffs in equilibrium and where all cooperate, of each seat that a figure tells apart."""

    equilibrium: tuple[float, ...]
    cooperation: tuple[float, ...]

    def scaled(self, payoffs: Array) -> Array:
        """Scale payoffs, seats first, so that they are 0 in equilibrium and 1 in cooperation."""
        shape = (-1,) + (1,) * (payoffs.ndim - 1)
        low, high = (np.array(each).reshape(shape) for each in self)
        return np.asarray((payoffs - low) / (high - low))


class RankingPanel(NamedTuple):
    """Scores and payoffs under one mechanism; rows in the order of the figure.

    scores: in each run, (runs, K). places: "1", "2=". payoffs: of the row's type where it meets the
    column's, (1, K, K); with seats that differ, of the row's type at the first seat and of the
    column's type at the second one, (2, K, K); None where types do not meet in pairs.
    """

    title: str
    scores: Array
    places: Sequence[str]
    payoffs: Array | None

    @property
    def means(self) -> Array:
        """The mean score of each type, (K,)."""
        means: Array = np.mean(self.scores, axis=0)
        return means


def ranking_plot(
    name: str,
    title: str,
    caption: str,
    types: Sequence[str],
    panels: Sequence[RankingPanel],
    anchors: Anchors | None,
    styles: Mapping[str, TypeStyle],
) -> Figure:
    """Draw the scores of types, best first, and beside them what each earns against whom.

    anchors: of the colours; None: greys.
    """
    known = [one.payoffs for one in panels if one.payoffs is not None]
    colouring = PayoffColouring.of(known, anchors) if known else None
    every = np.concatenate([one.scores.ravel() for one in panels])
    marks = _marks(anchors)
    low, high = (f([*every[~np.isnan(every)], *marks]) for f in (min, max))
    room = 0.06 * (high - low or 1)

    def left(axes: Any, panel: RankingPanel) -> None:
        axes.set_xlim(low - room, high + room)
        _draw_scores(axes, panel, types, styles)
        for at in marks:
            axes.axvline(at, color=FAINT, linewidth=1, linestyle=(0, (2, 2)), zorder=1)
        if panel is panels[0] and marks:
            above = axes.secondary_xaxis("top")
            above.set_xticks(list(marks), [*marks.values()])
            above.tick_params(length=0, labelsize=SMALL, pad=1)
            above.spines[:].set_visible(False)

    def right(axes: Any, panel: RankingPanel) -> None:
        if panel.payoffs is None or colouring is None:
            axes.set_axis_off()
        else:
            draw_cells(axes, panel.payoffs, colouring.colours(panel.payoffs), "payoff")

    def finish(figure: Any, grid: Sequence[tuple[Any, ...]]) -> None:
        grid[-1][0].set_xlabel("mean score, points")
        shown = [own[1] for own, one in zip(grid, panels, strict=True) if one.payoffs is not None]
        if shown and colouring is not None:
            shown[-1].set_xlabel("type that is met")
            _name_columns(shown[-1], types)
            colouring.add_bar(figure, grid)

    alt = " ".join(
        prefix_title(
            one.title, describe_extremes(dict(zip(types, one.means.tolist(), strict=True)))
        )
        for one in panels
    )
    tall = _BAR_TOP if known else 0
    return _render_rows(
        name, title, caption, alt, types, panels, left, right if known else None, finish, tall
    )


def _describe(types: Sequence[str], values: Array) -> str:
    return describe_extremes(dict(zip(types, values.tolist(), strict=True)))


def _marks(anchors: Anchors | None) -> dict[float, str]:
    """The words at the payoffs of equilibrium and cooperation, means over seats."""
    if anchors is None:
        return {}
    low, high = (float(np.mean(each)) for each in anchors)
    return {low: "equilibrium", high: "all cooperate"}


def _draw_scores(
    axes: Any, panel: RankingPanel, types: Sequence[str], styles: Mapping[str, TypeStyle]
) -> None:
    """Draw means with t intervals, or the runs if they are few; places at the right."""
    decimals = 2 if np.nanmax(np.abs(panel.means)) < 100 else 1
    for row, (one, place) in enumerate(zip(types, panel.places, strict=True)):
        scores = panel.scores[~np.isnan(panel.scores[:, row]), row]
        if not len(scores):
            continue
        colour, middle = styles[one].colour, float(scores.mean())
        found = try_compute(mean, scores) if len(scores) >= _FEW else NotEstimable("few runs")
        ends: tuple[Array | None, Array | None] = None, None
        if isinstance(found, NotEstimable):
            axes.plot(scores, np.full(len(scores), row), "|", color=colour, markersize=5)
        else:
            low, high = found.interval.low, found.interval.high
            axes.hlines(row, low, high, color=colour, linewidth=1.4)
            ends = np.array([low]), np.array([high])
        dot = {"markersize": 5, "markeredgecolor": PAPER, "zorder": 3}
        (point,) = axes.plot(middle, row, styles[one].marker, color=colour, **dot)
        name_series(point, one, values=np.array([middle]), low=ends[0], high=ends[1])
        words = f"{place}\u2002{middle:.{decimals}f}"
        beside = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": SMALL}
        axes.text(1.02, row, words, ha="left", **beside)


class PayoffColouring(NamedTuple):
    """The colours of all payoffs in a figure: anchored, or greys from the least to the largest."""

    anchors: Anchors | None
    low: float
    high: float

    @classmethod
    def of(cls, payoffs: Sequence[Array], anchors: Anchors | None) -> PayoffColouring:
        every = [anchors.scaled(each) if anchors else each for each in payoffs]
        values = np.concatenate([each.ravel() for each in every])
        return cls(anchors, float(np.nanmin(values)), float(np.nanmax(values)))

    def places(self, values: Array) -> Array:
        """Place values on the map of colours; scaled ones, if there are anchors."""
        if self.anchors is not None:
            return place_on_scale(values, self.low, self.high)
        return np.asarray((values - self.low) / ((self.high - self.low) or 1))

    def colours(self, payoffs: Array) -> Array:
        """Return the colours of payoffs, (seats, K, K, 4)."""
        values = self.anchors.scaled(payoffs) if self.anchors else payoffs
        return np.asarray(payoff_colours(anchored=self.anchors is not None)(self.places(values)))

    def add_bar(self, figure: Any, grid: Sequence[tuple[Any, ...]]) -> None:
        """Add a bar of these colours above all panels, with words at the anchors."""
        low, high = (min(self.low, 0), max(self.high, 1)) if self.anchors else self[1:]
        steps = np.linspace(low, high if high > low else low + 1, 256)
        colours = require("matplotlib.colors").ListedColormap(
            payoff_colours(anchored=self.anchors is not None)(self.places(steps))
        )
        norm = require("matplotlib.colors").Normalize(steps[0], steps[-1])
        mappable = require("matplotlib.cm").ScalarMappable(norm, colours)
        axes = [each for own in grid for each in own]
        shrink = 0.55 if figure.get_figwidth() > _BESIDE else 1
        place = {"location": "top", "anchor": (1.0, 0.5), "shrink": shrink, "aspect": 80 * shrink}
        bar = figure.colorbar(mappable, ax=axes, pad=0.01, **place)
        bar.outline.set_visible(False)
        if self.anchors:
            bar.set_ticks([0, 1], labels=self._words())
            first, last = bar.ax.get_xticklabels()
            # Away from each other: payoffs far beyond the anchors bring these close together.
            first.set_ha("left" if low == 0 else "right")
            last.set_ha("right" if high == 1 else "left")
        else:
            bar.set_label("points")
        bar.ax.tick_params(length=2, labelsize=SMALL, pad=1)

    def _words(self) -> list[str]:
        """The words at the anchors, with the payoff if all seats have the same one."""
        if self.anchors is None:
            return []
        pairs = zip(("equilibrium", "all cooperate"), self.anchors, strict=True)
        return [
            f"{words}: {format_payoff(seats[0])}" if len({*seats}) == 1 else words
            for words, seats in pairs
        ]


def format_payoff(value: float) -> str:
    """Round a payoff to what a cell has room for.

    >>> format_payoff(1.99), format_payoff(2.0), format_payoff(-0.0), format_payoff(31.25)
    ('1.99', '2', '0', '31.2')
    """
    decimals = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    words = f"{round(value, decimals) + 0.0:.{decimals}f}"
    return words.rstrip("0").rstrip(".") if "." in words else words


def draw_cells(axes: Any, values: Array, colours: Array, label: str) -> None:
    """Draw a matrix whose cells have one value each, or two by a diagonal; (1 or 2, K, C).

    The first one stands at the lower left, the second one at the upper right. NaN: nothing.
    label: what the values are.
    """
    rows, columns = values.shape[1:]
    faces = np.where(np.isnan(values)[..., None], 0, colours)
    edges = {"edgecolors": PAPER, "linewidth": 0.6}
    x, y = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    if len(values) == 1:
        cells = axes.pcolormesh(x, y, faces[0], **edges)
        name_series(cells, label, values=values[0])
    else:
        _draw_halves(axes, faces, edges)
    middles = [(0.0, 0.0)] if len(values) == 1 else [(-0.2, 0.22), (0.2, -0.22)]
    for (seat, row, column), value in np.ndenumerate(values):
        if np.isnan(value) or max(rows, columns) > _PRINTED:
            continue
        at = column + middles[seat][0], row + middles[seat][1]
        ink = _ON_CELLS[is_dark(colours[seat, row, column])]
        room = (1.0, 1.0) if len(values) == 1 else (_HALF, _HALF)
        print_on_cell(axes, at, format_payoff(float(value)), colour=ink, size=SMALL, cell=room)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelbottom=False)
    axes.set_xticks([])


def _draw_halves(axes: Any, faces: Array, edges: Mapping[str, Any]) -> None:
    """Draw two triangles in each cell: the first seat at the lower left."""
    corners = ((-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)), ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5))
    shapes = [
        [(column + x, row + y) for x, y in corners[seat]]
        for seat, row, column in np.ndindex(*faces.shape[:3])
    ]
    polygons = require("matplotlib.collections").PolyCollection
    axes.add_collection(polygons(shapes, facecolors=faces.reshape(-1, 4), **edges))


def _name_columns(axes: Any, names: Sequence[str]) -> None:
    """Name the columns below a matrix, in two lines, or aslant if they are long."""
    shown = [shorten_label(one, _LONGEST) for one in names]
    turn = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    room = max(_SIGNS_BELOW // len(names) - 1, 1)
    long = any(len(word) > room for one in shown for word in one.split())
    shown = shown if long else [wrap_label(one, room) for one in shown]
    axes.set_xticks(range(len(names)), shown, fontsize=SMALL, **(turn if long else {}))
    axes.tick_params(labelbottom=True, length=0)


class ActionPanel(NamedTuple):
    """What types do under one mechanism; rows in the order of the figure.

    shares: the mean probability of each kind of action by its name, (K,) each. reactions: the
    probability of cooperation by context, (K, C), NaN where it never came; None: nothing was seen.
    """

    title: str
    shares: Mapping[str, Array]
    reactions: Array | None


def action_plot(
    name: str,
    title: str,
    caption: str,
    types: Sequence[str],
    contexts: Sequence[str],
    panels: Sequence[ActionPanel],
    styles: Mapping[str, TypeStyle],
) -> Figure:
    """Draw how often types cooperate, and beside it after what."""

    def left(axes: Any, panel: ActionPanel) -> None:
        axes.set_xlim(0, 1)
        _draw_shares(axes, panel, types, styles)

    def right(axes: Any, panel: ActionPanel) -> None:
        if panel.reactions is None:
            axes.set_axis_off()
        else:
            after = panel.reactions[None]
            draw_cells(axes, after, cooperation_colours(after), "cooperation after")

    def finish(figure: Any, grid: Sequence[tuple[Any, ...]]) -> None:
        grid[-1][0].set_xlabel(wrap_label(" or ".join(panels[0].shares), 44))
        grid[-1][0].set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        seen = [own[1] for own, one in zip(grid, panels, strict=True) if one.reactions is not None]
        if seen:
            _name_columns(seen[-1], contexts)
            seen[-1].set_xlabel("what came before (own action first)")
            seen[0].set_title("cooperation by what came before", fontweight="normal")

    alt = " ".join(
        prefix_title(one.title, _describe(types, next(iter(one.shares.values())))) for one in panels
    )
    beside = right if any(one.reactions is not None for one in panels) else None
    return _render_rows(name, title, caption, alt, types, panels, left, beside, finish)


def cooperation_colours(shares: Array) -> Array:
    """Return the colours of probabilities of cooperation, from vermilion for 0 to blue for 1."""
    return np.asarray(payoff_colours(anchored=True)(place_on_scale(shares, 0, 1)))


def _draw_shares(
    axes: Any, panel: ActionPanel, types: Sequence[str], styles: Mapping[str, TypeStyle]
) -> None:
    """Draw a bar for each type; what is more than cooperation stands behind it, paler."""
    rows = np.arange(len(types))
    begin = np.zeros(len(types))
    colours = [styles[one].colour for one in types]
    for number, (words, shares) in enumerate(panel.shares.items()):
        known = np.nan_to_num(shares)
        look: dict[str, Any] = {"color": colours} if number == 0 else {"color": FAINT}
        bars = axes.barh(rows, known, 0.62, begin, edgecolor=PAPER, linewidth=0.6, **look)
        name_series(bars, words, names=types)
        for bar, one in zip(bars, types if number == 0 else (), strict=False):
            bar.set_hatch(styles[one].hatch)
        begin += known
    for row, own in enumerate(zip(*panel.shares.values(), strict=True)):
        words = " + ".join("–" if np.isnan(share) else f"{share:.0%}" for share in own)
        beside = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": SMALL}
        axes.text(1.02, row, words, ha="left", **beside)


Side = Callable[[Any, Any], None]


def _render_rows(
    name: str,
    title: str,
    caption: str,
    alt: str,
    types: Sequence[str],
    panels: Sequence[Any],
    left: Side,
    right: Side | None,
    finish: Callable[[Any, Sequence[tuple[Any, ...]]], None],
    more: float = 0,
) -> Figure:
    """Draw a pair of axes with the same rows for each panel, below each other."""

    def draw(figure: Any) -> None:
        beside = figure.get_figwidth() > _BESIDE
        grid = _pairs_of_axes(figure, len(panels), beside=beside, both=right is not None)
        names = [shorten_label(one, _LONGEST) for one in types]
        for place, (own, panel) in enumerate(zip(grid, panels, strict=True)):
            left(own[0], panel)
            if right:
                right(own[1], panel)
            words = wrap_label(panel.title, 40)
            # Above the words at its marks, where there are any.
            pad = _ABOVE_MARKS if own[0].child_axes else None
            own[0].set_title(letter_panel(place, words) if len(panels) > 1 else words, pad=pad)
            for axes in own[: 1 if beside else 2]:
                axes.set_yticks(range(len(types)), names)
                axes.tick_params(axis="y", length=0, labelleft=True)
            own[0].grid(visible=False, axis="y")
            own[0].tick_params(labelbottom=panel is panels[-1] or not beside)
        grid[0][0].set_ylim(len(types) - 0.4, -0.6)
        finish(figure, grid)

    def height(width: float) -> float:
        rows = _ROW * len(types)
        below = 0 if right is None or width > _BESIDE else rows + _BELOW
        return len(panels) * (rows + _HEAD + below) + _FOOT + more

    return render_figure(name, title, caption, alt, draw, height)


def _pairs_of_axes(figure: Any, count: int, *, beside: bool, both: bool) -> list[tuple[Any, ...]]:
    """The axes of each panel: left and right, or above and below where there is no room."""
    if not both:
        return [(own,) for own in figure.subplots(count, 1, squeeze=False, sharey=True)[:, 0]]
    if beside:
        ratios = {"width_ratios": [1, 1.25], "squeeze": False}
        return [tuple(own) for own in figure.subplots(count, 2, sharey=True, **ratios)]
    every = figure.subplots(2 * count, 1, sharey=True)
    return [(every[2 * place], every[2 * place + 1]) for place in range(count)]
