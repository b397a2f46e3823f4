"""The section of networks: who sees, hears and learns from whom, and who did what to whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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


def networks_section(layout: Layout, styles: Mapping[str, TypeStyle]) -> Section:
    """Draw graphs and deeds of one replicate; empty if all see all, and nobody names anybody.

    styles: of types, by name.
    """
    parts: list[SectionPart] = []
    complete = set[str]()
    for run in layout.conditions:
        # Graphs are drawn once for conditions that name the same: drawing is to set a society up.
        named = _named_graphs(run)
        graphs = () if named in complete else _graphs(run, layout, styles)
        parts = [*graphs, *_deeds(run, layout)]
        if parts:
            break
        complete.add(named)
    return Section("Who is connected with whom", parts, "networks")


def _named_graphs(run: ConditionRun) -> str:
    """Name what the graphs of a condition are made of: its scenario, mechanisms and seats."""
    spec = run.manifest.spec
    return repr(
        [spec.get(key) for key in ("scenario", "graph", "graphs", "mechanisms")]
        + [run.manifest.agents]
    )


def _place(run: ConditionRun, layout: Layout) -> str:
    """Say which replicate of which condition is shown, as far as there are others."""
    several = f"Condition {run.name}" if len(layout.conditions) > 1 else ""
    if run.manifest.replicates > 1:
        of = f"replicate 0, the first of {run.manifest.replicates}"
        return f"{several}, {of}" if several else of.capitalize()
    return several


def _note(run: ConditionRun, layout: Layout) -> str:
    place = _place(run, layout)
    return _ONE.format(place=place) if place else ""


def _names(run: ConditionRun) -> list[str]:
    manifest = run.manifest
    if manifest.naming.by_life:  # lives take turns on a seat, so that only places have names
        return [str(seat + 1) for seat in range(manifest.agents)]
    return [manifest.naming.short(seat, manifest.agents) for seat in range(manifest.agents)]


def _graphs(
    run: ConditionRun, layout: Layout, styles: Mapping[str, TypeStyle]
) -> Iterator[SectionPart]:
    manifest = run.manifest
    try:
        with run.opened() as file:
            history = History(file)
            found = relations_at(history, history.last, 0)
    except FileError:
        return
    edges = {relation: own for relation, own in found.edges.items() if own}
    if not edges:
        return
    cohorts = [manifest.cohorts[number].name for number in manifest.types[0].tolist()]
    panels = [NetworkPanel(relation, own, _names(run), cohorts) for relation, own in edges.items()]
    caption = _GRAPHS.format(arrows=_ARROWS * (not all(panel.mutual for panel in panels)))
    if manifest.agents > MOST_NODES:
        caption += _SAMPLED.format(shown=MOST_NODES, agents=manifest.agents)
    title = f"Who is connected by {', '.join(edges)}"
    yield network_plot("networks", title, caption + _note(run, layout), panels, styles)


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
    caption = _DEEDS.format(shares=shares) + _note(run, layout)
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
