"""Lines of a frame as runs of equal style, with colours for light and dark paper.

A terminal has sixteen colours by name and a paper of its own. Files get both: two palettes, of
which the reader's system chooses one, each with a contrast of at least 4.5:1 for text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import Color, ColorType
from rich.console import Console
from rich.style import Style
from rich.text import Span, Text

_LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3, for text
_TINT = 0.16  # of a colour, in a background
_MARKS = {"bold": "b", "italic": "i", "underline": "u", "strike": "s"}
_MARK_RULES = {
    "b": "font-weight:700",
    "d": "opacity:.72",  # dim ink
    "e": "opacity:.9",  # a dim colour
    "i": "font-style:italic",
    "u": "text-decoration:underline",
    "s": "text-decoration:line-through",
}
_NULL = Style.null()


class StyledRun(NamedTuple):
    """Neighbouring signs of one style, and the cells that they take."""

    text: str
    style: Style
    cells: int


def styled_runs(line: Text) -> tuple[StyledRun, ...]:
    """Split a line of a frame; what cannot be printed is replaced, so that no sign has power."""
    return _runs(line.plain, line.style, tuple(line.spans))


@lru_cache(maxsize=8192)  # most lines of a frame were in the one before
def _runs(plain: str, base: str | Style, spans: tuple[Span, ...]) -> tuple[StyledRun, ...]:
    line, console = Text(plain, base, end=""), _console()
    line.spans = list(spans)
    below = console.get_style(base)  # without spans, rich leaves it to whoever prints
    parts = ((one.text, _looks(below + (one.style or _NULL))) for one in line.render(console))
    joined = (
        (_printable("".join(text for text, _ in group)), style)
        for style, group in groupby(parts, key=lambda part: part[1])
    )
    return tuple(StyledRun(text, style, cell_len(text)) for text, style in joined if text)


def _looks(style: Style) -> Style:
    """Leave of a style how it looks: no links, and no notes of what made it."""
    return style.clear_meta_and_links()


@cache
def _console() -> Console:
    return Console(color_system="truecolor")  # resolves names of styles, prints nothing


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


class Theme(NamedTuple):
    """Colours on one kind of paper; sixteen by the numbers that terminals give them."""

    paper: str
    ink: str
    colours: tuple[str, ...]


LIGHT = Theme(
    "#ffffff",
    "#1f2428",
    (
        *("#1f2428", "#b3261e", "#186d32", "#7d5700", "#1b5aaf", "#8b2a87", "#00676f", "#5b6167"),
        *("#5b6269", "#b9261d", "#1a7335", "#7f5900", "#1d5fbd", "#93298f", "#006c75", "#3c4247"),
    ),
)
DARK = Theme(
    "#14171a",
    "#e4e7ea",
    (
        *("#9aa2aa", "#ff7b72", "#6cc873", "#e3b341", "#79b8ff", "#d9a4f5", "#56d4dd", "#d5d9dc"),
        *("#9199a1", "#ff928a", "#86da8c", "#f0c75e", "#96c8ff", "#e3b8fa", "#7ee2e9", "#f2f4f6"),
    ),
)
THEMES = {"light": LIGHT, "dark": DARK}


def class_names(style: Style) -> str:
    """Name the CSS classes of a style; "" for plain text. See `style_rules`."""
    front, back = style.color, style.bgcolor
    if style.reverse:
        front, back = back, front
    names = [mark for name, mark in _MARKS.items() if getattr(style, name)]
    coloured = front is not None and not front.is_default
    tinted = back is not None and not back.is_default
    if style.dim:
        names.append("e" if coloured else "d")
    if front is not None and coloured:
        names.append(f"c{_colour_code(front)}")
    elif style.reverse and not tinted:  # on a tint, ink can be read, and paper cannot
        names.append("cpaper")
    if back is not None and tinted:
        names.append(f"g{_colour_code(back)}")
    elif style.reverse:
        names.append("gink")
    return " ".join(names)


def style_rules(used: Iterable[str], theme: Theme, *, fill: bool = False) -> Iterator[str]:
    """Yield CSS rules for the classes in use, each once; fill: of shapes, in place of text."""
    back = "fill" if fill else "background"
    for name in sorted({name for names in used for name in names.split()}):
        if name in _MARK_RULES:
            yield f".{name}{{{_MARK_RULES[name]}}}"
        elif name.startswith("c"):
            yield f".{name}{{{'fill' if fill else 'color'}:{_front(name[1:], theme)}}}"
        else:
            yield f".{name}{{{back}:{_back(name[1:], theme)}}}"


def _colour_code(colour: Color) -> str:
    """The number of a colour that terminals know by name, or x and its red, green and blue."""
    if colour.type in (ColorType.STANDARD, ColorType.WINDOWS) or (colour.number or 99) < 16:
        return str(colour.number)
    return f"x{colour.get_truecolor().hex[1:]}"


def _front(code: str, theme: Theme) -> str:
    """The colour of text: as it is, or closer to the ink until it can be read."""
    if code == "paper":
        return theme.paper
    if not code.startswith("x"):
        return theme.colours[int(code)]
    colour, share = f"#{code[1:]}", 0.0
    while contrast(mixed := _mix(theme.ink, colour, share), theme.paper) < _LEAST_CONTRAST:
        share += 0.1
    return mixed


def _back(code: str, theme: Theme) -> str:
    """The colour of a background: a tint, on which all text can be read."""
    if code == "ink":
        return theme.ink
    colour = f"#{code[1:]}" if code.startswith("x") else theme.colours[int(code)]
    return _mix(colour, theme.paper, _TINT)


def _mix(one: str, other: str, share: float) -> str:
    """Mix two colours, with this share of the first."""
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2).

    >>> contrast("#ffffff", "#000000")
    21.0
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    linear = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in _channels(colour))
    )
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
