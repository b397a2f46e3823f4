"""The section of networks: who sees, hears and learns from whom, and who did what to whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.study.condition import ConditionRun
from society.analysis.study.deeds import DeedCounts, count_deeds
from society.engine.rng import Array
from society.errors import FileError
from society.report.figures.network_map import (
    MOST_NODES,
    DeedPanel,
    NetworkPanel,
    deed_plot,
    network_plot,
)
from society.report.figures.type_colours import TypeStyle
from society.report.layout import Layout
from society.report.page import Section, SectionPart
from society.terminal.labels import count_noun
from society.theatre.graphs import graphs_of
from society.theatre.history import History
from society.theatre.relations import relations_at

_MOST_AGENTS = 100  # in a matrix of deeds
_GRAPHS = (
    "A line joins agents who see each other in this relation{arrows}, as of the last round. "
    "Graphs in which everybody sees everybody are left out."
)
_ARROWS = "; an arrow leads from who sees to who is seen"
_SAMPLED = " {shown} of {agents} agents, at even distances, and the lines among them."
_DEEDS = (
    "The row says who did it, the column to whom; figures: how often{shares}. The darker, the "
    "more. Empty: never."
)
_SHARES = ", and for gifts the mean share that was given"
_ONE = " {place}."
_FIRST_REPLICATES = " Of each condition its first replicate; those with the same graphs stand once."
_MOST_CONDITIONS = 50  # of which graphs are looked at
_MOST_PANELS = 9
Edges = Mapping[str, Sequence[tuple[int, int]]]


def networks_section(layout: Layout, styles: Mapping[str, TypeStyle]) -> Section:
    """Draw the graphs of conditions and the deeds of one; empty if all see all, and nobody acts.

    Of a condition its first replicate is shown. styles: of types, by name.
    """
    every = (_deeds(run, layout) for run in layout.conditions)
    deeds = next((found for each in every if (found := [*each])), [])
    return Section("Who is connected with whom", [*_graphs(layout, styles), *deeds], "networks")


class _SharedGraphs(NamedTuple):
    """Edges by relation that some conditions have in common, by their runs."""

    edges: Edges
    runs: list[ConditionRun]


def _shared_graphs(runs: Sequence[ConditionRun]) -> list[_SharedGraphs]:
    """Group conditions by their graphs, in order; those in which everybody sees everybody are out.

    To draw graphs again is to set a society up: conditions that name the same ones, and do not
    change them while they are played, are looked at once.
    """
    by_name: dict[str, Edges] = {}
    by_edges: dict[str, _SharedGraphs] = {}
    for run in runs:
        name = _named_graphs(run)
        try:
            with run.opened() as file:
                history = History(file)
                changes = graphs_of(history).rewired
                edges = None if changes else by_name.get(name)
                if edges is None:
                    found = relations_at(history, history.last, 0).edges
                    edges = {relation: own for relation, own in found.items() if own}
        except FileError:
            continue
        if not changes:
            by_name[name] = edges
        if edges:
            key = repr([run.manifest.agents, *sorted(edges.items())])
            by_edges.setdefault(key, _SharedGraphs(edges, [])).runs.append(run)
    return list(by_edges.values())


def _named_graphs(run: ConditionRun) -> str:
    """Name what the graphs of a condition are made of: scenario, mechanisms, seats and chance."""
    spec = run.manifest.spec
    return repr(
        [spec.get(key) for key in ("scenario", "graph", "graphs", "mechanisms")]
        + [run.manifest.agents, run.manifest.seed]
    )


def _place(run: ConditionRun, layout: Layout) -> str:
    """Say which replicate of which condition is shown, as far as there are others."""
    several = f"Condition {run.name}" if len(layout.conditions) > 1 else ""
    if run.manifest.replicates > 1:
        of = f"replicate 0, the first of {run.manifest.replicates}"
        return f"{several}, {of}" if several else of.capitalize()
    return several


def _note(runs: Sequence[ConditionRun], layout: Layout) -> str:
    """Say what is shown: the first of some conditions that are alike, and how many others are."""
    place, alike = _place(runs[0], layout), ""
    if len(runs) > 1:
        others = count_noun(len(runs) - 1, "other condition")
        alike = (
            f" {others} of {len(layout.conditions)} {'has' if len(runs) == 2 else 'have'} the same."
        )
    return (_ONE.format(place=place) if place else "") + alike


def _names(run: ConditionRun) -> list[str]:
    manifest = run.manifest
    if manifest.naming.by_life:  # lives take turns on a seat, so that only places have names
        return [str(seat + 1) for seat in range(manifest.agents)]
    return [manifest.naming.short(seat, manifest.agents) for seat in range(manifest.agents)]


def _graphs(layout: Layout, styles: Mapping[str, TypeStyle]) -> Iterator[SectionPart]:
    found = _shared_graphs(layout.conditions[:_MOST_CONDITIONS])
    if not found:
        return
    several = len(found) > 1
    panels = [panel for one in found for panel in _panels(one, layout, named=several)]
    shown = panels[:_MOST_PANELS]
    caption = _GRAPHS.format(arrows=_ARROWS * (not all(panel.mutual for panel in shown)))
    agents = max(len(panel.names) for panel in shown)
    if agents > MOST_NODES:
        caption += _SAMPLED.format(shown=MOST_NODES, agents=agents)
    caption += _FIRST_REPLICATES if several else _note(found[0].runs, layout)
    if len(panels) > len(shown):
        caption += f" {len(shown)} of {len(panels)} graphs that differ are shown."
    if len(layout.conditions) > _MOST_CONDITIONS:
        caption += f" Graphs of the first {_MOST_CONDITIONS} conditions alone were looked at."
    relations = dict.fromkeys(relation for one in found for relation in one.edges)
    title = f"Who is connected by {', '.join(relations)}"
    yield network_plot("networks", title, caption, shown, styles)


def _panels(shared: _SharedGraphs, layout: Layout, *, named: bool) -> Iterator[NetworkPanel]:
    """Yield a panel for each relation; named: whether it says of which conditions it is."""
    run, more = shared.runs[0], len(shared.runs) - 1
    manifest = run.manifest
    cohorts = [manifest.cohorts[number].name for number in manifest.types[0].tolist()]
    place = layout.conditions.index(run)
    where = layout.panel_title(place, list(layout.levels)) or run.name
    where += f" and {more} more" if more else ""
    for relation, own in shared.edges.items():
        title = f"{relation}: {where}" if named else relation
        yield NetworkPanel(title, own, _names(run), cohorts)


def _deeds(run: ConditionRun, layout: Layout) -> Iterator[SectionPart]:
    manifest = run.manifest
    if manifest.level != "full" or manifest.agents > _MOST_AGENTS:
        return
    if not manifest.stage.links and manifest.stage.meeting is None:
        return
    found = count_deeds(run, 0)
    if not found:
        return
    names = _names(run)
    panels = [DeedPanel(_panel_title(deed), names, _shown(deed)) for deed in found]
    shares = _SHARES * any(deed.mean is not None for deed in found)
    caption = _DEEDS.format(shares=shares) + _note([run], layout)
    caption += generation_note(found[0])
    noun = "place" if manifest.naming.by_life else manifest.stage.noun
    runs = sum(one.manifest.replicates for one in layout.conditions)
    title = deed_claim(found, names, noun) + f" (in 1 of {runs} runs)" * (runs > 1)
    yield deed_plot("deeds", f"{title[:1].upper()}{title[1:]}", caption, panels, noun)


def generation_note(deed: DeedCounts) -> str:
    """Say which generation is shown; begins with a space, if there are generations."""
    if deed.generation is None:
        return ""
    shown, active, last = deed.generation
    if shown == last:
        return f" Generation {shown}, the last."
    return (
        f" Generation {shown}, the first in which anybody did anything to another; after "
        f"generation {active} of {last}, nobody did."
    )


def _panel_title(deed: DeedCounts) -> str:
    unit = "times" if deed.mean is None else "mean share"
    return f"{deed.verb} ({unit})"


def _shown(deed: DeedCounts) -> Array:
    """Counts, or mean shares; NaN where there were none."""
    values = deed.counts if deed.mean is None else deed.mean
    return np.asarray(np.where(deed.counts > 0, values, np.nan))


def deed_claim(found: Sequence[DeedCounts], names: Sequence[str], noun: str) -> str:
    """Say who did most of the first kind of deed, and name a tie.

    >>> fines = DeedCounts("fined", np.array([[0, 3], [1, 0]]))
    >>> deed_claim([fines], ["1", "2"], "villager")
    'villager 1 fined most often, 3 of 4 times'
    """
    first = found[0]
    if first.mean is not None:
        return _gift_claim(first.counts, first.mean, names, noun)
    done = first.counts.sum(1)
    most, total = np.flatnonzero(done == done.max()), int(done.sum())
    if len(most) == 1:
        return f"{noun} {names[most[0]]} {first.verb} most often, {done.max()} of {total} times"
    return f"{len(most)} of {len(names)} tie: they {first.verb} most often, {done.max()} times each"


def _gift_claim(counts: Array, mean: Array, names: Sequence[str], noun: str) -> str:
    """Say who gave the largest share of what it had, on average over its gifts."""
    shares = (counts * np.nan_to_num(mean)).sum(1)
    means = shares / np.maximum(counts.sum(1), 1)
    if not means.any():
        return "Nobody gave anything"
    most = np.flatnonzero(means == means.max())
    who = f"{noun} {names[most[0]]}" if len(most) == 1 else f"{len(most)} of {len(names)} tie: they"
    return f"{who} gave most, {means.max():.0%} of what was owned on average"
