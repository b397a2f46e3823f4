"""The sections of generations: who had children, what they inherited, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from society.report.page import Section

from .generation_means import evolution_section
from .lives_section import lives_section
from .populations import Populations
from .reaction_norms import reaction_norms_section
from .strategies import strategies_section

__all__ = ["EVOLUTION", "Populations"]

# By their anchors.
EVOLUTION: Mapping[str, Callable[[Populations], Section]] = {
    "evolution": evolution_section,
    "lives": lives_section,
    "strategies": strategies_section,
    "reactions": reaction_norms_section,
}
