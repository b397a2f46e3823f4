"""The lineage of one replicate as a tree: from founders down to those who live in the end.

Lines that died out are counted. A life that handed its place in the tree to one child alone stands
in a row with it: 1_7 > 3_2 > 5_4. A life stands below the one from whom it descends, as all that
tells of a lineage has it (see society.lineage.inheritance); where that is a guess, it is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from .console import TerminalStyle, flow_items, print_lines
from .labels import count_noun

if TYPE_CHECKING:
    from rich.console import Console

    from society.lineage import Life, Lineage


_WIDEST = 100
_MOST = 60  # nodes of a tree
_DEEPEST = 10
_INDENT = 4  # cells for each level of rich's trees
_STRATEGY = 160  # cells


def print_ancestry(lineage: Lineage, console: Console, others: int = 0) -> None:
    """Print a summary and the tree; others: how many replicates are not shown.

    A life is told with the generation until which it lived, unless it lives in the end; with its
    latest fitness; with how many of its children have no living descendants; with its strategy.
    """
    _Ancestry(lineage, TerminalStyle(console.encoding, min(console.width, _WIDEST))).print(
        console, others
    )


class _Ancestry:
    """One lineage, and how many nodes may still be drawn."""

    def __init__(self, lineage: Lineage, ink: TerminalStyle) -> None:
        self.lineage, self.ink, self.room = lineage, ink, _MOST
        self.living = {life.number for life in lineage.generation(lineage.generations)}
        self.kept = {one.number for number in self.living for one in lineage.line(number)}

    def print(self, console: Console, others: int) -> None:
        founders = [life for life in self.lineage.founders if life.number in self.kept]
        gap = self.ink.words(" · ")
        print_lines(console, flow_items(self._told(founders, others), self.ink.width, gap=gap))
        for number, founder in enumerate(founders):
            if self.room <= 0:
                print_lines(console, [Text(f"and {len(founders) - number:,} more founders", "dim")])
                break
            console.print(self._drawn(founder), no_wrap=True)

    def _told(self, founders: list[Life], others: int) -> Iterator[Text]:
        """Yield the title of the tree and its numbers of lives and lines."""
        lineage, ancestor = self.lineage, self.lineage.common_ancestor()
        which = f" of replicate 0 ({others} more not shown)" if others else ""
        yield Text(f"lineage{which}", "bold")
        generations = count_noun(lineage.generations, "generation")
        lives = len(lineage.lives)
        count = "1 life" if lives == 1 else f"{lives:,} lives"
        yield Text(f"{count} in {generations}")
        yield Text(f"lines of {len(founders)} of {len(lineage.founders)} founders survive")
        if ancestor is not None and len(self.living) > 1:
            yield Text(f"all descend from {ancestor.name}")
        if guesses := len(lineage.guesses):
            yield Text(f"{count_noun(guesses, 'birth')} placed by similarity of words, a guess")

    def _drawn(self, life: Life, above: Tree | None = None, depth: int = 0) -> Tree:
        """Draw the tree from a life on, below another one."""
        row, children = [life], self._heirs(life)
        while len(children) == 1 and row[-1].number not in self.living:
            row.append(children[0])
            children = self._heirs(row[-1])
        self.room -= 1
        label = self._label(row, self.ink.width - _INDENT * depth)
        here = Tree(label, guide_style="dim") if above is None else above.add(label)
        for number, child in enumerate(children):
            if self.room <= 0 or depth + 1 >= _DEEPEST:
                here.add(self._left_out(children[number:], depth + 1))
                break
            self._drawn(child, here, depth + 1)
        return here

    def _heirs(self, life: Life) -> list[Life]:
        """List the children whose lines have not died out."""
        return [child for child in self.lineage.children(life.number) if child.number in self.kept]

    def _label(self, row: list[Life], room: int) -> Text:
        """Label a row of lives: names, last generation, fitness, lines that ended, strategy."""
        last, lives = row[-1], row[-1].number in self.living
        known = [value for value in last.fitness if not math.isnan(value)]
        about = [" > ".join(life.name for life in row)]
        about += [] if lives else [f"until {last.last}"]
        about += [f"fitness {self.ink.figure(known[-1])}"] if known else []
        ended = sum(len(self.lineage.children(one.number)) - len(self._heirs(one)) for one in row)
        about += [f"{count_noun(ended, 'line')} ended"] if ended else []
        label = Text(self.ink.cut(" · ".join(about), room), "bold" if lives else "")
        if lives and last.strategy:
            quote = self.ink.text(self.ink.quoted(last.strategy, _STRATEGY), "not bold")
            for line in flow_items([quote], room):
                label.append("\n").append_text(line)
        return label

    def _left_out(self, children: list[Life], depth: int) -> Text:
        """Count the lives below that are not drawn, and the living among them."""
        below, open_ = set[int](), list(children)
        while open_:
            life = open_.pop()
            below.add(life.number)
            open_ += self._heirs(life)
        words = f"and {len(below):,} more, {len(below & self.living):,} of them alive"
        return Text(self.ink.cut(words, self.ink.width - _INDENT * depth), "dim")
