"""What a page reads out of a figure: its series, and where their points stand.

A function that draws says which artists show a series; the page then reads its values out under
the pointer, shows it alone when its label is clicked, and gives its numbers as CSV:

    (line,) = axes.plot(rounds, mean)
    name_series(line, "fine = 2", low=low, high=high)  # read out, with its interval
    name_series(axes.fill_between(rounds, low, high), "fine = 2")  # shown and hidden with it
    name_series(axes.text(60, 20, "fine = 2"), "fine = 2")  # a label, to be clicked

Artists with the same label are one series in all panels; entries of a legend with this text belong
to it as well. Points are read from the artist: a line (as a curve, or as single points if nothing
joins them), the dots of `scatter`, the bars of `bar`, the cells of `pcolormesh`. `points` gives
them where the artist does not (an area, say); `values` gives what is read out where it is not the
height; `names` says what single points are called. Any other artist belongs to its series without
being read out, as do lines with `silent`: name the mean, and leave a hundred runs silent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.report.tables import CellValue, Table, TableColumn
from society.text import clean_line

_MARK = "society_series"  # the attribute of an artist
_QUANTITY = "society_quantity"  # the attribute of an axis
_TIMES = {"round", "generation", "to generation"}  # axes on which figures may show a part
_POINT = 72  # of an inch
_SCALES = {"linear", "log", "logit"}  # that a page can undo
_FIGURES = 5  # significant digits in a page; a CSV file has all
_MOST_POINTS = 6000  # in a page, of one figure

PointSort = Literal["curve", "steps", "points", "bars", "cells"]


class SeriesMark(NamedTuple):
    """What was said of an artist by `name_series`."""

    label: str
    points: tuple[Array, Array] | None = None
    values: Array | None = None
    low: Array | None = None
    high: Array | None = None
    names: Sequence[str] = ()
    silent: bool = False


class AxisReach(NamedTuple):
    """An axis: its label, scale and limits; words: places of ticks whose labels are no numbers."""

    label: str
    scale: str
    low: float
    high: float
    words: Sequence[tuple[float, str]] = ()


class AxesFrame(NamedTuple):
    """Where axes stand: left, top, width and height in points of the SVG, y downwards."""

    title: str
    box: tuple[float, float, float, float]
    across: AxisReach
    upwards: AxisReach


class QuantityAxis(NamedTuple):
    """An axis on which a quantity is drawn, by the name of that; low and high: its ends."""

    quantity: str
    logarithmic: bool
    low: float
    high: float

    @property
    def drawn(self) -> tuple[float, float]:
        """Its ends as they are drawn: of a logarithmic axis the logarithms."""
        if not self.logarithmic:
            return self.low, self.high
        return math.log(self.low), math.log(self.high)


class FigureSeries(NamedTuple):
    """Points of one series on one pair of axes, (n,) each; low, high and values may be missing.

    number: of the series in the figure; in the SVG the ids of its artists begin with
    series-NUMBER-. frame: of its axes among the frames. words: what single points are called.
    """

    label: str
    number: int
    frame: int
    sort: PointSort
    across: Array
    upwards: Array
    values: Array | None = None
    low: Array | None = None
    high: Array | None = None
    words: Sequence[str] = ()


class FigureData(NamedTuple):
    """The data behind a figure: its axes, and series with their points; labels in their order.

    quantities: the axes that values are read from, those of time left out.
    """

    frames: Sequence[AxesFrame] = ()
    series: Sequence[FigureSeries] = ()
    labels: Sequence[str] = ()
    quantities: Sequence[QuantityAxis] = ()

    def for_page(self, narrow: Sequence[AxesFrame] = ()) -> dict[str, Any]:
        """Give all of it as JSON has it, numbers with five digits; no points if they are many.

        narrow: where the axes stand in the narrow drawing.
        """
        points = sum(len(one.across) for one in self.series)
        shown = self.series if points <= _MOST_POINTS else ()
        return {
            "frames": {"wide": _plain(self.frames), "narrow": _plain(narrow)},
            "labels": list(self.labels),
            "series": [_series_for_page(one) for one in shown],
        }

    def table(self, name: str, title: str) -> Table:
        """List all points, a row each, with their numbers in full."""
        across, upwards = (self._axis_name(axis) for axis in ("across", "upwards"))
        rows = [row for one in self.series for row in self._rows(one)]
        heads = ["panel", "series", "point", across, upwards, "value", "low", "high"]
        cells = list(zip(*rows, strict=True)) or [()] * len(heads)
        columns = [
            TableColumn(head, own)
            for head, own in zip(heads, cells, strict=True)
            if any(cell not in (None, "") for cell in own)
        ]
        return Table(name, title, columns)

    def _rows(self, one: FigureSeries) -> Iterator[tuple[CellValue, ...]]:
        known = (one.across, one.upwards, one.values, one.low, one.high)
        columns = [[None] * len(one.across) if each is None else each.tolist() for each in known]
        words = [*one.words] or [""] * len(one.across)
        for word, *numbers in zip(words, *columns, strict=True):
            yield (self.frames[one.frame].title, one.label, word, *numbers)

    def _axis_name(self, axis: Literal["across", "upwards"]) -> str:
        """Name a column by the label of an axis, if all panels have the same one."""
        names = {getattr(frame, axis).label for frame in self.frames} - {""}
        return names.pop() if len(names) == 1 else {"across": "x", "upwards": "y"}[axis]


NO_DATA = FigureData()


def name_series(
    artist: Any,
    label: str,
    *,
    points: tuple[Array, Array] | None = None,
    values: Array | None = None,
    low: Array | None = None,
    high: Array | None = None,
    names: Sequence[str] = (),
    silent: bool = False,
) -> None:
    """Say that an artist, or all in a container, shows a series; see the head of this module."""
    mark = SeriesMark(clean_line(label), points, values, low, high, names, silent)
    # Bars come as a container, of which the first one carries the data of all.
    for place, one in enumerate(getattr(artist, "patches", None) or [artist]):
        setattr(one, _MARK, (mark if place == 0 else mark._replace(silent=True), artist))


def name_quantity(axes: Any, quantity: str, along: Literal["x", "y"] = "y") -> None:
    """Say what an axis is of, where its label does not: a unit alone, or nothing."""
    setattr(getattr(axes, f"{along}axis"), _QUANTITY, clean_line(quantity))


def gather_data(figure: Any) -> FigureData:
    """Read frames and series of a matplotlib figure that is laid out; gives its artists their ids.

    Call it before the figure is saved: the ids stand in the SVG.
    """
    axes = [one for one in figure.axes if one.axison]
    frames = [_frame(figure, one) for one in axes]
    numbers: dict[str, int] = {}
    series = []
    for place, artist in enumerate(figure.findobj(_is_named)):
        mark, whole = getattr(artist, _MARK)
        if mark.values is None and hasattr(whole, "datavalues"):
            mark = mark._replace(values=whole.datavalues)
        elif mark.values is None and hasattr(whole, "get_coordinates"):
            mark = mark._replace(values=whole.get_array())
        number = numbers.setdefault(mark.label, len(numbers))
        artist.set_gid(f"series-{number}-{place}")
        found = None if mark.silent else _points(whole, mark)
        if found is None or artist.axes not in axes:
            continue
        frame = axes.index(artist.axes)
        if {frames[frame].across.scale, frames[frame].upwards.scale} <= _SCALES:
            series.append(_with_marks(FigureSeries(mark.label, number, frame, *found), mark))
    _mark_legends(figure, numbers)
    return FigureData(frames, series, list(numbers), _quantities(axes, frames, series))


def _quantities(
    axes: Sequence[Any], frames: Sequence[AxesFrame], series: Sequence[FigureSeries]
) -> list[QuantityAxis]:
    """List the axes that values are read from, as far as their quantity has a name.

    Curves and steps go along time, or along what else is chosen, and values are their heights.
    """
    found = []
    for place, (own, frame) in enumerate(zip(axes, frames, strict=True)):
        sorts = {one.sort for one in series if one.frame == place}
        for along, reach in (("x", frame.across), ("y", frame.upwards)):
            if not sorts or (along == "x" and sorts & {"curve", "steps"}):
                continue
            name = getattr(getattr(own, f"{along}axis"), _QUANTITY, reach.label)
            if name and name not in _TIMES and not reach.words and reach.scale in {"linear", "log"}:
                low, high = sorted((reach.low, reach.high))
                found.append(QuantityAxis(name, reach.scale == "log", low, high))
    return found


def _is_named(artist: Any) -> bool:
    return hasattr(artist, _MARK)


def _mark_legends(figure: Any, numbers: dict[str, int]) -> None:
    """Give entries of legends the ids of the series that they name."""
    every = [one.get_legend() for one in figure.axes]
    for place, legend in enumerate(filter(None, [*figure.legends, *every])):
        entries = zip(legend.get_texts(), legend.legend_handles, strict=True)
        for line, (text, handle) in enumerate(entries):
            for number in _named(text.get_text(), numbers):
                text.set_gid(f"series-{number}-legend{place}text{line}")
                handle.set_gid(f"series-{number}-legend{place}line{line}")


def _named(entry: str, numbers: dict[str, int]) -> list[int]:
    """Find the series of an entry, which may be broken into lines and cut at its end."""
    begin = "".join(entry.rstrip("…").split())
    labels = {"".join(label.split()): number for label, number in numbers.items()}
    if not entry.endswith("…"):
        return [labels[begin]] if begin in labels else []
    found = [number for label, number in labels.items() if label.startswith(begin)]
    return found if len(found) == 1 else []


def _points(artist: Any, mark: SeriesMark) -> tuple[PointSort, Array, Array] | None:
    """Read the points of an artist; None if it has none that are known."""
    dots = type(artist).__name__ == "PathCollection"
    if mark.points is not None:
        across, upwards = map(_floats, mark.points)
        return ("points" if dots else "curve"), across, upwards
    if dots:
        across, upwards = _floats(artist.get_offsets()).T
        return "points", across, upwards
    if hasattr(artist, "get_xdata"):
        ends = _floats(artist.get_xdata(orig=False)), _floats(artist.get_ydata(orig=False))
        if artist.get_linestyle() in ("None", "none", "", " "):
            return ("points", *ends)
        return ("steps" if artist.get_drawstyle().startswith("steps") else "curve", *ends)
    if hasattr(artist, "datavalues"):
        return ("bars", *_bar_ends(artist))
    if hasattr(artist, "get_coordinates"):
        edges = np.asarray(artist.get_coordinates(), float)
        middles = (edges[:-1, :-1] + edges[1:, 1:]) / 2
        return "cells", middles[..., 0].ravel(), middles[..., 1].ravel()
    return None


def _bar_ends(bars: Any) -> tuple[Array, Array]:
    """Where bars stand and how far they reach: what a reader takes from them."""
    corners = _floats([(bar.get_x(), bar.get_y()) for bar in bars.patches]).reshape(-1, 2)
    sizes = _floats([(bar.get_width(), bar.get_height()) for bar in bars.patches]).reshape(-1, 2)
    middles, ends = (corners + sizes / 2).T, (corners + sizes).T
    return (middles[0], ends[1]) if bars.orientation == "vertical" else (ends[0], middles[1])


def _with_marks(one: FigureSeries, mark: SeriesMark) -> FigureSeries:
    """Add what was said of the points, and leave out those that are not there."""
    there = np.isfinite(one.across) & np.isfinite(one.upwards)
    known = (mark.values, mark.low, mark.high)
    values, low, high = (None if each is None else _floats(each).ravel() for each in known)
    if values is not None:
        there &= np.isfinite(values)
    return one._replace(
        across=one.across[there],
        upwards=one.upwards[there],
        values=None if values is None else values[there],
        low=None if low is None else low[there],
        high=None if high is None else high[there],
        words=[clean_line(word) for word, kept in zip(mark.names, there, strict=False) if kept],
    )


def _floats(values: Any) -> Array:
    return np.ma.filled(np.ma.asarray(values, float), np.nan)


def _frame(figure: Any, axes: Any) -> AxesFrame:
    width, height = figure.get_size_inches() * _POINT
    box = axes.get_position()
    place = (box.x0 * width, (1 - box.y1) * height, box.width * width, box.height * height)
    title = axes.get_title(loc="left") or axes.get_title()
    reaches = (_reach(figure, axes, along) for along in "xy")
    return AxesFrame(clean_line(title), place, *reaches)


def _reach(figure: Any, axes: Any, along: str) -> AxisReach:
    axis = getattr(axes, f"{along}axis")
    low, high = axis.get_view_interval()
    if axis.get_inverted():
        low, high = high, low
    ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
    said = [(float(place), clean_line(label.get_text())) for place, label in ticks]
    words = said if any(word and not _is_number(word) for _, word in said) else []
    label = clean_line(_axis_label(figure, axes, along))
    return AxisReach(label, axis.get_scale(), float(low), float(high), words)


def _axis_label(figure: Any, axes: Any, along: str) -> str:
    """Find the label of an axis; panels side by side and below each other may have one for all."""
    own = axes.get_position()
    for other in [axes, *figure.axes]:
        box = other.get_position()
        aligned = box.x0 == own.x0 and box.y0 <= own.y0 if along == "x" else (
            box.y0 == own.y0 and box.x0 <= own.x0)  # fmt: skip
        if aligned and (label := getattr(other, f"get_{along}label")()):
            return str(label)
    return str(getattr(figure, f"get_sup{along}label")())


def _is_number(word: str) -> bool:
    try:
        float(word.replace("−", "-").replace(",", ""))
    except ValueError:
        return False
    return True


def _series_for_page(one: FigureSeries) -> dict[str, Any]:
    arrays = {"x": one.across, "y": one.upwards, "v": one.values, "lo": one.low, "hi": one.high}
    return {
        "n": one.number,
        "f": one.frame,
        "sort": one.sort,
        **{name: _plain(values) for name, values in arrays.items() if values is not None},
        **({"words": list(one.words)} if one.words else {}),
    }


def _plain(value: Any) -> Any:
    """Give a value as JSON has it, numbers with few digits, NaN as null."""
    if isinstance(value, np.ndarray | Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{_FIGURES}g}")
    return int(short) if short.is_integer() else short
