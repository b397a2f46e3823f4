"""The section of claims: their grid with effects, and below it each claim with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from society.claims.comparisons import three_figures
from society.claims.effects import ClaimEffect
from society.claims.types import HOW, ClaimVerdict
from society.report.figures.style import PAGE
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import CellValue, Head, Table

from .claim_grid import MARKS, ClaimGrid, GridRow
from .claims_figure import claims_figure

_UNLIKE = "with different outcomes under different parameters or readings"
_AGREED = (*MARKS, _UNLIKE)
_HELD = {True: "yes", False: "no", None: "not shown"}
_WHERE = (
    "Each line below is a claim, with a mark for each reading; it opens what the paper says, what "
    "was compared, and how our experiment departs from the paper's."
)
_HEAD: Head = [
    ("words", "compared"),
    ("text", "ours", "held against", "difference or ratio", "n", "p", "the paper", "as claimed"),
]
_NUMBERS: Head = [
    ("words", "claim", "reading"),
    ("text", "outcome"),
    ("words", "compared"),
    ("text", "effect", "test", "as claimed", "runs"),
    ("figure", "ours", "held against", "difference", "low", "high"),
    ("p", "p"),
    ("figure", "paper", "paper, to", "paper held against"),
    ("text", "where in the paper"),
]


def claims_section(verdicts: Sequence[ClaimVerdict]) -> Section:
    """Set the claims of a paper beside our results; no parts without any."""
    if not verdicts:
        return Section("Claims", [], "claims")
    grid = ClaimGrid.of(verdicts)
    details = [_detail(row) for row in grid.rows]
    each = folded_section("Each claim, and what was compared for it", _WHERE, *details)
    parts: list[SectionPart] = [*count_claims(verdicts), claims_figure(grid, PAGE), each]
    return Section("Claims", [*parts, *_numbers(verdicts)], "claims")


def judging_section(judging: Sequence[str]) -> Section:
    """Say how claims are judged: by the rules of all papers, then by those of this one."""
    words = (f"{name}. {rule}" for name, rule in HOW.items())
    return folded_section("How claims are judged", *words, *judging)


def count_claims(verdicts: Sequence[ClaimVerdict]) -> Iterator[str]:
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


def _detail(row: GridRow) -> Section:
    """Open a claim: what the paper says, what was found by each reading, and what departs."""
    verdicts = list(dict.fromkeys(cell.verdict for cell in row.cells))
    first = verdicts[0]
    source = "not claimed by the paper" if row.ours else f"the paper, {first.source}"
    parts: list[SectionPart] = [f"{first.said} ({source})"]
    for number, one in enumerate(verdicts):
        parts += _found(f"{row.anchor}-{number}", one)
    departures = dict.fromkeys(words for one in verdicts for words in one.departures)
    if departures:
        parts.append(Section("How ours departs", list(departures)))
    ours = " (ours)" if row.ours else ""
    return Section(f"{row.marks}  {row.claim}{ours}", parts, row.anchor, folded=True)


def _found(name: str, verdict: ClaimVerdict) -> Iterator[SectionPart]:
    """Give what was found by one reading: comparisons as a table, all else in words."""
    under = f", {verdict.under}" if verdict.under else ""
    title = f"{MARKS[verdict.outcome]} {verdict.outcome}{under}"
    parts: list[SectionPart] = []
    if verdict.effects:
        rows = [_row(effect) for effect in verdict.effects]
        table = Table.of(name, "What was compared", _HEAD, rows, whole=True)
        parts.append(replace(table, page_only=True))
    elif verdict.found:
        parts += [words for words in verdict.found.split("; ") if words]
    parts += [
        f"{words[0].upper()}{words[1:]}." for words in filter(None, verdict.notes.split("; "))
    ]
    yield Section(title, parts or ["Nothing was found."])


def _row(effect: ClaimEffect) -> tuple[CellValue, ...]:
    p = "–" if effect.p is None else ("< 0.001" if effect.p < 0.001 else f"{effect.p:.3f}")
    paper = "–" if effect.paper is None else str(effect.paper)
    if effect.untestable:
        return (effect.name, *("–",) * 2, effect.untestable, "–", "–", paper, _HELD[effect.held])
    runs = " and ".join(map(str, effect.n)) or "–"
    numbers = (three_figures(effect.ours), three_figures(effect.against), _difference(effect))
    return (effect.name, *numbers, runs, p, paper, _HELD[effect.held])


def _difference(effect: ClaimEffect) -> str:
    """Give a difference with its interval, or a ratio, where logarithms were compared."""
    times = effect.times
    if effect.logs and times is not None:
        value, low, high = map(three_figures, times)
        return f"× {value} [{low}, {high}]"
    value, low, high = map(three_figures, (effect.difference, effect.low, effect.high))
    return f"{value} [{low}, {high}]"


def _numbers(verdicts: Sequence[ClaimVerdict]) -> Iterator[Section]:
    """List all effects of all claims in one table, numbers in full in its files."""
    rows = [
        (
            *(one.bare, one.under, one.outcome, effect.name, effect.sort),
            *(effect.test, _HELD[effect.held], " and ".join(map(str, effect.n))),
            *(effect.ours, effect.against, effect.difference, effect.low, effect.high, effect.p),
            *(_paper_cells(effect)),
        )
        for one in verdicts
        for effect in one.effects
    ]
    if rows:
        note = "Differences and intervals of what multiplies are of logarithms."
        title = "Everything that was compared"
        yield folded_section(title, Table.of("claims", title, _NUMBERS, rows, note))


def _paper_cells(effect: ClaimEffect) -> tuple[CellValue, ...]:
    if effect.paper is None:
        return (None, None, None, "")
    low, high, against, where = effect.paper
    return (low, high, against, where)
