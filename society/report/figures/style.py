"""The style of all figures, and how they become files: the same numbers give the same bytes.

Series differ by colour, marker and dashes together. Colours come from one of two palettes, SERIES
for what has no order and HUES for what has one: each colour has a contrast of at least 3:1 to its
paper, also for readers with protanopia and deuteranopia, and another colour for a dark page. HUES
become darker (on a dark page: lighter) with their rank, so that grey print shows the order as well.

A figure is drawn twice, as wide as a page of a journal and as wide as one of its columns, with text
of the same size. Its SVG keeps text as text; there is a PNG of the wide one. In a page, colours of
the SVG follow the page's own, so that one figure serves the light and the dark scheme.
Sizes are inches, 72 points each.
"""

from __future__ import annotations

import gc
import io
import math
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from textwrap import TextWrapper
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np

from society.engine.rng import Array
from society.optional import require
from society.text import clean_line

from .alt_text import prefix_title
from .cell_numbers import fit_cell_numbers
from .read_out import NO_DATA, AxesFrame, FigureData, gather_data

WIDTH, NARROW = 180 / 25.4, 88 / 25.4  # a page and a column of a journal: 180 and 88 mm
SMALL = 6.5  # points: no text is smaller
INK, FAINT, PAPER = "#22262b", "#8b929b", "#ffffff"
_DPI = 180
_PIXELS = 1.7  # a point of WIDTH in a page: text of 7 points is as large there as its captions
_LONGEST_LABEL = 34
_SIGNS = 15.5  # of text, in an inch
_BESIDE_LABEL = 8  # characters: what a line of the legend takes beside its label
_LEGEND_LINE = 0.14  # inches
_BREAKS = re.compile(r"( +|(?<=[,_])(?=[^\W\d_]))")  # where a label may be broken
_EQUALS = "\u00a0=\u00a0"  # where it may not
SAME = 1e-9  # relative differences that are errors of rounding
_LETTER = 3  # characters before a title
_LEAST_TITLE = 15  # characters of a line of a title
_BOLD = 0.8  # characters of a bold title in the place of one of text
_YLABEL = 28  # characters of a label in the height of a panel
_GAP, _MARGIN = 0.36, 0.4  # inches: what a panel takes besides its axes, and a figure
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Dashes = str | tuple[float, tuple[float, ...]]


class SeriesStyle(NamedTuple):
    """The colour, marker and dashes of a series; each of them tells it from the others."""

    colour: str
    marker: str
    dashes: Dashes


_MARKERS = "os^DvPX"
_DASHES: tuple[Dashes, ...] = (
    "solid",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (9, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2.5, 2.5)),
)
# Each colour on paper, and on a dark page. The first three are of Okabe and Ito (2008), whose
# purple, orange and sky blue are too pale on paper: 3.1, 2.3 and 2.3 to 1.
_SERIES_COLOURS = {
    "#0072b2": "#3596dc",
    "#d55e00": "#f0803c",
    "#009e73": "#2fb98c",
    "#a3328c": "#c768b4",
    "#5b3106": "#e8cda0",
    "#0e2a80": "#b3c6ff",
}
# From orange over red and purple to blue, the lightness in even steps (in OKLCH).
_HUE_COLOURS = {
    "#d07333": "#a75a25",
    "#c55429": "#c9633e",
    "#b3363d": "#e66e6d",
    "#991b53": "#ed86a7",
    "#6f1968": "#e8a3dd",
    "#3a1265": "#cbcbfe",
    "#03103e": "#d4e5ff",
}
DARK: Mapping[str, str] = {**_SERIES_COLOURS, **_HUE_COLOURS}
SERIES = tuple(map(SeriesStyle, [*_SERIES_COLOURS, INK], _MARKERS, _DASHES))
HUES = tuple(map(SeriesStyle, _HUE_COLOURS, _MARKERS, _DASHES))

