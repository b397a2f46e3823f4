"""The answers to an interview as text: words by agent, scores and shares by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.text import Text

from .console import TerminalColumn, TerminalStyle, flow_items, layout_table, print_lines

if TYPE_CHECKING:
    from rich.console import Console

    from society.runs.interview import AgentAnswers, Interview

_WIDEST = 100


def print_interview(given: Interview, replicates: int, console: Console) -> None:
    """Print what agents answered, in words or as means over those who were asked, by round.

    replicates: of the run; where there are several, each agent is told with its own.
    """
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    instrument = given.instrument
    rounds = sorted({one.round for one in given.answers})
    by_round = [[one for one in given.answers if one.round == number] for number in rounds]
    numbers = [item.id for item in instrument.items if item.reach]
    scored = [*instrument.scales] or numbers
    if scored:
        print_lines(console, [ink.text(instrument.title, "bold")])
        stub = [Text(_round(number)) for number in rounds]
        columns = [TerminalColumn("asked", [Text(str(len(now))) for now in by_round])]
        columns += [
            TerminalColumn(ink.cut(name, 24), [Text(_mean(now, name)) for now in by_round])
            for name in scored
        ]
        print_lines(console, layout_table(ink, stub, columns))
        words = "Means over agents, with their standard deviations."
        print_lines(console, [*flow_items([ink.text(words, "dim")], ink.width), Text()])
    for item in instrument.items:
        if item.kind not in ("open", "choice"):
            continue
        print_lines(console, flow_items([ink.text(item.text, "bold")], ink.width))
        for number, now in zip(rounds, by_round, strict=True):
            counted = item.kind == "choice"
            told = _counts(now, item.id) if counted else _said(now, item.id, replicates)
            for who, said in told:
                label = ink.text(f"  {_round(number)} {who}".rstrip(), "dim")
                shown = [ink.text("(no answer)" if said is None else said)]
                print_lines(console, flow_items(shown, ink.width, label=label, gutter=4, gap="  "))
        print_lines(console, [Text()])


def _round(number: int) -> str:
    return f"round {number}" if number else "before the first round"


def _values(now: Sequence[AgentAnswers], name: str) -> list[float]:
    found = [{**one.items, **one.scales}.get(name) for one in now]
    return [float(value) for value in found if value is not None]


def _mean(now: Sequence[AgentAnswers], name: str) -> str:
    values = _values(now, name)
    if not values:
        return "-"
    spread = f" ({np.std(values, ddof=1):.3g})" if len(values) > 1 else ""
    return f"{np.mean(values):.3g}{spread}"


def _said(
    now: Sequence[AgentAnswers], item: str, replicates: int
) -> Iterator[tuple[str, str | None]]:
    for one in now:
        where = f" of replicate {one.replicate}" if replicates > 1 else ""
        yield f"{one.name}{where}", one.items[item]


def _counts(now: Sequence[AgentAnswers], item: str) -> Iterator[tuple[str, str | None]]:
    times = Counter(one.items[item] or "(no answer)" for one in now)
    yield "", ", ".join(f"{option} {count}" for option, count in times.most_common())
