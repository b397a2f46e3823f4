"""The chapter of evolution: what came of each generation, run by run, and what changed it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from society.report.figures.trends import trends
from society.report.page import Chapter, Fold, Paragraph, Part
from society.report.sections.evolution.aggregates import (
    Values,
    drawn_from,
    joined,
    numbers,
    panel,
    varies,
)
from society.report.sections.evolution.populations import FITNESS, PHENOTYPE, Populations
from society.report.sections.evolution.price_equation import causes
from society.report.sections.evolution.slopes import tendencies

_FIRST, _SELECTION = "first_fitness", ("selection", "selection_differential")


def evolution(of: Populations) -> Chapter | None:
    """The chapter; None if nothing has evolved."""
    if not of.places:
        return None
    fitness, others = of.by_generation(FITNESS), _others(of)
    parts: list[Part] = [Paragraph(_lead(of))]
    words = f"Mean over agents and runs.{drawn_from(of, [fitness])}"
    axis = f"fitness{of.trait(FITNESS)}"
    title = "Fitness over generations"
    parts.append(trends("generations_fitness", title, words, [panel(of, axis, fitness)]))
    if others:
        words = f"Means over runs.{drawn_from(of, [*others.values()])}{_selection(others)}"
        panels = [panel(of, f"{name}{_trait(of, name)}", each) for name, each in others.items()]
        title = "Other measures over generations"
        parts.append(trends("generations_measures", title, words, panels))
    caption = "Means over runs by generation"
    table = numbers(of, "generations", caption, {FITNESS: fitness, **others})
    parts.append(Fold("Generations in numbers", [table]))
    return Chapter("evolution", "Evolution", [*parts, *tendencies(of), *causes(of)])


def _lead(of: Populations) -> str:
    followed = f"; beside it the phenotype{of.trait(PHENOTYPE)} is followed"
    return (
        f"Fitness{of.trait(FITNESS)} decides who of a generation lives on, and who has children"
        f"{followed if of.trait(FITNESS) != of.trait(PHENOTYPE) else ''}. A value of a run is a "
        "mean over its agents, and over the rounds of a generation."
    )


def _trait(of: Populations, name: str) -> str:
    return of.trait(name) if name == PHENOTYPE else ""


def _selection(shown: Collection[str]) -> str:
    """In words, what its measures are, as far as they are shown; begins with a space."""
    return "".join(words for name, words in _MEANT.items() if name in shown)


_MEANT = {
    "selection": (
        " selection: Cov(w, z) / mean w of the phenotype z, where w counts oneself, if one lives "
        "on, and one's children; in units of the phenotype."
    ),
    "selection_differential": (
        " selection_differential: the phenotype of survivors less that of the others, over the "
        "absolute mean of all: without a bound where that mean is near zero; selection has no such "
        "trouble."
    ),
}


def _others(of: Populations) -> dict[str, Values]:
    """Measures besides fitness that vary and say something else; those of generations first."""
    found = {FITNESS: of.by_generation(FITNESS)}
    folds = of.layout.folds
    for name in dict.fromkeys([PHENOTYPE, *_SELECTION, *folds]):
        if name not in folds or folds[name] == "first" or name == _FIRST:
            continue
        values = of.by_generation(name)
        if varies(values) and not any(_same(values, other) for other in found.values()):
            found[name] = values
    del found[FITNESS]
    return dict(found)


def _same(one: Values, other: Values) -> bool:
    return np.allclose(joined(one), joined(other), equal_nan=True)
