"""What a report says of generations: who had children, what they inherited, what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from society.report.page import Chapter
from society.report.sections.evolution.evolution import evolution
from society.report.sections.evolution.lives import lives
from society.report.sections.evolution.populations import Populations
from society.report.sections.evolution.reaction_norms import reaction_norms
from society.report.sections.evolution.strategies import strategies

__all__ = ["Populations", "evolution", "evolving", "lives", "reaction_norms", "strategies"]


def evolving(of: Populations) -> Iterator[Chapter]:
    """The chapters on societies that evolve; none if there are none."""
    for chapter in (evolution(of), lives(of), strategies(of), reaction_norms(of)):
        if chapter is not None:
            yield chapter
