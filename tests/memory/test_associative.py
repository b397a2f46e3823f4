"""What comes to mind is near, recent or important; what is weak is forgotten; recalling is pure."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.memory import associative
from society.memory.associative import AssociativeMemory, Item, Weights

FISH, FINE, FEAST = np.eye(3)  # three things that have nothing to do with each other

NEAR = Weights(similarity=1, recency=0, importance=0)
RECENT = Weights(similarity=0, recency=1, importance=0)
IMPORTANT = Weights(similarity=0, recency=0, importance=1)


def village(**settings: Any) -> AssociativeMemory:
    """Moment 1: a catch (importance 0.2); moment 5: a fine (0.9); moment 9: a feast (0.5)."""
    memory = AssociativeMemory(**settings)
    memory.add(1, "a catch", FISH, 0.2)
    memory.add(5, "a fine", FINE, 0.9)
    memory.add(9, "a feast", FEAST, 0.5)
    return memory


def texts(items: Iterable[Item]) -> list[str]:
    return [item.text for item in items]


# Recall


@pytest.mark.parametrize(
    ("weights", "best_first"),
    [
        (NEAR, ["a catch", "a fine", "a feast"]),
        (RECENT, ["a feast", "a fine", "a catch"]),
        (IMPORTANT, ["a fine", "a feast", "a catch"]),
    ],
)
def test_each_reason_on_its_own_gives_its_order(weights: Weights, best_first: list[str]) -> None:
    near_to_the_catch = 0.9 * FISH + 0.4 * FINE
    assert texts(village(weights=weights).recall(near_to_the_catch, 10, 3)) == best_first


def test_reasons_are_stretched_to_reach_from_0_to_1_and_added() -> None:
    """Question: the catch. Without decay recency says nothing: all memories are equally fresh.

    similarity 1, 0, 0; importance (0.2, 0.9, 0.5) stretched: 0, 1, 0.3 / 0.7 = 0.43.
    The scores are 1, w, 0.43 w at a weight w of importance.
    """
    light = village(decay=1, weights=Weights(importance=0.9)).recall(FISH, 10, 3)
    heavy = village(decay=1, weights=Weights(importance=1.1)).recall(FISH, 10, 3)
    assert texts(light) == ["a catch", "a fine", "a feast"]
    assert texts(heavy) == ["a fine", "a catch", "a feast"]


def test_recency_halves_each_moment_at_a_decay_of_one_half() -> None:
    """At moment 2 the ages are 2, 1, 0: recency 1/4, 1/2, 1 is stretched to 0, 1/3, 1.

    A question about the second memory gives it 1/3 + w, against the 1 of the last one.
    """
    for weight, first in [(0.6, "last"), (0.7, "second")]:
        memory = AssociativeMemory(weights=Weights(similarity=weight), decay=0.5)
        for moment, text in enumerate(["first", "second", "last"]):
            memory.add(moment, text, FISH if text == "second" else FEAST, 0.5)
        assert texts(memory.recall(FISH, 2, 1)) == [first]


def test_a_memory_comes_back_with_its_moment_and_importance() -> None:
    assert village().recall(FINE, 10, 1) == [Item(5, "a fine", 0.9)]


def test_of_equal_scores_the_one_added_last_comes_first() -> None:
    memory = AssociativeMemory()
    for name in "abc":
        memory.add(1, name, FISH, 0.5)
    assert texts(memory.recall(FISH, 1, 2)) == ["c", "b"]


def test_the_length_of_vectors_does_not_matter() -> None:
    memory = AssociativeMemory(weights=NEAR)
    memory.add(1, "loud", 100 * (FISH + FINE), 0.5)
    memory.add(1, "near", 0.01 * FISH, 0.5)
    assert texts(memory.recall(7 * FISH, 1, 2)) == ["near", "loud"]


def test_a_question_without_words_leaves_recency_and_importance() -> None:
    silence = np.zeros(3)
    assert texts(village(decay=1).recall(silence, 10, 1)) == ["a fine"]


def test_differences_of_rounding_are_not_stretched() -> None:
    """Two vectors that differ in the seventh place are as near as each other."""
    memory = AssociativeMemory(weights=Weights(similarity=1, recency=0, importance=0.5))
    memory.add(1, "dull", FISH, 0.1)
    memory.add(1, "important", FISH + 3e-4 * FINE, 0.9)
    assert texts(memory.recall(FISH, 1, 1)) == ["important"]


def test_recalling_changes_nothing() -> None:
    memory = village()
    before = list(memory), texts(memory.recall(FISH, 20, 3))
    memory.recall(FEAST, 500, 3)
    assert (list(memory), texts(memory.recall(FISH, 20, 3))) == before


def test_nothing_comes_to_an_empty_mind() -> None:
    assert AssociativeMemory().recall(FISH, 1, 5) == []


# Adding and forgetting


def test_the_same_text_is_one_memory_refreshed() -> None:
    memory = village()
    memory.add(11, "a catch", FISH, 0.1)
    assert list(memory) == [
        Item(5, "a fine", 0.9),
        Item(9, "a feast", 0.5),
        Item(11, "a catch", 0.2),
    ]


def test_a_refreshed_memory_keeps_its_vector() -> None:
    memory = village(weights=NEAR)
    memory.add(11, "a catch", FEAST, 0.2)
    assert texts(memory.recall(FISH, 11, 1)) == ["a catch"]


def test_a_full_memory_forgets_the_least_importance_times_recency() -> None:
    """At moment 10 and decay 1/2: catch 0.2 / 2^9 = 0.0004, fine 0.9 / 2^5 = 0.028, feast 0.5 / 2.

    So the catch makes room for small talk (0.01), which is the weakest when the storm comes.
    """
    memory = village(limit=3, decay=0.5)
    memory.add(10, "small talk", FISH, 0.01)
    assert texts(memory) == ["a fine", "a feast", "small talk"]
    memory.add(10, "a storm", FISH, 1)
    assert texts(memory) == ["a fine", "a feast", "a storm"]


def test_of_equally_weak_memories_the_one_added_longest_ago_is_forgotten() -> None:
    memory = AssociativeMemory(limit=3)
    for name in "abc":
        memory.add(1, name, FISH, 0)
    memory.add(1, "a", FISH, 0)
    memory.add(2, "d", FISH, 0)
    assert texts(memory) == ["c", "a", "d"]


def test_what_was_forgotten_can_be_learnt_again() -> None:
    memory = AssociativeMemory(limit=1, weights=NEAR)
    for moment, name in enumerate("aba"):
        memory.add(moment, name, FISH, 0.5)
    assert list(memory) == [Item(2, "a", 0.5)]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([0, 0.3, 1])), max_size=40))
def test_the_store_is_a_dictionary_that_forgets(additions: list[tuple[str, float]]) -> None:
    memory = AssociativeMemory(limit=5, decay=0.5)
    kept: dict[str, tuple[int, float]] = {}  # in the order of the last addition
    for moment, (text, importance) in enumerate(additions):
        known = kept.pop(text, None)
        if known is None and len(kept) == 5:
            faded = {old: weight * 0.5 ** (moment - when) for old, (when, weight) in kept.items()}
            del kept[min(faded, key=faded.__getitem__)]
        kept[text] = moment, max(importance, known[1] if known else 0)
        memory.add(moment, text, FISH, importance)
        assert list(memory) == [Item(when, old, weight) for old, (when, weight) in kept.items()]


# Copies


@pytest.mark.parametrize("original_first", [True, False])
def test_a_copy_goes_its_own_way(original_first: bool) -> None:
    memory = village(limit=3, weights=NEAR)
    twin = memory.copy()
    changed, untouched = (memory, twin) if original_first else (twin, memory)
    changed.add(10, "a storm", FISH, 1)
    changed.add(11, "a fine", FINE, 1)
    assert texts(untouched) == ["a catch", "a fine", "a feast"]
    assert texts(untouched.recall(FISH, 11, 1)) == ["a catch"]
    assert texts(changed) == ["a feast", "a storm", "a fine"]
    assert texts(changed.recall(FISH, 11, 1)) == ["a storm"]


def test_a_copy_of_a_copy_is_independent_of_both() -> None:
    first = village()
    second = first.copy()
    third = second.copy()
    second.add(10, "a storm", FISH, 1)
    first.add(10, "a wedding", FISH, 1)
    assert [len(first), len(second), len(third)] == [4, 4, 3]


def test_copying_takes_no_memory_until_something_is_added() -> None:
    memory = crowded(500)
    tracemalloc.start()
    try:
        twins = [memory.copy() for _ in range(100)]
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(twins) == 100
    assert taken < 100_000  # bytes; the rows of one take 768,000


# Work


def crowded(count: int, limit: int = 10_000) -> AssociativeMemory:
    memory = AssociativeMemory(limit)
    row = np.full(384, 0.05)
    for number in range(count):
        memory.add(number, f"memory {number}", row, 0.5)
    return memory


def test_growing_moves_each_row_less_than_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows double: 16 + 32 + ... + 512 = 1,008 rows of vectors are moved for 1,000 memories."""
    moved = []
    grow = associative._grown

    def counted(table: Any, rows: int) -> Any:
        moved.append(len(table))
        return grow(table, rows)

    monkeypatch.setattr(associative, "_grown", counted)
    crowded(1_000)
    vectors, entries = moved[0::2], moved[1::2]
    assert vectors == entries == [0, 16, 32, 64, 128, 256, 512]


