"""The sections of cross-play: scores of types under mechanisms, their actions, their agreements."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from society.analysis.crossplay import CrossPlay
from society.report.page import Section

from .actions import actions_section, replies_section
from .agreements import agreements_section
from .standings_section import standings_section

__all__ = ["CROSS_PLAY"]

# By their anchors.
CROSS_PLAY: Mapping[str, Callable[[CrossPlay], Section]] = {
    "crossplay": standings_section,
    "conduct": actions_section,
    "agreements": agreements_section,
    "understanding": replies_section,
}
