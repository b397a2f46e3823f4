"""The summary of a run: its outcome in words and numbers, and commands to type next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from society.engine.scenario import Estimate
from society.runs.agent_names import AgentNames, names_by_round

from .console import TerminalColumn, TerminalStyle, flow_items, layout_table, print_lines
from .labels import RoundLabels, count_noun, describe_ending, describe_status, spell_kind
from .measures_table import measures_over_time
from .usage_tables import by_hand, cache_words, fallback_reasons, unsure_agents, usage_tables

if TYPE_CHECKING:
    from rich.console import Console

    from society.engine.game_master import Outcome
    from society.runs.runfile import Manifest, RunFile

_WIDEST = 100
_GUTTER = 9
_DIGEST = 16  # hexadecimal digits; `--json` gives all
_ROOM_FOR_UNITS = 20
_LONGEST_NAME = 24


def print_summary(
    run: RunFile,
    outcome: Outcome,
    notes: Sequence[str],
    console: Console,
    designs: Sequence[str] = (),
) -> None:
    """Print what happened, the measures, the use of models, and the commands to type next.

    outcome: of that run, with the results of analyses. notes: one line each. designs: lines on the
    designs that this run has used or made.
    """
    print_answers(run, outcome, console)
    print_record(run, outcome, notes, console, designs)


def print_answers(
    run: RunFile, outcome: Outcome, console: Console, answers: Sequence[str] = ()
) -> None:
    """Print what was played and what was found; without answers, the course in a sentence."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    manifest, status = run.manifest, run.status
    about = [ink.text(manifest.scenario, "bold"), Text(count_noun(manifest.agents, "agent"))]
    about += [Text(f"seed {manifest.seed}"), Text(status)]
    if manifest.replicates > 1:
        about.insert(2, Text(f"{manifest.replicates} replicates"))
    print_lines(console, flow_items(about, ink.width, gap=ink.words(" · ")))
    path = (run.paths() or [()])[-1]
    first, *more = answers or [course_sentence(manifest, outcome, status, path)]
    print_lines(console, flow_items([ink.text(first, "bold")], ink.width))
    for sentence in more:
        print_lines(console, flow_items([ink.text(sentence)], ink.width))


def print_record(
    run: RunFile,
    outcome: Outcome,
    notes: Sequence[str],
    console: Console,
    designs: Sequence[str] = (),
) -> None:
    """Print the measures, the use of models, the file, and the commands to type next."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    manifest, status = run.manifest, run.status
    print_lines(console, _measures(ink, outcome.measures))
    print_lines(console, [*measures_over_time(manifest, run.records(lines=False), ink), Text()])
    print_lines(console, usage_tables(ink, outcome.ledger))
    for label, items in (
        ("fork of", [note.words for note in reversed(manifest.forks)]),
        ("designs", designs),
        ("note", notes),
        ("minds", by_hand(outcome.ledger)),
        ("caches", cache_words(outcome.ledger)),
        *_troubles(ink, run, outcome),
        ("digest", [outcome.digest[:_DIGEST]]),
        ("file", [run.path]),
        ("next", _commands(status, shlex.quote(str(run.path)))),
    ):
        print_lines(console, _listed(ink, label, items))


def _listed(ink: TerminalStyle, label: str, items: Iterable[object]) -> Iterator[Text]:
    """Items on lines of their own, the first one with a label."""
    for item in items:
        name = Text(label, "bold")
        yield from flow_items([ink.text(item)], ink.width, label=name, gutter=_GUTTER)
        label = ""


def _troubles(
    ink: TerminalStyle, run: RunFile, outcome: Outcome
) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield labels with lines about replies that went wrong or never came."""
    if outcome.ledger:
        pages = (record.page for record in run.records(lines=False))
        numbered = [(page.number, trouble) for page in pages for trouble in page.troubles]
        troubles = [trouble for _, trouble in numbered]
        places = [(number, trouble.replicate, trouble.agent) for number, trouble in numbered]
        names = names_by_round(run, places, AgentNames.with_type)
        yield "trouble", unsure_agents(names, troubles, run.manifest.replicates)
        yield "reasons", fallback_reasons(ink, troubles)
    for batch in run.open_batches():
        host, name = batch.place.partition(" ")[0], batch.job or batch.key
        asked = count_noun(len(batch.calls), "question")
        yield "batch", [f"batch {name} of {asked} waits at {host}"]
    if run.unanswered:
        words = "calls without an answer that may still be billed"
        yield "open", [f"{words}: {run.unanswered}"]


def _commands(status: str, file: str) -> Iterator[str]:
    """Yield the commands to type next."""
    if status in ("paused", "interrupted"):
        yield f"society resume {file}"
    yield f"society replay {file}"
    yield f"society verify {file}"
    yield f"society show {file}"


def course_sentence(
    manifest: Manifest, outcome: Outcome, status: str, path: Sequence[int] = ()
) -> str:
    """Summarize the course of a run in one sentence; path: of its last round."""
    places = RoundLabels(manifest)
    far = places.rounds_among(outcome.rounds)
    if places.nested:
        far = ", ".join(places.reached(path, outcome.rounds))
    return (_one if manifest.replicates == 1 else _many)(manifest, outcome, status, far, places)


