"""Whom a post-mortem names: a planted culprit nearly always, and hardly anybody without one.

What tests/benchmarks/post_mortems.py measures on more villages, on a part of them.
"""

from __future__ import annotations

import pytest

from tests.planted_culprits import (
    BAD_LUCK,
    EQUAL_TAKERS,
    IN_WORDS_WITH_CULPRIT,
    IN_WORDS_WITHOUT,
    MANY_TAKERS,
    WITH_CULPRIT,
    Design,
    InWords,
    measure,
    measure_changed,
    measure_in_words,
)

pytestmark = pytest.mark.thorough


def name(design: Design | InWords) -> str:
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


@pytest.mark.parametrize(
    ("design", "change"),
    [
        (WITH_CULPRIT[0], ("fine", 5)),
        (WITH_CULPRIT[2], ("fine", 5)),
        (WITH_CULPRIT[3], ("growth", 0.5)),
    ],
    ids=str,
)
def test_a_planted_culprit_is_named_in_villages_that_a_fork_has_changed(
    design: Design, change: tuple[str, float]
) -> None:
    found = measure_changed(design, change, 2, 20, seed=50_000)
    assert found.culprits >= 5
    assert found.right >= 0.9 * found.culprits
    assert found.wrong == 0


@pytest.mark.parametrize("design", [EQUAL_TAKERS[0], MANY_TAKERS[0], BAD_LUCK[0]], ids=name)
def test_hardly_anybody_is_named_where_a_change_has_ruined_a_village(design: Design) -> None:
    found = measure_changed(design, ("growth", 0.15), 10, 20, seed=50_000)
    assert found.failed >= 10
    assert found.right + found.wrong <= 0.05 * found.failed


@pytest.mark.parametrize("design", IN_WORDS_WITH_CULPRIT, ids=name)
def test_a_planted_culprit_is_named_in_language_villages(design: InWords) -> None:
    """Scripted minds, which are asked anew in ten continuations without the culprit."""
    found = measure_in_words(design, 8, seed=50_000, continuations=10)
    assert found.culprits >= 5
    assert found.right >= 0.9 * found.culprits
    assert found.wrong == 0


@pytest.mark.parametrize("design", IN_WORDS_WITHOUT, ids=name)
def test_without_a_culprit_nobody_is_named_in_language_villages(design: InWords) -> None:
    found = measure_in_words(design, 10, seed=50_000)
    assert found.failed >= 5
    assert found.right + found.wrong == 0
