"""What an audit found: which conclusions hold when questions are worded otherwise, and by how much
each perturbation changes them."""

from __future__ import annotations

from collections.abc import Iterator

from society.analysis.auditing.audit import (
    AuditResults,
    find_audit,
    is_audit,
    unfinished_conditions,
)
from society.analysis.auditing.effects import EstimatedEffect
from society.analysis.statistics.samples import NotEstimable
from society.report.figures.forest import ForestPanel, ForestRow, forest_plot
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.page import Caveat, Section, SectionPart, folded_section
from society.report.tables import CellValue, Head, Table
from society.terminal.labels import count_noun

_MOST_SENTENCES = 9  # others on request
_MOST_PANELS = 12
_SERIES = ("the effect changes (p < .05)", "no change is found")
_NOTES = (
    "effect: the outcome of the second condition less that of the first, under the perturbation; "
    "without it in rows with “none”. change: the effect under the perturbation less the effect "
    "without it. p (Holm): two-sided t test of the change, adjusted over all changes of the audit.",
    "flips: sets of replicates in which the direction of the effect is another one than without "
    "the perturbation; their share with Wilson's 95 % interval describes, since directions of "
    "single sets differ by chance as well.",
)


def audit_section(layout: Layout) -> Section:
    """Say which conclusions hold under perturbations; nothing for what is no audit."""
    return Section("What the audit found", [*_parts(layout)], "audit")


def _parts(layout: Layout) -> Iterator[SectionPart]:
    study = layout.study
    if not is_audit(study):
        return
    if left := unfinished_conditions(study):
        words = f"{count_noun(len(left), 'condition')} of this audit did not finish"
        yield Caveat(f"{words}, so that nothing is tested: repeat the command to play on.", left)
        return
    try:
        found = find_audit(layout)
    except NotEstimable as reason:
        yield Caveat(f"No conclusion of this audit can be tested: {reason}.")
        return
    sentences = [*found.sentences()]
    yield from sentences[:_MOST_SENTENCES]
    if more := sentences[_MOST_SENTENCES:]:
        yield folded_section(f"{len(more)} more", *more)
    yield audit_figure(found)
    yield audit_table(found)


def audit_figure(found: AuditResults) -> Figure:
    """Draw the change of each effect by perturbation, with its interval and its adjusted p."""
    panels = [
        ForestPanel(
            one.title,
            [
                ForestRow(
                    each.perturbation, each.change.mean, *_ends(each.change), each.p, each.changed
                )
                for each in one.perturbed
            ],
        )
        for one in found.conclusions
    ]
    shown = sorted(panels, key=lambda panel: min(row.p for row in panel.rows))[:_MOST_PANELS]
    panels = [panel for panel in panels if panel in shown]
    caption = (
        f"Effect under each perturbation less the effect without it, in {found.outcome}, with 95 % "
        "intervals, not adjusted for their number; none where all differences are the same. p: t "
        "tests of the changes, adjusted by Holm."
    )
    if len(panels) < len(found.conclusions):
        words = f" {len(panels)} of {len(found.conclusions)} conclusions: those with the lowest p."
        caption += words
    title = f"{found.headline[0].upper()}{found.headline[1:]}"
    axis = "Change of the effect" + (f", {found.unit}" if found.unit else "")
    return forest_plot("audit", title, caption, axis, panels, _SERIES)


def audit_table(found: AuditResults) -> Table:
    """Give each conclusion by perturbation: effect, change, test, and flips with their interval."""
    rows = list[tuple[CellValue, ...]]()
    for one in found.conclusions:
        rows.append((one.title, "none", one.effect.mean, *_ends(one.effect), *[None] * 8))
        rows += [
            (
                one.title,
                each.perturbation,
                each.effect.mean,
                *_ends(each.effect),
                each.change.mean,
                *_ends(each.change),
                each.p,
                f"{each.flips.count} of {each.flips.n}",
                each.flips.share,
                *each.flips.interval[:2],
            )
            for each in one.perturbed
        ]
    head: Head = [
        ("text", "conclusion", "perturbation"),
        ("figure", "effect", "95 % from", "95 % to"),
        ("figure", "change", "95 % from", "95 % to"),
        ("p", "p (Holm)"),
        ("text", "flips"),
        ("share", "share of flips", "95 % from", "95 % to"),
    ]
    unit = f", {found.unit}" if found.unit else ""
    title = f"Conclusions on {found.outcome}{unit} by perturbation"
    return Table.of("audit", title, head, rows, *_NOTES, _summaries(found), whole=True)


def _summaries(found: AuditResults) -> str:
    """Say what each perturbation changes."""
    return "; ".join(f"{name}: {words}" for name, words in found.summaries.items()) + "."


def _ends(effect: EstimatedEffect) -> tuple[float | None, float | None]:
    return (None, None) if effect.interval is None else effect.interval[:2]
