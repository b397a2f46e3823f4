"""What a run would cost, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from society.calls import added

from .ink import Ink, flowing, printed
from .minds import dollars
from .places import Places

if TYPE_CHECKING:
    from rich.console import Console

    from society.models.estimate import Forecast
    from society.runs.runfile import Manifest

_WIDEST = 100
_GUTTER = 10
_NOTE = (
    "Counted on a play by the offline mind, at four characters a token; from replies as short as "
    "its own to replies that take all the room they have. Real minds may end the run sooner or "
    "later, and their replies may need repair. Nothing was spent."
)


def forecast(manifest: Manifest, rounds: int, models: Sequence[Forecast], console: Console) -> None:
    """Print calls, tokens and cost for each model, and for all of them.

    rounds: how many were played to count them.
    """
    places = Places(manifest)
    extent = places.all() if rounds == places.most else f"{rounds} rounds"
    costs(models, extent, "this run", console)


def costs(models: Sequence[Forecast], extent: str, what: str, console: Console) -> None:
    """Print the same of anything; extent: how much was played to count it."""
    ink = Ink(console.encoding, min(console.width, _WIDEST))
    if not models:
        printed(console, flowing([ink.text(f"Nobody asks a model: {what} is free.")], ink.width))
        return
    told = [*models, _together(models)] if len(models) > 1 else models
    for one in told:
        printed(console, flowing([ink.text(one.model, "bold")], ink.width))
        replies = _range(f"{one.reply_tokens:,}", f"{one.most_reply_tokens:,}")
        for label, words in (
            ("calls", f"{one.calls:,} in {extent}"),
            ("tokens", f"{one.prompt_tokens:,} of prompts, {replies} of replies"),
            ("cost", _cost(one)),
        ):
            name = Text(f"  {label}")
            printed(console, flowing([ink.text(words)], ink.width, label=name, gutter=_GUTTER))
    printed(console, flowing([ink.text(_NOTE, "dim")], ink.width))


def _together(models: Sequence[Forecast]) -> Forecast:
    """All models as one; its cost is unknown if one of theirs is."""
    columns = zip(*(model[1:] for model in models), strict=True)
    sums: list[Any] = [added(column) for column in columns]
    return type(models[0])(f"all {len(models)} models", *sums)


def _cost(one: Forecast) -> str:
    if one.cost is None or one.most_cost is None:
        return "unknown, for want of a price"
    return f"{_range(dollars(one.cost), dollars(one.most_cost))} US dollars"


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"
