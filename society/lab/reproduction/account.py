"""The page of a reproduction: the claims of a paper beside our results, then each experiment.

Of an experiment it shows the chapters that its recipe names, and where all is from; `society
report` makes a page of all that there is to say of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from society.claims import Shown, Trial, Verdict
from society.lab.report import written
from society.lab.report.comparison import outcome
from society.lab.report.drawing import Picture
from society.lab.report.duration import durations
from society.lab.report.expenses import ledger
from society.lab.report.landscape import landscape
from society.lab.report.layout import Layout
from society.lab.report.origins import provenance, summary
from society.lab.report.origins import verdicts as judged
from society.lab.report.page import Chapter, Fold, Heading, Part, Warning
from society.lab.report.speech import norms, texts
from society.lab.report.tables import Table
from society.lab.report.testing import tested, tests
from society.lab.report.unfolding import measures_over_time

from .attempt import DRY, Attempt
from .results import Result

_CHAPTERS: Mapping[Shown, Callable[[Layout], Chapter | None]] = {
    "outcome": lambda layout: outcome(layout, tested(layout)),
    "survival": durations,
    "tests": lambda layout: tests(layout, tested(layout)),
    "maps": landscape,
    "norms": norms,
    "texts": texts,
    "ledger": ledger,
}


def account(attempt: Attempt, verdicts: Sequence[Verdict]) -> Path:
    """Write it, with its figures and tables as files; gives its path. Raises FileError."""
    paper = f"{attempt.reproduction.name}: {attempt.reproduction.paper}"
    title = f"DRY RUN of {paper}" if attempt.dry else f"{paper}, reproduced"
    results = [(trial, attempt.results[trial.name]) for trial in attempt.design.trials]
    experiments = [_experiment(trial, result) for trial, result in results if result.begun]
    return written(title, attempt.extent, [*_claims(attempt, verdicts), *experiments], attempt.out)


def _claims(attempt: Attempt, verdicts: Sequence[Verdict]) -> Iterator[Chapter]:
    chapter = judged(verdicts)
    if chapter is not None:
        yield replace(chapter, parts=[*_caveats(attempt), *chapter.parts])


def _caveats(attempt: Attempt) -> Iterator[Part]:
    if attempt.dry:
        yield Warning(f"DRY RUN: {DRY}. It shows the way, and nothing about the paper.")
    if attempt.quick:
        yield Warning("Quick: fewer and shorter runs than without --quick, and fewer levels.")


def _experiment(trial: Trial, result: Result) -> Chapter:
    layout = Layout(result.study)
    parts = list(summary(layout).parts)
    for chapter in _chapters(trial, layout):
        parts += [Heading(chapter.title), *chapter.parts]
    parts.append(Fold("Provenance", list(_flat(provenance(layout).parts))))
    return Chapter(trial.name, trial.title, [_named(trial.name, part) for part in parts])


def _chapters(trial: Trial, layout: Layout) -> Iterator[Chapter]:
    found = [_CHAPTERS[name](layout) for name in trial.chapters]
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


def _named(experiment: str, part: Part) -> Part:
    """The same, with a name that no other experiment's figures and tables have."""
    if isinstance(part, Picture | Table):
        return replace(part, name=f"{experiment}-{part.name}")
    if isinstance(part, Fold):
        return replace(part, parts=[_named(experiment, inner) for inner in part.parts])
    return part
