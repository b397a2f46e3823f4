"""A frame as a picture in SVG that needs nothing else: no font, no script, no request.

Text stands in cells of a fixed size, whatever monospaced font a reader has: every run of signs is
set to the length of its cells. Bars, blocks and lines are drawn as shapes, without seams. The
reader's system chooses light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from rich.cells import cell_len

from society.theatre.frame import Frame

from .styled_text import DARK, LIGHT, Theme, class_names, style_rules, styled_runs

CELL = (8, 17)  # pixels
_MARGIN = 12
_FONT = "13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_BASELINE = 13  # pixels below the top of a cell
_WORDS = re.compile(r"\S+(?: \S+)*")

# What is drawn of a cell, in shares of it: (left, top, right, bottom), and how dense.
Box = tuple[float, float, float, float]
_LIGHT, _HEAVY = 1 / 16, 1 / 8  # half the thickness of a line, as a share of a cell's width


def _line_boxes(arms: str, half: float) -> tuple[Box, ...]:
    """Lines from the middle of a cell to its edges: l(eft), r(ight), u(p), d(own)."""
    tall = half * CELL[0] / CELL[1]
    boxes: list[Box] = []
    if across := set(arms) & set("lr"):
        left, right = 0 if "l" in across else 0.5 - half, 1 if "r" in across else 0.5 + half
        boxes.append((left, 0.5 - tall, right, 0.5 + tall))
    if along := set(arms) & set("ud"):
        top, bottom = 0 if "u" in along else 0.5 - tall, 1 if "d" in along else 0.5 + tall
        boxes.append((0.5 - half, top, 0.5 + half, bottom))
    return tuple(boxes)


_ARMS = {"lr": "─", "ud": "│", "rd": "┌╭", "ld": "┐╮", "ru": "└╰", "lu": "┘╯", "rud": "├"}
_ARMS |= {"lud": "┤", "lrd": "┬", "lru": "┴", "lrud": "┼", "l": "╴", "r": "╶", "u": "╵", "d": "╷"}
_HEAVY_ARMS = {"lr": "━", "ud": "┃", "l": "╸", "r": "╺", "u": "╹", "d": "╻"}
_SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
_WHOLE: Box = (0, 0, 1, 1)
_SHAPES: dict[str, tuple[Box, ...]] = {
    **{sign: ((0, 1 - n / 8, 1, 1),) for n, sign in enumerate("▁▂▃▄▅▆▇", 1)},
    **{sign: ((0, 0, n / 8, 1),) for n, sign in enumerate("▏▎▍▌▋▊▉", 1)},
    **dict.fromkeys("█░▒▓", (_WHOLE,)),
    "▀": ((0, 0, 1, 0.5),),
    "▐": ((0.5, 0, 1, 1),),
    **{sign: _line_boxes(arms, _LIGHT) for arms, signs in _ARMS.items() for sign in signs},
    **{sign: _line_boxes(arms, _HEAVY) for arms, sign in _HEAVY_ARMS.items()},
}


def draw_svg(frame: Frame, title: str, description: str) -> str:
    """Draw a frame; title and description are for those who do not see it."""
    width, height = (
        cells * pixels + 2 * _MARGIN for cells, pixels in zip(frame.size, CELL, strict=True)
    )
    used, shapes = set[str](), list[str]()
    for row, line in enumerate(frame.lines):
        column = 0
        for run in styled_runs(line):
            names = class_names(run.style)
            used.add(names)
            shapes += _run(run.text, names, column, row)
            column += run.cells
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d">',
            f'<title id="t">{_xml(title)}</title><desc id="d">{_xml(description)}</desc>',
            f"<style>{''.join(_rules(used))}</style>",
            f'<rect class="paper" width="{width}" height="{height}" rx="6"/>',
            f'<g transform="translate({_MARGIN} {_MARGIN})">',
            *shapes,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _rules(used: Iterable[str]) -> Iterator[str]:
    yield f"text{{font:{_FONT};white-space:pre}}.b{{font-weight:700}}"
    yield from _theme_rules(used, LIGHT)
    yield f"@media(prefers-color-scheme:dark){{{''.join(_theme_rules(used, DARK))}}}"


def _theme_rules(used: Iterable[str], theme: Theme) -> Iterator[str]:
    yield f"text,rect{{fill:{theme.ink}}}.paper{{fill:{theme.paper}}}"
    yield from style_rules(used, theme, fill=True)


def _run(text: str, names: str, column: int, row: int) -> Iterator[str]:
    """Yield the background, the shapes and the words of one run."""
    front = " ".join(name for name in names.split() if not name.startswith("g"))
    back = " ".join(name for name in names.split() if name.startswith("g"))
    if back:
        yield _rect((0, 0, cell_len(text), 1), column, row, f' class="{back}"')
    style = f' class="{front}"' if front else ""
    for shaped, group in groupby(text, key=lambda sign: sign if sign in _SHAPES else ""):
        signs = "".join(group)
        if shaped:
            shade = f' fill-opacity="{_SHADES[shaped]}"' if shaped in _SHADES else ""
            for box in _joined(_SHAPES[shaped], len(signs)):
                yield _rect(box, column, row, style + shade)
        else:
            yield from _words(signs, style, column, row)
        column += cell_len(signs)


def _joined(boxes: Iterable[Box], count: int) -> Iterator[Box]:
    """Yield the boxes of so many equal cells side by side; those that touch are one."""
    boxes = list(boxes)
    if min(left for left, *_ in boxes) == 0 and max(right for _, _, right, _ in boxes) == 1:
        flat = {(top, bottom) for _, top, _, bottom in boxes}
        if len(flat) == 1:
            ((top, bottom),) = flat
            yield (0, top, count, bottom)
            return
    for place in range(count):
        for left, top, right, bottom in boxes:
            yield (place + left, top, place + right, bottom)


def _rect(box: Box, column: int, row: int, more: str) -> str:
    left, top, right, bottom = box
    x, y = (column + left) * CELL[0], (row + top) * CELL[1]
    width, height = (right - left) * CELL[0], (bottom - top) * CELL[1]
    return f'<rect x="{x:.4g}" y="{y:.5g}" width="{width:.4g}" height="{height:.4g}"{more}/>'


def _words(text: str, style: str, column: int, row: int) -> Iterator[str]:
    """Yield words; single blanks stay within, others part them."""
    for found in _WORDS.finditer(text):
        cells = cell_len(found[0])
        x, y = (column + cell_len(text[: found.start()])) * CELL[0], row * CELL[1] + _BASELINE
        length = f' textLength="{cells * CELL[0]}"' if cells > 1 else ""
        yield f'<text x="{x}" y="{y}"{length}{style}>{_xml(found[0])}</text>'


def _xml(text: str) -> str:
    """Escape a text; signs that no XML file may hold are replaced."""
    kept = (sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)
    return escape("".join(kept))
