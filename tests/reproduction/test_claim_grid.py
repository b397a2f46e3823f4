"""The grid of claims by readings, its figure, and the detail of each claim."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from society.claims.comparisons import Comparison, MeanInterval, Odds
from society.claims.data import Comparisons, PaperData
from society.claims.effects import (
    ClaimEffect,
    PaperValue,
    Times,
    deciding_effect,
    effect_of_comparison,
    effect_of_mean,
    effect_of_share,
)
from society.claims.types import ClaimVerdict, VerdictOutcome
from society.config.yaml_source import read_yaml
from society.report.figures.style import Figure
from society.report.page import Section, render_page
from society.report.tables import Table
from society.reproduction.claim_grid import MARKS, ClaimGrid
from society.reproduction.claims_figure import OUTCOMES, claims_figure
from society.reproduction.claims_section import claims_section
from society.scenarios import reproductions
from tests.browser import open_browser, open_page

FOLDER = Path(next(iter(reproductions.__path__)))
LONGEST_CELL = 200  # characters of a cell in a page
LONGER = Comparison("long > short", (30.0, 20.0), 10.0, 5.0, 15.0, "paired", p=0.001, n=(40,))
PAPER = PaperValue(16, 16, 20, "Table 1")
EFFECT = effect_of_comparison(LONGER, "greater", True, PAPER)


def verdict(
    claim: str,
    outcome: VerdictOutcome,
    under: str = "",
    effect: ClaimEffect | None = EFFECT,
    *,
    ours: bool = False,
) -> ClaimVerdict:
    words = f"{claim} ({under})" if under else claim
    effects = () if effect is None else (effect,)
    told = ("Fig. 1", "It does.", "30 - 20", outcome, "not by much", under, ours)
    return ClaimVerdict(words, *told, ("Our lake is small.",), effects, effect)


VERDICTS = [
    verdict("Nets pay", "reproduced", "rich lake"),
    verdict("Nets pay", "not reproduced", "poor lake"),
    verdict("Boats pay", "in part", "rich lake, wind"),
    verdict("Boats pay", "cannot be told", "rich lake, calm"),
    verdict("Boats pay", "reproduced", "poor lake, wind"),
    verdict("Boats pay", "reproduced", "poor lake, calm"),
    verdict("Lakes are wet", "reproduced", effect=None, ours=True),
]


@pytest.fixture(scope="module")
def grid() -> ClaimGrid:
    return ClaimGrid.of(VERDICTS)


@pytest.fixture(scope="module")
def figure(grid: ClaimGrid) -> Figure:
    return claims_figure(grid, "../report.html")


@pytest.fixture(scope="module")
def section() -> Section:
    return claims_section(VERDICTS)


def test_a_verdict_counts_for_all_readings_that_have_its_parts(grid: ClaimGrid) -> None:
    assert grid.readings == tuple(
        f"{lake} lake, {air}" for lake in ("rich", "poor") for air in ("wind", "calm")
    )
    spans = [[(cell.first, cell.last) for cell in row.cells] for row in grid.rows]
    assert spans == [[(0, 1), (2, 3)], [(0, 0), (1, 1), (2, 2), (3, 3)], [(0, 3)]]
    assert [row.marks for row in grid.rows] == ["●○", "◐–●●", "●"]


def test_a_reading_without_a_name_is_a_column_of_its_own_beside_another() -> None:
    both = [verdict("Nets pay", "reproduced"), verdict("Nets pay", "in part", "as printed")]
    assert ClaimGrid.of(both).readings == ("", "as printed")
    assert ClaimGrid.of(both).headings == ["not as printed", "as printed"]
    assert ClaimGrid.of(both[:1]).readings == ("",)


def test_columns_that_are_apart_have_a_cell_each() -> None:
    apart = [
        *(verdict("Boats pay", "reproduced", f"{lake}, wind") for lake in ("rich", "poor")),
        verdict("Boats pay", "reproduced", "rich, calm"),
        verdict("Nets pay", "in part", "rich"),
    ]
    (_, nets) = ClaimGrid.of(apart).rows
    assert [(cell.first, cell.last) for cell in nets.cells] == [(0, 0), (2, 2)]


def test_the_grid_in_a_terminal_has_a_mark_for_each_reading(grid: ClaimGrid) -> None:
    assert grid.text(60).splitlines() == [
        "● reproduced, ◐ in part, ○ not reproduced, – cannot be told",
        "│ rich lake, wind",
        "  │ rich lake, calm",
        "    │ poor lake, wind",
        "      │ poor lake, calm",
        "● ● ○ ○  Nets pay",
        "◐ – ● ●  Boats pay",
        "● ● ● ●  Lakes are wet (ours)",
    ]


def test_each_mark_of_the_figure_is_the_outcome_of_its_verdict(
    grid: ClaimGrid, figure: Figure
) -> None:
    drawn = {
        words: one.label
        for one in figure.data.series
        for words in one.words
        if ": " not in words  # of the forest, which names comparisons, too
    }
    assert drawn == {
        cell.verdict.claim: cell.verdict.outcome for row in grid.rows for cell in row.cells
    }


def test_the_forest_has_the_numbers_of_the_evidence(figure: Figure) -> None:
    effects = [
        (one.across[0], one.low[0], one.high[0])
        for one in figure.data.series
        if one.low is not None and one.high is not None
    ]
    assert effects == pytest.approx([(1.5, 1.25, 1.75)] * 6)
    assert EFFECT.times == Times(1.5, 1.25, 1.75)
    assert EFFECT.paper_times == (0.8, 0.8)


def test_marks_lead_to_the_details_of_their_claims(figure: Figure, section: Section) -> None:
    page = render_page("Nets", "", [section], "")
    assert 'href="#claim-nets-pay"' in figure.inline
    assert 'href="../report.html#claim-nets-pay"' in figure.svg
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= set(re.findall(r'\bid="([^"]+)"', page))
    assert {"claim-nets-pay", "claim-boats-pay", "claim-lakes-are-wet"} <= targets


def test_outcomes_differ_by_shape_and_not_by_colour_alone() -> None:
    assert len(set(MARKS.values())) == len(MARKS) == len(OUTCOMES)
    shapes = {(one.marker, one.fill, bool(one.face)) for one in OUTCOMES.values()}
    assert len(shapes) == len(OUTCOMES)


def test_marks_have_the_contrast_that_graphics_need() -> None:
    """3 : 1 on white paper (WCAG 2.2, 1.4.11)."""
    assert min(1.05 / (luminance(one.colour) + 0.05) for one in OUTCOMES.values()) >= 3


def luminance(colour: str) -> float:
    """The relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def test_a_claim_opens_what_was_compared(section: Section) -> None:
    nets = next(one for one in section.walk() if isinstance(one, Section) and "Nets" in one.title)
    assert (nets.title, nets.folded) == ("●○  Nets pay", True)
    assert nets.parts[0] == "It does. (the paper, Fig. 1)"
    table = next(one for one in nets.walk() if isinstance(one, Table))
    numbers = ("30", "20", "10 [5, 15]", "40", "0.001", "16 against 20 (Table 1)", "yes")
    assert table.rows == [("long > short", *numbers)]
    assert "Our lake is small." in list(nets.walk())


