"""What a life was and whence it had it: its strategy and traits, beside those that it comes from.

Words that are new stand as {+word+}, words that are gone as [-word-], so that they can be told
apart without colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from rich.text import Text

from society.lineage import Life
from society.terminal.console import TerminalStyle, flow_items, labelled_row

from .descent import Descent
from .frame import Panel
from .lineage_panel import short_name

_NEW, _GONE = "green", "red"
_WORD = re.compile(r"\S+")


def strategy_panel(
    descent: Descent,
    life: Life,
    generation: int,
    width: int,
    height: int,
    style: TerminalStyle,
    beside: Life | None = None,
) -> Panel:
    """Tell of a life; beside: another one to compare it with, or else the one it comes from."""
    style = TerminalStyle(style.encoding, width)
    ancestor = beside or descent.lineage.ancestor(life.number)
    panel = list(
        labelled_row(style, short_name(life, descent), _about(descent, life, generation, style))
    )
    panel += _traits(descent, life, ancestor, style)
    if life.strategy:
        panel += _told(_strategy(life, ancestor, style), "strategy", style)
        if ancestor is not None and ancestor.strategy:
            panel.append(Text(style.cut(_against(descent, life, ancestor), width), "dim"))
            if ancestor.strategy != life.strategy:
                before = Text(style.words(ancestor.strategy), "dim")
                panel += _told(before, short_name(ancestor, descent), style)
    return panel[:height]


def _told(words: Text, label: str, style: TerminalStyle) -> Iterator[Text]:
    """Lay out a text in lines, with a label before it."""
    pieces = list(words.split(" "))
    return flow_items(pieces, style.width, label=Text(label, "bold"), gutter=style.gutter)


def _against(descent: Descent, life: Life, ancestor: Life) -> str:
    """Say with whose words those of a life are compared."""
    whose = short_name(ancestor, descent)
    if life.advisers and descent.lineage.ancestor(life.number) is ancestor:
        whose += ", the adviser with the most similar words"
    if ancestor.strategy == life.strategy:
        return f"the same words as {whose}"
    return f"compared with {whose}: {{+new+}} [-gone-]"


def _about(descent: Descent, life: Life, generation: int, style: TerminalStyle) -> Iterator[Text]:
    """Yield when it lived, whom it comes from, what it gave and got, what came of it."""
    lives = descent.lineage.lives
    until = f"to {life.last}" if life.last != life.born else ""
    yield Text(f"generation {life.born} {until}".strip())
    if life.advisers:
        yield Text("advised by " + ", ".join(short_name(lives[one], descent)
                                             for one in life.advisers))  # fmt: skip
    elif life.parent is not None:
        yield Text(f"child of {short_name(lives[life.parent], descent)}")
    place = min(max(generation - life.born, 0), len(life.fitness) - 1)
    for name, values in (("fitness", life.fitness), ("phenotype", life.phenotype)):
        if values:
            fact = descent.followed.get(name, name).replace("_", " ")
            yield style.text(f"{fact} {style.figure(values[place])}")
    children, living = len(descent.lineage.children(life.number)), descent.living[life.number]
    yield Text(f"{children} {'child' if children == 1 else 'children'}")
    if living:
        yield Text(f"{living} living")


def _traits(
    descent: Descent, life: Life, ancestor: Life | None, style: TerminalStyle
) -> Iterator[Text]:
    """Yield heritable traits, and what they were in the one it comes from where they differ."""
    own = descent.traits_of(life)
    former = {} if ancestor is None else descent.traits_of(ancestor)
    own.pop("strategy", None)
    items = []
    for name, value in own.items():
        item = style.text(f"{name} {style.figure(value)}")
        before = former.get(name, value)
        if before != value:
            item.append(f" (was {style.figure(before)})", _NEW)
        items.append(item)
    if items:
        yield from labelled_row(style, "traits", items)


def _strategy(life: Life, ancestor: Life | None, style: TerminalStyle) -> Text:
    own = style.words(life.strategy)
    if ancestor is None or not ancestor.strategy:
        return Text(own)
    return changed_words(style.words(ancestor.strategy), own)


def changed_words(before: str, after: str) -> Text:
    """Mark what changed between two texts, word by word.

    >>> changed_words("give half to all", "give nothing to all").plain
    'give [-half-] {+nothing+} to all'
    """
    old, new = _WORD.findall(before), _WORD.findall(after)
    parts = list[Text]()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for what, begin, end, first, last in matcher.get_opcodes():
        if what == "equal":
            parts.append(Text(" ".join(new[first:last])))
            continue
        if end > begin:
            parts.append(Text(f"[-{' '.join(old[begin:end])}-]", _GONE))
        if last > first:
            parts.append(Text(f"{{+{' '.join(new[first:last])}+}}", _NEW))
    return Text(" ").join(parts)
