"""Figures along time: survival, and measures round by round or generation by generation.

Where runs end early, a mean rests on the few that lasted. So a mean becomes thinner with the share
of runs that it rests on, and stops where fewer than FEWEST are left; single runs are thin lines
that end in a mark, whose shape says why. Below curves, or in a panel of its own, stands how many
runs go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics.bands import FEWEST, Bounds
from society.engine.rng import Array
from society.optional import require

from .alt_text import describe_curves, format_axis_number
from .end_labels import EndLabel, label_ends
from .read_out import name_quantity, name_series
from .scales import LINEAR, AxisScale
from .style import (
    FAINT,
    INK,
    SMALL,
    Figure,
    SeriesStyle,
    constant_range,
    panels_beside,
    render_panels,
    shorten_label,
    wrap_label,
)

_TALL, _TALL_OF_MANY = 1.6, 1.0  # inches, a panel
_LINE = 0.12  # inches, a line of numbers at risk
_STRIP = 0.4  # inches, the strip of runs left
_TICKS = 5
_LINES = 12  # of single runs in a panel
_WIDTHS = ((0.75, 1.6), (0.5, 1.2), (0.25, 0.9), (0, 0.6))  # share of runs left, width of the mean
_RUN = 0.35  # points, the line of a single run
_CAUSES = "xv*P"  # marks of ends
_BESIDE_AXES = 4  # characters of a bold title that a unit and ticks take
_ACROSS = 4  # panels of measures side by side
_ROOM = 0.04  # of an axis, beyond the values on it

Limits = tuple[float, float]


class SurvivalLine(NamedTuple):
    """The survival curve of a condition: share (T,) from each time on, with its band.

    level: its name in a narrow column. durations: of all runs (R,). lost: the times at which runs
    were last seen, still going.
    """

    label: str
    level: str
    style: SeriesStyle
    times: Array
    share: Array
    low: Array
    high: Array
    durations: Array
    lost: Array


class SurvivalPanel(NamedTuple):
    """Survival curves on the same axes."""

    title: str
    curves: Sequence[SurvivalLine]

    def describe(self) -> str:
        said = []
        for curve in self.curves:
            half = curve.times[curve.share <= 0.5]
            left = "all" if (curve.share == 1).all() else "more than half"
            until = f"half by round {half[0]:g}" if len(half) else f"{left} to the end"
            end = f"{format_axis_number(float(curve.share[-1]))} at round {curve.times[-1]:g}"
            said.append(f"{curve.label}: {until}, {end}.")
        return " ".join(said)


def survival_plot(
    name: str, title: str, caption: str, axis: str, panels: Sequence[SurvivalPanel]
) -> Figure:
    """Draw Kaplan-Meier curves with bands, ticks for censored runs, numbers at risk below.

    The numbers stand at the ticks of the axis.
    """
    below = max(len(panel.curves) for panel in panels) * _LINE + 0.1
    last = max(float(curve.times[-1]) for panel in panels for curve in panel.curves)
    ticks = whole_ticks(last)

    def draw(own: Sequence[Any], panel: SurvivalPanel) -> dict[str, Any]:
        own[0].set(ylim=(0, 1.03), xlim=(0, last), xticks=ticks)
        own[0].tick_params(labelbottom=True)
        _draw_numbers_at_risk(own[1], panel.curves, ticks)
        for curve in panel.curves:
            _draw_steps(own[0], curve)
        label_ends(
            own[0],
            [
                EndLabel(
                    curve.label, float(curve.times[-1]), float(curve.share[-1]), curve.style.colour
                )
                for curve in panel.curves
            ],
            _TALL,
        )
        return {}

    return render_panels(
        name,
        title,
        caption,
        panels,
        draw,
        across=min(len(panels), 2),
        heights=[_TALL, below],
        xlabel=axis,
        ylabels=["share of runs that lasted"],
        sharex=True,
    )


def whole_ticks(last: float) -> list[float]:
    """Choose whole numbers for the ticks of an axis from 0 to the last round.

    >>> whole_ticks(100), whole_ticks(3)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.0, 1.0, 2.0, 3.0])
    """
    locator = require("matplotlib.ticker").MaxNLocator(_TICKS, integer=True)
    return [float(tick) for tick in locator.tick_values(0, last) if 0 <= tick <= last]


def _draw_steps(axes: Any, curve: SurvivalLine) -> None:
    colour, _, dashes = curve.style
    draw_band(axes, curve.times, curve.low, curve.high, curve, step="post")
    (line,) = axes.step(curve.times, curve.share, where="post", color=colour, linestyle=dashes)
    name_series(line, curve.label, low=curve.low, high=curve.high)
    heights = curve.share[np.searchsorted(curve.times, curve.lost, side="right") - 1]
    (ticks,) = axes.plot(curve.lost, heights, "|", color=colour, markersize=6)
    name_series(ticks, curve.label, silent=True)


def _draw_numbers_at_risk(
    axes: Any, curves: Sequence[SurvivalLine], times: Sequence[float]
) -> None:
    """Write a row of numbers for each curve, below the times that they belong to."""
    for row, curve in enumerate(curves):
        for time in times:
            left = int((curve.durations >= time).sum())
            axes.text(time, row, str(left), ha="center", va="center", fontsize=SMALL)
    axes.set_ylim(len(curves) - 0.4, -0.6)
    axes.set_yticks(range(len(curves)), [shorten_label(curve.level, 20) for curve in curves])
    axes.tick_params(length=0, labelbottom=False, labelsize=SMALL, pad=10)
    for label, curve in zip(axes.get_yticklabels(), curves, strict=True):
        label.set_color(curve.style.colour)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_title("runs at risk", fontsize=SMALL, fontweight="normal", pad=1)


class SingleRun(NamedTuple):
    """A run as a line: values (T,), NaN after its end; why it ended, "" if it did not."""

    values: Array
    cause: str = ""


class Curve(NamedTuple):
    """The mean of a condition along time with its band, (T,) each, NaN where nothing is left.

    style: None: one among others, in grey. left: runs that the mean rests on. runs: single ones
    behind it. all_runs: how many there are, if the mean is to become thinner with those left.
    """

    label: str
    style: SeriesStyle | None
    rounds: Array
    mean: Array
    low: Array
    high: Array
    left: Array
    runs: Sequence[SingleRun] = ()
    all_runs: int | None = None

    @property
    def shown(self) -> Array:
        """The mean where it is drawn, (T,): of all that there are, or of FEWEST at least."""
        if self.all_runs is None:
            return self.mean
        return np.where(self.left >= FEWEST, self.mean, np.nan)


class CurvePanel(NamedTuple):
    """Curves on the same axes; along: what time is counted in.

    limits: of the axis; None: those of what is drawn. unit: beside the axis. quantity: what is
    drawn, where neither the label of the axis nor the title is its name.
    """

    title: str
    curves: Sequence[Curve]
    scale: AxisScale = LINEAR
    along: str = "round"
    limits: Limits | None = None
    unit: str = ""
    quantity: str = ""

    def describe(self) -> str:
        shown = [one for one in self.curves if one.style is not None]
        return describe_curves(
            [
                (one.label, one.rounds, one.mean if np.isnan(one.shown).all() else one.shown)
                for one in shown
            ],
            self.along,
        )


def line_plot(
    name: str, title: str, caption: str, panels: Sequence[CurvePanel], axis: str = ""
) -> Figure:
    """Draw means along time with bands.

    axis: the quantity, if all panels have the same one; then they share a scale, and strips below
    show how many runs are left, unless all stay. Else a panel's title is its quantity. Single runs
    that have ended end in a mark, whose shape says why.
    """
    causes = _causes(panels)
    leaving = any(one.left.min() < one.left.max() for panel in panels for one in panel.curves)
    count = len(panels)
    across = min(count, 3) if axis or count != 4 else 2
    span = constant_range(np.concatenate([one.rounds for each in panels for one in each.curves]))

    def draw(own: Sequence[Any], panel: CurvePanel) -> dict[str, Any]:
        own[0].locator_params(axis="x", integer=True)
        scale_axis(own[0], panels if axis else [panel])
        name_quantity(own[0], axis or panel.title)
        handles = _draw_curves(own[0], panel.curves, own[1:])
        return handles | _draw_ends(own[0], panel.curves, causes)

    def finish(figure: Any, grid: list[Any]) -> None:
        beside = panels_beside(across, figure.get_figwidth())
        for place, own in enumerate(grid if axis else []):
            for axes, first in zip(own, grid[0], strict=True):
                axes.sharey(first)
                axes.tick_params(labelleft=place % beside == 0)
            if place % beside == 0:
                _label_strip(own[1:])
        if span:
            grid[0][0].set_xlim(span)

    return render_panels(
        name,
        title,
        f"{caption}{marks_note(causes)}",
        panels,
        draw,
        across=across,
        heights=[_TALL, _STRIP] if axis and leaving else [_TALL],
        labels=[
            *(one.label for each in panels for one in each.curves if one.style is not None),
            *map(name_cause, causes),
        ],
        xlabel=panels[0].along,
        ylabels=[axis],
        finish=finish,
        sharex=True,
    )


def course_grid(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[CurvePanel],
    *,
    columns: int,
    going: Sequence[CurvePanel] = (),
) -> Figure:
    """Draw measures as small multiples on one axis of time.

    columns: 1 for a panel a measure; else a panel for each group of conditions, side by side.
    going: last, one for each column: how many runs go on; its means are these numbers.
    """
    across = columns if columns > 2 else _ACROSS
    every = [*panels, *going]
    causes = _causes(every)
    labels = dict.fromkeys(c.label for one in every for c in one.curves if c.style is not None)
    single = len(labels) == 1

    def draw(own: Sequence[Any], panel: CurvePanel) -> dict[str, Any]:
        (axes,) = own
        axes.locator_params(axis="x", nbins=4, integer=True)
        axes.locator_params(axis="y", nbins=4)
        if panel.unit:
            axes.set_ylabel(wrap_label(panel.unit, 24), fontsize=SMALL)
        if panel in going:
            name_quantity(axes, "runs that go on")
            going_on = dict(_draw_going(axes, curve) for curve in panel.curves)
            axes.set_ylim(bottom=0)
            return going_on
        scale_axis(axes, [panel])
        name_quantity(axes, panel.quantity or panel.title)
        handles = _draw_curves(axes, panel.curves)
        return handles | _draw_ends(axes, panel.curves, causes)

    return render_panels(
        name,
        title,
        f"{caption}{marks_note(causes)}",
        every,
        draw,
        across=across,
        narrow=2 if columns == 1 else min(columns, 2),
        beside_axes=_BESIDE_AXES,
        heights=[_TALL_OF_MANY],
        labels=[*(() if single else labels), *map(name_cause, causes)],
        xlabel=panels[0].along,
        sharex=True,
    )


def list_causes(runs: Iterable[SingleRun]) -> list[str]:
    """List why single runs ended, each cause once."""
    return list(dict.fromkeys(run.cause for run in runs if run.cause))


def _causes(panels: Sequence[CurvePanel]) -> list[str]:
    return list_causes(run for panel in panels for curve in panel.curves for run in curve.runs)


def marks_note(causes: Sequence[str]) -> str:
    """Say what marks mean where the legend need not tell them apart; begins with a space."""
    return f" Marks: {causes[0]}." if len(causes) == 1 else ""


def name_cause(cause: str) -> str:
    """Name a cause in a legend."""
    return f"ended: {cause}"


def _draw_going(axes: Any, curve: Curve) -> tuple[str, Any]:
    style = curve.style
    colour, dashes = (style.colour, style.dashes) if style else (FAINT, "solid")
    (line,) = axes.step(curve.rounds, curve.left, where="post", color=colour, linestyle=dashes)
    if style:
        name_series(line, curve.label)
    return curve.label, line


def scale_axis(axes: Any, panels: Sequence[CurvePanel]) -> None:
    """Set limits and scale of an axis for all values of some panels."""
    given = [panel.limits for panel in panels if panel.limits]
    if given:
        axes.set_ylim(given[0])
    elif ends := constant_range(drawn_values(panels)):
        axes.set_ylim(ends)
    panels[0].scale.apply(axes, "y")


def choose_limits(panels: Sequence[CurvePanel], bounds: Bounds, scale: AxisScale) -> Limits | None:
    """Choose the same limits for all panels: what is possible, or else what is drawn.

    None: those that each panel comes to by itself.
    """
    least, most = bounds
    if least is not None and most is not None:
        room = _ROOM * (most - least)
        return least - room, most + room
    drawn = drawn_values(panels)
    if scale.logarithmic or not len(drawn) or np.isnan(drawn).all():
        return None
    if ends := constant_range(drawn):
        return ends
    low, high = float(np.nanmin(drawn)), float(np.nanmax(drawn))
    room = _ROOM * (high - low)
    return (low - room if least is None else max(low - room, least)), high + room


def drawn_values(panels: Sequence[CurvePanel]) -> Array:
    """All heights that curves of some panels reach, (K,)."""
    curves = [curve for panel in panels for curve in panel.curves]
    shown = [
        part
        for one in curves
        for part in ((one.shown, one.low, one.high) if one.style is not None else (one.shown,))
    ]
    shown += [run.values for one in curves for run in one.runs]
    return np.concatenate([*map(np.ravel, shown)])


def _draw_curves(axes: Any, curves: Sequence[Curve], strips: Sequence[Any] = ()) -> dict[str, Any]:
    """Draw curves, and into strips how many runs are left; gives the handles of those not grey."""
    handles = {}
    for curve in curves:
        if curve.style is not None:
            handles[curve.label] = _draw_curve(axes, curve, curve.style, strips)
    grey = [curve for curve in curves if curve.style is None]
    if grey:  # one artist for up to a thousand
        across = [part for curve in grey for part in (curve.rounds, [np.nan])]
        heights = [part for curve in grey for part in (curve.shown, [np.nan])]
        axes.plot(np.concatenate(across), np.concatenate(heights), color=FAINT, linewidth=0.5)
    return handles


def _draw_curve(axes: Any, curve: Curve, style: SeriesStyle, strips: Sequence[Any]) -> Any:
    colour, _, dashes = style
    line = {"color": colour, "linestyle": dashes}
    if curve.runs:
        few = curve.all_runs is not None and curve.all_runs < FEWEST
        # One artist, since each takes its time.
        across, heights = _joined(curve.rounds, [run.values for run in curve.runs])
        (runs,) = axes.plot(
            across, heights, color=colour, linewidth=0.9 if few else _RUN, zorder=1.5
        )
        name_series(runs, curve.label, silent=not few)
    draw_band(axes, curve.rounds, curve.low, curve.high, curve)
    for width, part in _pieces(curve):
        (mean,) = axes.plot(
            curve.rounds[part], curve.shown[part], linewidth=width, zorder=3, **line
        )
        name_series(mean, curve.label, low=curve.low[part], high=curve.high[part])
    for strip in strips:
        strip.step(curve.rounds, curve.left, linewidth=1, **line)
    (handle,) = axes.plot([], [], **line)
    return handle


def _joined(across: Array, lines: Sequence[Array]) -> tuple[Array, Array]:
    """Join lines over the same places into one with gaps."""
    gap = [np.nan]
    heights = [part for line in lines for part in (line, gap)]
    return np.concatenate([across, gap] * len(lines)), np.concatenate(heights)


def _pieces(curve: Curve) -> Iterator[tuple[float, slice]]:
    """Cut a mean into pieces of one width each, which share their ends."""
    share = curve.left / curve.all_runs if curve.all_runs else np.ones(len(curve.rounds))
    widths = np.array([next(width for least, width in _WIDTHS if one >= least) for one in share])
    cuts = np.flatnonzero(np.diff(widths)) + 1
    for start, end in zip([0, *cuts], [*cuts, len(widths)], strict=True):
        part = slice(int(start), min(int(end) + 1, len(widths)))
        if not np.isnan(curve.shown[part]).all():
            yield float(widths[start]), part


def draw_band(
    axes: Any,
    across: Array,
    low: Array,
    high: Array,
    of: Curve | SurvivalLine,
    step: str | None = None,
) -> None:
    """Fill a band, and draw its edges, since a fill alone is too pale to be seen on paper."""
    if of.style is None or np.isnan(low).all():
        return
    colour = of.style.colour
    pale = require("matplotlib.colors").to_rgba(colour, 0.15)
    band = axes.fill_between(
        across, low, high, facecolor=pale, edgecolor=colour, linewidth=0.3, step=step, zorder=1.2
    )
    name_series(band, of.label)


def _draw_ends(axes: Any, curves: Sequence[Curve], causes: Sequence[str]) -> dict[str, Any]:
    """Mark the end of each single run that has one; gives a handle for each cause."""
    for curve in curves:
        if curve.style is not None:
            mark_ends(axes, curve.label, curve.style.colour, curve.rounds, curve.runs, causes)
    return cause_handles(axes, causes)


def mark_ends(
    axes: Any,
    label: str,
    colour: str,
    across: Array,
    runs: Sequence[SingleRun],
    causes: Sequence[str],
) -> None:
    """Put a mark where each run that has ended was seen last; label: of their series."""
    for cause in causes:
        ends = [
            (float(across[at]), float(run.values[at]))
            for run in runs
            if run.cause == cause
            for at in np.flatnonzero(~np.isnan(run.values))[-1:]
        ]
        if ends:
            style = {"color": colour, "markersize": 3, "markeredgewidth": 0.8, "zorder": 3.5}
            (marks,) = axes.plot(*zip(*ends, strict=True), cause_marker(causes, cause), **style)
            name_series(marks, label, silent=True)


def cause_handles(axes: Any, causes: Sequence[str]) -> dict[str, Any]:
    """Make a handle for each cause of ends, by its name in the legend."""
    return {
        name_cause(cause): axes.plot([], [], cause_marker(causes, cause), color=INK, ls="")[0]
        for cause in causes
    }


def cause_marker(causes: Sequence[str], cause: str) -> str:
    """The shape of the mark at the end of runs that ended by a cause; rare ones share the last."""
    return _CAUSES[min(causes.index(cause), len(_CAUSES) - 1)]


def choose_runs(count: int, curves: int) -> range:
    """Choose the runs of a condition that are drawn as lines: the first ones, so that nobody chose.

    curves: in the same panel.
    """
    return range(min(count, max(_LINES // curves, FEWEST - 1)))


def _label_strip(strips: Sequence[Any]) -> None:
    for axes in strips:
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="y", nbins=2, integer=True)
        axes.set_ylabel("runs left", fontsize=SMALL, rotation=0, ha="right", va="center")