def test_claims_are_counted_and_no_cell_is_long(section: Section) -> None:
    assert section.parts[0] == (
        "Of 2 claims of the paper, judged 6 times: 2 with different outcomes under different "
        "parameters or readings."
    )
    tables = [one for one in section.walk() if isinstance(one, Table)]
    assert max(len(cell) for one in tables for row in one.rows for cell in row) <= LONGEST_CELL
    assert not claims_section([]).parts


def test_all_effects_stand_in_one_table_of_numbers(section: Section) -> None:
    table = next(one for one in section.walk() if isinstance(one, Table) and one.name == "claims")
    assert len(table.rows) == 6
    assert (
        table.csv()
        .splitlines()[1]
        .startswith(
            "Nets pay,rich lake,reproduced,long > short,difference,paired,yes,40,30.0,20.0,10.0,5.0"
        )
    )


def test_a_verdict_turns_on_the_part_that_goes_least_its_way() -> None:
    strong = EFFECT._replace(difference=30.0, name="strong")
    failing = EFFECT._replace(held=False, difference=1.0, name="failing")
    unshown = EFFECT._replace(held=None, difference=0.5, name="unshown")
    every = [strong, EFFECT, unshown, failing]
    assert deciding_effect(every, one_is_enough=False) == failing
    assert deciding_effect(every[:3], one_is_enough=False) == unshown
    assert deciding_effect(every[:2], one_is_enough=False) == EFFECT
    assert deciding_effect(every, one_is_enough=True) == strong
    assert (
        deciding_effect([ClaimEffect("x", "difference", "greater", None)], one_is_enough=True)
        is None
    )


def test_equality_turns_on_the_largest_difference_whatever_its_direction() -> None:
    near = EFFECT._replace(expected="alike", difference=-0.2, name="near")
    far = EFFECT._replace(expected="alike", difference=-2.0, name="far")
    assert deciding_effect([near, far], one_is_enough=False) == far


