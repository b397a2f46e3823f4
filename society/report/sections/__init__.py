"""The sections of a report, one thought each."""

from __future__ import annotations

from collections.abc import Iterator

from society.analysis.crossplay import CrossPlay
from society.report.layout import Layout
from society.report.page import Section

from .crossplay import CROSS_PLAY
from .evolution import EVOLUTION, Populations
from .hypothesis_tests import compare_panels, hypothesis_tests_section
from .llm_usage_section import llm_usage_section
from .norms_section import norms_section, texts_section
from .outcome import maps_section, outcome_section
from .over_time import over_time_section
from .provenance_section import provenance_section, summary_section
from .survival_section import survival_section


def every_section(layout: Layout) -> Iterator[Section]:
    """Make the sections of a report in their order; those with nothing to say are empty."""
    tests, populations = compare_panels(layout), Populations(layout)
    yield summary_section(layout)
    yield outcome_section(layout, tests)
    yield maps_section(layout)
    yield survival_section(layout)
    yield hypothesis_tests_section(layout, tests)
    if any(run.manifest.game for run in layout.conditions):
        cross_play = CrossPlay(layout.study)
        yield from (section(cross_play) for section in CROSS_PLAY.values())
    yield from (section(populations) for section in EVOLUTION.values())
    yield over_time_section(layout, without=populations.once)
    yield norms_section(layout)
    yield texts_section(layout)
    yield llm_usage_section(layout)
    yield provenance_section(layout)
