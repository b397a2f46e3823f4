"""Factors that changed no measure at all: a treatment that was never wired in looks like that.

Replicates share their random numbers in all conditions, so that a factor without any effect gives
the same numbers, to nine digits. A factor that matters, however little, does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.study.design import StudyDesign
from society.analysis.study.frames import CONDITION
from society.engine.rng import Array

from .statements import Basis, StudyFinding
from .wording import join_words

# What is paid by some to others leaves a mean as it was but for its last digits.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12


def idle_factor_findings(design: StudyDesign) -> Iterator[StudyFinding]:
    """Name each factor whose levels give the same measures, replicate by replicate.

    Nothing is said of studies without common random numbers, of conditions that are listed, nor of
    perturbations, which an audit hopes to change nothing.
    """
    if not (design.paired and design.measured):
        return
    every = (design.values(name) for name in design.measured)
    measured = [values for values in every if any(_is_known(one).any() for one in values)]
    if not measured:
        return
    for factor in design.levels:
        groups = list(_alike_but_for(design, factor).values())
        if factor == CONDITION or min(map(len, groups)) < 2 or _rewords(design, groups[0]):
            continue
        if all(_same(measured, places) for places in groups):
            runs = sum(len(measured[0][place]) for places in groups for place in places)
            levels = join_words([str(level) for level in design.levels[factor]])
            yield StudyFinding(
                f"{factor} changed no measure: with {levels}, {_all_measures(len(measured))} "
                "the same in every run. A treatment that is not wired in looks like that: "
                "`society check` looks for it.",
                Basis("counted", runs),
                "trouble",
            )


def _rewords(design: StudyDesign, places: Sequence[int]) -> bool:
    """Tell whether conditions differ in how questions are perturbed."""
    specs = [design.conditions[place].manifest.spec for place in places]
    return len({spec.get("perturbation") for spec in specs}) > 1


def _all_measures(count: int) -> str:
    words = {1: "the only measure is", 2: "both measures are"}
    return words.get(count, f"all {count} measures are")


def _alike_but_for(design: StudyDesign, factor: str) -> dict[tuple[object, ...], list[int]]:
    """Group conditions that differ in one factor alone."""
    groups: dict[tuple[object, ...], list[int]] = {}
    others = [name for name in design.levels if name != factor]
    for place in range(len(design.conditions)):
        key = tuple(design.level(place, name) for name in others)
        groups.setdefault(key, []).append(place)
    return groups


def _is_known(values: Array) -> Array:
    known: Array = ~np.isnan(values.astype(float))
    return known


def _same(measured: Sequence[Sequence[Array]], places: Sequence[int]) -> bool:
    """Tell whether conditions have the same values of all measures, replicate by replicate."""
    first, *others = places
    pairs = ((values[first], values[other]) for values in measured for other in others)
    return all(
        np.allclose(one.astype(float), two.astype(float), _RELATIVE, _ABSOLUTE, equal_nan=True)
        for one, two in pairs
    )
