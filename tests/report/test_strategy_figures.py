"""Figures and tables of strategies show every set, bound and gene, and say so in words."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from society.analysis.strategies.compared_sets import FolderSet, SetComparison, SetPair
from society.analysis.strategies.measured_behaviour import StrategySet
from society.analysis.strategies.principal_plane import (
    AxisMeanings,
    PrincipalPlane,
    principal_plane,
)
from society.analysis.strategies.set_diversity import set_shift, summarise_set
from society.engine.rng import generator
from society.report.figures.behaviour_plane import behaviour_plane
from society.report.figures.stacked_shares import SharePanel, stacked_shares
from society.report.figures.style import SERIES, Figure
from society.report.figures.type_colours import assign_styles
from society.report.figures.welfare_curves import WelfareCurve, WelfarePanel, welfare_curves
from society.report.sections.strategy_sets import plane_sentence, set_section, set_tables
from society.sandbox.strategy_folder import StrategyAuthor, StrategyFolder, StrategyManifest
from society.scenarios.programs.strategy_pool import Gene

REFERENCES = {"A-C": np.ones(961), "A-D": np.zeros(961)}


def sets() -> dict[str, np.ndarray]:
    draws = generator(1, "figures")
    return {"one collective": draws.random((5, 961)), "one exploitative": np.zeros((4, 961))}


@pytest.fixture(scope="module")
def plane() -> PrincipalPlane:
    return principal_plane(sets(), REFERENCES)


@pytest.fixture(scope="module")
def compared(plane: PrincipalPlane) -> SetComparison:
    manifest = StrategyManifest(
        game="public_goods", interface="society", models={"one": StrategyAuthor()}, strategies=()
    )
    measured = {
        FolderSet(0, Gene("one", attitude)): StrategySet(["A", "B", "C", "D", "E"], features, [])
        for attitude, features in zip(("collective", "exploitative"), sets().values(), strict=True)
    }
    first, second = measured
    shift = set_shift(measured[first].features, measured[second].features)
    return SetComparison(
        folders=[StrategyFolder(Path("strategies"), manifest)],
        measured=measured,
        summaries={one: summarise_set(found) for one, found in measured.items()},
        attitudes=[SetPair(first, second, shift)],
        shifts=[],
        plane=plane,
    )


def curve(players: int, *, start: float = 2.0) -> WelfareCurve:
    shares = np.array([0, 0.5, 1])
    mean = start - shares
    return WelfareCurve(players, shares, mean, mean - 0.1, mean + 0.1, (1.0, 2.0), SERIES[0])


def test_the_plane_names_sets_and_references(plane: PrincipalPlane) -> None:
    found = behaviour_plane("plane", "Strategies", plane)
    for name in ("one collective", "one exploitative", "A-C", "A-D"):
        assert f">{name}<" in found.svg
    assert "one collective: centroid at" in found.alt
    assert f"first component ({plane.explained[0]:.1%} of the variance)" in found.svg


def test_equal_planes_give_equal_bytes(plane: PrincipalPlane) -> None:
    one, other = (behaviour_plane("plane", "Strategies", plane) for _ in range(2))
    assert (one.svg, one.png) == (other.svg, other.png)


def test_a_twelfth_set_looks_like_none_before_it() -> None:
    many = {f"set {n:02}": np.full((1, 961), n / 12) for n in range(12)}
    found = behaviour_plane("plane", "Strategies", principal_plane(many, REFERENCES))
    assert all(f">set {n:02}<" in found.svg for n in range(12))


def test_welfare_has_a_curve_for_each_size_and_a_line_for_each_bound() -> None:
    found = welfare_curves("w", "Welfare", "", [WelfarePanel("model", [curve(4), curve(64)])])
    assert ">n = 4<" in found.svg
    assert ">n = 64<" in found.svg
    assert found.alt == (
        "model: n = 4: 2 in share 0, 1 in share 1, lowest 1 in share 1, highest 2 in share 0. "
        "n = 64: 2 in share 0, 1 in share 1, lowest 1 in share 1, highest 2 in share 0."
    )


def test_shares_of_genes_are_told_from_the_first_generation_to_the_last() -> None:
    shares = np.array([[0.5, 0.5], [0.2, 0.8], [0.1, 0.9]])
    panel = SharePanel("", ["kind", "mean"], np.arange(3) + 1, shares)
    styles = assign_styles(panel.types)
    found = stacked_shares("genes", "Genes", "", [panel], styles, "generation")
    assert found.alt == "In the end: mean 90%, kind 10%."
    kind = next(one for one in found.data.series if one.label == "kind")
    assert kind.values is not None
    assert (kind.across.tolist(), kind.values.tolist()) == ([1, 2, 3], [0.5, 0.2, 0.1])


def test_tables_have_a_row_for_each_set_and_pair(compared: SetComparison) -> None:
    diversity, character, pairs = set_tables(compared)
    assert [row[:3] for row in diversity.rows] == [
        ("one collective", "5", "5"),
        ("one exploitative", "4", "1"),
    ]
    assert diversity.remarks[0] == "[a] all strategies behave alike"
    assert character.rows[1][1] == "0"
    assert len(pairs.rows) == 1


def test_a_page_shows_the_plane_between_sentence_and_tables(compared: SetComparison) -> None:
    section = set_section(compared)
    kinds = [type(part).__name__ for part in section.parts]
    assert kinds == ["str", "Figure", "Table", "Table", "Table"]
    figure = section.parts[1]
    assert isinstance(figure, Figure)
    assert figure.name == "behaviour_plane"


def test_a_plane_says_what_its_axes_mean_and_nothing_where_nothing_varies() -> None:
    plane = PrincipalPlane((0.62, 0.2), {}, {}, AxisMeanings(0.981, -0.74))
    assert plane_sentence(plane) == (
        "The first two components explain 62.0% and 20.0% of the variance. Over strategies and "
        "references, the first one correlates with the cooperation rate by 0.98, and the second "
        "one correlates with responsiveness by -0.74; this describes the axes, and is no test."
    )
    one = plane._replace(meanings=AxisMeanings(0.981, math.nan))
    assert plane_sentence(one).endswith(
        "the first one correlates with the cooperation rate by 0.98; this describes the axes, and "
        "is no test."
    )
    none = plane._replace(explained=(0.0, 0.0), meanings=AxisMeanings(math.nan, math.nan))
    assert plane_sentence(none).endswith("No strategy differs from another, so that axes have no "
                                         "meaning.")  # fmt: skip
