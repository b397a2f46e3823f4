"""The page of a reproduction: the claims of a paper beside our results, then each experiment.

For each experiment it has the sections that its recipe names, and its provenance; `society report`
makes a page of all sections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from society.analysis.findings import claim_findings
from society.analysis.study import Study
from society.claims.coverage import CoverageEntry
from society.claims.data import Trial
from society.claims.types import HOW, ClaimVerdict, InsufficientEvidence, Reproduction
from society.errors import short_path
from society.experiments.factors import Label
from society.report import write_sections
from society.report.figures.style import Figure
from society.report.methods import DescribedStudy
from society.report.page import Caveat, LinkedFile, PageLinks, Section, SectionPart, folded_section
from society.report.sections import SECTIONS, StudyView
from society.report.sections.methods_section import methods_section
from society.report.sections.over_time import over_time_section
from society.report.sections.provenance_section import count_of
from society.report.tables import Head, Table

from .claims_section import claims_section, judging_section
from .evidence import Evidence, ExperimentResult
from .run import DRY, ReproductionRun
from .specification_curve import specification_section

NOWHERE: Mapping[str, str] = MappingProxyType({})
_CORRECTED = "comparisons of a claim by Holm's method, over all comparisons of the claim"
_FEW = 2  # parts without a figure, from which on they are folded
_NAMED = 3  # places of the paper that a link names one by one
_COVERED = ("judged with rules", "judged if the models are asked", "declared as left out")


def write_page(run: ReproductionRun, verdicts: Sequence[ClaimVerdict]) -> Path:
    """Write it, with its figures and tables as files; gives its path. Raises FileError."""
    paper = f"{run.reproduction.name}: {run.reproduction.paper}"
    found = next((f": {one.short}" for one in claim_findings(verdicts)), "")
    title = f"DRY RUN of {paper}" if run.dry else f"{paper}{found}"
    results = run.results
    begun = [trial for trial in run.trials if results[trial.name].begun]
    shown = [_Experiment.of(trial, _study(trial, results)) for trial in begun]
    experiments = [one.section for one in shown]
    own, limits = list(_own_sections(run)), _limits(run, verdicts)
    anchors = {one.anchor: one.title for one in (*own, *experiments)}
    coverage = coverage_section(run.reproduction, anchors)
    played = Section("Experiments", experiments, "experiments")
    readings = specification_section(verdicts, run.design.main_claims)
    every = [
        *_claims(run, verdicts),
        *readings,
        *own,
        *coverage,
        played,
        *limits,
        *_methods(run, shown),
    ]
    sections = [section for section in every if section.parts]
    return write_sections(title, run.extent, sections, run.out)


def _methods(run: ReproductionRun, shown: Sequence[_Experiment]) -> Iterator[Section]:
    """Describe all experiments and how claims were judged, for a paper; nothing without runs."""
    if shown:
        judging = " ".join([*HOW.values(), *run.design.judging])
        yield methods_section([one.described for one in shown], judging, [_CORRECTED])


def _claims(run: ReproductionRun, verdicts: Sequence[ClaimVerdict]) -> Iterator[Section]:
    """Set verdicts in front, and fold how they are judged behind them."""
    section = claims_section(verdicts)
    if section.parts:
        judging = judging_section(run.design.judging)
        # The counts of the section say the same as the first sentence.
        named = [one.sentence for one in claim_findings(verdicts)[1:]]
        counts, *rest = section.parts
        yield replace(section, parts=[*_caveats(run), counts, *named, *rest, judging])


def coverage_section(
    paper: Reproduction, anchors: Mapping[str, str] = NOWHERE
) -> Iterator[Section]:
    """List all claims, figures and tables of the paper, those that are left out included.

    anchors: places of the page with their titles, to which figures and tables of the paper lead.
    """
    if paper.coverage:
        counts = [_count_covered(paper, pictured=one) for one in (False, True)]
        rows = [
            (one.claim, one.where, _judged_with(paper, one), "; ".join(one.judged_by), one.reason)
            for one in paper.coverage
        ]
        heads: Head = [
            ("words", "claim, figure or table"),
            ("text", "where", "judged"),
            ("words", "judged by", "left out because"),
        ]
        title = "Claims, figures and tables of the paper"
        table = Table.of("coverage", title, heads, rows, whole=True)
        title = "Coverage of the paper"
        links = list(_links(paper.coverage, anchors))
        shown = [folded_section("Counterparts on this page", PageLinks(links))] if links else []
        yield Section(title, [*counts, *shown, folded_section("All of them", table)], "coverage")


def _links(
    entries: Sequence[CoverageEntry], anchors: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Lead to each place of the page by its title, and by what of the paper it shows."""
    shown = {anchor: [one.where for one in entries if anchor in one.shown] for anchor in anchors}
    for anchor, where in shown.items():
        if where:
            several = where if len(where) <= _NAMED else [f"{where[0]}, to {where[-1]}"]
            yield f"{'; '.join(several)}: {anchors[anchor]}", anchor


def _count_covered(paper: Reproduction, *, pictured: bool) -> str:
    """Count the claims of the paper, or its figures and tables, by how they are judged."""
    every = [one for one in paper.coverage if one.is_picture == pictured]
    counts = Counter(_judged_with(paper, one) for one in every)
    whose = "figures and tables" if pictured else "claims"
    words = ", ".join(f"{counts[sort]} {sort}" for sort in _COVERED if counts[sort])
    return f"Of {len(every)} {whose} of the paper: {words}."


def _judged_with(paper: Reproduction, entry: CoverageEntry) -> str:
    """Say with which minds an entry is judged, or that it is declared as left out."""
    by_rules = {one.claim for one in paper.rules.claims}
    if entry.status == "declared":
        return _COVERED[2]
    return _COVERED[0] if by_rules & set(entry.judged_by) else _COVERED[1]


