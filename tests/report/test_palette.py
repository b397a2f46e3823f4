"""Colours of figures can be told from their paper, and from each other, by everybody.

Contrast is that of WCAG 2.2, of which it asks 3 for graphics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import pytest

from society.report.figures.style import (
    DARK,
    FAINT,
    HUES,
    INK,
    PAPER,
    SERIES,
    SeriesStyle,
    dark_colours,
    ordered_styles,
)
from tests.report.colour_vision import VISIONS, contrast, distance, luminance

DARK_PAPER = "#14171b"  # of page.html
ANYBODY = pytest.mark.parametrize("vision", VISIONS)


def colours(styles: Sequence[SeriesStyle]) -> list[str]:
    return [style.colour for style in styles]


def on_dark(styles: Sequence[SeriesStyle]) -> list[str]:
    """The colours of a dark page; that of ink is the page's own."""
    return [DARK[style.colour] for style in styles if style.colour != INK]


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    # What Okabe and Ito's orange and sky blue lack on paper.
    assert contrast("#e69f00", PAPER) == pytest.approx(2.25, abs=0.01)
    assert contrast("#56b4e9", PAPER) == pytest.approx(2.31, abs=0.01)


@ANYBODY
def test_every_colour_stands_out_from_paper(vision: str) -> None:
    for colour in [*colours(SERIES), *colours(HUES), FAINT]:
        assert contrast(colour, PAPER, vision) >= 3, colour
    for colour in [*on_dark(SERIES), *on_dark(HUES)]:
        assert contrast(colour, DARK_PAPER, vision) >= 3, colour


@ANYBODY
@pytest.mark.parametrize("choose", [colours, on_dark])
def test_colours_without_an_order_are_told_apart(
    vision: str, choose: Callable[[Sequence[SeriesStyle]], list[str]]
) -> None:
    for one, other in combinations(choose(SERIES), 2):
        assert distance(one, other, vision) > 12, (one, other)


@ANYBODY
def test_colours_with_an_order_have_it_in_grey_print_as_well(vision: str) -> None:
    """Each is darker than the one before it; on a dark page lighter."""
    for one, other in pairwise(colours(HUES)):
        assert contrast(one, other, vision) > 1.1, (one, other)
        assert luminance(other, vision) < luminance(one, vision)
    for one, other in pairwise(on_dark(HUES)):
        assert contrast(one, other, vision) > 1.1, (one, other)
        assert luminance(other, vision) > luminance(one, vision)


def test_few_levels_are_as_far_apart_as_can_be() -> None:
    assert [HUES.index(style) for style in ordered_styles(2)] == [0, 6]
    assert [HUES.index(style) for style in ordered_styles(4)] == [0, 2, 4, 6]
    assert ordered_styles(1) == [HUES[0]]
    assert len(ordered_styles(20)) == 20


def test_a_dark_page_has_a_colour_for_each_of_paper() -> None:
    sheet = dark_colours()
    assert sheet.startswith("@media screen and (prefers-color-scheme: dark)")
    assert set(DARK) >= {*colours(SERIES), *colours(HUES)} - {INK}
    for light, dark in DARK.items():
        assert f"--on-dark-{light[1:]}: {dark};" in sheet