_STYLE = {
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # TrueType, embedded: journals refuse Type 3
    "text.parse_math": False,  # labels come from files: a dollar sign is a dollar sign
    "font.size": 7,
    "axes.titlesize": 7,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelsize": 7,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.titlepad": 4,
    "axes.titley": 1.0,  # else each drawing looks for a place above what stands on top of the axes
    "axes.labelpad": 2.5,
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
_NO_PDF_METADATA = dict.fromkeys(("CreationDate", "Creator", "Producer"))
_WITH_PDF: ContextVar[bool] = ContextVar("figures as PDF as well", default=False)
_IN_PAGE = {INK: "currentColor", FAINT: "var(--faint)", PAPER: "var(--paper)"}
PAGE = "../report.html"  # from the folder of figures, for links to places in the page
_PLACES = re.compile(rf'href="{re.escape(PAGE)}#([^"]+)"(?: target="_blank")?')
_IN_PAGE |= {colour: f"var(--on-dark-{colour[1:]}, {colour})" for colour in DARK}
_COLOUR = re.compile("|".join(_IN_PAGE))
_PATH = re.compile(r'<path [^>]*?d="[^"]*"')
_DRAWN = re.compile(r'<path d="([^"]*)"')  # markers, which are small, have an id before it
_LONG = re.compile(r"(\.\d{2})\d+")
_INDENT = re.compile(r"\n +(?=<)")
_COUNTED = re.compile(r' id="(?:line2d|text|[xy]tick|[A-Za-z]+Collection)_\d+"')
_EMPTY = re.compile(r"\n<g/>")
_UNTURNED = re.compile(r' transform="rotate\(-?0 [^)]*\)"')
_PLACED = re.compile(r' [xy]="-?[\d.]+"| transform="(?:translate|rotate)\([^)]*\)')
_FONTS = re.compile(r"font-family: [^;\"]+; ")
_IDS = re.compile(r'(\bid="|href="#|url\(#)')
_HEAD = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="[\d.]+pt" (viewBox="[^"]*")[^>]*>')


@dataclass(frozen=True)
class Figure:
    """A figure of a report.

    name: of its files. title: what it shows. caption: how to read it. alt: what is to be seen, for
    those who do not see it. svg: a file of its own, WIDTH wide; narrow: the same, NARROW wide; png:
    the bytes of the wide one. data: of the series that were named while it was drawn
    (`read_out.name_series`), for those who point at it; narrow_frames: of the axes of the narrow
    one, in place of the frames that stand there. pdfs: the figure for print, by its width in words,
    "88mm" and "180mm", where they were asked for.
    """

    name: str
    title: str
    caption: str
    alt: str
    svg: str = field(repr=False)
    png: bytes = field(repr=False)
    data: FigureData = field(default=NO_DATA, repr=False)
    narrow: str = field(default="", repr=False)
    narrow_frames: Sequence[AxesFrame] = field(default=(), repr=False)
    pdfs: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    kind: ClassVar = "figure"

    @property
    def paths(self) -> list[str]:
        """Its files beside the page."""
        suffixes = ["svg", "png", *(["csv"] if self.data.series else [])]
        return [f"figures/{self.name}.{suffix}" for suffix in suffixes]

    @property
    def inline(self) -> str:
        """The wide SVG as part of a page, without a name, colour or id that others may have."""
        return self._inline(self.svg, "wide")

    @property
    def inline_narrow(self) -> str:
        """The narrow SVG in the same way; "" if there is none."""
        return self._inline(self.narrow, "narrow") if self.narrow else ""

    def _repr_html_(self) -> str:
        """Show it in a notebook, with its title and caption; as an image, so that no id clashes."""
        content = b64encode(self.svg.encode()).decode()
        return (
            f'<figure style="margin: 0"><img src="data:image/svg+xml;base64,{content}" '
            f'alt="{escape(self.alt)}" style="max-width: 100%; background: {PAPER}">'
            f"<figcaption><b>{escape(self.title)}.</b> {escape(self.caption)}</figcaption></figure>"
        )

    @property
    def page_data(self) -> dict[str, Any]:
        """What its page reads out, as JSON has it."""
        return self.data.for_page(self.narrow_frames)

    def _inline(self, svg: str, view: str) -> str:
        drawing = svg[svg.index("<svg") :]
        drawing = _IDS.sub(rf"\g<1>{self.name}-{view}-", drawing)
        # matplotlib opens links in a new tab, as files need, and places of the page do not.
        drawing = _PLACES.sub(r'href="#\1"', drawing)
        drawing = _COLOUR.sub(lambda found: _IN_PAGE[found[0]], drawing)
        drawing = _DRAWN.sub(lambda path: f'<path d="{_shorten_path(path[1])}"', drawing)
        return _HEAD.sub(lambda head: self._svg_tag(head, view), drawing, count=1).strip()

    def _svg_tag(self, head: re.Match[str], view: str) -> str:
        points, box = head.groups()
        return (
            f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {box} data-view="{view}" role="img" '
            f'aria-labelledby="{self.name}-title" '
            f'aria-describedby="{self.name}-caption {self.name}-alt" '
            f'style="width: {float(points) * _PIXELS:.0f}px">'
        )


def render_figure(
    name: str,
    title: str,
    caption: str,
    alt: str,
    draw: Callable[[Any], None],
    height: float | Callable[[float], float],
) -> Figure:
    """Make a figure at both widths; `draw` fills an empty matplotlib Figure, of either one.

    height: in inches, or a function that gives it for a width.
    """
    matplotlib, style = require("matplotlib"), require("matplotlib.style")
    # A reader's own matplotlibrc would give other bytes; a salt per figure, other ids per figure.
    own = matplotlib.rc_context({"svg.hashsalt": name})
    with style.context(["default", _STYLE]), own, _without_collecting():
        wide, narrow = (
            _lay_out(draw, width, height(width) if callable(height) else height)
            for width in (WIDTH, NARROW)
        )
        data, frames = gather_data(wide), gather_data(narrow).frames
        png = io.BytesIO()
        wide.savefig(png, format="png", dpi=_DPI, metadata={"Software": None})
        pdfs = {}
        if _WITH_PDF.get():
            pdfs = {name: _pdf(one) for name, one in (("88mm", narrow), ("180mm", wide))}
        drawn = _svg(wide), png.getvalue(), data, _svg(narrow), frames, pdfs
        return Figure(name, title, caption, alt, *drawn)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Leave cyclic garbage where it is, in this block: artists live until their figure is made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _lay_out(draw: Callable[[Any], None], width: float, height: float) -> Any:
    figures = require("matplotlib.figure")
    figure = figures.Figure(figsize=(width, height), layout="constrained")
    draw(figure)
    for axes in figure.axes:
        # They end where the axes do, but for ticks, which are shorter than the room around axes.
        for spine in axes.spines.values():
            spine.set_in_layout(False)
    # Laid out once: as it takes longer than drawing, and all files should look the same.
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine(None)  # "none" leaves one, for which savefig draws twice
    for axes in figure.axes:
        _fix_labels(axes)
        fit_cell_numbers(axes)
    return figure


def _fix_labels(axes: Any) -> None:
    """Leave the labels of both axes where they are, so that no drawing looks for their place."""
    axes.apply_aspect()
    for axis in (axes.xaxis, axes.yaxis):
        if axis.label.get_text():
            axis.get_tightbbox()  # beside ticks, which moved as axes were laid out
    into_axes = axes.transAxes.inverted()
    for axis in (axes.xaxis, axes.yaxis):
        label = axis.label
        place = label.get_transform().transform(label.get_position())
        axis.set_label_coords(*into_axes.transform(place))


def _svg(figure: Any) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata=_NO_METADATA)
    return shorten_svg(file.getvalue())