def _own_sections(run: ReproductionRun) -> Iterator[Section]:
    """Make the sections of the paper's own, as far as enough has been played."""
    for section in run.design.sections:
        with suppress(InsufficientEvidence):
            yield fold_after_figure(section(Evidence(run.results)))


def fold_after_figure(section: Section) -> Section:
    """Fold what stands behind the first figure of a section; a single fold or remark stays."""
    first = next((place for place, one in enumerate(section.parts) if _draws(one)), None)
    if first is None:
        return section
    shown, more = section.parts[: first + 1], section.parts[first + 1 :]
    if len(more) < _FEW and not any(map(_draws, more)):
        return section
    return replace(section, parts=[*shown, folded_section(f"More: {_count_parts(more)}", *more)])


def _draws(part: SectionPart) -> bool:
    """True for a figure, and for a section that has one."""
    inner = part.walk() if isinstance(part, Section) else [part]
    return any(isinstance(one, Figure) for one in inner)


def _count_parts(parts: Sequence[SectionPart]) -> str:
    """Count figures and tables: "3 figures and 1 table"."""
    every = list(Section("", parts).walk())
    counts = {sort: sum(isinstance(one, sort) for one in every) for sort in (Figure, Table)}
    words = [count_of(count, sort.kind) for sort, count in counts.items() if count]
    return " and ".join(words) or "remarks"


def _limits(run: ReproductionRun, verdicts: Sequence[ClaimVerdict]) -> Iterator[Section]:
    """List how our experiments depart from the paper's, and what was changed afterwards."""
    departures = Counter(words for one in verdicts for words in one.departures)
    own = [f"{words} ({count_of(count, 'judgement')})" for words, count in departures.most_common()]
    changes = [
        folded_section(f"{one.date.isoformat()}", one.what, f"Verdicts: {one.counts}")
        for one in run.design.changes
    ]
    parts = [
        Section("How our experiments depart from the paper's", own, folded=True),
        Section("Changed after results were known", changes, folded=True),
    ]
    if own or changes:
        yield Section("Limits and changes", parts, "limits")


def _caveats(run: ReproductionRun) -> Iterator[SectionPart]:
    if run.dry:
        yield Caveat(f"DRY RUN: {DRY}. It shows the way, and nothing about the paper.")
    if run.quick:
        yield Caveat("Quick: fewer and shorter runs than without --quick, and fewer levels.")
    if run.repetitions is not None:
        yield Caveat(
            f"Every condition is played {count_of(run.repetitions, 'time')}, as was asked."
        )
    if run.prompts is not None:
        files = sum(part.setup.spec.prompts is not None for part in run.parts)
        yield Caveat(
            f"Prompts of {short_path(run.prompts)} are used in {files} of {len(run.parts)} "
            "conditions, in place of ours; the manifest of each run has their hashes."
        )


def _study(trial: Trial, results: Mapping[str, ExperimentResult]) -> Study:
    """Read the study of an experiment, joined with the studies shown beside it."""
    study = results[trial.name].study
    for name, levels in trial.beside.items():
        if results[name].begun:
            study = _joined(study, results[name].study, levels)
    return study


def _joined(study: Study, other: Study, levels: Mapping[str, str]) -> Study:
    """Put the conditions of another study in front, with these levels of the factors they lack."""
    named = "".join(f"{factor}={label}," for factor, label in levels.items())
    more = [
        replace(run, name=f"{named}{run.name}", factors={**levels, **run.factors})
        for run in other.played
    ]
    return replace(
        study,
        played=(*more, *study.played),
        levels={
            factor: [
                *([levels[factor]] if factor in levels else []),
                *_added(labels, factor, other),
            ]
            for factor, labels in study.levels.items()
        },
        failures={
            **{f"{named}{name}": why for name, why in other.failures.items()},
            **study.failures,
        },
        missing=(*(f"{named}{name}" for name in other.missing), *study.missing),
    )


def _added(labels: Sequence[Label], factor: str, other: Study) -> list[Label]:
    """List the levels of one study, then those of another that it lacks."""
    return list(dict.fromkeys([*labels, *other.levels.get(factor, ())]))


class _Experiment(NamedTuple):
    """An experiment as the page has it, and as its methods tell of it."""

    section: Section
    described: DescribedStudy

    @classmethod
    def of(cls, trial: Trial, study: Study) -> _Experiment:
        view = StudyView(study)
        provenance = replace(SECTIONS["provenance"](view), folded=True)
        parts = [*SECTIONS["summary"](view).parts, *_sections(trial, view), provenance]
        section = Section(trial.title, parts, trial.name, folded=True)
        described = DescribedStudy.of(trial.title, study, [section])
        return cls(_prefix_names(trial.name, section), described)


def _sections(trial: Trial, view: StudyView) -> Iterator[Section]:
    yield from (SECTIONS[name](view) for name in trial.chapters)
    if trial.over_time:
        yield over_time_section(view.populations, trial.over_time)


def _prefix_names(experiment: str, section: Section) -> Section:
    """Give figures, tables and files names that no other experiment's have."""
    return replace(section, parts=[_prefix_name(experiment, part) for part in section.parts])


def _prefix_name(experiment: str, part: SectionPart) -> SectionPart:
    if isinstance(part, Section):  # nothing leads to it, and other experiments have such a place
        return replace(_prefix_names(experiment, part), anchor="")
    if isinstance(part, Figure | Table):
        return replace(part, name=f"{experiment}-{part.name}")
    if isinstance(part, LinkedFile):
        path = PurePosixPath(part.path)
        return replace(part, path=str(path.with_name(f"{experiment}-{path.name}")))
    return part
