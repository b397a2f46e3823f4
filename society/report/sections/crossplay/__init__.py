"""What a report says of cross-play: who fares how under which mechanism, and what types did."""

from __future__ import annotations

from collections.abc import Iterator

from society.analysis.crossplay import CrossPlay
from society.report.layout import Layout
from society.report.page import Chapter
from society.report.sections.crossplay.actions import conduct
from society.report.sections.crossplay.agreements import agreements
from society.report.sections.crossplay.standings import standings
from society.report.sections.crossplay.understanding import understanding

__all__ = ["cross_play"]


def cross_play(layout: Layout) -> Iterator[Chapter]:
    """The chapters on games in normal form; none if none were played."""
    if not any(run.manifest.game for run in layout.conditions):
        return
    of = CrossPlay(layout.study)
    for chapter in (standings(of), conduct(of), agreements(of), understanding(of)):
        if chapter is not None:
            yield chapter
