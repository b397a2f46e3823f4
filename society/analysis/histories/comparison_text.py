"""The comparison of two runs as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from society.terminal.console import (
    TerminalColumn,
    TerminalStyle,
    flow_items,
    layout_table,
    print_lines,
)
from society.terminal.labels import count_noun, spell_kind

from .comparison import InputDifference, MeasureDifference, RunComparison

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST = 100
_VALUE = 60  # cells of an input


def print_comparison(found: RunComparison, console: Console) -> None:
    """Print what went into two runs, where they part, how they ended, and their measures."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    for lines in (_runs, _inputs, _apart, _ends, _measures):
        print_lines(console, lines(found, ink))


def _paragraph(ink: TerminalStyle, heading: str, words: str) -> Iterator[Text]:
    yield from flow_items([ink.text(words)], ink.width, label=ink.text(heading, "bold"), gutter=11)


def _runs(found: RunComparison, ink: TerminalStyle) -> Iterator[Text]:
    for side in found.sides:
        about = [
            ink.text(side.name, "bold"),
            ink.text(side.scenario),
            ink.text(count_noun(side.agents, "agent")),
            ink.text(count_noun(side.replicates, "replicate")),
            ink.text(f"seed {side.seed}"),
            ink.text(f"{side.status} after round {side.rounds}"),
        ]
        yield from flow_items(about, ink.width, gap=ink.words(" · "))
    if found.relation:
        yield from flow_items([ink.text(found.relation)], ink.width)
    yield ink.text("")


def _inputs(found: RunComparison, ink: TerminalStyle) -> Iterator[Text]:
    if not found.inputs:
        yield from _paragraph(ink, "inputs", "the same")
        return
    label = "inputs"
    for one in found.inputs:
        yield from _paragraph(ink, label, _input_words(one, ink))
        label = ""


def _input_words(one: InputDifference, ink: TerminalStyle) -> str:
    values = (ink.cut(_plain(value), _VALUE) for value in (one.first, one.second))
    return f"{one.name}: {' → '.join(values)}"


def _plain(value: object) -> object:
    """Write 10.0 as 10, as a user does."""
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else value


def _apart(found: RunComparison, ink: TerminalStyle) -> Iterator[Text]:
    yield from _paragraph(ink, "they part" if found.difference else "histories", found.apart_words)


def _ends(found: RunComparison, ink: TerminalStyle) -> Iterator[Text]:
    label = "ends"
    for side in found.sides:
        ends = (f"{spell_kind(cause)} {count:,}" for cause, count in side.ends.items())
        went_on = side.replicates - sum(side.ends.values())
        others = [f"no end {went_on:,}"] if went_on else []
        yield from _paragraph(ink, label, f"{side.name}: {', '.join([*ends, *others])}")
        label = ""


def _measures(found: RunComparison, ink: TerminalStyle) -> Iterator[Text]:
    if not found.measures:
        return
    yield ink.text("")
    yield from flow_items([ink.text(_pairing_words(found))], ink.width)
    rows = found.measures
    stub = [ink.text(one.name) for one in rows]
    cells = [
        [_figure(one.means[0], ink) for one in rows],
        [_figure(one.means[1], ink) for one in rows],
        [_figure(one.difference, ink, sign=True) for one in rows],
        [_interval(one, ink) for one in rows],
    ]
    headings = (*(side.name for side in found.sides), "difference", "95 % interval")
    columns = [
        TerminalColumn(ink.cut(heading, 24), [ink.text(cell) for cell in column])
        for heading, column in zip(headings, cells, strict=True)
    ]
    yield from layout_table(ink, stub, columns)
    notes: dict[str, list[str]] = {}
    for one in rows:
        if one.note:
            notes.setdefault(one.note, []).append(one.name)
        if any(one.censored):
            counts = " and ".join(f"{count:,}" for count in one.censored)
            words = f"had not come in {counts} replicates, which count with their last round"
            notes.setdefault(words, []).append(one.name)
    for words, names in notes.items():
        whose = "all measures" if len(names) == len(rows) and len(rows) > 1 else ", ".join(names)
        yield from flow_items([ink.text(f"{whose}: {words}", "dim")], ink.width)


def _pairing_words(found: RunComparison) -> str:
    one, other = found.sides
    first = found.measures[0]
    if first.pairing == "paired":
        shared = min(one.replicates, other.replicates)
        alone = "" if one.replicates == other.replicates else "; the others are left out"
        return (
            f"Means over {count_noun(shared, 'replicate')}, in pairs that share their random "
            f"numbers{alone}; difference: {other.name} less {one.name}"
        )
    return (
        "Means over replicates that share no random numbers (another scenario, seed or number of "
        f"agents), so that they are not paired; difference: {other.name} less {one.name}"
    )


def _figure(value: float | None, ink: TerminalStyle, *, sign: bool = False) -> str:
    if value is None:
        return ink.words("–")
    shown = ink.figure(np.float64(value))
    return f"+{shown}" if sign and value > 0 else shown


def _interval(one: MeasureDifference, ink: TerminalStyle) -> str:
    if one.interval is None:
        return ink.words("–")
    ends = one.interval.low, one.interval.high
    return " to ".join(_figure(end, ink, sign=True) for end in ends)
