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
from society.memory.associative import AssociativeMemory, Item

FISH, FINE, FEAST = np.eye(3)  # three things that have nothing to do with each other


def village(limit: int = 500) -> AssociativeMemory:
    """Moment 1: a catch (importance 0.2); moment 5: a fine (0.9); moment 9: a feast (0.5)."""
    memory = AssociativeMemory(limit)
    memory.add(1, "a catch", FISH, 0.2)
    memory.add(5, "a fine", FINE, 0.9)
    memory.add(9, "a feast", FEAST, 0.5)
    return memory


def texts(items: Iterable[Item]) -> list[str]:
    return [item.text for item in items]


# Recall


@pytest.mark.parametrize(
    ("moments", "vectors", "importances"),
    [
        ((1, 1, 1), (FISH, FINE, FEAST), (0.5, 0.5, 0.5)),
        ((1, 5, 9), (FEAST, FEAST, FEAST), (0.5, 0.5, 0.5)),
        ((1, 1, 1), (FEAST, FEAST, FEAST), (0.2, 0.5, 0.9)),
    ],
    ids=["near", "recent", "important"],
)
def test_where_one_reason_alone_differs_it_decides(
    moments: tuple[int, ...], vectors: tuple[Any, ...], importances: tuple[float, ...]
) -> None:
    """The question is nearest to a feast, then to a fine."""
    memory = AssociativeMemory()
    for text, *rest in zip("cba", moments, vectors, importances, strict=True):
        memory.add(rest[0], text, rest[1], rest[2])
    assert texts(memory.recall(0.4 * FINE + 0.9 * FEAST, 10, 3)) == ["a", "b", "c"]


def test_reasons_are_stretched_to_reach_from_0_to_1_and_added() -> None:
    """All equally fresh. Similarity 0.9, 0.4, 0 over its length is stretched to 1, 0.44, 0;

    importance 0.2, 0.3, 0.5 to 0, 0.33, 1. The scores are 1, 0.78 and 1, and with 0.4 for 0.3 they
    are 1, 1.11 and 1: of equals the one added last comes first.
    """
    for importance, best_first in [(0.3, ["c", "a", "b"]), (0.4, ["b", "c", "a"])]:
        memory = AssociativeMemory()
        for text, vector, share in zip("abc", np.eye(3), (0.2, importance, 0.5), strict=True):
            memory.add(1, text, vector, share)
        assert texts(memory.recall(0.9 * FISH + 0.4 * FINE, 1, 3)) == best_first


def test_recency_fades_by_a_two_hundredth_each_moment() -> None:
    """Ages 1000, 100 and 0: recency 0.007, 0.606 and 1 is stretched to 0, 0.603 and 1.

    Importance 1, x and 0 is added: the second memory is ahead of the two others if x > 0.397.
    """
    for importance, first in [(0.39, "last"), (0.41, "second")]:
        memory = AssociativeMemory()
        memory.add(0, "first", FISH, 1)
        memory.add(900, "second", FISH, importance)
        memory.add(1000, "last", FISH, 0)
        assert texts(memory.recall(FISH, 1000, 1)) == [first]


def test_a_memory_comes_back_with_its_moment_and_importance() -> None:
    assert village().recall(FINE, 10, 1) == [Item(5, "a fine", 0.9)]


def test_of_equal_scores_the_one_added_last_comes_first() -> None:
    memory = AssociativeMemory()
    for name in "abc":
        memory.add(1, name, FISH, 0.5)
    assert texts(memory.recall(FISH, 1, 2)) == ["c", "b"]


def test_the_length_of_vectors_does_not_matter() -> None:
    memory = AssociativeMemory()
    memory.add(1, "loud", 100 * (FISH + FINE), 0.5)
    memory.add(1, "near", 0.01 * FISH, 0.5)
    assert texts(memory.recall(7 * FISH, 1, 2)) == ["near", "loud"]


def test_a_question_without_words_leaves_recency_and_importance() -> None:
    """The fine has half of the recency and all importance, the feast all recency and 0.43."""
    silence = np.zeros(3)
    assert texts(village().recall(silence, 10, 3)) == ["a fine", "a feast", "a catch"]


def test_differences_of_rounding_are_not_stretched() -> None:
    """Two vectors that differ in the seventh place are as near as each other.

    Else both would score 1, and the one added last would come first.
    """
    memory = AssociativeMemory()
    memory.add(1, "important", FISH + 3e-4 * FINE, 0.9)
    memory.add(1, "dull", FISH, 0.1)
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
    """It scores 1 for similarity and 1 for recency; with the new one the feast's 1.1 would win."""
    memory = village()
    memory.add(11, "a catch", FEAST, 0.2)
    assert texts(memory.recall(FISH, 11, 1)) == ["a catch"]


def test_a_full_memory_forgets_the_least_importance_times_recency() -> None:
    """At moment 10 the catch has 0.2 x 0.995^9 = 0.19, the fine 0.88, the feast 0.498.

    So the catch makes room for small talk (0.01), which is the weakest when the storm comes.
    """
    memory = village(limit=3)
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
    memory = AssociativeMemory(limit=1)
    for moment, name in enumerate("aba"):
        memory.add(moment, name, FISH, 0.5)
    assert list(memory) == [Item(2, "a", 0.5)]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([0, 0.3, 1])), max_size=40))
def test_the_store_is_a_dictionary_that_forgets(additions: list[tuple[str, float]]) -> None:
    memory = AssociativeMemory(limit=5)
    kept: dict[str, tuple[int, float]] = {}  # in the order of the last addition
    for moment, (text, importance) in enumerate(additions):
        known = kept.pop(text, None)
        if known is None and len(kept) == 5:
            faded = {old: weight * 0.995 ** (moment - when) for old, (when, weight) in kept.items()}
            del kept[min(faded, key=faded.__getitem__)]
        kept[text] = moment, max(importance, known[1] if known else 0)
        memory.add(moment, text, FISH, importance)
        assert list(memory) == [Item(when, old, weight) for old, (when, weight) in kept.items()]


# Copies


@pytest.mark.parametrize("original_first", [True, False])
def test_a_copy_goes_its_own_way(original_first: bool) -> None:
    memory = village(limit=3)
    twin = memory.copy()
    changed, untouched = (memory, twin) if original_first else (twin, memory)
    changed.add(10, "a storm", FISH, 1)
    changed.add(11, "a fine", FINE, 1)
    assert texts(untouched) == ["a catch", "a fine", "a feast"]
    assert texts(untouched.recall(FISH, 11, 3)) == ["a fine", "a feast", "a catch"]
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


def test_a_memory_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="limit of at least 1"):
        AssociativeMemory(0)


def test_a_negative_number_of_memories_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 memories"):
        village().recall(FISH, 10, -1)
