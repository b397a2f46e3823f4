"""The chapter of lives: what single agents did, who was replaced, and who descends from whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from society.draws import Array
from society.lineage import Lineage, graphml, newick
from society.report.figures.careers import Careers, careers
from society.report.figures.lineage_tree import genealogy
from society.report.page import Chapter, Document, Fold, Paragraph, Part
from society.report.sections.evolution.populations import PHENOTYPE, Populations
from society.report.sections.provenance import counted

_MOST = 6  # conditions of which agents are shown one by one
_MOST_AGENTS = 60  # in a picture of single agents
_BY_ADVICE = (
    "Of {lives}, born later than in the first generation, {guessed} devised words of their own by "
    "the advice of several survivors, of whom no one is the parent. They stand below the one whose "
    "wording is most like their own, which is a guess of ours at where the words come from."
)
_FILES = (
    "Lineages as files, of the same replicates: GraphML has all lives with their strategies, and "
    "edges of kind parent and advice, marked where they are drawn here; Newick has the tree that "
    "is drawn here, with lengths in generations."
)


def lives(of: Populations) -> Chapter | None:
    """The chapter; None if nothing has evolved."""
    if not of.places:
        return None
    if of.trouble:
        return Chapter("lives", "Agents and lineages", [Paragraph(of.trouble)])
    parts = [Paragraph(_lead(of)), *_drawn(of), Paragraph(_FILES), *_documents(of)]
    return Chapter("lives", "Agents and lineages", parts)


def _lead(of: Populations) -> str:
    several = any(of.layout.conditions[place].manifest.replicates > 1 for place in of.followed)
    if not several:
        return f"What single agents did.{of.whose}{_left_out(of)}"
    return (
        "One replicate of each condition: the one whose last generation was the fittest."
        f"{of.whose}{_left_out(of)}"
    )


def _left_out(of: Populations) -> str:
    """In words, what is known and not drawn."""
    missing = len(of.shown) - len(of.followed)
    said = f" {counted(missing, 'condition')} at level summary not shown." if missing else ""
    if len(of.lineages) > _MOST:
        said += f" The first {_MOST} are drawn."
    return said


def _drawn(of: Populations) -> Iterator[Part]:
    few = [
        place
        for place in list(of.lineages)[:_MOST]
        if of.layout.conditions[place].manifest.agents <= _MOST_AGENTS
    ]
    if not few:
        yield Paragraph(f"More than {_MOST_AGENTS} agents are too many to be drawn one by one.")
        return
    trait = of.trait(PHENOTYPE)
    selection = of.by_generation("selection")
    panels = [
        _careers(_titled(of, place), of.lineages[place], selection[place][of.best[place]])
        for place in few
    ]
    words = (
        f"Mean phenotype{trait} of each agent in each generation. A red line: a newborn agent "
        "takes the place of one that was not selected; survivors keep theirs. Bars: selection in "
        "that generation, Cov(w, z) / mean w, where z is the phenotype and w counts oneself, if "
        "one lives on, and one's children; in units of the phenotype."
    )
    title = "What each agent did, and who was replaced"
    if any(not np.isnan(panel.values).all() for panel in panels):
        yield careers("careers", title, words, f"phenotype{trait}", panels)
    first, *others = [_genealogy(of, place) for place in few]
    yield first
    if others:
        yield Fold("Lineages of other conditions", others)


def _titled(of: Populations, place: int) -> str:
    """A condition with its replicate, as far as there are others."""
    several = of.layout.conditions[place].manifest.replicates > 1
    return ", ".join(filter(None, [of.named(place), f"replicate {of.best[place]}" * several]))


def _careers(title: str, found: Lineage, selection: Array) -> Careers:
    """Of all agents, by seat; a generation that is not over has not been lived."""
    seats = max(life.seat for life in found.lives.values()) + 1
    values = np.full((seats, len(selection)), np.nan)
    newborn = np.zeros(values.shape, bool)
    for life in found.lives.values():
        begin = life.born - 1
        did = life.phenotype[: len(selection) - begin]
        values[life.seat, begin : begin + len(did)] = did
        newborn[life.seat, begin : begin + 1] = True
    return Careers(title, values, newborn, selection)


def _genealogy(of: Populations, place: int) -> Part:
    found, name = of.lineages[place], _titled(of, place)
    words = "Thick lines: lives, through all generations in which they lasted. Thin lines: births."
    if found.guesses:
        later = counted(sum(life.born > 1 for life in found.lives.values()), "agent")
        words += f" {_BY_ADVICE.format(lives=later, guessed=len(found.guesses))}"
    title = f"Lineage{f': {name}' if name else ''}"
    return genealogy(f"lineage_{place + 1}", title, words, found)


def _documents(of: Populations) -> Iterator[Part]:
    for place, found in of.lineages.items():
        name = _NOT_IN_FILES.sub("_", of.layout.conditions[place].name)
        yield Document(f"lineage/{place + 1}_{name}.graphml", graphml(found))
        yield Document(f"lineage/{place + 1}_{name}.nwk", newick(found) + "\n")


_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9=,.\-]+")
