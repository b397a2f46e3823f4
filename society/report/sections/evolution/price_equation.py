"""What changed the phenotype from one generation to the next: the Price equation in figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from society.analysis.evolution import Phenotype
from society.report.figures.bars import Split, splits
from society.report.page import Fold, Heading, Part
from society.report.sections.evolution.aggregates import Summed, Values, cut, numbers
from society.report.sections.evolution.populations import PHENOTYPE, Populations

_MOST = 6  # conditions
_PARTS: Mapping[str, str] = {
    "selection": "selection",
    "survivors": "change of survivors",
    "newborn": "newborn agents",
    "entry": "entry",
}
_WORDS = (
    "The change of the mean to each generation, split exactly by the Price equation (1970). "
    "Selection: those with many descendants, or who live on, differ from the others. Change of "
    "survivors: they do other things than in the generation before, as they meet others. Newborn "
    "agents: they differ from those they descend from (mutation, or biased transmission)"
)
_BY_ADVICE = (
    "; those who devised words of their own by advice descend in equal shares from all who advised "
    "them"
)


def causes(of: Populations) -> Iterator[Part]:
    """What changed the phenotype.

    Nothing where runs do not keep single agents, or one generation is all there is.
    """
    trait = of.trait(PHENOTYPE)
    title = "What changed the phenotype"
    yield from split(of, "phenotype", "price", title, f"change of the phenotype{trait}", _WORDS)


def split(
    of: Populations, what: Phenotype, name: str, title: str, axis: str, words: str
) -> Iterator[Part]:
    """A change in the parts of the Price equation, as a figure and in numbers."""
    if of.trouble or max(map(of.generations, of.followed)) < 2:
        return
    frame = of.evolution.changes(what)
    parts = {part: of.framed(frame, part) for part in _PARTS}
    if all(np.isnan(each).all() for each in parts["selection"].values()):
        return
    if not any(np.nan_to_num(each).any() for each in parts["entry"].values()):
        del parts["entry"]
    yield Heading(title)
    panels = [_split(of, place, parts) for place in of.followed[:_MOST]]
    descent = _BY_ADVICE if of.evolution.advised else ""
    words = f"{words}{descent}. Means over runs.{cut(parts['selection'])}{of.whose}{_left_out(of)}"
    yield splits(name, "Selection and transmission", words, axis, panels)
    named = {_PARTS[part]: each for part, each in parts.items()}
    whole = of.framed(frame, "change")
    caption = f"{axis.capitalize()} to each generation, by cause"
    table = numbers(of, name, caption, {**named, "sum": whole}, "share", begin=2)
    yield Fold("Changes in numbers", [table])


def _left_out(of: Populations) -> str:
    if len(of.followed) <= _MOST:
        return ""
    return f" The first {_MOST} of {len(of.followed)} are drawn."


def _split(of: Populations, place: int, parts: Mapping[str, Values]) -> Split:
    means = {_PARTS[name]: Summed.of(each[place][:, 1:]).drawn for name, each in parts.items()}
    when = np.arange(2, of.generations(place) + 1)
    return Split(of.named(place), when, means)
