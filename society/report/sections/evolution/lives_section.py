"""The section of lives: what single agents did, who was replaced, and who descends from whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from society.analysis.study.design import PHENOTYPE
from society.engine.rng import Array
from society.lineage import graphml, newick
from society.report.figures.lineage_tree import LifeMap, colour_limits, life_map
from society.report.figures.style import Figure
from society.report.page import LinkedFile, Section, SectionPart, folded_section
from society.report.sections.provenance_section import count_of

from .populations import MOST_PANELS, Populations

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
_LIVES = (
    "A cell is an agent in a generation, in the colour of its mean phenotype{trait}; {agents} "
    "agents in {generations}. Thick lines: it lives on; thin lines: births, a ring at the newborn. "
    "Children stand below those they descend from. Bars: selection in that generation, Cov(w, z) / "
    "mean w, where z is the phenotype and w counts an agent's children, and itself if it lives on; "
    "in units of the phenotype."
)
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
    selection = populations.by_generation("selection")
    maps = {
        place: LifeMap(populations.lineages[place], selection[place][populations.best[place]])
        for place in few
    }
    limits = colour_limits([*maps.values()])
    first, *others = [_life_map(populations, place, own, limits) for place, own in maps.items()]
    yield first
    if others:
        yield folded_section("Agents and lineages of other conditions", *others)


def _life_map(
    populations: Populations, place: int, shown: LifeMap, limits: tuple[float, float]
) -> Figure:
    lineage, label = shown.lineage, _label(populations, place)
    trait, quantity = populations.trait(PHENOTYPE), populations.quantity(PHENOTYPE)
    caption = _LIVES.format(
        trait=trait,
        agents=len(lineage.generation(1)),
        generations=count_of(lineage.generations, "generation"),
    )
    if lineage.guesses:
        later = count_of(sum(life.born > 1 for life in lineage.lives.values()), "agent")
        caption += _BY_ADVICE.format(lives=later, guessed=len(lineage.guesses))
    title = selection_claim(shown.selection, quantity)
    title = f"{label[:1].upper()}{label[1:]}: {title[:1].lower()}{title[1:]}" if label else title
    return life_map(f"lineage_{place + 1}", title, caption, quantity, shown, limits)


def _label(populations: Populations, place: int) -> str:
    """A condition with its replicate, as far as there are others."""
    replicate = f"replicate {populations.best[place]}" * _several(populations, place)
    return ", ".join(filter(None, [populations.label(place), replicate]))


def selection_claim(selection: Array, quantity: str) -> str:
    """Say in how many generations of one population selection went which way, (G,).

    >>> selection_claim(np.array([-0.1, -0.2, 0.1, np.nan]), "share given")
    'Less share given went with more descendants in 2 of 3 generations'
    """
    known = selection[~np.isnan(selection)]
    less, more = int((known < 0).sum()), int((known > 0).sum())
    if less == more:
        return "What each agent did, who lived on, and who descends from whom"
    word, count = ("Less", less) if less > more else ("More", more)
    generations = count_of(len(known), "generation")
    return f"{word} {quantity} went with more descendants in {count} of {generations}"


def _files(populations: Populations) -> Iterator[LinkedFile]:
    for place, found in populations.lineages.items():
        name = _NOT_IN_FILES.sub("_", populations.layout.conditions[place].name)
        path = f"lineage/{place + 1}_{name}"
        yield LinkedFile(f"{path}.graphml", graphml(found))
        yield LinkedFile(f"{path}.nwk", newick(found) + "\n")
