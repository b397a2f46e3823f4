"""Drawings of one width, for tests of figures of which the other one shows nothing new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from society.report.figures import style


@pytest.fixture(scope="module")
def wide_only() -> Iterator[None]:
    """Leave narrow drawings empty, which takes half the time; test_figures.py draws both."""
    lay_out = style._lay_out

    def lay_out_wide(draw: Callable[[Any], None], width: float, height: float) -> Any:
        if width == style.WIDTH:
            return lay_out(draw, width, height)
        from matplotlib.figure import Figure

        return Figure(figsize=(width, height))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "_lay_out", lay_out_wide)
        yield
