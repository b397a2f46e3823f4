"""The style of all figures, and how they become files: the same numbers give the same bytes.

Series differ by colour, marker and dashes together, in the order of the palette that Okabe and Ito
made for colour-blind readers (without its yellow, too pale on paper). A figure is an SVG whose
text stays text, and a PNG. In a page, ink and paper of the SVG follow the page's own colours, so
that one figure serves the light and the dark scheme.
Sizes are inches, 72 points each.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from textwrap import TextWrapper
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from society.engine.rng import Array
from society.optional import require
from society.text import clean_line

from .alt_text import prefix_title
from .read_out import NO_DATA, FigureData, gather_data

WIDTH = 7.2
INK, FAINT, PAPER = "#22262b", "#8b929b", "#ffffff"
_DPI = 180
_LONGEST_LABEL = 34
_SIGNS_A_LINE = 92  # of the legend's font in WIDTH
_BESIDE_LABEL = 8  # signs: what a line of the legend takes beside its label
_LEGEND_LINE = 0.17  # inches
_BREAKS = re.compile(r"( +|(?<=[,_])(?=[^\W\d_]))")  # where a label may be broken
_EQUALS = "\u00a0=\u00a0"  # where it may not
_SAME = 1e-9  # relative differences that are errors of rounding
_TITLE_WIDTHS = {1: 60, 2: 34, 3: 24}  # signs of a title, by the panels side by side
_XLABEL, _YLABEL = 72, 30  # signs of a label in the width of a figure, in the height of a panel
_GAP, _MARGIN = 0.4, 0.45  # inches: what a panel takes besides its axes, and a figure

Dashes = str | tuple[float, tuple[float, ...]]


class SeriesStyle(NamedTuple):
    """The colour, marker and dashes of a series; each of them tells it from the others."""

    colour: str
    marker: str
    dashes: Dashes


SERIES = (
    SeriesStyle("#0072b2", "o", "solid"),
    SeriesStyle("#d55e00", "s", (0, (5, 1.5))),
    SeriesStyle("#009e73", "^", (0, (1.2, 1.2))),
    SeriesStyle("#cc79a7", "D", (0, (6, 1.5, 1.2, 1.5))),
    SeriesStyle("#e69f00", "v", (0, (9, 2))),
    SeriesStyle("#56b4e9", "P", (0, (3, 1, 1, 1, 1, 1))),
    SeriesStyle(INK, "X", (0, (2.5, 2.5))),
)

_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # labels come from files: a dollar sign is a dollar sign
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "lines.linewidth": 1.7,
    "lines.markersize": 5.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.45,
    "grid.color": FAINT,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
    ),
}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_IN_PAGE = {INK: "currentColor", FAINT: "var(--faint)", PAPER: "var(--paper)"}
_IN_PAGE["#0072b2"] = "var(--blue)"  # too dark on a dark page
_IDS = re.compile(r'(\bid="|href="#|url\(#)')
_HEAD = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="[\d.]+pt" (viewBox="[^"]*")[^>]*>')


@dataclass(frozen=True)
class Figure:
    """A figure of a report.

    name: of its files. title: what it shows. caption: how to read it. alt: what is to be seen, for
    those who do not see it. svg: a file of its own; png: its bytes. data: of the series that were
    named while it was drawn (`read_out.name_series`), for those who point at it.
    """

    name: str
    title: str
    caption: str
    alt: str
    svg: str
    png: bytes
    data: FigureData = NO_DATA
    kind: ClassVar = "figure"

    @property
    def paths(self) -> list[str]:
        """Its files beside the page."""
        suffixes = ["svg", "png", *(["csv"] if self.data.series else [])]
        return [f"figures/{self.name}.{suffix}" for suffix in suffixes]

    @property
    def inline(self) -> str:
        """The SVG as part of a page, without a name, colour or id that others may have, too."""
        drawing = self.svg[self.svg.index("<svg") :]
        drawing = _IDS.sub(rf"\g<1>{self.name}-", drawing)
        for own, of_page in _IN_PAGE.items():
            drawing = drawing.replace(own, of_page)
        return _HEAD.sub(self._svg_tag, drawing, count=1).strip()

    def _svg_tag(self, head: re.Match[str]) -> str:
        points, view = head.groups()
        return (
            f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {view} data-view="wide" role="img" '
            f'aria-labelledby="{self.name}-title" '
            f'aria-describedby="{self.name}-caption {self.name}-alt" '
            f'style="width: {float(points) * 4 / 3:.0f}px">'
        )


def render_figure(
    name: str, title: str, caption: str, alt: str, draw: Callable[[Any], None], height: float
) -> Figure:
    """Make a figure; `draw` fills a matplotlib Figure of WIDTH x height inches."""
    matplotlib, style = require("matplotlib"), require("matplotlib.style")
    figures = require("matplotlib.figure")
    # A reader's own matplotlibrc would give other bytes; a salt per figure, other ids per figure.
    with style.context(["default", _STYLE]), matplotlib.rc_context({"svg.hashsalt": name}):
        figure = figures.Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
        # Laid out once: as it takes longer than drawing, and both files should look the same.
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine(None)  # "none" leaves one, for which savefig draws twice
        data = gather_data(figure)
        svg, png = io.StringIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata=_NO_METADATA)
        figure.savefig(png, format="png", dpi=_DPI, metadata={"Software": None})
    return Figure(name, title, caption, alt, svg.getvalue(), png.getvalue(), data)


class Panel(Protocol):
    """A panel of a figure."""

    @property
    def title(self) -> str: ...

    def describe(self) -> str:
        """Say in words what is to be seen."""


PanelType = TypeVar("PanelType", bound=Panel)
Draw = Callable[[Sequence[Any], PanelType], Mapping[str, Any]]


def render_panels(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[PanelType],
    draw: Draw[PanelType],
    *,
    across: int,
    heights: Sequence[float],
    labels: Iterable[str] = (),
    xlabel: str = "",
    ylabels: Sequence[str] = (),
    finish: Callable[[Any, list[Any]], None] = lambda figure, grid: None,
    **sharing: Any,
) -> Figure:
    """Make a figure of several panels, `across` of them side by side.

    draw: fills the axes of a panel, which stand below each other, and gives its series by label.
    heights: of these axes, in inches. labels: of the legend, in order. ylabels: of each axes.
    finish: adds what concerns all panels. sharing: as matplotlib's `subplots` takes it.
    """
    lines = math.ceil(len(panels) / across)
    texts = {label: wrap_label(label) for label in labels}

    def fill(figure: Any) -> None:
        handles: dict[str, Any] = {}
        grid = _panel_axes(figure, len(panels), across, heights, **sharing)
        for place, (own, panel) in enumerate(zip(grid, panels, strict=True)):
            handles |= draw(own, panel)
            own[0].set_title(wrap_label(panel.title, _TITLE_WIDTHS[across]))
            for axes, ylabel in zip(own, ylabels if place % across == 0 else (), strict=False):
                axes.set_ylabel(wrap_label(ylabel, _YLABEL, 3))
            if place + across >= len(panels):
                own[-1].set_xlabel(wrap_label(xlabel, _XLABEL // across, 3))
        finish(figure, grid)
        shown = {handles[label]: text for label, text in texts.items() if label in handles}
        add_legend(figure, [*shown], [*shown.values()])

    alt = " ".join(prefix_title(panel.title, panel.describe()) for panel in panels)
    height = lines * (sum(heights) + _GAP) + _MARGIN + legend_height([*texts.values()])
    return render_figure(name, title, caption, alt, fill, height)


def _panel_axes(
    figure: Any, count: int, across: int, heights: Sequence[float], **sharing: Any
) -> list[Any]:
    """The axes of each panel."""
    deep, lines = len(heights), math.ceil(count / across)
    ratios = {"height_ratios": list(heights) * lines}
    grid = figure.subplots(deep * lines, across, squeeze=False, **ratios, **sharing)
    panels = [
        grid[deep * line : deep * (line + 1), column]
        for line in range(lines)
        for column in range(across)
    ]
    for unused in panels[count:]:
        for axes in unused:
            axes.set_axis_off()
    for lowest in panels[max(count - across, 0) : count]:
        lowest[-1].tick_params(labelbottom=True)
    return panels[:count]


def shorten_label(text: object, longest: int = _LONGEST_LABEL) -> str:
    """Give any text on one line, nothing unseen in it; of a long one the words at either end.

    >>> shorten_label("one two three four five", 15)
    'one … five'
    """
    words = clean_line(str(text))
    if len(words) <= longest:
        return words
    half = (longest - len(" … ")) // 2
    pieces = [piece for piece in _BREAKS.split(_bound(words)) if piece]
    begin = _fitting(pieces, half) or words[:half]
    end = _fitting([piece[::-1] for piece in reversed(pieces)], half)[::-1] or words[-half:]
    return _unbound(f"{begin.strip()} … {end.strip()}")


def wrap_label(text: object, width: int = _LONGEST_LABEL, lines: int = 2) -> str:
    """Break any text into lines between words, what does not fit left out at its end.

    >>> wrap_label("fine = 2, lake = harsh", 16)
    'fine = 2,\\nlake = harsh'
    """
    wrapper = _Wrapper(width, break_on_hyphens=False, max_lines=lines, placeholder=" …")
    return _unbound("\n".join(wrapper.wrap(_bound(clean_line(str(text))))))


class _Wrapper(TextWrapper):
    wordsep_simple_re = _BREAKS


def _bound(words: str) -> str:
    """Keep a factor beside its level."""
    return words.replace(" = ", _EQUALS)


def _unbound(words: str) -> str:
    return words.replace(_EQUALS, " = ")


def _fitting(pieces: Sequence[str], most: int) -> str:
    """Join as many pieces, from the first one on, as fit."""
    ends = accumulate(map(len, pieces))
    return "".join(piece for piece, end in zip(pieces, ends, strict=True) if end <= most)


def constant_range(values: Array) -> tuple[float, float] | None:
    """Choose an axis for values that are all the same, from zero to twice as much; else None.

    Left alone, an axis would magnify the errors of rounding.
    """
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if high - low > _SAME * max(abs(low), abs(high)):
        return None
    return (min(2 * low, 0), max(2 * low, 0)) if low else (-1, 1)


def series_style(number: int) -> SeriesStyle:
    """The style of series `number`; after the last one they begin again."""
    return SERIES[number % len(SERIES)]


def add_legend(figure: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Put one legend above all panels, in as many columns as there is room for."""
    if len(labels) < 2:
        return
    figure.legend(
        handles, labels, loc="outside upper left", ncols=_columns(labels), borderaxespad=0.2
    )


def legend_height(labels: Sequence[str]) -> float:
    """The height of a legend, in inches."""
    if len(labels) < 2:
        return 0
    deep = max(text.count("\n") for text in labels) + 1
    return (math.ceil(len(labels) / _columns(labels)) * deep + 0.5) * _LEGEND_LINE


def _columns(labels: Sequence[str]) -> int:
    """Choose as many columns as there is room for, and no more than fill all lines."""
    longest = max(len(line) for text in labels for line in text.split("\n")) + _BESIDE_LABEL
    lines = math.ceil(len(labels) / max(_SIGNS_A_LINE // longest, 1))
    return math.ceil(len(labels) / lines)


def add_colour_bar(figure: Any, mesh: Any, label: str, shrink: float) -> None:
    """One colour bar at the right of all panels."""
    bar = figure.colorbar(mesh, ax=figure.axes, shrink=shrink, aspect=30, pad=0.02)
    bar.set_label(label)
    bar.outline.set_visible(False)


def thin_ticks(places: Sequence[Any], most: int) -> list[Any]:
    """Keep at most so many ticks, at even distances, the first one among them."""
    step = -(-len(places) // most) or 1
    return list(places[::step])