def test_shares_and_means_are_held_against_chance_and_range() -> None:
    heads = effect_of_share(Odds("heads", 15, 20, 0.5, 0.6, 0.9, 0.04), "greater", True)
    assert heads.times == pytest.approx((1.5, 1.2, 1.8))
    mean = effect_of_mean("end", MeanInterval(33, 30, 36, n=9), (20, 40), True, "Fig. 6")
    assert mean.times == pytest.approx((1.1, 1.0, 1.2))
    assert mean.paper_times == pytest.approx((2 / 3, 4 / 3))
    assert (mean.n, str(mean.paper)) == ((9,), "20 to 40 (Fig. 6)")


def test_what_is_held_against_nothing_has_no_multiples() -> None:
    zero = Comparison("gain > 0", (3.0, 0.0), 3.0, 1.0, 5.0, "paired", p=0.01)
    assert effect_of_comparison(zero, "greater", True).times is None
    none = Comparison("a > b", untestable="1 runs of a condition; at least 3 are needed")
    assert effect_of_comparison(none, "greater", None).times is None


def test_facts_of_a_verdict_have_effects_with_intervals_and_the_number_of_the_paper() -> None:
    facts = VERDICTS[0].facts()
    (effect,) = facts["effects"]
    assert (facts["outcome"], facts["under"], facts["main_effect"]) == (
        "reproduced",
        "rich lake",
        0,
    )
    assert effect["times"] == {"value": 1.5, "low": 1.25, "high": 1.75}
    assert effect["paper"] == {"low": 16, "high": 16, "against": 20, "where": "Table 1"}
    assert VERDICTS[-1].facts()["main_effect"] is None


@pytest.mark.parametrize("name", ["gupta2026", "vallinder2024", "tewolde2026", "willis2026"])
def test_numbers_of_the_paper_belong_to_pairs_that_there_are(name: str) -> None:
    values, _ = read_yaml(FOLDER / name / "claims.yaml")
    data = PaperData.model_validate(values)
    for judge in (
        claim.judge
        for design in (data.rules, data.language)
        if design is not None
        for group in design.claims
        for claim in group.claims
    ):
        if isinstance(judge, Comparisons):
            names = [re.sub(r"\\\{.*?\\\}", ".+", re.escape(pair.name)) for pair in judge.pairs]
            assert [key for key in judge.paper if not any(map(matcher(key), names))] == []


def matcher(key: str) -> Callable[[str], bool]:
    return lambda pattern: re.fullmatch(pattern, key) is not None


def test_the_number_of_the_paper_stands_beside_a_claim_that_was_judged() -> None:
    one = ClaimGrid.of([verdict("Nets pay", "reproduced")]).rows[0].cells[0].verdict.main_effect
    assert one is not None
    assert (one.paper_times, str(one.paper)) == ((0.8, 0.8), "16 against 20 (Table 1)")


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1400, 400])
def test_a_click_on_a_mark_opens_its_claim(tmp_path: Path, section: Section, width: int) -> None:
    (tmp_path / "report.html").write_text(render_page("Nets", "", [section], ""), "utf-8")
    with (
        open_browser() as browser,
        open_page(browser, tmp_path / "report.html", width) as (tab, seen),
    ):
        inside = "document.querySelector('#claim-boats-pay').closest('details').open"
        assert tab.evaluate(inside) is False
        tab.locator("figure a[*|href='#claim-boats-pay']:visible").first.click()
        assert tab.evaluate(inside) is True
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert not [words for words in seen if "#claim" not in words]


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        (0, "No effect has an interval."),
        (1, "1 effect has an interval, which stands under the claims."),
        (2, "2 effects have intervals, which stand under the claims."),
    ],
)
def test_few_effects_leave_the_width_of_the_figure_to_the_claims(effects: int, words: str) -> None:
    given = [
        verdict(f"Claim {place}", "reproduced", effect=EFFECT if place < effects else None)
        for place in range(4)
    ]
    figure = claims_figure(ClaimGrid.of(given), "../report.html")
    assert figure.caption.endswith(words)
    assert len(figure.data.frames) == 1


def test_readings_stand_within_a_figure_without_a_forest_and_marks_side_by_side() -> None:
    readings = [f"under rule number {place}" for place in range(5)]
    given = [verdict("Nets pay", "reproduced", one, effect=None) for one in readings]
    figure = claims_figure(ClaimGrid.of(given), "../report.html")
    for svg, wide in ((figure.svg, 510), (figure.narrow, 249)):
        (box,) = {float(x) for x in re.findall(r'viewBox="0 0 ([\d.]+) ', svg)}
        assert box == pytest.approx(wide, abs=2)
        starts = [float(x) for x in re.findall(r'x="([\d.]+)"[^>]*>under rule', svg)]
        assert max(starts) < 0.9 * box


def test_several_readings_without_a_name_are_none_of_the_others() -> None:
    given = [verdict("Nets pay", "reproduced", under) for under in ("", "wind", "calm")]
    assert ClaimGrid.of(given).headings == ["none of these", "wind", "calm"]
