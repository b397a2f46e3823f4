"""The forecast of calls, tokens and cost of a run, before it is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from .console import TerminalStyle, flow_items, print_lines
from .labels import RoundLabels
from .usage_tables import format_dollars

if TYPE_CHECKING:
    from rich.console import Console

    from society.llm.providers.estimate import Forecast
    from society.runs.runfile import Manifest

_WIDEST = 100
_GUTTER = 10
_NOTE = (
    "Estimated from a run by the offline model, at four characters a token; the ranges go from "
    "replies as short as its own to replies of the maximum length. With real models the run may "
    "end sooner or later, and replies may need repair. Nothing was spent."
)


def print_forecast(
    manifest: Manifest, rounds: int, models: Sequence[Forecast], console: Console
) -> None:
    """Print calls, tokens and cost for each model, and for all of them.

    rounds: the number that was played to count them.
    """
    places = RoundLabels(manifest)
    extent = places.all() if rounds == places.most else f"{rounds} rounds"
    print_costs(models, extent, "this run", console)


def print_costs(models: Sequence[Forecast], extent: str, what: str, console: Console) -> None:
    """Print the forecast of `what`, of any extent, such as "10 rounds"."""
    ink = TerminalStyle(console.encoding, min(console.width, _WIDEST))
    if not models:
        print_lines(
            console, flow_items([ink.text(f"No model is called: {what} is free.")], ink.width)
        )
        return
    everything = type(models[0]).summed(f"all {len(models)} models", models)
    told = [*models, everything] if len(models) > 1 else models
    for one in told:
        print_lines(console, flow_items([ink.text(one.model, "bold")], ink.width))
        replies = _range(f"{one.reply_tokens:,}", f"{one.most_reply_tokens:,}")
        for label, words in (
            ("calls", f"{one.calls:,} in {extent}"),
            ("tokens", f"{one.prompt_tokens:,} in prompts, {replies} in replies"),
            ("cost", _cost(one.cost, one.most_cost)),
            *_savings(one),
        ):
            name = Text(f"  {label}")
            print_lines(
                console, flow_items([ink.text(words)], ink.width, label=name, gutter=_GUTTER)
            )
    print_lines(console, flow_items([ink.text(_NOTE, "dim")], ink.width))


def _savings(one: Forecast) -> Iterator[tuple[str, str]]:
    """Yield how batches, and one call for identical questions, would lower the cost."""
    if one.batch_cost is not None and one.cost:
        yield "batch", f"{_cost(one.batch_cost, one.most_batch_cost)} with --batch"
    if one.identical:
        yield (
            "alike",
            f"{one.identical:,} as before; asked once with --share-identical at temperature 0",
        )


def _cost(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return "unknown, as no price is known"
    return f"{_range(format_dollars(least), format_dollars(most))} US dollars"


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"
