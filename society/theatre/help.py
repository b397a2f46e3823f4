"""The line of keys at the bottom, and the screen that explains all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.text import Text

from society.terminal.console import TerminalStyle, flow_items

from .frame import Panel
from .glyphs import Glyphs
from .history import History
from .keys import CHOICE, MARKS, MORE, TIME, Key, keys_of
from .paragraphs import fold
from .view import View

_PROMPTS = {
    "jump": ("round: ", "30, or a path, 3.1.5, or replicate r2"),
    "find": ("find: ", "a name, or words"),
    "fork": ("fork with: ", "key=value, --norm TEXT, --remove SEAT"),
}
_LAST = ("back", "help", "quit")  # words of keys that always have room
_LABEL = 8  # cells
_NOTE = 4  # lines of a note, about


def bottom_lines(history: History, view: View, width: int, style: TerminalStyle) -> Panel:
    """Draw the keys that fit; or what is being typed in; or a note, folded."""
    if view.note and not view.typing:
        said = style.cut(view.note, _NOTE * (width - 2))
        return [Text(" ").append_text(one) for one in fold(Text(said, "bold yellow"), width - 2)]
    return [_key_line(history, view, width, style)]


def _key_line(history: History, view: View, width: int, style: TerminalStyle) -> Text:
    if view.typing:
        prompt, hint = _PROMPTS[view.typing]
        line = Text().append(f" {prompt}", "bold cyan").append(style.words(view.typed))
        return line.append(" ", "reverse").append(f"  {hint}; Enter, or Esc", "dim")
    keys = [key for key in keys_of(history, view) if key.word]
    last = [key for key in keys if key.word in _LAST and (view.screen or key.word != "back")]
    line, end = Text(" "), _shown(last, style)
    for key in keys:
        piece = _shown([key], style)
        if key.word in _LAST:
            continue
        if line.cell_len + piece.cell_len + end.cell_len > width:
            break
        line.append_text(piece)
    return line.append_text(end)


def _shown(keys: list[Key], style: TerminalStyle) -> Text:
    line = Text()
    for key in keys:
        line.append(key_label(key, style), "bold cyan").append(f" {key.word}  ", "dim")
    return line


def key_label(key: Key, style: TerminalStyle) -> str:
    """Return the label of a key in the glyphs of this console."""
    spelt = {"←": "left", "→": "right", "↑": "up", "↓": "down", "⇧←": "PgUp", "⇧→": "PgDn"}
    spelt |= {"⇧Tab": "S-Tab", "⇧↓": "f", "⇧↑": "b"}
    return key.label if style.blocks else spelt.get(key.label, key.label)


def help_page(history: History, view: View, width: int, style: TerminalStyle) -> Iterator[Text]:
    """Yield all keys with what they do, in two columns."""
    keys = keys_of(history, view.back())  # those of the screen below
    left = [*_group(TIME, keys, style), Text(), *_group(MARKS, keys, style)]
    right = [*_group(CHOICE, keys, style), Text(), *_group(MORE, keys, style)]
    half = min(width // 2, 60)
    for one, other in zip_longest(left, right, fillvalue=Text()):
        line = one.copy()
        line.truncate(half, overflow="crop", pad=True)
        yield line.append_text(other)
    yield Text()
    yield Text(" Signs", "bold")
    yield from flow_items(_signs(style), width, gutter=2, gap="   ")


def _signs(style: TerminalStyle) -> list[Text]:
    """List the signs of the stage with what they mean."""
    glyphs = Glyphs(style)
    meanings = {
        glyphs.here: "here",
        glyphs.deed: "a deed",
        glyphs.note: "a norm changed",
        glyphs.born: "born",
        glyphs.gone: "gone",
        glyphs.vacant: "a seat that nobody has at first",
        glyphs.ended: "ended",
        glyphs.border: "a generation or game begins",
        glyphs.reference: "reference",
        "!": "above its limit",
        glyphs.chosen: "chosen",
    }
    return [
        Text().append(sign, "bold cyan").append(f" {words}") for sign, words in meanings.items()
    ]


def _group(name: str, keys: list[Key], style: TerminalStyle) -> Panel:
    lines = [
        Text("  ").append(key_label(key, style).ljust(_LABEL), "bold cyan").append(key.help)
        for key in keys
        if key.group == name
    ]
    return [Text(f" {name}", "bold"), *lines]
