"""The reporting summary: what a reader checks before trusting a study, item by item.

Everything in it is read from run files, from the experiment as it was written, and from the tables
of the page. What none of them records is named as not recorded, and what no table has a result of
as not done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from society.analysis.study.design import StudyDesign
from society.analysis.study.study import Study
from society.experiments.factors import format_label
from society.runs.fallbacks import CountedAnswers
from society.terminal.labels import count_noun, describe_ending, describe_extents, spell_kind

from .methods import CITED, DescribedStudy, exclusions, manifests, statistics_used, versions_played
from .model_settings import ModelUse
from .tables import CellValue, Head, Table

_FEW = 12  # levels, seeds or names that a cell gives
_TITLE = "Reporting summary"
_HEAD: Head = [("text", "item"), ("words", "in this study")]
_EXPERIMENTS: Head = [
    ("words", "experiment", "varied", "outcome"),
    ("text", "conditions", "n", "agents"),
    ("words", "rounds at most"),
    ("text", "random numbers", "seed"),
    ("words", "excluded"),
]
_UNIT = "A run: one replicate, one history of a society. Agents and rounds are not counted."
_RANDOM = {
    "common": "Common to all conditions: replicate r is a block.",
    "independent": "Independent between conditions.",
    None: "",
}
_CORRECTED = {
    "Holm": "p values of contrasts by Holm's method, over all contrasts of a table",
    "Tukey": "levels of a factor by Tukey and Kramer, over all pairs",
    "findings": "p values in sentences by Holm's method, over all tests of a family",
}
_NOT_RECORDED = (
    "Not recorded by run files: whether the study was registered in advance, and how the number "
    "of runs was chosen."
)


class _Item(NamedTuple):
    name: str
    words: str


def reporting_summary(
    studies: Sequence[DescribedStudy],
    models: Sequence[ModelUse],
    corrections: Sequence[str] = (),
) -> list[Table]:
    """Make the tables of the summary: its items, and of several studies a row for each.

    corrections: that were made beside those of the tables, for judging claims, say.
    """
    every = [one.study for one in studies]
    several = len(studies) > 1
    said = [] if several else [*_of_study(every[0])]
    said += [*_of_all(studies, models, corrections)]
    rows: list[tuple[CellValue, ...]] = [(item.name, item.words) for item in said if item.words]
    summary = Table.of("reporting_summary", _TITLE, _HEAD, rows, whole=True)
    return [_table_of_studies(studies), summary] if several else [summary]


def _of_study(study: Study) -> Iterator[_Item]:
    """Say what was varied and measured, and in how many runs."""
    given, design = manifests(study), StudyDesign(study)
    yield _Item("Scenario", ", ".join(dict.fromkeys(spell_kind(one.scenario) for one in given)))
    yield _Item("Varied", _varied(study) or "Nothing: one condition.")
    yield _Item("Outcome", _outcome(design))
    others = [design.label(name) for name in design.measured if name != design.outcome]
    yield _Item("Other measures", _some(others))
    yield _Item("Unit of analysis", _UNIT)
    yield _Item("n", f"{_counts(study)} in {count_noun(len(given), 'condition')}")
    yield _Item("Random numbers", _RANDOM[study.random_numbers])


def _of_all(
    studies: Sequence[DescribedStudy], models: Sequence[ModelUse], corrections: Sequence[str]
) -> Iterator[_Item]:
    """Say how runs ended, what was left out and tested, and by which programs and models."""
    every = [one.study for one in studies]
    if len(studies) > 1:
        yield _Item("Unit of analysis", _UNIT)
    yield _Item("Stopping rule", _stopping(every))
    yield _Item("Exclusions", " ".join(exclusions(every)))
    yield _Item("Unreadable answers", _unreadable(every, asked=bool(models)))
    yield _Item("Statistics", _without_keys(" ".join(statistics_used(studies))) or "None.")
    corrected = [*corrections, *_corrections(studies)]
    yield _Item("Corrected for several tests", _sentence("; ".join(corrected)) or "Nothing.")
    yield _Item("Seeds", _seeds(every))
    versions = versions_played(every).items()
    yield _Item("Versions", ", ".join(f"{name} {version}" for name, version in versions))
    yield _Item("Language models", _models(models))
    tests = _tested(studies) or bool(corrections)
    yield _Item("Not done", " ".join(_not_done(every, tests=tests, asked=bool(models))))


def _tested(studies: Sequence[DescribedStudy]) -> bool:
    """Tell whether a table has a p value."""
    tables = [table for one in studies for table in one.tables]
    return any(one.form == "p" and one.numbers for table in tables for one in table.columns)


def _varied(study: Study) -> str:
    return "; ".join(
        f"{name}: {_some([*map(format_label, levels)])}" for name, levels in study.levels.items()
    )


def _outcome(design: StudyDesign) -> str:
    if not design.outcome:
        return "None: these runs have no measures."
    named = design.study.analysis is not None and design.study.analysis.outcome is not None
    how = "named by the experiment" if named else "the first measure of the scenario"
    return f"{design.heading(design.outcome)}, {how}."


def _counts(study: Study) -> str:
    counts = [one.replicates for one in manifests(study)]
    low, high, total = min(counts), max(counts), sum(counts)
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{each} run{'' if high == 1 else 's'} a condition, {total:,} in all"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f"{', '.join(names[:_FEW])}{more}"


def _stopping(studies: Sequence[Study]) -> str:
    """Say what fixed the number of runs, and what ended them."""
    given = [one for study in studies for one in manifests(study)]
    ends = {
        describe_ending(one.stage, kind): None
        for study in studies
        for one, causes in zip(manifests(study), _causes(study), strict=True)
        for kind in causes
    }
    early = f", or as soon as {' or '.join([*ends][:_FEW])}" if ends else ""
    return (
        "The number of runs is that of the experiment as it was written; none is added or left "
        f"out for its results. A run ended after {describe_extents(given)}{early}."
    )


def _causes(study: Study) -> list[list[str]]:
    """The kinds of what ended the runs of each condition."""
    return [sorted(set(causes) - {""}) for causes in StudyDesign(study).causes()]


def _unreadable(studies: Sequence[Study], *, asked: bool) -> str:
    """Count the answers of models that the fallback of their question settled."""
    if not asked:
        return ""
    ledgers = (entry for study in studies for run in study.played for entry in run.ledger)
    answers, fallbacks = CountedAnswers.of(ledgers)
    return (
        f"{fallbacks:,} of {answers:,} answers of language models were settled by the fallback of "
        "their question."
    )


def _corrections(studies: Sequence[DescribedStudy]) -> Iterator[str]:
    """Name the corrections of which a table has results."""
    tables = [table for one in studies for table in one.tables]
    headings = {(table.name, one.heading) for table in tables for one in table.columns}
    marks: Mapping[str, bool] = {
        "Holm": ("contrasts", "p (Holm)") in headings,
        "Tukey": any(heading == "letters" for _, heading in headings),
        "findings": any(
            table.name == "findings" and one.heading == "p" and bool(one.numbers)
            for table in tables
            for one in table.columns
        ),
    }
    yield from (words for name, words in _CORRECTED.items() if marks[name])


def _seeds(studies: Sequence[Study]) -> str:
    seeds = sorted({one.seed for study in studies for one in manifests(study)})
    return _some([*map(str, seeds)])


def _models(models: Sequence[ModelUse]) -> str:
    return " ".join(use.sentence() for use in models) or "None was asked."


def _not_done(studies: Sequence[Study], *, tests: bool, asked: bool) -> Iterator[str]:
    yield _NOT_RECORDED
    if not tests:
        yield "No hypothesis was tested."
    if not any(study.codings for study in studies) and asked:
        yield "No text was coded by raters."
    if not asked:
        yield "No language model was asked."


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _without_keys(words: str) -> str:
    """Leave out the keys of references, which the methods resolve."""
    return CITED.sub("", words).replace(" .", ".").replace(" ,", ",")


def _table_of_studies(studies: Sequence[DescribedStudy]) -> Table:
    """Make a row for each study: what it varied, and in how many runs."""
    rows: list[tuple[CellValue, ...]] = []
    for one in studies:
        study, given = one.study, manifests(one.study)
        design = StudyDesign(study)
        agents = sorted({manifest.agents for manifest in given})
        rows.append(
            (
                *(one.title, _varied(study) or "nothing", design.label(design.outcome)),
                *(str(len(given)), _counts(study), " or ".join(map(str, agents[:_FEW]))),
                describe_extents(given),
                *(study.random_numbers or "–", _seeds([study])),
                " ".join(exclusions([study])),
            )
        )
    return Table.of("reporting_experiments", "Experiments", _EXPERIMENTS, rows, whole=True)
