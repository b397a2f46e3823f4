"""Glyphs of the theatre, with a stand-in for each where the encoding is ASCII."""

from __future__ import annotations

from society.terminal.console import TerminalStyle


class Glyphs:
    """The glyphs that a console can encode."""

    def __init__(self, style: TerminalStyle) -> None:
        rich = style.blocks
        self.line = "─" if rich else "-"
        self.here = "◆" if rich else "@"
        self.deed = "╵" if rich else "'"
        self.note = "◇" if rich else "o"
        self.gone = "†" if rich else "x"
        self.vacant = "○" if rich else "_"
        self.born = "+"
        self.ended = "■" if rich else "#"
        self.border = "┬" if rich else "|"
        self.chosen = "▸" if rich else ">"
        self.falling = "▾" if rich else "v"
        self.rising = "▴" if rich else "^"
        self.more = "▲" if rich else "+"
        self.less = "▼" if rich else "-"
        self.playing = "▶" if rich else ">"
        self.paused = "‖" if rich else "="
        self.left, self.right = ("←", "→") if rich else ("<-", "->")
        self.reference = "┆" if rich else "|"
        self.bar = "│" if rich else "|"
        self.dot = " · " if rich else " | "
