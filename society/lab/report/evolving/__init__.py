"""What a report says of generations: who had children, what they inherited, what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from society.lab.report.page import Chapter

from .encounters import reaction_norms
from .evolution import evolution
from .lives import lives
from .populations import Populations
from .sentences import strategies

__all__ = ["Populations", "evolution", "evolving", "lives", "reaction_norms", "strategies"]


def evolving(of: Populations) -> Iterator[Chapter]:
    """The chapters on societies that evolve; none if there are none."""
    for chapter in (evolution(of), lives(of), strategies(of), reaction_norms(of)):
        if chapter is not None:
            yield chapter
