"""The section of evolution: fitness and measures by generation, run by run, and their causes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.analysis.study.design import FITNESS, PHENOTYPE
from society.report.page import Section, SectionPart, folded_section

from .aggregates import draw_course, generation_table, join_values, varies
from .populations import Populations, Values
from .price_section import phenotype_change_section
from .slopes import run_by_run

_FIRST = "first_fitness"
_SELECTION = {
    "selection": (
        " selection: Cov(w, z) / mean w of the phenotype z, where w counts an agent's children, "
        "and itself if it lives on; in units of the phenotype."
    ),
    "selection_differential": (
        " selection differential: the phenotype of survivors less that of the others, divided by "
        "the absolute mean of all; it grows without bound where that mean is near zero, which "
        "selection does not."
    ),
}


def evolution_section(populations: Populations) -> Section:
    """Show what came of each generation; empty if nothing has evolved."""
    parts = _parts(populations) if populations.places else []
    return Section("Evolution", parts, "evolution")


def _parts(populations: Populations) -> list[SectionPart]:
    fitness, others = populations.by_generation(FITNESS), _others(populations)
    fitness_of, trait = populations.trait(FITNESS), populations.trait(PHENOTYPE)
    beside = f"; beside it the phenotype{trait} is followed" if fitness_of != trait else ""
    lead = (
        f"Fitness{fitness_of} decides which agents of a generation live on, and which have "
        f"children{beside}. A value of a run is a mean over its agents, and over the rounds of a "
        "generation."
    )
    title, mean = "Fitness over generations", "Mean over agents and runs."
    quantity = populations.quantity(FITNESS)
    bounds = {quantity: populations.bounds(FITNESS)}
    shown: Mapping[str, Values] = {quantity: fitness}
    parts: list[SectionPart] = [
        lead,
        draw_course(populations, "generations_fitness", title, mean, shown, bounds=bounds),
    ]
    if others:
        meanings = "".join(words for name, words in _SELECTION.items() if name in others)
        title, name = "Other measures over generations", "generations_measures"
        names = {PHENOTYPE: populations.quantity(PHENOTYPE)}
        called = {key: names.get(key, populations.layout.label(key)) for key in others}
        shown = {called[key]: each for key, each in others.items()}
        bounds = {called[key]: populations.bounds(key) for key in others}
        lead = "Means over runs."
        parts.append(draw_course(populations, name, title, lead, shown, meanings, bounds))
    values, title = {FITNESS: fitness, **others}, "Means over runs by generation"
    table = generation_table(populations, "generations", title, values)
    parts.append(folded_section("Generations in numbers", table))
    return [*parts, run_by_run(populations), phenotype_change_section(populations)]


def _others(populations: Populations) -> dict[str, Values]:
    """Measures besides fitness that vary and say something else; those of generations first."""
    fitness, found = join_values(populations.by_generation(FITNESS)), dict[str, Values]()
    known, folds = [fitness], populations.layout.folds
    for name in dict.fromkeys([PHENOTYPE, *_SELECTION, *folds]):
        if name not in folds or folds[name] == "first" or name in (_FIRST, FITNESS):
            continue
        values = populations.by_generation(name)
        every = join_values(values)
        if varies(values) and not any(np.allclose(every, one, equal_nan=True) for one in known):
            found[name] = values
            known.append(every)
    return found
