"""The norms in force: since when, what they were before, and how they were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED
from society.terminal.console import TerminalStyle, flow_items
from society.terminal.labels import RoundLabels
from society.terminal.round_view import Chosen

from .events import scene_at
from .frame import Panel
from .glyphs import Glyphs
from .history import History
from .lanes import lanes
from .view import View

_OPTIONS = 4  # that are named after a vote
_LONGEST_SENTENCE = 3  # lines
_BINS = 8  # of numbers that were proposed
_RAGGED = 10  # cells that the end of a line may leave blank


class Norm(NamedTuple):
    """A norm as of a round. since: the round in which it was set; 0: it has always been so."""

    name: str
    value: Any
    since: int
    before: Any
    chosen: Chosen | None


def norms_at(history: History, view: View) -> list[Norm]:
    """Return the norms in force at the end of a round, those that say nothing left out."""
    found = []
    for name in scene_at(history, view.round).stage.notes:
        norm = _norm(history, view, name)
        if norm is not None:
            found.append(norm)
    return found


def _norm(history: History, view: View, name: str) -> Norm | None:
    lane = lanes(history, view.replicate).get(name)
    marks = lane.until(view.round) if lane is not None else ()
    since = marks[-1].round if marks else 0
    stated = scene_at(history, view.round).stated(name)
    if stated is None and since:  # it is not said again in each round
        stated = scene_at(history, since).stated(name)
    if stated is None:
        return None
    value = stated[1][view.replicate, 0]
    if not _says_something(value):
        return None
    set_in = scene_at(history, since) if since else None
    now = scene_at(history, view.round).chosen(name, view.replicate)
    chosen = now or (set_in.chosen(name, view.replicate) if set_in is not None else None)
    return Norm(name, value, since, _before(history, view, name, since), chosen)


def _before(history: History, view: View, name: str, since: int) -> Any:
    """Return what was in force before a change; None if that was not said."""
    stated = scene_at(history, since).stated(name) if since else None
    if stated is None:
        return None
    first, last = (values[view.replicate, 0] for values in stated)
    if first != last:
        return first
    earlier = scene_at(history, since - 1).stated(name)  # what changes is said once a round
    return None if earlier is None else earlier[1][view.replicate, 0]


def _says_something(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value)
    return not isinstance(value, float | np.floating) or bool(np.isfinite(value))


def norms(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the norms in force as a banner, a line each if there is little room."""
    found = norms_at(history, view)
    panel: Panel = []
    for norm in found:
        room = height - len(panel) - (len(found) - found.index(norm) - 1)
        panel += _banner(history, norm, width, room, style)
    return panel[:height]


def _banner(history: History, norm: Norm, width: int, height: int, style: TerminalStyle) -> Panel:
    spec = history.manifest.specs.get(norm.name, UNSPECIFIED)
    labels = RoundLabels(history.manifest)
    head = Text().append(f"{Glyphs(style).note} ", "magenta")
    head.append(style.words(norm.name.replace("_", " ")), "bold magenta")
    sentence = isinstance(norm.value, str)
    if not sentence:
        head.append(f" {style.quantity(norm.value, spec)}", "bold magenta")
    if norm.since:
        page = history.page(norm.since)
        since = labels.title(page) if labels.nested else labels.label(page)
        head.append(f" since {since[0].lower()}{since[1:]}", "dim")
    if norm.since and not sentence and _says_something(norm.before):
        head.append(f", before {style.figure(norm.before)}", "dim")
    if sentence and height < 2:
        room = width - head.cell_len - 2
        return [head.append(": ").append(style.quoted(norm.value, room), "magenta")]
    if norm.chosen is not None:
        words = f" · {norm.chosen.words}{_range(norm.chosen, style)}"
        head.append(style.cut(words, width - head.cell_len), "dim")
    panel = [head]
    votes = [_votes(norm, norm.chosen, width, style)] if norm.chosen and norm.chosen.voted else []
    if sentence:
        lines = min(max(height - 1 - len(votes), 1), _LONGEST_SENTENCE)
        said = style.quoted(norm.value, lines * (width - 2) - (lines - 1) * _RAGGED)
        panel += flow_items([Text(said, "magenta")], width, gutter=2)
    return [*panel, *votes][:height]


def _range(chosen: Chosen, style: TerminalStyle) -> str:
    """Show how far numbers that were proposed lie apart, and how many lie where between."""
    answers, counts = chosen.answers, chosen.counts
    if chosen.voted or answers.dtype.kind not in "iuf":
        return ""
    least, most = style.figure(answers[0]), style.figure(answers[-1])
    if len(answers) < 2 or not np.isfinite(answers).all():
        return f", {least} to {most}"
    heights, _ = np.histogram(answers, _BINS, weights=counts)
    return f", {least} {style.sparkline(heights.tolist(), heights.max())} {most}"


def _votes(norm: Norm, chosen: Chosen, width: int, style: TerminalStyle) -> Text:
    """Count the votes for each proposal, the winner first."""
    ranked = np.lexsort((chosen.answers != norm.value, -chosen.counts)).tolist()
    line = Text().append("  votes ", "dim")
    room = max((width - 10) // min(len(ranked), _OPTIONS) - 6, 12)
    first = ranked[:_OPTIONS]
    quoted = quote_apart([str(chosen.answers[place]) for place in first], room, style)
    for place, words in zip(first, quoted, strict=True):
        answer, count = chosen.answers[place], int(chosen.counts[place])
        shown = "this" if answer == norm.value else words
        line.append(f"{count} ", "bold").append(f"{shown}   ")
    if len(ranked) > _OPTIONS:
        line.append(f"and {len(ranked) - _OPTIONS} more", "dim")
    line.truncate(width, overflow="crop")
    return line


def quote_apart(sentences: Sequence[str], room: int, style: TerminalStyle) -> list[str]:
    """Quote sentences in little room; where some would look alike, their first words make way.

    "Keep to about 3 a round" and "Keep to about 8 a round" differ in one word, in their middle.
    """
    quoted = [style.quoted(sentence, room) for sentence in sentences]
    if len(set(quoted)) == len(quoted):
        return quoted
    words = [sentence.split() for sentence in sentences]
    together = zip(*words, strict=False)
    shared = sum(1 for _ in takewhile(lambda at: len(set(at)) == 1, together))
    return [style.quoted(" ".join(["…", *one[shared:]]), room) for one in words]
