"""Lines and labels on a grid of cells: in braille, eight dots a cell, or else in ASCII."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.terminal.console import TerminalStyle

from .frame import Panel

# Bits of a braille cell, by row and column of its dots (Unicode 2800 to 28FF).
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_BLANK = 0x2800
_COVERED = "\0"  # the second cell of a wide sign
Point = tuple[float, float]


class Canvas:
    """A drawing of `width` x `height` cells; places are in cells from the upper left, (x, y).

    What is drawn later lies above: the style of a cell is that of its last line.
    """

    def __init__(self, width: int, height: int, style: TerminalStyle) -> None:
        self.width, self.height, self._style = width, height, style
        self._dots = np.zeros((height, width), int)
        self._signs = np.full((height, width), "", object)  # labels, or lines in ASCII
        self._inks = np.full((height, width), "", object)

    def line(self, start: Point, end: Point, ink: str = "") -> None:
        """Draw a straight line."""
        across, down = end[0] - start[0], end[1] - start[1]
        steps = max(int(np.ceil(max(abs(across) * 2, abs(down) * 4))), 1)
        for step in range(steps + 1):
            self._dot(start[0] + across * step / steps, start[1] + down * step / steps,
                      _slope(across, down), ink)  # fmt: skip

    def _dot(self, x: float, y: float, sign: str, ink: str) -> None:
        column, row = int(x), int(y)
        if not (0 <= column < self.width and 0 <= row < self.height):
            return
        if self._style.blocks:
            self._dots[row, column] |= _BITS[int((y - row) * 4), int((x - column) * 2)]
        else:
            self._signs[row, column] = sign
        self._inks[row, column] = ink

    def label(self, at: Point, words: str, ink: str = "") -> None:
        """Write a word in the middle of a place; it stays within the canvas."""
        row, cells = min(max(int(at[1]), 0), self.height - 1), cell_len(words)
        place = min(max(int(at[0]) - (cells - 1) // 2, 0), max(self.width - cells, 0))
        for sign in words:
            width = cell_len(sign)
            if not width or place + width > self.width:
                continue
            self._signs[row, place : place + width] = [sign, *[_COVERED] * (width - 1)]
            self._inks[row, place : place + width] = ink
            place += width

    def panel(self) -> Panel:
        """Return the drawing as lines of text."""
        return [self._row(row) for row in range(self.height)]

    def _row(self, row: int) -> Text:
        line = Text()
        cells = [
            (sign or (chr(_BLANK + dots) if dots else " "), ink)
            for sign, dots, ink in zip(
                self._signs[row], self._dots[row].tolist(), self._inks[row], strict=True
            )
            if sign != _COVERED
        ]
        for ink, run in groupby(cells, key=lambda cell: cell[1]):
            line.append("".join(sign for sign, _ in run), ink)
        return line


def _slope(across: float, down: float) -> str:
    """Return the sign that looks most like a line of this slope; cells are twice as high as wide.

    >>> [_slope(1, 0), _slope(0, 1), _slope(2, 1), _slope(2, -1)]
    ['-', '|', '\\\\', '/']
    """
    if abs(down) * 4 < abs(across):
        return "-"
    if abs(across) < abs(down):
        return "|"
    return "\\" if across * down > 0 else "/"