def shorten_svg(drawing: str) -> str:
    """Leave out of an SVG by matplotlib what nobody sees: it is half as long, and looks the same.

    Hundredths of a point are fine enough, groups need no ids that only count them, and the fonts of
    all texts are said once.
    """
    drawing = _EMPTY.sub("", _COUNTED.sub("", _INDENT.sub("\n", drawing)))
    drawing = _PATH.sub(lambda path: _LONG.sub(r"\1", path[0]).replace("\n", ""), drawing)
    drawing = _UNTURNED.sub("", drawing)
    drawing = _PLACED.sub(lambda place: _LONG.sub(r"\1", place[0]), drawing)
    fonts = set(_FONTS.findall(drawing))
    if len(fonts) != 1:
        return drawing
    drawing = _FONTS.sub("", drawing)
    return drawing.replace(
        '<g id="figure_1"', f'<g id="figure_1" style="{fonts.pop().removesuffix("; ")}"', 1
    )


def _shorten_path(path: str) -> str:
    """Write a path in tenths of a point, the letter of a line only where another letter was before.

    >>> _shorten_path("M 34.75 47.86 L 34.75 44.00 L 40.52 42.53 z")
    'M 34.8 47.9 34.8 44 40.5 42.5 z'
    """
    words, letter = [], ""
    for word in path.split():
        if not word.isalpha():
            words.append(f"{float(word):.1f}".removesuffix(".0"))
        elif word != "L" or letter not in {"M", "L"}:
            words.append(word)
        letter = word if word.isalpha() else letter
    return " ".join(words)


@contextmanager
def figures_for_print() -> Iterator[None]:
    """Draw figures as PDF as well, in this block: it takes half as long again."""
    token = _WITH_PDF.set(True)
    try:
        yield
    finally:
        _WITH_PDF.reset(token)


