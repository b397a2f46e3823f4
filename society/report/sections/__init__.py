"""The sections of a report, one thought each, and the view of a study that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from society.analysis.auditing.audit import try_audit
from society.analysis.crossplay import CrossPlay
from society.analysis.findings import StudyAnswers
from society.analysis.study.panel_tests import PanelTests, compare_panels
from society.analysis.study.study import Study
from society.errors import InputError
from society.report.figures.style import Figure
from society.report.figures.type_colours import TypeStyle, assign_styles
from society.report.layout import Layout
from society.report.methods import DescribedStudy
from society.report.page import Caveat, Section

from .audit_section import audit_section
from .crossplay.actions import actions_section, replies_section
from .crossplay.agreements import agreements_section
from .crossplay.standings_section import standings_section
from .endings_section import endings_section
from .evolution.generation_means import evolution_section
from .evolution.lives_section import lives_section
from .evolution.populations import Populations
from .evolution.reaction_norms import reaction_norms_section
from .evolution.strategies import strategies_section
from .findings_section import findings_section
from .hypothesis_tests import hypothesis_tests_section
from .llm_usage_section import llm_usage_section
from .methods_section import methods_section
from .networks_section import networks_section
from .norms_section import norms_section, texts_section
from .outcome import maps_section, outcome_section
from .over_time import over_time_section
from .prompts_section import prompts_section
from .provenance_section import provenance_section, summary_section
from .questionnaires_section import questionnaires_section
from .strategies_in_play import evolving_genes, program_play_section
from .survival_section import survival_section


class StudyView:
    """A study as sections read it: its layout, tests, populations, cross-play, each made once."""

    def __init__(self, study: Study) -> None:
        self.layout = Layout(study)
        self.populations = Populations(self.layout)

    @cached_property
    def tests(self) -> list[PanelTests]:
        return compare_panels(self.layout)

    @cached_property
    def cross_play(self) -> CrossPlay:
        return CrossPlay(self.layout.study)

    @cached_property
    def answers(self) -> StudyAnswers:
        return StudyAnswers(self.layout, self.cross_play)

    @property
    def title(self) -> str:
        """The title of its page: what an audit found, or else what a study did."""
        found = try_audit(self.layout)
        return self.answers.with_scenario(found.headline) if found else self.answers.title

    @cached_property
    def type_styles(self) -> Mapping[str, TypeStyle]:
        """The style of each type, gene and cohort by name, the same in all figures."""
        runs = self.layout.conditions
        games = any(run.manifest.game for run in runs)
        contests = self.cross_play.contests if games else ()
        types = [name for contest in contests for name in contest.types]
        cohorts = [cohort.name for run in runs for cohort in run.manifest.cohorts]
        return assign_styles([*types, *evolving_genes(self.layout), *cohorts])


# In the order of a report.
SECTIONS: Mapping[str, Callable[[StudyView], Section]] = {
    "audit": lambda of: audit_section(of.layout),
    "findings": lambda of: findings_section(of.answers.findings),
    "summary": lambda of: summary_section(of.layout),
    "outcome": lambda of: outcome_section(of.populations, of.tests),
    "maps": lambda of: maps_section(of.layout),
    "survival": lambda of: survival_section(of.layout),
    "endings": lambda of: endings_section(of.layout),
    "tests": lambda of: hypothesis_tests_section(of.layout, of.tests),
    "standings": lambda of: standings_section(of.cross_play, of.type_styles),
    "conduct": lambda of: actions_section(of.cross_play, of.type_styles),
    "agreements": lambda of: agreements_section(of.cross_play),
    "understanding": lambda of: replies_section(of.cross_play),
    "program_play": lambda of: program_play_section(of.layout, of.type_styles),
    "evolution": lambda of: evolution_section(of.populations),
    "lives": lambda of: lives_section(of.populations),
    "strategies": lambda of: strategies_section(of.populations),
    "reactions": lambda of: reaction_norms_section(of.populations),
    "time": lambda of: over_time_section(of.populations, without=of.populations.once),
    "networks": lambda of: networks_section(of.layout, of.type_styles),
    "questionnaires": lambda of: questionnaires_section(of.layout),
    "norms": lambda of: norms_section(of.layout),
    "texts": lambda of: texts_section(of.layout),
    "prompts": lambda of: prompts_section(of.layout),
    "ledger": lambda of: llm_usage_section(of.layout),
    "provenance": lambda of: provenance_section(of.layout),
}
_OF_GAMES = {"standings", "conduct", "agreements", "understanding"}
# Means and tests over replicates, which say nothing of matches that differ by who plays.
_OF_SAMPLES = {"outcome", "maps", "survival", "tests", "time"}
# One of these has the first figure of a page, which should be seen at once; the second: of matches.
_FIRST_FIGURES = (("outcome", "time"), ("standings",))
# Of a single run: its one value and its end, told after the figures of its course.
_AFTER_COURSE = {"outcome", "endings"}


def every_section(view: StudyView) -> list[Section]:
    """Make all sections that have something to say; those of cross-play for games alone."""
    sections = [section for section in _sections(view) if section.parts]
    study = DescribedStudy.of("", view.layout.study, sections)
    return [*sections, methods_section([study])]


def find_figure(study: Study, name: str = "") -> Figure:
    """Draw the figure of a report that has this name, or its first one; raises InputError."""
    known = list[str]()
    for section in _sections(StudyView(study)):
        for part in section.walk():
            if isinstance(part, Figure):
                if name in ("", part.name):
                    return part
                known.append(part.name)
    if not known:
        raise InputError(f"the report of {study.name} has no figure, as nothing can be drawn yet")
    raise InputError(
        f"the report of {study.name} has no figure {name!r}; it has {', '.join(known)}"
    )


def _sections(view: StudyView) -> Iterator[Section]:
    """Make the sections of a report in their order, empty ones too; cross-play is for games."""
    games = any(run.manifest.game for run in view.layout.conditions)
    left_out = set() if games else _OF_GAMES
    left_out = left_out | (_OF_SAMPLES if view.layout.of_matches else set())
    return (SECTIONS[name](view) for name in _order(view) if name not in left_out)


def _order(view: StudyView) -> list[str]:
    if not view.layout.single_run:
        return _design_later(view, list(SECTIONS))
    behind = [name for name in SECTIONS if name in _AFTER_COURSE]
    first = [name for name in SECTIONS if name not in _AFTER_COURSE]
    place = first.index("time") + 1
    return _design_later(view, [*first[:place], *behind, *first[place:]])


def _design_later(view: StudyView, names: list[str]) -> list[str]:
    """Put what was played after the outcome or the course, unless it warns of something."""
    if any(isinstance(part, Caveat) for part in summary_section(view.layout).parts):
        return names
    first = next(name for name in names if name in _FIRST_FIGURES[view.layout.of_matches])
    names.remove("summary")
    names.insert(names.index(first) + 1, "summary")
    return names
