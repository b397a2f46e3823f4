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

from society.analysis.study import Study
from society.claims.coverage import CoverageEntry
from society.claims.data import RuleChange, Trial
from society.claims.types import HOW, ClaimVerdict, InsufficientEvidence, Reproduction
from society.errors import short_path
from society.experiments.factors import Label
from society.report import write_sections
from society.report.figures.style import Figure
from society.report.page import Caveat, LinkedFile, Section, SectionPart, folded_section
from society.report.sections import SECTIONS, StudyView
from society.report.sections.over_time import over_time_section
from society.report.sections.provenance_section import claims_section, count_of
from society.report.tables import Head, Table

from .evidence import Evidence, ExperimentResult
from .run import DRY, ReproductionRun

_COVERED = ("judged with rules", "judged if the models are asked", "declared as left out")
_UNLIKE = "with different outcomes under different parameters or readings"
_AGREED = ("reproduced", "in part", "not reproduced", "cannot be told", _UNLIKE)


def write_page(run: ReproductionRun, verdicts: Sequence[ClaimVerdict]) -> Path:
    """Write it, with its figures and tables as files; gives its path. Raises FileError."""
    paper = f"{run.reproduction.name}: {run.reproduction.paper}"
    title = f"DRY RUN of {paper}" if run.dry else f"{paper}, held against our runs"
    results = run.results
    experiments = [
        _experiment(trial, _study(trial, results))
        for trial in run.trials
        if results[trial.name].begun
    ]
    coverage = coverage_section(run.reproduction)
    own, changes = _own_sections(run), _changes(run.design.changes)
    sections = [*_claims(run, verdicts), *coverage, *own, *experiments, *changes]
    return write_sections(title, run.extent, sections, run.out)


def _claims(run: ReproductionRun, verdicts: Sequence[ClaimVerdict]) -> Iterator[Section]:
    section = claims_section(verdicts)
    tables = [part for part in section.parts if isinstance(part, Table)]
    if tables:
        judging = (*(f"{name}. {words}" for name, words in HOW.items()), *run.design.judging)
        yield replace(section, parts=[*_caveats(run), *_counted(verdicts), *judging, *tables])


def coverage_section(paper: Reproduction) -> Iterator[Section]:
    """List all claims, figures and tables of the paper, those that are left out included."""
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
        yield Section(title, [*counts, folded_section("All of them", table)], "coverage")


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
            yield section(Evidence(run.results))


def _changes(changes: Sequence[RuleChange]) -> Iterator[Section]:
    """List the changes of claims and judges that were made after results were known."""
    if changes:
        rows = [(one.date.isoformat(), one.what, one.counts) for one in changes]
        heads: Head = [("text", "date"), ("words", "change", "verdicts before and after")]
        title = "Changed after results were known"
        yield Section(title, [Table.of("changes", title, heads, rows, whole=True)], "changes")


def _counted(verdicts: Sequence[ClaimVerdict]) -> Iterator[str]:
    """Count the claims of each outcome, whatever they were judged under; ours apart."""
    for whose, ours in (("claims of the paper", False), ("comparisons of ours", True)):
        outcomes: dict[str, list[str]] = {}
        for one in verdicts:
            if one.ours == ours:
                outcomes.setdefault(one.bare, []).append(one.outcome)
        counts = Counter(map(_agreed, outcomes.values()))
        judged = sum(map(len, outcomes.values()))
        times = f", judged {judged} times" if judged > len(outcomes) else ""
        words = ", ".join(f"{counts[sort]} {sort}" for sort in _AGREED if counts[sort])
        if outcomes:
            yield f"Of {len(outcomes)} {whose}{times}: {words}."


def _agreed(outcomes: Sequence[str]) -> str:
    """The outcome of a claim that was judged under several conditions."""
    return outcomes[0] if len(set(outcomes)) == 1 else _UNLIKE


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


def _experiment(trial: Trial, study: Study) -> Section:
    view = StudyView(study)
    provenance = replace(SECTIONS["provenance"](view), folded=True)
    parts = [*SECTIONS["summary"](view).parts, *_sections(trial, view), provenance]
    return _prefix_names(trial.name, Section(trial.title, parts, trial.name))


def _sections(trial: Trial, view: StudyView) -> Iterator[Section]:
    yield from (SECTIONS[name](view) for name in trial.chapters)
    if trial.over_time:
        yield over_time_section(view.populations, trial.over_time)


def _prefix_names(experiment: str, section: Section) -> Section:
    """Give figures, tables and files names that no other experiment's have."""
    return replace(section, parts=[_prefix_name(experiment, part) for part in section.parts])


def _prefix_name(experiment: str, part: SectionPart) -> SectionPart:
    if isinstance(part, Section):
        return _prefix_names(experiment, part)
    if isinstance(part, Figure | Table):
        return replace(part, name=f"{experiment}-{part.name}")
    if isinstance(part, LinkedFile):
        path = PurePosixPath(part.path)
        return replace(part, path=str(path.with_name(f"{experiment}-{path.name}")))
    return part
