"""Findings that limit all others: conditions that failed or are not finished, answers not read."""

from __future__ import annotations

from collections.abc import Iterator

from society.analysis.study.study import Study
from society.runs.fallbacks import CountedAnswers
from society.text import shorten

from .statements import Basis, StudyFinding
from .wording import join_words

_NAMED = 3
_LONGEST = 60


def trouble_findings(study: Study) -> Iterator[StudyFinding]:
    """Say which conditions are missing or go only so far, and how many answers are fallbacks."""
    unfinished = [run.name for run in study.played if run.status != "finished"]
    total = len({run.name for run in study.played} | {*study.failures, *study.missing})
    missing = [name for name in study.missing if name not in study.failures]
    for names, words in (
        ([*study.failures], "failed"),
        (unfinished, "not finished: what they have so far is described, and not tested"),
        (missing, "not played"),
    ):
        if names:
            verb = "is" if len(names) == 1 else "are"
            verb = "" if words == "failed" else f" {verb}"
            yield StudyFinding(
                f"{len(names)} of {total} condition{'' if total == 1 else 's'}{verb} {words} "
                f"({_list(names)}).",
                Basis("counted", total),
                "trouble",
            )
    yield from _fallbacks(study)


def _list(names: list[str]) -> str:
    shown = [shorten(name, _LONGEST) for name in names[:_NAMED]]
    more = len(names) - len(shown)
    return join_words([*shown, *([f"{more} more"] if more else [])])


def _fallbacks(study: Study) -> Iterator[StudyFinding]:
    """Give the share of answers of models that could not be read."""
    ledgers = (entry for run in study.played for entry in run.ledger)
    asked, fallbacks = CountedAnswers.of(ledgers)
    if fallbacks and asked > 0:
        share = 100 * fallbacks / asked
        percent = "less than 0.1" if share < 0.1 else f"{share:.2g}" if share < 99.5 else "100"
        yield StudyFinding(
            f"{percent} % of the answers of language models were fallbacks ({fallbacks:,} of "
            f"{asked:,} could not be read).",
            Basis("counted", asked, fallbacks / asked),
            "trouble",
        )
