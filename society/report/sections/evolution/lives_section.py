"""The section of lives: what single agents did, who was replaced, and who descends from whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from society.engine.rng import Array
from society.lineage import Lineage, graphml, newick
from society.report.figures.heatmaps import CareerPanel, career_heatmap
from society.report.figures.lineage_tree import lineage_tree
from society.report.figures.style import Figure
from society.report.page import LinkedFile, Section, SectionPart, folded_section
from society.report.sections.provenance_section import count_of

from .populations import MOST_PANELS, PHENOTYPE, Populations

_MOST_AGENTS = 60  # in a figure of single agents
_BEST = "One replicate of each condition: the one whose last generation was the fittest."
_BY_ADVICE = (
    " Of {lives} born after the first generation, {guessed} devised words of their own by the "
    "advice of several survivors, none of whom is the parent. They stand below the one whose "
    "wording is most like their own, which is a guess of ours at where the words come from."
)
_FILES = (
    "Lineages as files, for the same replicates. GraphML: all lives with their strategies, and "
    "edges of kind parent and advice, with a mark on those drawn here. Newick: the tree drawn "
    "here, with lengths in generations."
)
_CAREERS = (
    "Mean phenotype{trait} of each agent in each generation. A red line: a newborn agent takes the "
    "place of one that was not selected; survivors keep theirs. Bars: selection in that "
    "generation, Cov(w, z) / mean w, where z is the phenotype and w counts an agent's children, "
    "and itself if it lives on; in units of the phenotype."
)
_LINEAGE = "Thick lines: lives, through all generations in which they lasted. Thin lines: births."
_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9=,.\-]+")


def lives_section(populations: Populations) -> Section:
    """Show single agents and lineages; empty if nothing has evolved."""
    parts: list[SectionPart] = []
    if populations.places and populations.trouble:
        parts = [populations.trouble]
    elif populations.places:
        lead = _lead(populations)
        parts = [lead, *_figures(populations), _FILES, *_files(populations)]
    return Section("Agents and lineages", parts, "lives")


def _several(populations: Populations, *places: int) -> bool:
    """Check whether any of these conditions has several replicates."""
    conditions = populations.layout.conditions
    return any(conditions[place].manifest.replicates > 1 for place in places)


def _lead(populations: Populations) -> str:
    several = _several(populations, *populations.detailed)
    missing = len(populations.shown) - len(populations.detailed)
    lead = (_BEST if several else "What single agents did.") + populations.shown_note
    if missing:
        lead += f" {count_of(missing, 'condition')} at level summary not shown."
    return lead + populations.panel_note


def _figures(populations: Populations) -> Iterator[SectionPart]:
    conditions = populations.layout.conditions
    places = list(populations.lineages)[:MOST_PANELS]
    few = [place for place in places if conditions[place].manifest.agents <= _MOST_AGENTS]
    if not few:
        yield f"More than {_MOST_AGENTS} agents are too many to be drawn one by one."
        return
    trait, selection = populations.trait(PHENOTYPE), populations.by_generation("selection")
    panels = [
        _careers(
            _label(populations, place),
            populations.lineages[place],
            selection[place][populations.best[place]],
        )
        for place in few
    ]
    if any(not np.isnan(panel.values).all() for panel in panels):
        title, caption = "What each agent did, and who was replaced", _CAREERS.format(trait=trait)
        yield career_heatmap("careers", title, caption, populations.quantity(PHENOTYPE), panels)
    first, *others = [_lineage(populations, place) for place in few]
    yield first
    if others:
        yield folded_section("Lineages of other conditions", *others)


def _label(populations: Populations, place: int) -> str:
    """A condition with its replicate, as far as there are others."""
    replicate = f"replicate {populations.best[place]}" * _several(populations, place)
    return ", ".join(filter(None, [populations.label(place), replicate]))


def _careers(title: str, lineage: Lineage, selection: Array) -> CareerPanel:
    """Arrange phenotypes by seat; a generation that is not over has not been lived."""
    seats = max(life.seat for life in lineage.lives.values()) + 1
    values = np.full((seats, len(selection)), np.nan)
    newborn = np.zeros(values.shape, bool)
    for life in lineage.lives.values():
        begin = life.born - 1
        did = life.phenotype[: len(selection) - begin]
        values[life.seat, begin : begin + len(did)] = did
        newborn[life.seat, begin : begin + 1] = True
    return CareerPanel(title, values, newborn, selection)


def _lineage(populations: Populations, place: int) -> Figure:
    found, name = populations.lineages[place], _label(populations, place)
    caption = _LINEAGE
    if found.guesses:
        later = count_of(sum(life.born > 1 for life in found.lives.values()), "agent")
        caption += _BY_ADVICE.format(lives=later, guessed=len(found.guesses))
    title = f"Lineage{f': {name}' if name else ''}"
    return lineage_tree(f"lineage_{place + 1}", title, caption, found)


def _files(populations: Populations) -> Iterator[LinkedFile]:
    for place, found in populations.lineages.items():
        name = _NOT_IN_FILES.sub("_", populations.layout.conditions[place].name)
        path = f"lineage/{place + 1}_{name}"
        yield LinkedFile(f"{path}.graphml", graphml(found))
        yield LinkedFile(f"{path}.nwk", newick(found) + "\n")
