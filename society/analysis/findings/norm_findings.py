"""Findings about norms in words: how near they came to each other from begin to end.

Alignment is the mean cosine of agents' norms with their mean, by recorded embeddings alone. It says
how alike sentences are, not which side they take.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.analysis.study.design import StudyDesign
from society.analysis.study.norm_vectors import NormEnds, read_norm_ends

from .generation_findings import GenerationCourse, describe_courses
from .statements import StudyFinding
from .wording import Quantity

_SIMILARITY = "norm_similarity"  # what a run has if its norms were measured as it ended
_MOST_CONDITIONS = 4


def norm_findings(design: StudyDesign) -> list[StudyFinding]:
    """Compare the alignment of norms at the end of runs with that at their begin, by condition."""
    if _SIMILARITY not in design.measured:
        return []
    return describe_courses([*_courses(design)])


def _courses(design: StudyDesign) -> Iterator[GenerationCourse]:
    for place, run in enumerate(design.conditions[:_MOST_CONDITIONS]):
        if run.manifest.level != "full":
            continue
        ends = read_norm_ends(run, range(run.manifest.replicates))
        if ends:
            quantity = Quantity(f"alignment of norms (embeddings: {ends[0].embedder})")
            values = np.array([[one.first.alignment, one.last.alignment] for one in ends])
            several = len(design.conditions) > 1
            where = f" with {design.panel_title(place, list(design.levels))}" if several else ""
            yield GenerationCourse(quantity, values, where, *_when(ends))


def _when(ends: list[NormEnds]) -> tuple[str, str]:
    """Name the first and the last round with norms."""
    first, last = {one.first.round for one in ends}, {one.last.round for one in ends}
    began = f"round {first.pop()}" if len(first) == 1 else "the first round with norms"
    return began, f"round {last.pop()}" if len(last) == 1 else "the last round with norms"
