"""Colours of figures can be told from their paper, and from each other, by everybody.

Contrast is that of WCAG 2.2, (L1 + 0.05) / (L2 + 0.05) of relative luminances, of which it asks 3
for graphics. Colour vision deficiency is simulated by the matrices of Machado, Oliveira and
Fernandes (2009, IEEE TVCG 15) for complete protanopia and deuteranopia, in linear RGB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest

from society.engine.rng import Array
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

DARK_PAPER = "#14171b"  # of page.html
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
ANYBODY = pytest.mark.parametrize("vision", VISIONS)


def seen(colour: str, vision: str) -> Array:
    """Linear red, green and blue of a colour as somebody sees it, (3,)."""
    signal = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    light = np.where(signal <= 0.04045, signal / 12.92, ((signal + 0.055) / 1.055) ** 2.4)
    mixed: Array = np.clip(VISIONS[vision] @ light, 0, 1)
    return mixed


def luminance(colour: str, vision: str = "usual") -> float:
    return float(TO_XYZ[1] @ seen(colour, vision))


def contrast(one: str, other: str, vision: str = "usual") -> float:
    low, high = sorted(luminance(each, vision) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def distance(one: str, other: str, vision: str) -> float:
    """Distance in CIELAB (1976); some 2.3 are just noticed."""
    labs = []
    for each in (one, other):
        x, y, z = np.cbrt(TO_XYZ @ seen(each, vision) / [0.9505, 1, 1.089])
        labs.append(np.array([116 * y, 500 * (x - y), 200 * (y - z)]))
    return float(np.linalg.norm(labs[0] - labs[1]))


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
