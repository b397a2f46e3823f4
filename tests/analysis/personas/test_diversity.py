"""How different people are, by the vectors of their texts, beside two baselines."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from society.analysis.personas.diversity import (
    diversity,
    effective_number,
    measure_diversity,
    nearest_pairs,
    shuffle_words,
)
from society.memory.embedders import Hashing

APART = [
    "You mend nets and distrust the council.",
    "She sold her orchard because frost ruined everything.",
    "Grandfather taught him chess behind the smithy.",
    "Nobody bakes darker bread than this quiet widow.",
]
PATTERN = [
    f"You are a {trade} who works hard and loves your family very much."
    for trade in ("miller", "weaver", "farmer", "teacher")
]


def test_texts_that_are_one_have_no_distance_and_count_as_one() -> None:
    same = diversity(np.tile([0.6, 0.8], (5, 1)))
    assert same.distance == pytest.approx(0)
    assert same.nearest == pytest.approx(1)
    assert same.effective == pytest.approx(1)


def test_texts_at_right_angles_count_as_many_as_they_are() -> None:
    apart = diversity(np.eye(4))
    assert apart.distance == pytest.approx(1)
    assert apart.nearest == pytest.approx(0)
    assert apart.effective == pytest.approx(4)


def test_two_pairs_of_twins_count_as_two() -> None:
    """With fewer and with more numbers than texts."""
    twins = np.repeat(np.eye(2), 2, axis=0)
    assert effective_number(twins) == pytest.approx(2)
    assert effective_number(np.pad(twins, ((0, 0), (0, 9)))) == pytest.approx(2)


def test_the_nearest_pair_is_named_and_all_others_above_the_threshold() -> None:
    """Cosines: 0-1 0.8, 0-2 0.6, 1-2 0.96."""
    vectors = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8]])
    assert [pair[:2] for pair in nearest_pairs(vectors, 0.7)] == [(1, 2), (0, 1)]
    assert [pair[:2] for pair in nearest_pairs(vectors, 0.99)] == [(1, 2)]
    assert nearest_pairs(vectors, 0.99)[0].cosine == pytest.approx(0.96)


def test_pairs_are_found_across_blocks_of_rows() -> None:
    """1,500 vectors on a half circle, of which the last is the first again."""
    angles = np.append(np.linspace(0, np.pi, 1499), 0)
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    assert nearest_pairs(vectors, 1.0)[0][:2] == (0, 1499)


def test_people_of_one_pattern_are_closer_than_shuffled_ones_and_others_are_not() -> None:
    own = measure_diversity(APART, Hashing())
    assert own.people.distance == pytest.approx(own.shuffled.distance, rel=0.05)
    pattern = measure_diversity(PATTERN, Hashing())
    assert pattern.people.distance < 0.6 * pattern.shuffled.distance
    assert pattern.people.effective < pattern.shuffled.effective < own.people.effective


def test_copies_have_about_half_the_effective_number() -> None:
    found = measure_diversity(APART, Hashing())
    assert found.copies.nearest == pytest.approx(1)
    assert found.copies.effective == pytest.approx(2, abs=0.2)
    assert found.people.effective > 3
    assert [pair[:2] for pair in found.near] == [nearest_pairs(Hashing().embed(APART), 1)[0][:2]]


def test_near_duplicates_are_all_named() -> None:
    texts = [*APART, APART[1], APART[1] + "!"]
    pairs = [pair[:2] for pair in measure_diversity(texts, Hashing()).near]
    assert pairs == [(1, 4), (1, 5), (4, 5)]


def test_shuffled_texts_have_the_same_words_and_lengths() -> None:
    shuffled = shuffle_words(APART, seed=1, number=0)
    assert Counter(" ".join(shuffled).split()) == Counter(" ".join(APART).split())
    assert [len(text.split()) for text in shuffled] == [len(text.split()) for text in APART]
    assert shuffled == shuffle_words(APART, seed=1, number=0)
    assert shuffled != shuffle_words(APART, seed=1, number=1)


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="text 2 has no words"):
        measure_diversity(["one", "-"], Hashing())
