"""Who is connected with whom: interaction graphs as points and lines, deeds as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.optional import require

from .alt_text import format_axis_number
from .cell_numbers import print_on_cell
from .read_out import name_series
from .style import FAINT, INK, PAPER, SMALL, Figure, render_panels, thin_ticks
from .type_colours import TypeStyle, is_dark, payoff_colours

MOST_NODES = 200
_NAMED = 30  # nodes whose names there is room for
_TALL = 2.3  # inches
_PRINTED = 20  # agents at most whose cells have room for their figures
_SEED = 0  # of the layout, so that the same graph gives the same picture
_TICKS = 20


class NetworkPanel(NamedTuple):
    """One graph: edges from who sees to who is seen; names of nodes, and the cohort of each."""

    title: str
    edges: Sequence[tuple[int, int]]
    names: Sequence[str]
    cohorts: Sequence[str]

    @property
    def mutual(self) -> bool:
        """True if every edge goes both ways."""
        return {*self.edges} == {(end, begin) for begin, end in self.edges}

    @property
    def shown(self) -> list[int]:
        """The nodes that are drawn: all, or as many as fit, at even distances."""
        count = len(self.names)
        places = np.linspace(0, count - 1, min(count, MOST_NODES)).round().astype(int)
        return [int(place) for place in np.unique(places)]

    def describe(self) -> str:
        seen = np.bincount([begin for begin, _ in self.edges], minlength=len(self.names))
        spread = f"{seen.min()} each" if np.ptp(seen) == 0 else f"{seen.min()} to {seen.max()} each"
        return f"{len(self.names)} agents, who see {spread}."


def network_plot(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[NetworkPanel],
    styles: Mapping[str, TypeStyle],
) -> Figure:
    """Draw graphs side by side, nodes in the colours of their cohorts."""
    cohorts = list(dict.fromkeys(one for panel in panels for one in panel.cohorts))
    return render_panels(
        name,
        title,
        caption,
        panels,
        lambda own, panel: _draw_network(own[0], panel, styles),
        across=min(len(panels), 3),
        heights=[_TALL],
        labels=cohorts if len(cohorts) > 1 else (),
    )


def _draw_network(
    axes: Any, panel: NetworkPanel, styles: Mapping[str, TypeStyle]
) -> Mapping[str, Any]:
    networkx, shown = require("networkx"), panel.shown
    graph = networkx.DiGraph()
    graph.add_nodes_from(shown)
    there = {*shown}
    graph.add_edges_from(edge for edge in panel.edges if {*edge} <= there)
    places = networkx.spring_layout(graph.to_undirected(), seed=_SEED)
    arrow = {"arrowstyle": "-" if panel.mutual else "-|>", "color": FAINT, "linewidth": 0.7}
    drawn = {tuple(sorted(edge)) for edge in graph.edges} if panel.mutual else graph.edges
    for begin, end in drawn:
        look = arrow | {"shrinkA": 5, "shrinkB": 5, "mutation_scale": 6}
        axes.annotate("", places[end], places[begin], arrowprops=look)
    handles = {}
    for cohort in dict.fromkeys(panel.cohorts):
        own = [node for node in shown if panel.cohorts[node] == cohort]
        if not own:
            continue
        at = np.array([places[node] for node in own])
        style, large = styles[cohort], len(shown) <= _NAMED
        look = {"color": style.colour, "s": 90 if large else 14, "edgecolors": PAPER, "zorder": 3}
        dots = axes.scatter(*at.T, marker=style.marker, **look)
        name_series(dots, cohort, names=[panel.names[node] for node in own])
        handles[cohort] = dots
    if len(shown) <= _NAMED:
        middle = {"ha": "center", "va": "center", "fontsize": SMALL, "color": PAPER, "zorder": 4}
        for node in shown:
            axes.text(*places[node], panel.names[node], **middle)
    axes.margins(0.12)
    axes.autoscale_view()  # the layout measures names and arrows where they are now
    axes.set_axis_off()
    return handles


class DeedPanel(NamedTuple):
    """How often, or how much, each agent did to each, (N, N), NaN where it never did."""

    title: str
    names: Sequence[str]
    values: Array

    def describe(self) -> str:
        known = self.values[~np.isnan(self.values)]
        if not len(known):
            return "Nobody did."
        who, whom = divmod(int(np.nanargmax(self.values)), len(self.names))
        pairs = self.values.size - len(self.names)
        most = format_axis_number(float(known.max()))
        return (
            f"{len(known)} of {pairs} pairs; most from {self.names[who]} to {self.names[whom]}: "
            f"{most}."
        )


def deed_plot(
    name: str, title: str, caption: str, panels: Sequence[DeedPanel], noun: str
) -> Figure:
    """Draw matrices side by side; who did stands in the row, to whom in the column."""
    return render_panels(
        name,
        title,
        caption,
        panels,
        lambda own, panel: _draw_deeds(own[0], panel),
        across=min(len(panels), 2),
        heights=[_TALL],
        xlabel=f"{noun} to whom it is done",
        ylabels=[f"{noun} who does it"],
    )


def _draw_deeds(axes: Any, panel: DeedPanel) -> Mapping[str, Any]:
    known = panel.values[~np.isnan(panel.values)]
    norm = require("matplotlib.colors").Normalize(0, float(known.max(initial=0)) or 1)
    colours = payoff_colours(anchored=False).reversed()
    edges = np.arange(len(panel.names) + 1) - 0.5
    look = {"cmap": colours, "norm": norm, "edgecolors": PAPER, "linewidth": 0.5}
    mesh = axes.pcolormesh(edges, edges, np.ma.masked_invalid(panel.values), **look)
    name_series(mesh, panel.title, values=panel.values)
    if len(panel.names) <= _PRINTED:
        whole = bool((known == known.round()).all())
        for (row, column), value in np.ndenumerate(panel.values):
            if not np.isnan(value):
                ink = "#fdfdfd" if is_dark(colours(norm(value))) else "#111111"
                words = f"{value:.0f}" if whole else f"{value:.2f}".removeprefix("0")
                print_on_cell(axes, (column, row), words, colour=ink, size=SMALL)
    places = thin_ticks(range(len(panel.names)), _TICKS)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(places, [panel.names[at] for at in places])
        axis.set_tick_params(length=0)
    axes.plot(edges[[0, -1]], edges[[0, -1]], color=FAINT, linewidth=0.5)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(edges[-1], edges[0])
    axes.set_aspect("equal", anchor="W")
    axes.grid(visible=False)
    axes.spines[:].set(visible=True, color=INK, linewidth=0.4)
    return {}
