"""A plan as people and programs read it.

What it rests on, the effects that are found and what runs take by their number, and its caveats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from society.terminal.console import (
    TerminalColumn,
    TerminalStyle,
    decimals_for,
    flow_items,
    layout_table,
    print_lines,
)
from society.terminal.usage_tables import UNKNOWN, format_dollars

from .pilot import PilotRuns
from .plan import ALPHA, POWER, PowerPlan, Smallest

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WIDEST = 100
_GUTTER = 9
_LONGEST_TERM = 24
_ORIGINS = {
    "finished runs": "finished runs of the folder",
    "played now": "played now, in memory",
    "none": "none",
}


def print_plan(plan: PowerPlan, console: Console) -> None:
    """Print a plan."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    print_lines(console, _heading(ink, plan))
    print_lines(console, _contrasts(ink, plan))
    print_lines(console, _variance(ink, plan))
    print_lines(console, _demand(ink, plan))
    label = "notes"
    for note in plan.notes:
        print_lines(console, _label_lines(ink, label, f"{note}."))
        label = ""


def plan_as_json(plan: PowerPlan) -> dict[str, Any]:
    """Give a plan as `--json` prints it; lists by size have an entry for each of `sizes`."""
    read = plan.experiment
    return {
        "name": read.name,
        "outcome": read.analysis.outcome,
        "unit": plan.pilot.unit,
        "random_numbers": read.random_numbers,
        "conditions": len(read.conditions),
        "replicates": plan.own,
        "power": POWER,
        "alpha": ALPHA,
        "pilot": {
            "origin": plan.pilot.origin,
            "conditions": [*map(_trial_as_json, plan.pilot.trials)],
        },
        "sizes": plan.sizes,
        "pairs": [{**pair._asdict(), "d_z" if plan.paired else "d": pair.d} for pair in plan.pairs],
        "terms": [term._asdict() for term in plan.terms],
        "demand": [demand._asdict() for demand in plan.demand],
        "notes": plan.notes,
    }


def _trial_as_json(trial: PilotRuns) -> dict[str, Any]:
    known = trial.values[~np.isnan(trial.values)]
    return {
        "name": trial.condition.name,
        "runs": len(trial.values),
        "mean": float(known.mean()) if len(known) else None,
        "sd": float(known.std(ddof=1)) if len(known) > 1 else None,
        "censored": trial.censored,
    }


def _heading(ink: TerminalStyle, plan: PowerPlan) -> Iterator[Text]:
    read, pilot = plan.experiment, plan.pilot
    words = f"{read.name}: {_runs(plan.own, plan.own, len(read.conditions))}"
    yield from flow_items([ink.text(words, "bold")], ink.width)
    unit = f" ({pilot.unit})" if pilot.unit else ""
    yield from _label_lines(ink, "outcome", f"{read.analysis.outcome}{unit}")
    words, runs = _ORIGINS[pilot.origin], [len(trial.values) for trial in pilot.trials]
    if runs:
        words += f": {_runs(min(runs), max(runs), len(runs))}"
        criterion = (
            f"by {POWER:.0%} of the experiments that are simulated from it, at alpha {ALPHA}"
        )
    yield from _label_lines(ink, "pilot", words)
    if runs:
        yield from _label_lines(ink, "found", criterion)
    yield ink.text("")


def _contrasts(ink: TerminalStyle, plan: PowerPlan) -> Iterator[Text]:
    if not plan.pairs:
        return
    test, d = ("paired t test", "d_z") if plan.paired else ("Welch's t test", "d")
    columns = [_figures(ink, "difference", plan.differences), _figures(ink, d, plan.d, 2)]
    words = f"the smallest difference of two conditions that is found, by the {test}"
    if len(plan.pairs) > 1:
        noisiest = plan.noisiest
        columns += [
            _figures(ink, "noisiest pair", noisiest.differences),
            _figures(ink, d, noisiest.d, 2),
        ]
        words += (
            f"; median of {len(plan.pairs)} pairs, and "
            f"{noisiest.first} with {noisiest.second}, the noisiest"
        )
    yield from _by_runs(ink, plan, words, columns)


def _variance(ink: TerminalStyle, plan: PowerPlan) -> Iterator[Text]:
    if not plan.terms:
        return
    words = "the smallest partial eta squared that is found, by the analysis of variance"
    if by := plan.experiment.analysis.by:
        words += f", at each level of {' and '.join(by)}"
    columns = [
        _figures(ink, ink.cut(term.name, _LONGEST_TERM), term.partial_eta_squared, 3)
        for term in plan.terms
    ]
    yield from _by_runs(ink, plan, words, columns)


def _demand(ink: TerminalStyle, plan: PowerPlan) -> Iterator[Text]:
    demand, conditions = plan.demand, len(plan.experiment.conditions)
    rows = {"runs in all": [f"{size * conditions:,}" for size in plan.sizes]}
    if any(each.calls != 0 for each in demand):
        rows["calls"] = [_whole(each.calls) for each in demand]
        rows["tokens"] = [_range(_whole(each.tokens), _whole(each.most_tokens)) for each in demand]
        rows["dollars"] = [
            _range(format_dollars(each.cost), format_dollars(each.most_cost)) for each in demand
        ]
    if plan.pilot.demand.seconds is not None:
        rows["seconds"] = [_seconds(each.seconds) for each in demand]
    columns = [
        TerminalColumn(name, [ink.text(cell) for cell in cells]) for name, cells in rows.items()
    ]
    yield from _by_runs(ink, plan, "what so many runs of each condition take", columns)


def _by_runs(
    ink: TerminalStyle, plan: PowerPlan, words: str, columns: Sequence[TerminalColumn]
) -> Iterator[Text]:
    """A table with a row for each number of runs of a condition; the experiment's own is bold."""
    yield from flow_items([ink.text(words, "bold")], ink.width)
    stub = [ink.text(f"{size:>4} runs", "bold" if size == plan.own else "") for size in plan.sizes]
    yield from layout_table(ink, stub, columns)
    yield ink.text("")


def _figures(
    ink: TerminalStyle, heading: str, values: Smallest, decimals: int | None = None
) -> TerminalColumn:
    wide = np.array([math.nan if value is None else value for value in values])
    places = decimals_for(wide) if decimals is None else decimals
    return TerminalColumn(heading, [ink.text(ink.figure(value, places)) for value in wide])


def _runs(least: int, most: int, conditions: int) -> str:
    """Say how many runs of how many conditions there are."""
    count = f"{least}" if least == most else f"{least} to {most}"
    noun = "run" if most == 1 else "runs"
    among = "one condition" if conditions == 1 else f"each of {conditions} conditions"
    return f"{count} {noun} of {among}"


def _whole(count: float | None) -> str:
    return UNKNOWN if count is None else f"{count:,.0f}"


def _seconds(seconds: float | None) -> str:
    return UNKNOWN if seconds is None else f"{seconds:,.1f}"


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


def _label_lines(ink: TerminalStyle, label: str, words: str) -> Iterator[Text]:
    name = ink.text(label, "bold")
    yield from flow_items([ink.text(words)], ink.width, label=name, gutter=_GUTTER)