def _one(manifest: Manifest, outcome: Outcome, status: str, far: str, places: RoundLabels) -> str:
    name = f"The {spell_kind(manifest.scenario)}"
    lasted = f"lasted until {far}" if places.nested else f"lasted {far}"
    causes = [describe_ending(manifest.stage, kind) for kind in outcome.ends if kind]
    if causes:
        return f"{name} {lasted}, then {causes[0]}."
    if status != "finished":
        return f"{name} has {lasted} so far; {describe_status(status)}."
    if outcome.rounds == places.most:
        over = [(label, found) for label, found in _times(manifest, outcome) if not found.censored]
        for label, found in over:
            time = f"{found.mean:g} {found.unit}".rstrip()
            return f"{name} went on for all {places.all()}, though its {label} is {time}."
        return f"{name} lasted all {places.all()}."
    return f"{name} ended after {far}."


def _times(manifest: Manifest, outcome: Outcome) -> Iterator[tuple[str, Estimate]]:
    """Yield the measures that wait for something, in words, as far as all replicates have them.

    Where what is waited for came in a run, and did not end it, the run outlived its "survival".
    """
    for note in manifest.measures:
        found = outcome.measures.get(note.name)
        if note.fold == "first" and found is not None and found.n == manifest.replicates:
            yield note.label or note.name.replace("_", " "), found


def _many(manifest: Manifest, outcome: Outcome, status: str, far: str, places: RoundLabels) -> str:
    causes = sorted((-count, kind) for kind, count in outcome.ends.items() if kind)
    ended = -sum(count for count, _ in causes)
    going = manifest.replicates - ended
    parts = []
    if ended:
        whys = ", ".join(
            f"in {-count} {describe_ending(manifest.stage, kind)}" for count, kind in causes
        )
        parts.append(f"{ended} of {manifest.replicates} replicates ended: {whys}.")
    if going and status == "finished":
        whole = f"all {places.all()}" if outcome.rounds == places.most else far
        over = [(label, going - found.censored) for label, found in _times(manifest, outcome)]
        label, beyond = next((one for one in over if one[1] > 0), ("", 0))
        verb = "went on for" if beyond else "lasted"
        though = f", {beyond} of them beyond their {label}" if beyond else ""
        parts.append(f"{going} of {manifest.replicates} {verb} {whole}{though}.")
    elif going:
        parts.append(
            f"{going} of {manifest.replicates} were still running after {far}; "
            f"{describe_status(status)}."
        )
    return " ".join(parts)


def _measures(ink: TerminalStyle, estimates: Mapping[str, Estimate]) -> Iterator[Text]:
    """Lay out a row for each measure, its unit last, or a paragraph where a row is too wide."""
    if not estimates:
        return
    yield Text()
    given = [replace(one, se=_whole_error(one)) for one in estimates.values()]
    names = [ink.text(ink.cut(name, _LONGEST_NAME)) for name in estimates]
    columns = [
        TerminalColumn("mean", [_figure(ink, each.mean, each.se) for each in given]),
        TerminalColumn("se", [_figure(ink, each.se, each.se) for each in given]),
        TerminalColumn("n", [Text(str(each.n)) for each in given]),
        TerminalColumn(
            "censored", [Text(str(each.censored) if each.censored else "") for each in given]
        ),
        TerminalColumn(
            "earlier", [Text(str(each.earlier) if each.earlier else "") for each in given]
        ),
    ]
    told = [column for column in columns if any(cell.plain.strip("–-") for cell in column.cells)]
    heading, *rows = layout_table(ink, names, told)
    gutter = max(row.cell_len for row in [heading, *rows]) + 2
    if len(rows) == len(given) and ink.width - gutter >= _ROOM_FOR_UNITS:
        yield heading
        for row, each in zip(rows, given, strict=True):
            unit = ink.text(each.unit, "dim")
            yield from flow_items([unit], ink.width, label=row, gutter=gutter)
        return
    for number, (name, each) in enumerate(zip(names, given, strict=True)):
        figures = [
            Text(f"{column.heading} {column.cells[number]}")
            for column in told
            if column.cells[number]
        ]
        items = [*figures, ink.text(each.unit, "dim")]
        yield from flow_items(items, ink.width, label=name, gutter=4, gap="  ")


def _whole_error(each: Estimate) -> float | None:
    """The standard error; 0 for one that is rounding of equal values, and has no digits to show."""
    negligible = each.se is not None and each.mean is not None and each.se < 1e-9 * abs(each.mean)
    return 0.0 if negligible else each.se


def _figure(ink: TerminalStyle, value: float | None, se: float | None) -> Text:
    """Format a number with as many decimals as two digits of its standard error take."""
    if value is None or not se:
        return Text(ink.figure(value))
    return Text(ink.figure(value, min(max(1 - math.floor(math.log10(se)), 0), 9)))
