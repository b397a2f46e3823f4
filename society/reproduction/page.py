"""The page of a reproduction: the claims of a paper beside our results, then each experiment.

Of an experiment it shows the chapters that its recipe names, and where all is from; `society
report` makes a page of all that there is to say of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from society.analysis.crossplay import CrossPlay
from society.analysis.study import Study
from society.claims.types import HOW, Shown, Trial, Verdict
from society.experiments.factors import Label
from society.report import written
from society.report.figures.style import Picture
from society.report.layout import Layout
from society.report.page import Caveat, Chapter, Document, Fold, Heading, Paragraph, Part
from society.report.sections.crossplay.actions import conduct
from society.report.sections.crossplay.agreements import agreements
from society.report.sections.crossplay.standings import standings
from society.report.sections.evolution import (
    Populations,
    evolution,
    lives,
    reaction_norms,
    strategies,
)
from society.report.sections.landscape import landscape
from society.report.sections.llm_usage import ledger
from society.report.sections.norms import norms, texts
from society.report.sections.outcome import outcome
from society.report.sections.over_time import measures_over_time
from society.report.sections.provenance import provenance, summary
from society.report.sections.provenance import verdicts as judged
from society.report.sections.survival import durations
from society.report.sections.tests import tested, tests
from society.report.tables import Table

from .evidence import Result
from .run import DRY, ReproductionRun

_UNLIKE = "with different outcomes under different parameters or readings"
_AGREED = ("reproduced", "in part", "not reproduced", "cannot be told", _UNLIKE)

CHAPTERS: Mapping[Shown, Callable[[Populations], Chapter | None]] = {
    "outcome": lambda of: outcome(of.layout, tested(of.layout)),
    "survival": lambda of: durations(of.layout),
    "tests": lambda of: tests(of.layout, tested(of.layout)),
    "maps": lambda of: landscape(of.layout),
    "evolution": evolution,
    "lives": lives,
    "strategies": strategies,
    "reactions": reaction_norms,
    "norms": lambda of: norms(of.layout),
    "texts": lambda of: texts(of.layout),
    "standings": lambda of: standings(CrossPlay(of.layout.study)),
    "conduct": lambda of: conduct(CrossPlay(of.layout.study)),
    "agreements": lambda of: agreements(CrossPlay(of.layout.study)),
    "ledger": lambda of: ledger(of.layout),
}


def write_page(run: ReproductionRun, verdicts: Sequence[Verdict]) -> Path:
    """Write it, with its figures and tables as files; gives its path. Raises FileError."""
    paper = f"{run.reproduction.name}: {run.reproduction.paper}"
    title = f"DRY RUN of {paper}" if run.dry else f"{paper}, held against our runs"
    results = run.results
    experiments = [
        _experiment(trial, _study(trial, results))
        for trial in run.design.trials
        if results[trial.name].begun
    ]
    return written(title, run.extent, [*_claims(run, verdicts), *experiments], run.out)


def _claims(run: ReproductionRun, verdicts: Sequence[Verdict]) -> Iterator[Chapter]:
    chapter = judged(verdicts)
    if chapter is not None:
        (table,) = (part for part in chapter.parts if isinstance(part, Table))
        judging = (*HOW, *run.design.judging)
        parts = [*_caveats(run), *map(Paragraph, [*_counted(verdicts), *judging]), table]
        yield replace(chapter, parts=parts)


def _counted(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """How many claims there are of each outcome, whatever they were judged under; ours apart."""
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


def _caveats(run: ReproductionRun) -> Iterator[Part]:
    if run.dry:
        yield Caveat(f"DRY RUN: {DRY}. It shows the way, and nothing about the paper.")
    if run.quick:
        yield Caveat("Quick: fewer and shorter runs than without --quick, and fewer levels.")


def _study(trial: Trial, results: Mapping[str, Result]) -> Study:
    """What was played of an experiment, and what is shown with it."""
    study = results[trial.name].study
    for name, levels in trial.beside.items():
        if results[name].begun:
            study = _joined(study, results[name].study, levels)
    return study


def _joined(study: Study, other: Study, levels: Mapping[str, str]) -> Study:
    """With the conditions of another one in front, which have these levels of what they lack."""
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
    """Those of one study and, behind them, those of another that it lacks."""
    return list(dict.fromkeys([*labels, *other.levels.get(factor, ())]))


def _experiment(trial: Trial, study: Study) -> Chapter:
    layout = Layout(study)
    parts = list(summary(layout).parts)
    for chapter in _chapters(trial, layout):
        parts += [Heading(chapter.title), *map(_deeper, chapter.parts)]
    parts.append(Fold("Provenance", list(_flat(provenance(layout).parts))))
    return Chapter(trial.name, trial.title, [_named(trial.name, part) for part in parts])


def _chapters(trial: Trial, layout: Layout) -> Iterator[Chapter]:
    populations = Populations(layout)
    found = [CHAPTERS[name](populations) for name in trial.chapters]
    if trial.over_time:
        found.append(measures_over_time(layout, trial.over_time))
    yield from (chapter for chapter in found if chapter is not None)


def _flat(parts: Sequence[Part]) -> Iterator[Part]:
    """With the parts of folds in place of folds, which do not stand in each other."""
    for part in parts:
        if isinstance(part, Fold):
            yield Heading(part.title)
            yield from part.parts
        else:
            yield part


def _deeper(part: Part) -> Part:
    """A heading of a chapter, below the heading that the chapter has here."""
    return replace(part, depth=2) if isinstance(part, Heading) else part


def _named(experiment: str, part: Part) -> Part:
    """The same, with a name that no other experiment's figures, tables and files have."""
    if isinstance(part, Picture | Table):
        return replace(part, name=f"{experiment}-{part.name}")
    if isinstance(part, Document):
        path = PurePosixPath(part.path)
        return replace(part, path=str(path.with_name(f"{experiment}-{path.name}")))
    if isinstance(part, Fold):
        return replace(part, parts=[_named(experiment, inner) for inner in part.parts])
    return part
