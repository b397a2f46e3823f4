"""The chapter of evolution: what came of each generation, run by run, and what changed it."""

from __future__ import annotations

import numpy as np

from society.lab.report.page import Chapter, Fold, Paragraph, Part

from .causes import causes
from .populations import FITNESS, PHENOTYPE, Populations
from .sums import Values, drawn_from, joined, numbers, panel, varies
from .tendencies import tendencies
from .trends import trends

_FIRST, _DIFFERENTIAL = "first_fitness", "selection_differential"


def evolution(of: Populations) -> Chapter | None:
    """The chapter; None if nothing has evolved."""
    if not of.places:
        return None
    fitness, others = of.by_generation(FITNESS), _others(of)
    parts: list[Part] = [Paragraph(_lead(of))]
    words = f"Mean over agents and runs.{drawn_from(of, fitness)}"
    axis = f"fitness{of.trait(FITNESS)}"
    title = "Fitness over generations"
    parts.append(trends("generations_fitness", title, words, [panel(of, axis, fitness)]))
    if others:
        words = f"Means over runs.{drawn_from(of, fitness)}"
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


def _others(of: Populations) -> dict[str, Values]:
    """Measures besides fitness that vary and say something else; those of generations first."""
    found = {FITNESS: of.by_generation(FITNESS)}
    folds = of.layout.folds
    for name in dict.fromkeys([PHENOTYPE, _DIFFERENTIAL, *folds]):
        if name not in folds or folds[name] == "first" or name == _FIRST:
            continue
        values = of.by_generation(name)
        if varies(values) and not any(_same(values, other) for other in found.values()):
            found[name] = values
    del found[FITNESS]
    return dict(found)


def _same(one: Values, other: Values) -> bool:
    return np.allclose(joined(one), joined(other), equal_nan=True)
