"""Counterparts of the paper's figures: final resources by generation, runs, and single agents.

The paper averages five runs of each of three models arithmetically, on linear axes. Resources
multiply, so that such a mean is that of the richest run: where runs are far apart, axes are
logarithmic and the thick line is the geometric mean, and the arithmetic one is dotted beside it.
Without models the runs are of rules, which have a colour of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from society.claims.types import FactorLevels, InsufficientEvidence
from society.engine.rng import Array
from society.report.figures.alt_text import describe_curves
from society.report.figures.curves import (
    SingleRun,
    cause_handles,
    list_causes,
    mark_ends,
    marks_note,
    name_cause,
)
from society.report.figures.read_out import name_series
from society.report.figures.scales import AxisScale
from society.report.figures.style import (
    FAINT,
    INK,
    SMALL,
    Figure,
    SeriesStyle,
    render_panels,
    series_style,
)
from society.report.layout import Layout
from society.report.page import LinkedFile, Section, SectionPart
from society.report.sections.evolution.aggregates import RunMean
from society.report.sections.evolution.lives_section import lives_section
from society.report.sections.evolution.populations import Populations
from society.reproduction.claim_samples import samples_by_generation
from society.reproduction.evidence import Evidence

from .arithmetic import most_attainable

PAPER = "Vallinder and Hughes"
RULES = "rules"  # the trial with rules, and the name of its lines
MODELS, ABLATIONS, LIVES = "models", "ablations", "lives"
USUAL = {"multiplier": 2, "trace": 3}
MOST_RUNS = 15  # in a panel: five of Fig. 4, and ten of Fig. 11
ABLATED: Mapping[str, Mapping[str, float]] = {  # Figs 7 to 10
    "multiplier_1.5": {"multiplier": 1.5},
    "multiplier_3": {"multiplier": 3},
    "trace_1": {"trace": 1},
    "trace_2": {"trace": 2},
}
_TALL, _SHARES = 1.35, 0.5  # inches
_ROOM = 1.6  # times the most, and the least, to the ends of a logarithmic axis
_RULES_STYLE = SeriesStyle(INK, "o", "solid")
_CEILING = " Broken line: what all have if everybody always gives all."
_UNLIKE = "The paper has five runs of each model"


class GenerationLine(NamedTuple):
    """Final resources, and the share of them that is given, in each run and generation, (n, G).

    causes: why each run ended before its last generation, "" for those that did not.
    """

    label: str
    style: SeriesStyle
    resources: Array
    shares: Array
    causes: Sequence[str] = ()

    @property
    def runs(self) -> list[SingleRun]:
        """The runs that are drawn one by one."""
        return [*map(SingleRun, self.resources[:MOST_RUNS], self.causes)]

    @property
    def generations(self) -> Array:
        return np.arange(1, self.resources.shape[1] + 1)

    def band(self, scale: AxisScale) -> tuple[Array, Array, Array]:
        """The mean on a scale, and one standard error below and above it, (G,) each."""
        found = RunMean.of(scale.transform(self.resources))
        ends = found.mean - found.error, found.mean + found.error
        return scale.invert(found.mean), *map(scale.invert, ends)  # type: ignore[return-value]


class ResourcePanel(NamedTuple):
    """Lines of one condition; ceiling: the most that there can be."""

    title: str
    lines: Sequence[GenerationLine]
    ceiling: float

    @property
    def resources(self) -> Array:
        return np.concatenate([line.resources.ravel() for line in self.lines])

    def describe(self) -> str:
        scale = AxisScale.of(self.resources)
        curves = [(one.label, one.generations, one.band(scale)[0]) for one in self.lines]
        return describe_curves(curves)


def resources_section(evidence: Evidence) -> Section:
    """Draw Figs 2 and 3, means of runs, and Figs 4, 5 and 11, the runs themselves."""
    panels = [
        ResourcePanel(words, _lines(evidence, punishment=punishment), _most(2))
        for punishment, words in ((False, "without punishment"), (True, "with punishment"))
    ]
    means = resource_figure(
        "figure-2",
        f"{name_counterpart('2', '3')}: final resources by generation",
        f"{_who(panels)} {_means(panels)} Below: the mean share given.",
        panels,
    )
    single = [
        ResourcePanel(f"{line.label}, {panel.title}", [_first_runs(line)], panel.ceiling)
        for panel in panels
        for line in panel.lines
    ]
    most = max(len(line.resources) for panel in panels for line in panel.lines)
    some = f" The first {MOST_RUNS} of {most} runs." if most > MOST_RUNS else ""
    runs = runs_figure(
        "figure-4",
        f"{name_counterpart('4', '5', '11')}: final resources in single runs",
        f"Each line is a run.{some} All panels have one scale, where the paper's differ.",
        single,
    )
    return Section(name_counterpart("2", "3", "4", "5", "11"), [means, runs], "figure-2")


def multipliers_section(evidence: Evidence) -> Section:
    """Draw Figs 7 to 10: other multipliers, and shorter traces."""
    panels = [
        ResourcePanel(
            name.replace("_", " "),
            _lines(evidence, variant=name),
            _most(levels.get("multiplier", USUAL["multiplier"])),
        )
        for name, levels in ABLATED.items()
    ]
    numbered = name_counterpart("7 to 10")
    figure = resource_figure(
        "figure-7",
        f"{numbered}: final resources with other multipliers and traces",
        f"{_who(panels)} {_means(panels)} Below: the mean share given. Without punishment.",
        panels,
    )
    return Section(numbered, [figure], "figure-7")


def lives_figure_section(evidence: Evidence) -> Section:
    """Draw Fig. 6: what each agent gave, who was replaced, and what was selected."""
    trial = LIVES if evidence.has(LIVES) else MODELS
    study = evidence.study(trial)
    free = [run for run in study.played if run.factors.get("punishment") in (None, False)]
    levels = {name: own for name, own in study.levels.items() if name != "punishment"}
    shown = lives_section(Populations(Layout(replace(study, played=tuple(free), levels=levels))))
    if not shown.parts:
        raise InsufficientEvidence("no generation is over")
    numbered = name_counterpart("6")
    whose = "Rules" if trial == LIVES else "Models"
    lead = (
        f"{whose}, without punishment; of each condition the run that is richest in its last "
        "generation, as in the paper. Its rows are places at the table; ours are lines of descent, "
        "so that children stand below those they descend from. Bars: our measure of selection, "
        "which has no mean in its denominator."
    )
    return Section(numbered, [lead, *_named("figure-6", numbered, shown.parts)], "figure-6")


def _named(name: str, numbered: str, parts: Sequence[SectionPart]) -> Iterator[SectionPart]:
    """Give figures the number of the paper's, and files a name that no trial's have."""
    for part in parts:
        if isinstance(part, Section):
            yield replace(part, parts=list(_named(name, numbered, part.parts)))
        elif isinstance(part, Figure):
            title = f"{numbered}: {part.title[:1].lower()}{part.title[1:]}"
            yield replace(part, name=f"{name}-{part.name}", title=title)
        elif isinstance(part, LinkedFile):
            yield replace(part, path=part.path.replace("/", f"/{name}-", 1))
        else:
            yield part


def name_counterpart(*numbers: str) -> str:
    """Name figures of ours by the numbers of the paper's.

    >>> name_counterpart("4", "5", "11"), name_counterpart("7 to 10")[:27]
    ('Counterpart of Figures 4, 5 and 11 of Vallinder and Hughes', 'Counterpart of Figures 7 to')
    """
    *others, last = numbers
    both = f"{', '.join(others)} and {last}" if others else last
    noun = "Figure" if both.isdigit() else "Figures"
    return f"Counterpart of {noun} {both} of {PAPER}"


def _lines(
    evidence: Evidence, *, punishment: bool = False, variant: str = ""
) -> list[GenerationLine]:
    """The line of rules, or that of each model; raises InsufficientEvidence."""
    if evidence.has(RULES):
        levels = {**USUAL, **ABLATED.get(variant, {}), "punishment": punishment}
        return [_line(evidence, RULES, levels, RULES, _RULES_STYLE)]
    own: FactorLevels = {"variant": variant} if variant else {"punishment": punishment}
    trial = ABLATIONS if variant else MODELS
    return [
        _line(evidence, trial, {**own, "model": model}, str(model), series_style(number))
        for number, model in enumerate(evidence.levels(trial)["model"])
    ]


def _line(
    evidence: Evidence, trial: str, levels: FactorLevels, label: str, style: SeriesStyle
) -> GenerationLine:
    resources, shares = (
        samples_by_generation(evidence, trial, measure, levels)
        for measure in ("fitness", "phenotype")
    )
    return GenerationLine(label, style, resources, shares, evidence.endings(trial, levels))


def _first_runs(line: GenerationLine) -> GenerationLine:
    first = slice(MOST_RUNS)
    return line._replace(
        resources=line.resources[first], shares=line.shares[first], causes=line.causes[first]
    )


def _most(multiplier: float) -> float:
    return most_attainable(multiplier, "ordered-once")


def _who(panels: Sequence[ResourcePanel]) -> str:
    """Say whose runs these are, and how many."""
    counts = sorted({len(line.resources) for panel in panels for line in panel.lines})
    runs = f"{counts[0]} runs" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"
    if all(line.label == RULES for panel in panels for line in panel.lines):
        return f"{runs} of rules in each panel. {_UNLIKE}."
    return f"{runs} of each model. {_UNLIKE}."


def _means(panels: Sequence[ResourcePanel]) -> str:
    """Say what lines and bands are."""
    band = f"band: one standard error. Thin: single runs, {MOST_RUNS} at most."
    if _scale(panels).logarithmic:
        means = "Thick: geometric mean; dotted: arithmetic mean, as in the paper"
        return f"{means}; {band}{_CEILING}"
    return f"Thick: mean; {band}"


def _scale(panels: Sequence[ResourcePanel]) -> AxisScale:
    return AxisScale.of(np.concatenate([panel.resources for panel in panels]))


def _causes(panels: Sequence[ResourcePanel]) -> list[str]:
    """List why runs that are drawn one by one ended, each cause once."""
    return list_causes(run for panel in panels for line in panel.lines for run in line.runs)


def resource_limits(panels: Sequence[ResourcePanel]) -> tuple[float, float]:
    """Choose the ends of the axis of resources, the same in all panels."""
    every = np.concatenate([panel.resources for panel in panels])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    if not _scale(panels).logarithmic:
        return 0, 1.05 * high or 1
    return low / _ROOM, max(high, *(panel.ceiling for panel in panels)) * _ROOM


def resource_figure(name: str, title: str, caption: str, panels: Sequence[ResourcePanel]) -> Figure:
    """Draw mean final resources, and below them the mean share that is given."""
    scale = _scale(panels)

    def draw(own: Sequence[Any], panel: ResourcePanel) -> Mapping[str, Any]:
        above, below = own
        _draw_ceiling(above, panel.ceiling, scale)
        handles = {line.label: _draw_mean(above, line, scale) for line in panel.lines}
        for line in panel.lines:
            look = line.label, line.style.colour, line.generations
            mark_ends(above, *look, line.runs, _causes(panels))
        for line in panel.lines:
            given = RunMean.of(line.shares).mean
            (curve,) = below.plot(line.generations, given, **_look(line))
            name_series(curve, line.label)
        below.set_ylim(0, 1)
        below.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        return handles

    ylabels = ["final resources, units", "share given"]
    return _render(name, title, caption, panels, draw, [_TALL, _SHARES], ylabels)


def runs_figure(name: str, title: str, caption: str, panels: Sequence[ResourcePanel]) -> Figure:
    """Draw final resources of single runs, a line each."""
    scale = _scale(panels)

    def draw(own: Sequence[Any], panel: ResourcePanel) -> Mapping[str, Any]:
        (axes,) = own
        _draw_ceiling(axes, panel.ceiling, scale)
        for line in panel.lines:
            for number, run in enumerate(line.resources, 1):
                (curve,) = axes.plot(line.generations, run, **_look(line) | {"linewidth": 0.9})
                name_series(curve, f"run {number}")
            for number, one in enumerate(line.runs, 1):
                look = f"run {number}", line.style.colour, line.generations
                mark_ends(axes, *look, [one], _causes(panels))
        return {}

    return _render(name, title, caption, panels, draw, [_TALL], ["final resources, units"])


def _render(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[ResourcePanel],
    draw: Any,
    heights: Sequence[float],
    ylabels: Sequence[str],
) -> Figure:
    """Draw panels whose axes of resources are all the same."""
    labels = list(dict.fromkeys(line.label for panel in panels for line in panel.lines))
    labels = labels if len(labels) > 1 and len(heights) > 1 else []
    causes = _causes(panels)
    scale, limits = _scale(panels), resource_limits(panels)

    def finish(figure: Any, grid: Sequence[Sequence[Any]]) -> None:
        for own in grid:
            own[-1].locator_params(axis="x", integer=True)
            scale.apply(own[0], "y")
            own[0].set_ylim(limits)

    return render_panels(
        name,
        title,
        f"{caption}{marks_note(causes)}",
        panels,
        lambda own, panel: {**draw(own, panel), **cause_handles(own[0], causes)},
        across=min(len(panels), 2),
        heights=heights,
        labels=[*labels, *map(name_cause, causes)],
        xlabel="generation",
        ylabels=ylabels,
        finish=finish,
        sharex=True,
    )


def _look(line: GenerationLine) -> dict[str, Any]:
    return {"color": line.style.colour, "linestyle": line.style.dashes}


def _draw_ceiling(axes: Any, ceiling: float, scale: AxisScale) -> None:
    """Draw the most that there can be; a linear axis would have room for nothing else."""
    if not scale.logarithmic:
        return
    axes.axhline(ceiling, color=FAINT, linewidth=0.9, linestyle=(0, (6, 3)))
    look = {"va": "top", "ha": "right", "fontsize": SMALL, "color": INK}
    axes.text(0.99, ceiling / 1.1, f"{ceiling:,.0f}", transform=axes.get_yaxis_transform(), **look)


def _draw_mean(axes: Any, line: GenerationLine, scale: AxisScale) -> Any:
    """Draw a mean with its band over thin runs; gives its handle."""
    colour, when = line.style.colour, line.generations
    middle, low, high = line.band(scale)
    for run in line.resources[:MOST_RUNS]:
        (thin,) = axes.plot(when, run, color=colour, linewidth=0.4)
        name_series(thin, line.label, silent=True)
    band = axes.fill_between(when, low, high, facecolor=colour, alpha=0.2, linewidth=0)
    name_series(band, line.label)
    (handle,) = axes.plot(when, middle, **_look(line) | {"linewidth": 1.8}, zorder=3)
    name_series(handle, line.label, low=low, high=high)
    if scale.logarithmic:
        look = {"color": colour, "linewidth": 1.1, "linestyle": (0, (1, 1.5)), "zorder": 3}
        (dotted,) = axes.plot(when, RunMean.of(line.resources).mean, **look)
        name_series(dotted, f"{line.label}, arithmetic")
    return handle