def test_a_full_memory_moves_nothing_and_grows_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = crowded(100, limit=100)
    monkeypatch.delattr(associative, "_grown")
    for moment in range(100, 300):
        memory.add(moment, f"memory {moment}", np.full(384, 0.05), 0.5)
    assert texts(memory) == [f"memory {number}" for number in range(200, 300)]


# What is refused


def test_time_never_runs_back() -> None:
    memory = village()
    with pytest.raises(ValueError, match="moment 8 in a memory that has come to moment 9"):
        memory.add(8, "late news", FISH, 0.5)
    with pytest.raises(ValueError, match="moments never go back"):
        memory.recall(FISH, 8, 1)


@pytest.mark.parametrize("importance", [-0.1, 1.1, float("nan")])
def test_an_importance_outside_0_to_1_is_refused(importance: float) -> None:
    with pytest.raises(ValueError, match="give one from 0 to 1"):
        AssociativeMemory().add(1, "a catch", FISH, importance)


def test_vectors_of_another_size_are_refused() -> None:
    memory = village()
    for vector in (np.ones(2), np.ones((1, 3))):
        with pytest.raises(ValueError, match="one embedder"):
            memory.add(10, "a storm", vector, 0.5)
        with pytest.raises(ValueError, match="one embedder"):
            memory.recall(vector, 10, 1)
    assert len(memory) == 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"limit": 0}, "limit of at least 1"),
        ({"decay": 0}, "a decay of 0"),
        ({"decay": 1.1}, "up to 1"),
        ({"weights": Weights(recency=-1)}, "weights of 0 or more"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        AssociativeMemory(**settings)


def test_a_negative_number_of_memories_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 memories"):
        village().recall(FISH, 10, -1)
