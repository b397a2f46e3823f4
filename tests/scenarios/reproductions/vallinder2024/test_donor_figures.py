"""Counterparts of the paper's figures, drawn from results that nobody has played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from society.claims.types import FactorLevels, InsufficientEvidence
from society.config.registry import reproduction
from society.engine.rng import Array
from society.report.figures.style import Figure
from society.report.page import Section
from society.reproduction.evidence import Evidence, ExperimentResult
from society.scenarios.reproductions.vallinder2024 import donor_figures

RUNS = np.geomspace(10, 25_000, 20)  # what each run has in its first generation
GROWTH = 2.0  # times, from one generation to the next


class Growing:
    """Twenty runs of three generations of two rounds each, which double from one to the next."""

    begun = True

    def __init__(self, levels: Mapping[str, Sequence[Any]]) -> None:
        self.experiment = SimpleNamespace(levels=levels)

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        assert levels.keys() == self.experiment.levels.keys()
        if name == "phenotype":
            return np.full((len(RUNS), 6), 0.25)
        found = np.full((len(RUNS), 6), np.nan)
        found[:, 1::2] = RUNS[:, None] * GROWTH ** np.arange(3)
        return found

    def endings(self, levels: FactorLevels) -> list[str]:
        """The first run has ended, as its last generation was over."""
        return ["nobody was left", *[""] * (len(RUNS) - 1)]


def evidence(**levels: Mapping[str, Sequence[Any]]) -> Evidence:
    return Evidence({name: cast(ExperimentResult, Growing(own)) for name, own in levels.items()})


@pytest.fixture(scope="module")
def rules() -> Evidence:
    own = {"multiplier": (1.5, 2, 3), "trace": (0, 1, 2, 3), "punishment": (False, True)}
    return evidence(rules=own)


@pytest.fixture(scope="module")
def models() -> Evidence:
    both = {"model": ("gpt-4o", "claude"), "punishment": (False, True)}
    return evidence(
        models=both, ablations={"model": both["model"], "variant": tuple(donor_figures.ABLATED)}
    )


def figures(section: Section) -> list[Figure]:
    return [part for part in section.parts if isinstance(part, Figure)]


@pytest.fixture(scope="module")
def drawn(rules: Evidence) -> list[Figure]:
    return figures(donor_figures.resources_section(rules))


def test_resources_are_drawn_and_not_the_share_given(drawn: Sequence[Figure]) -> None:
    curves = [
        one.upwards for one in drawn[0].data.series if one.label == "rules" and one.low is not None
    ]
    assert [curve.tolist() for curve in curves] == [
        pytest.approx([500, 1000, 2000]),  # the root of 10 times 25,000, and so on
        pytest.approx([500, 1000, 2000]),
    ]
    dotted = next(one for one in drawn[0].data.series if one.label == "rules, arithmetic")
    assert dotted.upwards[0] == pytest.approx(RUNS.mean())


def test_both_panels_have_one_axis(drawn: Sequence[Figure]) -> None:
    axes = [one.upwards for one in drawn[0].data.frames if one.upwards.scale == "log"]
    assert len(axes) == 2
    assert {(one.low, one.high) for one in axes} == {(10 / 1.6, 4 * 25_000 * 1.6)}


def test_the_share_given_stands_below_from_0_to_1(drawn: Sequence[Figure]) -> None:
    shares = [one.upwards for one in drawn[0].data.frames if one.upwards.scale == "linear"]
    assert [(one.low, one.high) for one in shares] == [(0, 1), (0, 1)]


def test_fifteen_runs_are_drawn_one_by_one(drawn: Sequence[Figure]) -> None:
    assert drawn[1].data.labels == [f"run {number}" for number in range(1, 16)]
    assert "The first 15 of 20 runs." in drawn[1].caption


def test_a_run_that_ended_has_a_mark_with_its_cause(drawn: Sequence[Figure]) -> None:
    for figure in drawn:
        assert figure.caption.endswith(" Marks: nobody was left.")
        assert figure.svg.count("<use") > 0


@pytest.mark.thorough
def test_models_have_a_line_each_and_a_panel_of_their_own_runs(models: Evidence) -> None:
    means, runs = figures(donor_figures.resources_section(models))
    assert {"gpt-4o", "claude"} <= set(means.data.labels)
    assert [frame.title for frame in runs.data.frames] == [
        "a gpt-4o, without punishment",
        "b claude, without punishment",
        "c gpt-4o, with punishment",
        "d claude, with punishment",
    ]


@pytest.mark.thorough
def test_other_multipliers_have_other_ceilings(rules: Evidence) -> None:
    (figure,) = figures(donor_figures.multipliers_section(rules))
    assert [f"{most:,.0f}" in figure.svg for most in (1081.2, 3_542_940, 30_720)] == [True] * 3
    highest = max(frame.upwards.high for frame in figure.data.frames)
    assert highest == pytest.approx(3_542_940 * 1.6)
    assert figure.title.startswith("Counterpart of Figures 7 to 10 of Vallinder and Hughes: ")


def test_without_agents_there_are_no_lives() -> None:
    with pytest.raises(InsufficientEvidence, match="no run of models has begun"):
        donor_figures.lives_figure_section(evidence())


def test_every_figure_with_data_has_a_place_on_the_page() -> None:
    shown = {one.id: one.shown for one in reproduction("donor").coverage if one.is_picture}
    assert {one for one, places in shown.items() if places} == {
        f"figure-{number}" for number in range(2, 12)
    }
    assert {place for places in shown.values() for place in places} == {
        *("figure-2", "figure-6", "figure-7"),
    }
