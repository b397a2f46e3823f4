"""The line of keys at the bottom, and the screen that explains all of them."""

from __future__ import annotations

from rich.text import Text

from society.terminal.console import TerminalStyle

from .frame import Panel
from .history import History
from .keys import Key, keys_of
from .view import View

_PROMPTS = {"jump": "round: ", "find": "find: "}


def key_line(history: History, view: View, width: int, style: TerminalStyle) -> Text:
    """Draw the keys that fit; or what is being typed in; or a note."""
    if view.typing:
        line = Text(f" {_PROMPTS[view.typing]}", "bold cyan")
        line.append(style.words(view.typed)).append(" ", "reverse")
        return line.append("  Enter goes there, Esc lets it be", "dim")
    if view.note:
        return Text(" " + style.cut(view.note, width - 2), "bold yellow")
    keys = [key for key in keys_of(view.screen) if key.word and _useful(history, key)]
    last = [key for key in keys if key.word in ("help", "quit", "back")]
    if not view.screen:
        last = [key for key in last if key.word != "back"]
    line, end = Text(" "), _shown(last, style)
    for key in keys:
        if key.word in ("help", "quit", "back"):
            continue
        piece = _shown([key], style)
        if line.cell_len + piece.cell_len + end.cell_len > width:
            break
        line.append_text(piece)
    return line.append_text(end)


def _useful(history: History, key: Key) -> bool:
    return key.word != "replicate" or history.manifest.replicates > 1


def _shown(keys: list[Key], style: TerminalStyle) -> Text:
    line = Text()
    for key in keys:
        line.append(label(key, style), "bold cyan").append(f" {key.word}  ", "dim")
    return line


def label(key: Key, style: TerminalStyle) -> str:
    """Return the label of a key in the glyphs of this console."""
    if style.blocks:
        return key.label
    spelt = {"←": "left", "→": "right", "↑": "up", "↓": "down", "⇧←": "PgUp", "⇧→": "PgDn"}
    return spelt.get(key.label, key.label)


def help_panel(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """List all keys with what they do, in two columns where there is room."""
    below = view.screens[-2] if len(view.screens) > 1 else ""
    keys = keys_of(below)
    lines = [
        Text("  ").append(label(key, style).ljust(7), "bold cyan").append(key.help) for key in keys
    ]
    if len(lines) > height - 2 and width >= 100:
        half = -(-len(lines) // 2)
        for one, other in zip(lines[:half], lines[half:], strict=False):
            one.truncate(width // 2, overflow="crop", pad=True)
            one.append_text(other)
        lines = lines[:half]
    panel = [Text(" keys", "bold"), Text(), *lines]
    start = min(view.top, max(len(panel) - height, 0))
    return panel[start : start + height]
