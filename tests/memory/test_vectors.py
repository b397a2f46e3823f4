"""A text is a direction: vectors have length 1, or 0 where there was nothing to embed."""

from __future__ import annotations

import numpy as np
import pytest

from society.memory.vectors import unit


def test_vectors_are_scaled_to_length_one() -> None:
    assert unit([[3, 4], [0, -2]]).tolist() == [[0.6, 0.8], [0, -1]]


def test_a_zero_vector_stays_zero() -> None:
    assert unit([0.0, 0.0]).tolist() == [0, 0]


def test_single_precision_is_computed_in_double() -> None:
    length = np.linalg.norm(unit(np.full(384, 0.1, np.float32)))
    assert length == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        unit([1, bad])
