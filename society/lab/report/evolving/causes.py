"""What changed the phenotype from one generation to the next: the Price equation in figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from society.lab.evolution import Ancestry
from society.lab.report.page import Fold, Heading, Part

from .populations import PHENOTYPE, Populations
from .splits import Split, splits
from .sums import Summed, Values, numbers

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


def causes(of: Populations) -> Iterator[Part]:
    """Nothing where runs do not keep single agents, or one generation is all there is."""
    if of.trouble or max(map(of.generations, of.followed)) < 2:
        return
    by = _ancestry(of)
    frame = of.evolution.changes("phenotype", by)
    parts = {name: of.framed(frame, name) for name in _PARTS}
    if all(np.isnan(each).all() for each in parts["selection"].values()):
        return
    if not any(np.nan_to_num(each).any() for each in parts["entry"].values()):
        del parts["entry"]
    yield Heading("What changed the phenotype")
    panels = [_split(of, place, parts) for place in of.followed[:_MOST]]
    words = f"{_WORDS}{_descent(by)}. Means over runs.{of.whose}{_left_out(of)}"
    title = "Selection and transmission"
    axis = f"change of the phenotype{of.trait(PHENOTYPE)}"
    yield splits("price", title, words, axis, panels)
    named = {_PARTS[name]: each for name, each in parts.items()}
    whole = of.framed(frame, "change")
    caption = "Change of the phenotype to each generation, by cause"
    table = numbers(of, "price", caption, {**named, "sum": whole}, "share", begin=2)
    yield Fold("Changes in numbers", [table])


def _ancestry(of: Populations) -> Ancestry:
    """By advice, where newborn agents have seen the strategies of their elders."""
    advised = any(now.elder is not None for past in of.evolution.pasts for now in past.generations)
    return "advice" if advised else "parent"


def _descent(by: Ancestry) -> str:
    if by == "parent":
        return ""
    return "; they descend in equal shares from all survivors whose advice they had"


def _left_out(of: Populations) -> str:
    if len(of.followed) <= _MOST:
        return ""
    return f" The first {_MOST} of {len(of.followed)} are drawn."


def _split(of: Populations, place: int, parts: Mapping[str, Values]) -> Split:
    means = {_PARTS[name]: Summed.of(each[place]).mean[1:] for name, each in parts.items()}
    when = np.arange(2, of.generations(place) + 1)
    return Split(of.named(place), when, means)
