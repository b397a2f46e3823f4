"""Whom a post-mortem names: a planted culprit nearly always, and hardly anybody without one.

What tests/benchmarks/post_mortems.py measures on more villages, on a part of them.
"""

from __future__ import annotations

import pytest

from tests.planted_culprits import (
    BAD_LUCK,
    EQUAL_TAKERS,
    MANY_TAKERS,
    WITH_CULPRIT,
    Design,
    measure,
)

pytestmark = pytest.mark.thorough


def name(design: Design) -> str:
    return design.name


@pytest.mark.parametrize("design", WITH_CULPRIT[:3], ids=name)
def test_a_planted_culprit_is_named_in_nine_of_ten_villages(design: Design) -> None:
    found = measure(design, 20, seed=50_000)
    assert found.culprits >= 8
    assert found.right >= 0.9 * found.culprits
    assert found.wrong == 0


@pytest.mark.parametrize("design", [*EQUAL_TAKERS[:2], *MANY_TAKERS[:3], BAD_LUCK[0]], ids=name)
def test_without_a_culprit_hardly_anybody_is_named(design: Design) -> None:
    found = measure(design, 30, seed=50_000)
    assert found.failed >= 10
    assert found.right + found.wrong <= 0.05 * found.failed
