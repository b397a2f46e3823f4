"""The section of model calls: questions, tokens and costs, and why answers could not be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from society.engine.calls import Usage, sum_known
from society.report.layout import Layout
from society.report.page import Section
from society.report.tables import Head, Table

from .provenance_section import count_of

_COUNTS = ("calls", "retries", "repairs", "cut", "fallbacks")
_USED = ("prompt_tokens", "cached_tokens", "completion_tokens", "cost")
_NOTE = (
    "calls: exchanges with a model, including repairs of replies that could not be read and "
    "repeats of replies that were cut off. retries: failed attempts. fallbacks: answers that "
    "stayed unreadable and were replaced by the fallback of the question. cached: tokens of "
    "prompts that the provider had in its cache, where it tells."
)

_NOTES = {
    "copied": "copied: exchanges that took the reply to an identical question, at no cost.",
    "unasked": "unasked: answers that were found without a model, as where only one was legal.",
}


def llm_usage_section(layout: Layout) -> Section:
    """Sum calls, tokens, cost and mishaps by model and question."""
    entries = [entry for run in layout.conditions for entry in run.ledger]
    for coding in layout.study.codings:
        entries += [entry for run in coding.raters for entry in run.ledger]
    tables = [_ledger_table(layout, entries)] if entries else []
    if tables and len(layout.study.troubles):
        tables.append(_trouble_table(layout.study.troubles))
    return Section("Calls and costs", tables, "ledger")


def _ledger_table(layout: Layout, entries: Sequence[Usage]) -> Table:
    groups: dict[tuple[str, str], list[Usage]] = {}
    for entry in entries:
        asked = entry.model or f"{entry.component} (no model)"
        groups.setdefault((asked, entry.kind), []).append(entry)
    if len(groups) > 1:
        groups["in all", ""] = [*entries]
    more = [name for name in _NOTES if any(getattr(entry, name) for entry in entries)]
    counts = (*_COUNTS, *more)
    rows = [
        (*key, *(sum_known(getattr(one, name) for one in group) for name in (*counts, *_USED)))
        for key, group in groups.items()
    ]
    head: Head = [
        ("text", "asked", "question"),
        ("tokens", *counts),
        ("tokens", "tokens in", "cached", "tokens out"),
        ("dollars", "US dollars"),
    ]
    lost = sum(run.unanswered for run in layout.conditions)
    unanswered = f"{count_of(lost, 'call')} never returned; they may still be billed."
    notes = [_NOTE, *(_NOTES[name] for name in more), *([unanswered] if lost else [])]
    return Table.of("ledger", "Calls of language models", head, rows, *notes)


def _trouble_table(troubles: Any) -> Table:
    columns = (troubles[name].tolist() for name in ("model", "question", "what", "reason"))
    counts = Counter(zip(*columns, strict=True)).most_common()
    rows = [(*key, count, reason) for (*key, reason), count in counts]
    head: Head = [("text", "asked", "question", "what"), ("count", "times"), ("words", "reason")]
    return Table.of("troubles", "Answers that could not be used as given", head, rows)
