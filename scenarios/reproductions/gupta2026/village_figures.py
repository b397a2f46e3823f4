"""Counterparts of the paper's figures, drawn from our runs.

Each is named by the number it has in the paper, and says what is ours: rules, or the models that
were asked. A mean over villages is drawn as long as at least five are left, or all where there are
fewer; how many are left stands in a panel of its own, since villages that have ended have no stock
and no catch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics.means import mean
from society.analysis.statistics.samples import NotEstimable
from society.claims.types import FactorLevels, InsufficientEvidence
from society.engine.rng import Array
from society.experiments.factors import format_label
from society.report.figures.alt_text import describe_curves
from society.report.figures.curves import SingleRun, cause_handles, mark_ends, name_cause
from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.read_out import name_quantity, name_series
from society.report.figures.scatter import PointCloud, norm_space
from society.report.figures.style import (
    FAINT,
    INK,
    Figure,
    SeriesStyle,
    ordered_styles,
    render_panels,
    series_style,
)
from society.report.page import Section
from society.report.sections.prompts_section import asked_prompts, fold_prompt
from society.reproduction.evidence import Evidence

PAPER = "Gupta et al."
POPULATIONS, LAKES = ("altruist", "mixed", "selfish"), ("harsh", "rich")
CONDITIONS = {
    "full": "all",
    "only_social_learning": "only social learning",
    "only_group_decision": "only group decision",
    "neither": "neither",
}
QUESTIONS = {
    "answer effort": ("8", "the effort"),
    "answer punish": ("9", "whom to punish"),
    "answer propose": ("10", "norms and proposals"),
    "answer vote": ("11", "the vote"),
}
FINES_END = 15  # round
LEAST_LEFT = 5  # villages that a mean is drawn for
MOST_MARKED = 10  # villages of a line whose ends are marked
_TALL = 1.5  # inches, a panel


class CourseLine(NamedTuple):
    """A measure along the rounds in some villages, (n, T); NaN once a village has ended.

    causes: why each of them ended, "" for those that did not; none if that is not shown.
    """

    label: str
    style: SeriesStyle
    villages: Array
    causes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        trial: str,
        measure: str,
        levels: FactorLevels,
        label: str,
        style: SeriesStyle,
    ) -> CourseLine:
        """Take a measure of the villages with these levels."""
        villages = evidence.rounds(trial, measure, levels)
        few = len(villages) <= MOST_MARKED
        return cls(label, style, villages, evidence.endings(trial, levels) if few else ())

    @property
    def left(self) -> Array:
        """Villages that go on, (T,)."""
        known: Array = (~np.isnan(self.villages)).sum(0)
        return known

    def band(self) -> tuple[Array, Array, Array]:
        """The mean with its 95 % t interval, (T,) each; NaN where too few are left."""
        from scipy import stats

        left, known = self.left, ~np.isnan(self.villages)
        enough = left >= min(LEAST_LEFT, len(self.villages))
        total = np.where(known, self.villages, 0).sum(0)
        middle = np.divide(total, left, out=np.full(left.shape, np.nan), where=enough & (left > 0))
        squares = np.where(known, (self.villages - middle) ** 2, 0).sum(0)
        spread = enough & (left >= LEAST_LEFT) & (squares > 0)
        count = np.where(spread, left, 2)
        half = stats.t.ppf(0.975, count - 1) * np.sqrt(squares / (count - 1) / count)
        half = np.where(spread, half, np.nan)
        return middle, middle - half, middle + half


class CoursePanel(NamedTuple):
    """Lines on the same axes; unit: of the quantity; bounds: what is possible of it."""

    title: str
    unit: str
    lines: Sequence[CourseLine]
    bounds: tuple[float, float | None]
    event: int | None = None

    def describe(self) -> str:
        rounds = np.arange(1, self.lines[0].villages.shape[1] + 1)
        return describe_curves([(one.label, rounds, one.band()[0]) for one in self.lines], "round")


def punishment_section(evidence: Evidence) -> Section:
    """Draw Fig. 2: villages with fines for good, or until round 15, and ours without any."""
    figures = []
    for name in ("default", "subsistence"):
        trial = f"punishment-{name}"
        figures.append(
            _course_figure(
                f"figure-2-{name}",
                f"{_counterpart('2')}: villages with fines, and once they end ({name} parameters)",
                "Rules. Colour: the fine. Dashed: fines end at round 15, the vertical line; "
                "dotted: no fines at all, which is ours.",
                [
                    CoursePanel(title, unit, _fined(evidence, trial, measure), bounds, FINES_END)
                    for title, unit, measure, bounds in (
                        ("stock", "share of capacity", "stock", (0, 1)),
                        ("catches within the cap", "share", "compliance", (0, 1)),
                    )
                ],
                across=2,
            )
        )
    return Section(_counterpart("2"), figures, "figure-2")


def _fined(evidence: Evidence, trial: str, measure: str) -> list[CourseLine]:
    ten, fourteen = ordered_styles(2)
    styles = {
        "always_10": ("fine 10", ten._replace(dashes="solid")),
        "until_15_10": ("fine 10, until round 15", ten._replace(dashes=(0, (5, 1.5)))),
        "always_14": ("fine 14", fourteen._replace(dashes="solid")),
        "until_15_14": ("fine 14, until round 15", fourteen._replace(dashes=(0, (5, 1.5)))),
        "never": ("no fines", SeriesStyle(INK, "X", (0, (1.2, 1.2)))),
    }
    return [
        CourseLine.of(evidence, trial, measure, {"condition": condition}, label, style)
        for condition, (label, style) in styles.items()
    ]


def populations_section(evidence: Evidence) -> Section:
    """Draw Figs 4 and 12: altruists, selfish villagers and both, in two lakes."""
    panels = [
        DotPanel(
            f"{lake} lake, {name} parameters",
            POPULATIONS,
            {
                reading: [
                    _dot(
                        evidence.runs(
                            f"populations-{name}",
                            "survival_time",
                            {"lake": lake, "population": population, "punishers": level},
                        )
                    )
                    for population in POPULATIONS
                ]
                for level, reading in (
                    ("table", "selfish fine more"),
                    ("text", "altruists fine more"),
                )
            },
        )
        for name, lake in product(("default", "subsistence"), LAKES)
    ]
    title = f"{_counterpart('4', '12')}: rounds survived by altruists, mixed and selfish villages"
    caption = (
        "Rules. Means with 95 % t intervals; a village that lives to round 100 counts with 100."
    )
    bounds = 0, _horizon(evidence, "populations-default")
    figure = dot_plot("figure-4", title, caption, "rounds survived", panels, bounds=bounds)
    return Section(_counterpart("4", "12"), [figure], "figure-4")


def models_section(evidence: Evidence) -> Section:
    """Draw Figs 5 and 6: rounds survived by model and population, a lake each."""
    models = evidence.levels("models")["model"]
    figures = []
    for number, lake in (("5", "harsh"), ("6", "rich")):
        letters = _letters(evidence, lake)
        panel = DotPanel(
            f"{lake} lake",
            [format_label(model) for model in models],  # type: ignore[arg-type]
            {
                population: [
                    _dot(
                        _survival(evidence, "models", model=model, lake=lake, population=population)
                    )
                    for model in models
                ]
                for population in POPULATIONS
            },
            [letters.get(format_label(model), "") for model in models],  # type: ignore[arg-type]
        )
        figures.append(
            dot_plot(
                f"figure-{number}",
                f"{_counterpart(number)}: rounds survived in the {lake} lake, by model",
                "Means with 95 % t intervals, where the paper has standard errors. Letters: models "
                "that share one do not differ (Tukey); none with one model.",
                "rounds survived",
                [panel],
                bounds=(0, _horizon(evidence, "models")),
            )
        )
    return Section(_counterpart("5", "6"), figures, "figure-5")


def ablations_section(evidence: Evidence) -> Section:
    """Draw Figs 7 and 13: rounds survived without imitation or a common policy, by model."""
    models = evidence.levels("ablations")["model"]
    panels = [
        DotPanel(
            f"{model}, {lake} lake",
            [*CONDITIONS.values()],
            {
                population: [
                    _dot(_by_channels(evidence, channels, model, lake, population))
                    for channels in CONDITIONS
                ]
                for population in POPULATIONS
            },
        )
        for model, lake in product(models, LAKES)
    ]
    figure = dot_plot(
        "figure-7",
        f"{_counterpart('7', '13')}: rounds survived with imitation, a common policy, or neither",
        "Means with 95 % t intervals, where the paper has standard errors. Its Fig. 7 shows "
        "deepseek-r1 and gpt-4o, Fig. 13 qwen3-32b; here are the models that were asked.",
        "rounds survived",
        panels,
        bounds=(0, _horizon(evidence, "models")),
    )
    return Section(_counterpart("7", "13"), [figure], "figure-7")


def norms_figure_section(evidence: Evidence) -> Section:
    """Draw Fig. 14: alignment of norms against their similarity at the end, by model."""
    clouds, sizes = dict[str, PointCloud](), set[int]()
    models = evidence.levels("models")["model"]
    for (number, model), population in product(enumerate(models), ("altruist", "selfish")):
        colour = series_style(POPULATIONS.index(population)).colour
        style = series_style(number)._replace(colour=colour)
        levels = {"model": model, "population": population}
        both = [
            evidence.runs("models", name, levels) for name in ("norm_similarity", "norm_alignment")
        ]
        if not np.isnan(both[0]).all():
            clouds[f"{model}, {population}"] = PointCloud(both[0], both[1], style)
        sizes |= {run.manifest.agents for run in evidence.played("models", levels)}
    if not clouds:
        raise InsufficientEvidence("no run ended with norms")
    figure = norm_space(
        "figure-14",
        f"{_counterpart('14')}: norms at the end of each run",
        "The paper's two axes are one number, by another formula: points lie on the curve for N "
        "villagers, and one that ends with fewer lies off it. They tell likeness of wording.",
        sorted(sizes),
        clouds,
    )
    return Section(_counterpart("14"), [figure], "figure-14")


def efficiency_section(evidence: Evidence) -> Section:
    """Draw Figs 15 and 16: efficiency along the rounds, a panel for each lake and population."""
    models = evidence.levels("models")["model"]
    panels = [
        CoursePanel(
            f"{lake} lake, {population}",
            "catch / best steady catch",
            [
                CourseLine.of(
                    evidence,
                    "models",
                    "efficiency",
                    {"model": model, "lake": lake, "population": population},
                    str(model),
                    series_style(number),
                )
                for number, model in enumerate(models)
            ],
            (0, None),
        )
        for lake, population in product(LAKES, POPULATIONS)
    ]
    figure = _course_figure(
        "figure-15",
        f"{_counterpart('15', '16')}: efficiency along the rounds",
        "Above 1 the lake is overused.",
        panels,
        across=3,
    )
    return Section(_counterpart("15", "16"), [figure], "figure-15")


def asked_section(evidence: Evidence) -> Section:
    """Show the counterparts of Figs 8 to 11: the four questions, as they were asked."""
    run = evidence.played("models", {})[0]
    asked = {one.occasion: one for one in asked_prompts(run)}
    folds = [
        fold_prompt(asked[occasion], f"{_counterpart(number)}: {words}")
        for occasion, (number, words) in QUESTIONS.items()
        if occasion in asked
    ]
    lead = "The questions of the first condition, in our words, which give the paper's information."
    return Section("Prompts as they were asked", [lead, *folds] if folds else [], "figure-8")


def _course_figure(
    name: str, title: str, caption: str, panels: Sequence[CoursePanel], *, across: int
) -> Figure:
    """Draw means along the rounds, and below each panel the villages that are left."""
    every = [line.band() for panel in panels for line in panel.lines]
    top = float(np.nanmax(np.concatenate([np.ravel(band) for band in every]), initial=0)) * 1.05
    lines = [line for panel in panels for line in panel.lines]
    causes = list(dict.fromkeys(cause for line in lines for cause in line.causes if cause))
    units = {panel.unit for panel in panels}
    marks = "Bands: 95 % t intervals. Below: villages left"
    marks += f"; marks: the last round of each that ended ({', '.join(causes)})." if causes else "."
    ends = f" Means of fewer than {LEAST_LEFT} villages are not drawn, unless there were fewer."

    def draw(own: Sequence[Any], panel: CoursePanel) -> Mapping[str, Any]:
        handles = {line.label: _draw_line(own, line, causes) for line in panel.lines}
        handles |= cause_handles(own[1], causes)
        name_quantity(own[0], panel.title if len(units) > 1 else panel.unit)
        name_quantity(own[1], "villages left")
        own[0].set_ylim(panel.bounds[0], top if panel.bounds[1] is None else panel.bounds[1])
        own[0].locator_params(axis="x", integer=True)
        if panel.event is not None:
            for axes in own:
                axes.axvline(panel.event, color=FAINT, linewidth=0.9)
        own[1].set_ylim(bottom=0)
        own[1].locator_params(axis="y", nbins=2, integer=True)
        return handles

    def finish(figure: Any, grid: Sequence[Sequence[Any]]) -> None:
        for own, panel in zip(grid, panels, strict=True) if len(units) > 1 else ():
            own[0].set_ylabel(panel.unit)

    return render_panels(
        name,
        title,
        f"{caption} {marks}{ends}",
        panels,
        draw,
        across=across,
        heights=[_TALL, 0.45],
        labels=[*(line.label for line in panels[0].lines), *map(name_cause, causes)],
        xlabel="round",
        ylabels=[panels[0].unit, "left"],
        finish=finish,
        sharex=True,
    )


def _draw_line(own: Sequence[Any], line: CourseLine, causes: Sequence[str]) -> Any:
    colour, dashes = line.style.colour, line.style.dashes
    rounds = np.arange(1, line.villages.shape[1] + 1)
    middle, low, high = line.band()
    (handle,) = own[0].plot(rounds, middle, color=colour, linestyle=dashes)
    name_series(handle, line.label, low=low, high=high)
    band = own[0].fill_between(rounds, low, high, color=colour, alpha=0.18, linewidth=0)
    name_series(band, line.label, silent=True)
    own[1].step(rounds, line.left, color=colour, linestyle=dashes, linewidth=1)
    seen = zip(line.villages, line.causes, strict=False)
    runs = [SingleRun(np.where(np.isnan(village), np.nan, line.left), why) for village, why in seen]
    mark_ends(own[1], line.label, colour, rounds, runs, causes)
    return handle


def _horizon(evidence: Evidence, trial: str) -> float:
    """The last round that a village of a trial may live to."""
    return float(evidence.rounds(trial, "stock", {}).shape[1])


def _counterpart(*numbers: str) -> str:
    figures = f"Figure {numbers[0]}" if len(numbers) == 1 else f"Figures {' and '.join(numbers)}"
    return f"Counterpart of {figures} of {PAPER}"


def _dot(runs: Array) -> Dot | None:
    """Give the mean of some villages with its interval; no interval of fewer than five."""
    known = runs[~np.isnan(runs.astype(float))]
    if not len(known):
        return None
    try:
        found = mean(known).interval if len(known) >= LEAST_LEFT else None
    except NotEstimable:
        found = None
    average, values = float(known.mean()), known.astype(float)
    if found is None:
        return Dot(average, None, None, values)
    return Dot(average, float(found.low), float(found.high), values)


def _survival(evidence: Evidence, trial: str, **levels: object) -> Array:
    return evidence.runs(trial, "survival_time", levels)


def _by_channels(
    evidence: Evidence, channels: str, model: object, lake: str, population: str
) -> Array:
    """Rounds survived under some channels; with all of them villages are played by `models`."""
    levels = {"model": model, "lake": lake, "population": population}
    if channels == "full":
        return _survival(evidence, "models", **levels)
    return _survival(evidence, "ablations", channels=channels, **levels)


def _letters(evidence: Evidence, lake: str) -> Mapping[str, str]:
    """Give the letters of groups that do not differ; none where there is no test."""
    if len(evidence.levels("models")["model"]) < 2:
        return {}
    try:
        return evidence.ranked("models", "survival_time", "model", {"lake": lake}).letters
    except InsufficientEvidence:
        return {}
