"""A check of every figure that any test draws: lines and marks stand out from their paper.

WCAG 2.2 asks of graphics a contrast of 3 to 1; it holds for readers with protanopia and
deuteranopia, too, and in grey print, whose contrast is the usual one. What need not have it is
named in LIGHT, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from society.report.figures import style
from society.report.figures.style import PAPER
from tests.report.colour_vision import VISIONS, contrast
from tests.report.drawn import Stroke, strokes

LIGHT = {
    "axis_": "grid lines: they help the eye, and ticks say the same",
    "QuadMesh": "cells of heat maps: their colours are a scale, whose light end is paper",
}
FAINTEST = 0.4  # opacity below which something is a band, or lies behind what is told
LEAST = 3.0  # to one


def pale_strokes(svg: str) -> set[tuple[str, str]]:
    """Return what is too pale in a drawing: the groups it stands in, and its colour."""
    return {
        (re.sub(r"\d+", "N", stroke.within), stroke.colour)
        for stroke in strokes(svg)
        if stroke.line and not _may_be_light(stroke) and _contrast(stroke.seen) < LEAST
    }


def _may_be_light(stroke: Stroke) -> bool:
    return (
        stroke.colour == PAPER
        or stroke.opacity < FAINTEST
        or any(part in stroke.within for part in LIGHT)
    )


@cache
def _contrast(colour: str) -> float:
    """The least contrast that anybody sees."""
    return min(contrast(colour, PAPER, vision) for vision in VISIONS)


@pytest.fixture(autouse=True, scope="session")
def no_figure_is_too_pale() -> Iterator[None]:
    """Look at each figure as it is drawn, in the test that draws it."""
    draw = style._svg

    def draw_and_look(figure: Any) -> str:
        svg = draw(figure)
        assert pale_strokes(svg) == set(), "too pale for paper"
        return svg

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "_svg", draw_and_look)
        yield
