"""Specification curves: all comparisons of the main claims, under all readings."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.claims.comparisons import Comparison
from society.claims.effects import effect_of_comparison
from society.claims.types import ClaimVerdict
from society.errors import ScenarioError
from society.report.figures.style import Figure
from society.report.page import Section
from society.reproduction.papers import read_paper
from society.reproduction.specification_curve import specification_section
from tests.reproduction.made_up import PAPER

READINGS = {"rich lake, wind": 12.0, "rich lake, calm": 8.0, "poor lake, wind": 25.0}


def verdict(under: str, first: float) -> ClaimVerdict:
    effects = tuple(
        effect_of_comparison(
            Comparison(f"nets > {other}", (first + more, 10.0), first + more - 10, -2.0, 17.0),
            "greater",
            first > 10,
        )
        for other, more in (("rods", 0.0), ("hooks", 1.0))
    )
    return ClaimVerdict(
        *(f"Nets pay ({under})", "Fig. 1", "They do.", "", "in part", "", under),
        effects=effects,
        main_effect=effects[0],
    )


@pytest.fixture(scope="module")
def section() -> Section:
    (found,) = specification_section([verdict(*one) for one in READINGS.items()], ["Nets pay"])
    return found


@pytest.fixture(scope="module")
def figure(section: Section) -> Figure:
    (found,) = (part for part in section.parts if isinstance(part, Figure))
    return found


def test_effects_stand_in_the_order_of_their_size(figure: Figure) -> None:
    points = sorted(
        (float(across), float(value), words)
        for one in figure.data.series
        if one.values is not None
        for across, value, words in zip(one.across, one.values, one.words, strict=True)
    )
    assert [value for _, value, _ in points] == pytest.approx([0.8, 0.9, 1.2, 1.3, 2.5, 2.6])
    assert points[0][2] == "rich lake, calm, nets > rods"
    assert points[-1][2] == "poor lake, wind, nets > hooks"


def test_the_description_counts_what_came_out_as_claimed(figure: Figure) -> None:
    assert figure.alt == "Nets pay: 6 comparisons, 4 as claimed, 2 not, from 0.8 to 2.6 times."


def test_dots_mark_what_readings_differ_in_and_the_comparisons(figure: Figure) -> None:
    words = [word for frame in figure.data.frames for _, word in frame.upwards.words if word]
    rows = [word for word in words if not word[0].isdigit()]
    assert rows == ["rich lake", "poor lake", "wind", "calm", "nets > rods", "nets > hooks"]


def test_one_reading_has_no_curve() -> None:
    (once,) = specification_section([verdict("rich lake", 12.0)], ["Nets pay"])
    (unnamed,) = specification_section([verdict(*one) for one in READINGS.items()], [])
    assert [str(part)[:40] for part in (*once.parts, *unnamed.parts)] == [
        "There is no specification curve: no main"
    ] * 2
    assert not list(specification_section([], []))


def test_a_main_claim_that_is_none_is_refused(tmp_path: Path) -> None:
    small = PAPER.replace("  claims:", "  main_claims: [Hooks catch more]\n  claims:", 1)
    file = tmp_path / "claims.yaml"
    file.write_text(f"{small}            {{kind: untestable, why: there are no nets}}\n".lstrip())
    with pytest.raises(ScenarioError, match="'Hooks catch more', which is no claim"):
        read_paper(file, "nowhere")
