"""The chapter of outside minds: what they were asked, what it took, and where it went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from society.calls import Entry, added
from society.report.layout import Layout
from society.report.page import Chapter, Part
from society.report.sections.provenance import counted
from society.report.tables import Column, Table


def ledger(layout: Layout) -> Chapter | None:
    """Calls, tokens, cost and mishaps by model and question; None if nobody was asked."""
    entries = [entry for run in layout.conditions for entry in run.ledger]
    for coding in layout.study.codings:
        entries += [entry for run in coding.raters for entry in run.ledger]
    if not entries:
        return None
    rows = _summed(entries)
    if len(rows) > 1:
        rows["in all", ""] = entries
    unanswered = sum(run.unanswered for run in layout.conditions)
    notes = [
        "calls: exchanges, with repairs of replies that could not be read and re-asks of those "
        "that were cut off. retries: attempts that failed on the way. fallbacks: answers that "
        "stayed unreadable, and were settled by what the question states."
    ]
    if unanswered:
        notes.append(
            f"{counted(unanswered, 'call')} went out and never came back; they may have been "
            "paid for."
        )
    parts: list[Part] = [_ledger_table(rows, notes)]
    if len(layout.study.troubles):
        parts.append(_reasons(layout.study.troubles))
    return Chapter("ledger", "Calls and costs", parts)


def _summed(entries: Sequence[Entry]) -> dict[tuple[str, str], list[Entry]]:
    """Entries by who was asked and what about."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        asked = entry.model or f"{entry.component} (no model)"
        found.setdefault((asked, entry.kind), []).append(entry)
    return found


def _ledger_table(rows: Mapping[tuple[str, str], Sequence[Entry]], notes: list[str]) -> Table:
    def column(heading: str, name: str) -> Column:
        sums = [added(getattr(entry, name) for entry in entries) for entries in rows.values()]
        return Column(heading, sums, "dollars" if name == "cost" else "tokens")

    return Table(
        "ledger",
        "What was asked of outside minds",
        [
            Column("asked", [asked for asked, _ in rows]),
            Column("question", [kind for _, kind in rows]),
            *(column(name, name) for name in ("calls", "retries", "repairs", "cut", "fallbacks")),
            column("tokens in", "prompt_tokens"),
            column("tokens out", "completion_tokens"),
            column("US dollars", "cost"),
        ],
        notes,
    )


def _reasons(troubles: Any) -> Table:
    """Why answers could not be used as they came."""
    columns = (troubles[name].tolist() for name in ("model", "question", "what", "reason"))
    counts = Counter(zip(*columns, strict=True)).most_common()
    asked, questions, whats, reasons = zip(*(what for what, _ in counts), strict=True)
    return Table(
        "troubles",
        "Answers that could not be used as they came",
        [
            Column("asked", asked),
            Column("question", questions),
            Column("what", whats),
            Column("times", [count for _, count in counts], "count"),
            Column("reason", reasons, "words"),
        ],
    )
