"""The network of a round: who did what to whom, and who sees whom where not everybody does.

Few agents are points that lines join; of many, the links are listed and counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from society.terminal.console import TerminalStyle, flow_items
from society.terminal.labels import Names

from .canvas import Canvas, Point
from .frame import Panel
from .relations import Edge, Relations, describe_degrees
from .round_deeds import Deed, short_label

_MOST_DRAWN = 24  # agents
_FEW = 8  # deeds; of more it is said by and to whom there were most
_LIST_SHARE = 0.45  # of the width that the list takes
_LEAST_CANVAS = 30  # cells; on a narrower screen there is the list alone
_INKS = ("yellow", "cyan", "magenta", "green")
_DIM = "bright_black"


def network_panel(
    deeds: Sequence[Deed],
    relations: Relations,
    present: Sequence[bool],
    names: Names,
    width: int,
    height: int,
    style: TerminalStyle,
    chosen: int = -1,
) -> Panel:
    """Draw the deeds of a round between all agents; present: who takes part, by seat.

    chosen: an agent whose deeds stand out; -1 for none.
    """
    shown = [deed for deed in deeds if chosen in (-1, deed.actor, deed.peer)]
    inks = _inks(deeds)
    drawn = len(present) <= _MOST_DRAWN
    room = width if not drawn else int(width * _LIST_SHARE)
    left = width - room - 2
    if left < _LEAST_CANVAS:
        drawn, room = False, width
    listing = _listing(shown, relations, len(present), names, room, height, inks, style)
    if not drawn:
        return listing
    picture = _picture(shown, relations, present, names, left, height, inks, style, chosen)
    for place, line in enumerate(picture):
        line.append("  ")
        if place < len(listing):
            line.append_text(listing[place])
    return picture


def _inks(deeds: Sequence[Deed]) -> Mapping[str, str]:
    """Return a colour for each verb, the same in all rounds with the same verbs."""
    verbs = sorted({deed.verb for deed in deeds})
    return {verb: _INKS[place % len(_INKS)] for place, verb in enumerate(verbs)}


def _picture(
    deeds: Sequence[Deed],
    relations: Relations,
    present: Sequence[bool],
    names: Names,
    width: int,
    height: int,
    inks: Mapping[str, str],
    style: TerminalStyle,
    chosen: int,
) -> Panel:
    canvas = Canvas(width, height, style)
    labels = [short_label(names, seat) for seat in range(len(present))]
    margin = max(map(cell_len, labels)) / 2 + 1
    unit = places_of(len(present), _first(relations))
    at = [(margin + x * (width - 1 - 2 * margin) + 0.5, 0.5 + y * (height - 1)) for x, y in unit]
    if style.blocks:  # in ASCII, lines of two sorts could not be told apart
        for edge in _first(relations):
            canvas.line(at[edge[0]], at[edge[1]], _DIM)
    for deed in deeds:
        canvas.line(at[deed.actor], at[deed.peer], inks[deed.verb])
    for deed in deeds:
        near = _short_of(at[deed.actor], at[deed.peer], margin + 1)
        sign = _arrow(at[deed.actor], at[deed.peer], style)
        canvas.label(near, sign, f"bold {inks[deed.verb]}")
    for seat, label in enumerate(labels):
        ink = "bold reverse" if seat == chosen else "bold" if present[seat] else "dim"
        canvas.label(at[seat], label, ink)
    return canvas.panel()


def _first(relations: Relations) -> tuple[Edge, ...]:
    """Return the edges of the first relation, by which agents are placed."""
    return next(iter(relations.edges.values()), ())


@lru_cache(32)
def places_of(agents: int, edges: tuple[Edge, ...]) -> tuple[Point, ...]:
    """Return a place in the unit square for each agent: on a circle, or as their graph lies.

    A graph of a few edges for each agent is laid out by its distances (Kamada and Kawai 1989).
    """
    circle = [
        (0.5 + 0.5 * math.sin(angle), 0.5 - 0.5 * math.cos(angle))
        for angle in (2 * math.pi * seat / max(agents, 1) for seat in range(agents))
    ]
    if not edges or len(edges) > agents * agents / 4 or not _connected(agents, edges):
        return tuple(circle)
    import networkx as nx

    graph = nx.Graph(edges)
    placed = nx.kamada_kawai_layout(graph, pos=dict(enumerate(circle)))
    axes = [[float(placed[seat][axis]) for seat in range(agents)] for axis in (0, 1)]
    spans = [(min(values), max(values) - min(values) or 1.0) for values in axes]
    scaled = [[(value - low) / span for value in values]
              for values, (low, span) in zip(axes, spans, strict=True)]  # fmt: skip
    return tuple(zip(*scaled, strict=True))


def _connected(agents: int, edges: tuple[Edge, ...]) -> bool:
    import networkx as nx

    graph = nx.Graph(edges)
    return len(graph) == agents and nx.is_connected(graph)


def _short_of(start: Point, end: Point, cells: float) -> Point:
    """Return a point that lies so many cells before the end of a line."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = math.hypot(across, 2 * down)
    share = max(1 - cells / length, 0.5) if length else 0.5
    return (start[0] + across * share, start[1] + down * share)


