"""Counterparts of the paper's figures, drawn from made-up results."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from society.analysis.statistics.means import mean
from society.claims.types import FactorLevels
from society.config.registry import reproduction
from society.report.figures.style import SERIES, Figure, series_style
from society.report.page import Section
from society.reproduction.evidence import Evidence, ExperimentResult
from society.scenarios.reproductions.gupta2026 import village_figures
from society.scenarios.reproductions.gupta2026.village_figures import CourseLine
from tests.reproduction.made_up import MadeUpResult
from tests.scenarios.reproductions.gupta2026.conftest import planned


class Declining(MadeUpResult):
    """Ten villages, of which one ends after round 20, one after round 21, and so on."""

    def draw(self, measure: str, condition: object, rounds: int) -> np.ndarray:
        course = np.tile(np.linspace(1, 0.2, rounds), (self.count, 1))
        for village in range(self.count):
            course[village, 20 + village :] = np.nan
        return course if rounds > 1 else np.arange(self.count, dtype=float)[:, None]

    def endings(self, levels: FactorLevels) -> list[str]:
        return ["the lake collapsed" if place % 2 else "a villager starved" for place in range(10)]


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    results = {
        name: Declining(name, levels, 10, 1)
        for name, levels in planned().items()
        if name.startswith(("punishment", "populations"))
    }
    usual: dict[str, tuple[str, ...]] = {
        "model": ("a", "b"),
        "lake": village_figures.LAKES,
        "population": village_figures.POPULATIONS,
    }
    channels = ("only_social_learning", "only_group_decision", "neither")
    results["models"] = Declining("models", usual, 10, 1)
    results["ablations"] = Declining("ablations", {"channels": channels, **usual}, 10, 1)
    return Evidence({name: cast(ExperimentResult, one) for name, one in results.items()})


def figures(section: Section) -> list[Figure]:
    return [part for part in section.parts if isinstance(part, Figure)]


@pytest.fixture(scope="module")
def punishment(evidence: Evidence) -> Section:
    return village_figures.punishment_section(evidence)


def test_figure_2_has_the_fine_as_its_colour_and_dashes_where_fines_end(
    evidence: Evidence,
) -> None:
    lines = village_figures._fined(evidence, "punishment-default", "stock")
    styles = {line.label: line.style for line in lines}
    assert styles["fine 10"].colour == styles["fine 10, until round 15"].colour
    assert styles["fine 14"].colour == styles["fine 14, until round 15"].colour
    assert styles["fine 10"].colour != styles["fine 14"].colour
    assert [styles[f"fine {fine}"].dashes for fine in (10, 14)] == ["solid", "solid"]
    assert "solid" not in [styles[f"fine {fine}, until round 15"].dashes for fine in (10, 14)]


def test_a_mean_is_drawn_as_long_as_five_villages_are_left(punishment: Section) -> None:
    (first, _) = figures(punishment)
    curve = next(one for one in first.data.series if one.label == "fine 10")
    assert curve.across.max() == 25  # of ten villages, five are left until then
    assert curve.upwards.min() >= 0.2


def test_each_of_few_villages_ends_in_a_mark_that_says_why(punishment: Section) -> None:
    (first, _) = figures(punishment)
    assert "marks: the last round of each that ended (a villager starved, the lake collapsed)" in (
        first.caption
    )
    assert [text in first.svg for text in ("ended: a villager starved", "ended: the lake")] == [
        True,
        True,
    ]


def test_panels_of_other_quantities_name_their_own_axis(punishment: Section) -> None:
    (first, _) = figures(punishment)
    named = [frame.upwards.label for frame in first.data.frames if frame.title]
    assert named == ["share of capacity", "share"]


def test_of_few_villages_the_mean_has_no_interval() -> None:
    two = CourseLine("few", series_style(0), np.array([[0.2, 0.4], [0.4, np.nan]]))
    middle, low, _ = two.band()
    assert middle == pytest.approx([0.3, np.nan], nan_ok=True)
    assert np.isnan(low).all()
    assert two.left.tolist() == [2, 1]


def test_the_band_is_the_t_interval_of_the_mean() -> None:
    values = np.array([[0.2], [0.4], [0.5], [0.6], [0.9]])
    middle, low, high = CourseLine("five", series_style(0), values).band()
    known = mean(values[:, 0])
    assert (middle[0], low[0], high[0]) == pytest.approx((known.mean, *known.interval[:2]))


@pytest.mark.thorough
def test_each_figure_is_named_as_the_counterpart_of_the_papers(
    evidence: Evidence, punishment: Section
) -> None:
    sections = [punishment, *(make(evidence) for make in SECTIONS)]
    assert [section.title for section in sections] == [
        f"Counterpart of {numbers} of Gupta et al."
        for numbers in ("Figure 2", "Figures 4 and 12", "Figures 5 and 6", "Figures 7 and 13")
    ] + ["Counterpart of Figures 15 and 16 of Gupta et al."]
    assert all(
        figure.title.startswith("Counterpart of Figure")
        for section in sections
        for figure in figures(section)
    )


SECTIONS = (
    village_figures.populations_section,
    village_figures.models_section,
    village_figures.ablations_section,
    village_figures.efficiency_section,
)


@pytest.mark.thorough
def test_efficiency_stands_in_a_panel_for_each_lake_and_population(evidence: Evidence) -> None:
    (figure,) = figures(village_figures.efficiency_section(evidence))
    titles = [frame.title for frame in figure.data.frames if frame.title]
    assert titles[:2] == ["a harsh lake, altruist", "b harsh lake, mixed"]
    assert len(titles) == 6
    tops = {frame.upwards.high for frame in figure.data.frames if frame.title}
    assert len(tops) == 1


@pytest.mark.thorough
def test_ablations_stand_beside_villages_with_both_channels(evidence: Evidence) -> None:
    (figure,) = figures(village_figures.ablations_section(evidence))
    assert "all" in figure.svg
    assert "only group decision" in figure.svg
    assert len([one for one in figure.data.frames if one.title]) == 4  # two models, two lakes


def test_places_that_coverage_names_are_sections_or_trials_of_the_page() -> None:
    paper = reproduction("village")
    anchors = {"figure-2", "figure-4", "figure-5", "figure-7", "figure-8", "figure-14", "figure-15"}
    trials = {trial.name for design in paper.designs for trial in design.trials}
    shown = {anchor for entry in paper.coverage for anchor in entry.shown}
    assert anchors <= shown <= anchors | trials
    numbers = {entry.id for entry in paper.coverage if entry.shown}
    assert {f"figure-{number}" for number in range(2, 17)} <= numbers
    assert len(SERIES) >= 7  # as many models as the paper has