def _pdf(figure: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="pdf", metadata=_NO_PDF_METADATA)
    return file.getvalue()


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
    narrow: int = 0,
    beside_axes: int = 0,
    heights: Sequence[float],
    labels: Iterable[str] = (),
    xlabel: str = "",
    ylabels: Sequence[str] = (),
    finish: Callable[[Any, list[Any]], None] = lambda figure, grid: None,
    **sharing: Any,
) -> Figure:
    """Make a figure of several panels, `across` of them side by side in WIDTH.

    Several panels are lettered. narrow: how many in NARROW, if not as many as there is room for.
    beside_axes: characters of what stands at the left of axes, which their titles have no room
    above. draw: fills the axes of a panel, which stand below each other, and gives its series by
    label. heights: of these axes, in inches. labels: of the legend, in order.
    ylabels: of each axes. finish: adds what concerns all panels. sharing: as matplotlib's
    `subplots` takes it.
    """
    texts = {label: wrap_label(label) for label in labels}

    def side_by_side(width: float) -> int:
        return narrow if narrow and width < WIDTH else panels_beside(across, width)

    def fill(figure: Any) -> None:
        width, handles = figure.get_figwidth(), dict[str, Any]()
        beside = side_by_side(width)
        signs = int(width / beside * _SIGNS)
        grid = _panel_axes(figure, len(panels), beside, heights, **sharing)
        for place, (own, panel) in enumerate(zip(grid, panels, strict=True)):
            handles |= draw(own, panel)
            letter = _LETTER * (len(panels) > 1)
            room = max(int(signs * _BOLD) - beside_axes - letter, _LEAST_TITLE)
            title = wrap_label(panel.title, room, 3)
            own[0].set_title(letter_panel(place, title) if len(panels) > 1 else title)
            for axes, ylabel in zip(own, ylabels if place % beside == 0 else (), strict=False):
                axes.set_ylabel(wrap_label(ylabel, _YLABEL, 3))
            if place + beside >= len(panels):
                own[-1].set_xlabel(wrap_label(xlabel, signs, 3))
        finish(figure, grid)
        shown = {handles[label]: text for label, text in texts.items() if label in handles}
        add_legend(figure, [*shown], [*shown.values()])

    def height(width: float) -> float:
        lines = math.ceil(len(panels) / side_by_side(width))
        return lines * (sum(heights) + _GAP) + _MARGIN + legend_height([*texts.values()], width)

    alt = " ".join(prefix_title(panel.title, panel.describe()) for panel in panels)
    return render_figure(name, title, caption, alt, fill, height)


def panels_beside(across: int, width: float) -> int:
    """Count the panels that stand side by side in a figure, of which WIDTH has room for `across`.

    >>> panels_beside(4, WIDTH), panels_beside(4, NARROW), panels_beside(1, NARROW)
    (4, 2, 1)
    """
    return max(1, math.floor(across * width / WIDTH + 0.5))


def letter_panel(place: int, title: str) -> str:
    """Put the letter of a panel, by its place in a figure, before its title.

    >>> letter_panel(1, "lake = rich")
    'b  lake = rich'
    """
    return f"{_LETTERS[place % len(_LETTERS)]}  {title}".rstrip()


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
    if high - low > SAME * max(abs(low), abs(high)):
        return None
    return (min(2 * low, 0), max(2 * low, 0)) if low else (-1, 1)


def series_style(number: int) -> SeriesStyle:
    """The style of series `number` of a set without order; after the last one they begin again."""
    return SERIES[number % len(SERIES)]


def ordered_styles(count: int) -> list[SeriesStyle]:
    """Styles of so many series that have an order, from one end of HUES to the other.

    >>> [HUES.index(style) for style in ordered_styles(3)]
    [0, 3, 6]
    """
    places = np.linspace(0, len(HUES) - 1, count).round().astype(int) if count > 1 else [0]
    return [HUES[place] for place in places]


def dark_colours() -> str:
    """The style sheet by which colours of figures change on a dark page."""
    pairs = "; ".join(f"--on-dark-{light[1:]}: {dark}" for light, dark in DARK.items())
    return f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {pairs}; }} }}"


def add_legend(figure: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Put one legend above all panels, in as many columns as there is room for."""
    if len(labels) < 2:
        return
    columns = _columns(labels, figure.get_figwidth())
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, borderaxespad=0.2)


def legend_height(labels: Sequence[str], width: float = WIDTH) -> float:
    """The height of a legend in a figure of this width, in inches."""
    if len(labels) < 2:
        return 0
    deep = max(text.count("\n") for text in labels) + 1
    return (math.ceil(len(labels) / _columns(labels, width)) * deep + 0.5) * _LEGEND_LINE


def _columns(labels: Sequence[str], width: float) -> int:
    """Choose as many columns as there is room for, and no more than fill all lines."""
    longest = max(len(line) for text in labels for line in text.split("\n")) + _BESIDE_LABEL
    lines = math.ceil(len(labels) / max(int(width * _SIGNS) // longest, 1))
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
