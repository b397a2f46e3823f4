"""The first section of a report: what was found, in sentences, and what each rests on."""

from __future__ import annotations

from collections.abc import Sequence

from society.analysis.findings import StudyFinding
from society.report.page import Caveat, Section, SectionPart, folded_section
from society.report.tables import Head, Table

_MOST = 7  # sentences that a reader sees; others on request
_NOTE = (
    "Sentences by their number. p: two-sided, adjusted for the number of tests (Holm; Bonferroni "
    "between types of agents). estimate: mean, difference, ratio or F, as the sentence has it."
)


def findings_section(findings: Sequence[StudyFinding]) -> Section:
    """Say what was found; troubles stand out, and come first."""
    parts: list[SectionPart] = [
        Caveat(one.sentence) if one.kind == "trouble" else one.sentence for one in findings
    ]
    shown, more = parts[:_MOST], parts[_MOST:]
    if more:
        shown.append(folded_section(f"{len(more)} more", *more))
    if findings:
        shown.append(folded_section("What these sentences rest on", _basis_table(findings)))
    return Section("What was found", shown, "findings")


def _basis_table(findings: Sequence[StudyFinding]) -> Table:
    rows = [
        (
            number,
            one.basis.test,
            one.basis.n,
            one.basis.estimate,
            *(one.basis.interval[:2] if one.basis.interval else (None, None)),
            one.basis.p,
        )
        for number, one in enumerate(findings, 1)
    ]
    head: Head = [
        ("count", "sentence"),
        ("text", "test"),
        ("count", "n"),
        ("figure", "estimate", "95 % from", "95 % to"),
        ("p", "p"),
    ]
    return Table.of("findings", "Findings and what they rest on", head, rows, _NOTE)
