"""Long texts on a screen: folded at blanks, with nothing left out, and scrolled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rich.cells import cell_len, chop_cells
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.graph import NOBODY
from society.llm.default_words import describe_value
from society.terminal.console import TerminalStyle
from society.terminal.labels import Names, spell_kind

from .frame import Panel
from .knowledge import KnownFact

GUTTER = 11  # cells of labels at the left


def fold(line: Text, width: int) -> list[Text]:
    """Break a line into pieces of at most `width` cells, at blanks where there are any.

    >>> [piece.plain for piece in fold(Text("one two three"), 8)]
    ['one two ', 'three']
    """
    words, ends, start = line.plain, list[int](), 0
    # More signs than this fit into no line, unless most of them stand above others.
    most = 3 * width
    while start + most < len(words) or cell_len(words[start:]) > width:
        ahead = words[start : start + most]
        head = next(iter(chop_cells(ahead, width)), "") or ahead
        blank = head.rfind(" ") + 1
        start += blank if blank > width // 3 else len(head)
        ends.append(start)
    return list(line.divide(ends)) if ends else [line]


def labelled(label: Text, words: Text, width: int, gutter: int = GUTTER) -> Iterator[Text]:
    """Lay out words beside a label at the left, as many lines as they take."""
    for piece in fold(words, max(width - gutter, 1)):
        shown = label.copy()
        shown.truncate(gutter - 1, overflow="crop")
        shown.append(" " * (gutter - shown.cell_len))
        yield shown.append_text(piece)
        label = Text()


def rule(words: str, width: int, style: TerminalStyle) -> Text:
    """Draw a line across that names what stands below it."""
    line = Text(style.words("── "), "dim").append(style.cut(words, width - 5), "bold").append(" ")
    return line.append(style.words("─") * max(width - line.cell_len, 0), "dim")


def scrolled(lines: Iterable[Text], top: int, height: int, style: TerminalStyle) -> Panel:
    """Show the lines from `top` on, at most as many as fit; the last one tells of those below."""
    shown = list(islice(lines, top + height + 1))
    top = min(top, max(len(shown) - height, 0))
    panel = shown[top : top + height]
    if len(shown) > top + height and panel:
        panel[-1] = Text(style.words("… more below: ↓"), "dim")
    return panel


class FactWords:
    """Values, answers and facts of one round in words, whole."""

    def __init__(self, names: Names, specs: dict[str, FactSpec], style: TerminalStyle) -> None:
        self._names, self._specs = names, specs
        self._style = TerminalStyle(style.encoding, style.width, whole=True)

    def spec(self, name: str) -> FactSpec:
        """Return the words, unit and labels of a fact or answer."""
        return self._specs.get(name, UNSPECIFIED)

    def value(self, value: Any, spec: FactSpec) -> str:
        """A value as prompts have it: its label, or a number with its unit; texts in quotes."""
        if isinstance(value, str):
            return self._style.words(f'"{value}"')
        return self._style.words(describe_value(value, spec))

    def plain(self, words: str) -> str:
        """Words as one harmless line."""
        return self._style.words(words)

    def cut(self, words: str, room: int) -> str:
        """Words in at most `room` cells."""
        return TerminalStyle(self._style.encoding, self._style.width).cut(words, room)

    def peer(self, seat: int) -> str:
        """The name of a peer who was chosen, or nobody."""
        return "nobody" if seat == NOBODY else self._names[seat]

    def title(self, name: str) -> str:
        """A fact in words: what its author calls it, or its name."""
        return self._style.words(self.spec(name).text or spell_kind(name))

    def facts(self, facts: Sequence[KnownFact], me: int) -> Iterator[tuple[str, str]]:
        """Yield each fact by its title, with its value; what is seen of others, all in one."""
        by_name: dict[str, list[KnownFact]] = {}
        for fact in facts:
            by_name.setdefault(fact.name, []).append(fact)
        for name, entries in by_name.items():
            spec = self.spec(name)
            if len(entries) == 1 and entries[0].seat in (me, NOBODY):
                words = self.value(entries[0].value, spec)
                owner = "" if entries[0].scope == "common" else "its own"
                yield self.title(name), f"{words} ({owner})" if owner else words
                continue
            each = (
                f"{'its own' if one.seat == me else self._names[one.seat]} "
                f"{self.value(one.value, spec)}"
                for one in entries
            )
            yield self.title(name), "; ".join(each)
