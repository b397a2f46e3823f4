"""The section of questionnaires: scales over time, their reliability, and answers to each item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.questionnaires import (
    GivenQuestionnaire,
    Wave,
    read_questionnaires,
    summarise_item,
)
from society.analysis.statistics import mean
from society.analysis.statistics.bands import mean_band
from society.analysis.statistics.reliability import Reliability
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study.design import ConditionGroup
from society.report.figures.alt_text import ROUNDS_PLAYED
from society.report.figures.curves import Curve, CurvePanel, line_plot
from society.report.figures.style import Figure, SeriesStyle
from society.report.layout import Layout, legend_note
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import CellValue, Head, Table, known_mean, read_fields
from society.scenarios.mechanisms.questionnaire.instrument import QuestionnaireItem

_LEAD = (
    "Questions stand beside the history: agents do not remember them, and nobody else heard the "
    "answers. Who has left out an item has no score on its scales."
)
_MEANS = (
    "Means over runs of the mean score of all who were asked, with 95 % t intervals; reversed "
    "items are turned round."
)
_RELIABILITY = (
    "Over all who answered every item. Intervals: bootstrap over runs, since agents of one run "
    "depend on each other. α: Cronbach; ω: McDonald, of one factor; neither says that there is one."
)
_MOST_QUOTES = 200


def questionnaires_section(layout: Layout) -> Section:
    """Show what agents answered, for each instrument."""
    parts: list[SectionPart] = []
    for number, given in enumerate(read_questionnaires(layout.study), 1):
        if any(given.waves.values()):
            parts.append(Section(given.instrument.title, list(_parts(layout, number, given))))
    return Section("Questionnaires", [_LEAD, *parts] if parts else [], "questionnaires")


def _parts(layout: Layout, number: int, given: GivenQuestionnaire) -> Iterator[SectionPart]:
    instrument = given.instrument
    if instrument.note:
        yield instrument.note
    for name in instrument.scales:
        yield from _scale(layout, number, given, name)
    if instrument.scales:
        yield _reliability(layout, number, given)
    else:
        yield "The instrument has no scales."
    yield _items(layout, number, given)
    words = [item for item in instrument.items if item.kind == "open"]
    if words:
        tables = [_quotes(layout, number, given, item) for item in words]
        yield folded_section("Answers in words", *tables)


def _scale(
    layout: Layout, number: int, given: GivenQuestionnaire, name: str
) -> Iterator[SectionPart]:
    """Show the scores on one scale: a figure if there are several occasions, and a table."""
    scale = given.instrument.scales[name]
    if any(len(waves) > 1 for waves in given.waves.values()):
        yield _figure(layout, number, given, name)
    rows, places = list[tuple[CellValue, ...]](), list[int]()
    for place, wave in given.every():
        values = wave.means(name)
        found = try_compute(mean, values)
        low, high = read_fields(found, "interval.low", "interval.high")
        known = known_mean(values)
        runs = int((~np.isnan(values)).sum())
        rows.append((wave.label, wave.given.occasion.played, known, low, high, runs))
        places.append(place)
    head: Head = [
        ("text", "occasion"),
        ("count", "rounds played"),
        ("figure", "mean", "95 % from", "95 % to"),
        ("count", "runs"),
    ]
    title = f"{name}: {scale.score} of {', '.join(scale.items)}"
    first = layout.factor_columns(places)
    yield Table.of(f"questionnaire_{number}_{name}", title, head, rows, _MEANS, first=first)


def _figure(layout: Layout, number: int, given: GivenQuestionnaire, name: str) -> Figure:
    groups, lines = layout.figure_panels()
    shown = groups or [ConditionGroup("", layout.extreme_conditions())]
    series = layout.label_series(shown, lines)
    panels = []
    for group in shown:
        curves = [
            _curve(*series[place], waves, name)
            for place in group.places
            if (waves := given.waves.get(place))
        ]
        if curves:
            panels.append(CurvePanel(group.title, curves, along=ROUNDS_PLAYED))
    title = f"{name[:1].upper()}{name[1:]} over time"
    return line_plot(
        f"questionnaire_{number}_{name}", title, _MEANS + legend_note(lines), panels, name
    )


def _curve(label: str, style: SeriesStyle, waves: Sequence[Wave], name: str) -> Curve:
    band = mean_band(np.stack([wave.means(name) for wave in waves], axis=1))
    return Curve(
        label,
        style,
        np.array([wave.given.occasion.played for wave in waves]),
        band.mean,
        band.low,
        band.high,
        band.left,
    )


def _reliability(layout: Layout, number: int, given: GivenQuestionnaire) -> Table:
    rows, places = list[tuple[CellValue, ...]](), list[int]()
    for place, wave in given.every():
        for name, scale in given.instrument.scales.items():
            alpha, omega = wave.alpha(name), wave.omega(name)
            known = alpha if isinstance(alpha, Reliability) else None
            rows.append(
                (
                    *(name, wave.label, len(scale.items)),
                    known.respondents if known else None,
                    *_cells(alpha),
                    *_cells(omega),
                )
            )
            places.append(place)
    head: Head = [
        ("text", "scale", "occasion"),
        ("count", "items", "respondents"),
        ("share", "α", "α from", "α to", "ω", "ω from", "ω to"),
    ]
    title, first = "Reliability of the scales", layout.factor_columns(places)
    return Table.of(
        f"questionnaire_{number}_reliability", title, head, rows, _RELIABILITY, first=first
    )


def _cells(found: Reliability | NotEstimable) -> tuple[CellValue, CellValue, CellValue]:
    if isinstance(found, NotEstimable):
        return found, None, None
    if isinstance(found.interval, NotEstimable):
        return found.value, found.interval, None
    return found.value, found.interval.low, found.interval.high


def _items(layout: Layout, number: int, given: GivenQuestionnaire) -> Table:
    """Tabulate how answers to each item are distributed."""
    rows, places = list[tuple[CellValue, ...]](), list[int]()
    for item in given.instrument.items:
        for place, wave in given.every():
            found = summarise_item(item, wave.given)
            spread = ", ".join(f"{answer}: {count}" for answer, count in found.counts.items())
            rows.append(
                (
                    *(item.id, wave.label, found.answered, found.missing, found.mean, found.sd),
                    spread,
                )
            )
            places.append(place)
    head: Head = [
        ("text", "item", "occasion"),
        ("count", "answers", "missing"),
        ("figure", "mean", "sd"),
        ("words", "how often"),
    ]
    notes = [f"{item.id}: {_described(item)}" for item in given.instrument.items]
    title, first = (
        "Answers to each item, over all agents and runs",
        layout.factor_columns(places),
    )
    return Table.of(f"questionnaire_{number}_items", title, head, rows, *notes, first=first)


def _described(item: QuestionnaireItem) -> str:
    more = [item.legend, item.unit, "reversed" if item.reversed else ""]
    return " · ".join([item.text, *filter(None, more)])


def _quotes(
    layout: Layout, number: int, given: GivenQuestionnaire, item: QuestionnaireItem
) -> Table:
    """Quote the answers to an open item, in the first run of each condition."""
    rows, places = list[tuple[CellValue, ...]](), list[int]()
    for place, wave in given.every():
        words, asked = wave.given.answers[item.id][0], wave.given.asked[0]
        for seat in np.flatnonzero(asked).tolist():
            if words[seat] is not None and len(rows) < _MOST_QUOTES:
                rows.append((wave.label, seat, words[seat]))
                places.append(place)
    head: Head = [("text", "occasion"), ("count", "seat"), ("words", "answer")]
    note = f"Of the first run of each condition, at most {_MOST_QUOTES} in all."
    return Table.of(
        f"questionnaire_{number}_{item.id}",
        item.text,
        head,
        rows,
        note,
        first=layout.factor_columns(places),
    )