_ARROWS = "→↘↓↙←↖↑↗"
_PLAIN_ARROWS = ">\\v/<\\^/"


def _arrow(start: Point, end: Point, style: TerminalStyle) -> str:
    """Return an arrowhead in the direction of a line; cells are twice as high as wide."""
    angle = math.atan2(2 * (end[1] - start[1]), end[0] - start[0])
    eighth = round(angle / (math.pi / 4)) % 8
    return (_ARROWS if style.blocks else _PLAIN_ARROWS)[eighth]


def _listing(
    deeds: Sequence[Deed],
    relations: Relations,
    agents: int,
    names: Names,
    width: int,
    height: int,
    inks: Mapping[str, str],
    style: TerminalStyle,
) -> Panel:
    """List who did what to whom, then who sees whom."""
    style = TerminalStyle(style.encoding, width)
    about = list(_about(relations, agents, width, style))
    panel: Panel = []
    for verb, some in groupby(deeds, key=lambda deed: deed.verb):
        own = list(some)
        panel.append(Text(style.cut(f"{len(own)} {verb}", width), f"bold {inks[verb]}"))
        if len(own) > _FEW and (busiest := _busiest(own, names)):
            panel.append(Text(style.cut(busiest, width), "dim"))
        for deed in own:
            who, whom = (short_label(names, seat) for seat in (deed.actor, deed.peer))
            panel.append(Text(style.cut(f"  {who} {deed.words} {style.words('→')} {whom}", width)))
            if deed.told:
                panel.append(Text(style.cut(f"    told: {deed.told}", width), "dim"))
    if not deeds:
        panel.append(Text("no deeds between agents in this round", "dim"))
    room = height - len(about)
    if len(panel) > room > 0:
        left = len(panel) - room + 1
        panel = [*panel[: room - 1], Text(f"  and {left} more lines", "dim")]
    return [*panel[: max(room, 0)], *about]


def _busiest(deeds: Sequence[Deed], names: Names) -> str:
    """Say who did, and who met with, the most of these deeds, if that is more than one."""
    words = []
    for how, seats in (
        ("by", [deed.actor for deed in deeds]),
        ("to", [deed.peer for deed in deeds]),
    ):
        seat, count = Counter(seats).most_common(1)[0]
        if count > 1:
            words.append(f"most {how} {short_label(names, seat)} ({count})")
    return f"  {', '.join(words)}" if words else ""


def _about(relations: Relations, agents: int, width: int, style: TerminalStyle) -> Panel:
    """Say who sees whom: for each graph, how many others each agent sees."""
    if relations.missing:
        missing = style.words(relations.missing).split(" ")
        return list(flow_items([Text(word, "dim") for word in missing], width))
    words = [
        f"{name}: {describe_degrees(edges, agents)}" for name, edges in relations.edges.items()
    ]
    if words and agents <= _MOST_DRAWN:
        words[0] += style.words(", drawn in grey") if style.blocks else ""
    panel: Panel = [Text(style.cut(f"graph {line}", width), _DIM) for line in words]
    if relations.complete:
        everybody = f"everybody sees everybody: {', '.join(relations.complete)}"
        panel.append(Text(style.cut(everybody, width), _DIM))
    return panel
