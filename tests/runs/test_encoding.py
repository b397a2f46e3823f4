"""Arrays as bytes: unpacked is what was packed, bit for bit, and no larger than it need be."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from society.engine.rng import Array
from society.runs.encoding import ArrayLayout, StoredLine, pack_lines, unpack_lines

NUMBERS = st.sampled_from(["<f8", "<f4", "<i8", "|i1", "<u4", "|b1", ">f8"])


def line(**named: Array) -> StoredLine:
    return "tell", "told", "", {("own", name): values for name, values in named.items()}


def reread(*lines: StoredLine) -> list[StoredLine]:
    """Pack and unpack lines, the layout by way of its JSON."""
    look, blob = pack_lines(lines)
    return unpack_lines(ArrayLayout.read(json.dumps(look)), blob)


def back(values: Array) -> Array:
    ((_, _, _, named),) = reread(line(it=values))
    return named["own", "it"]


def size(values: Array) -> int:
    return len(pack_lines([line(it=values)])[1])


@given(NUMBERS.flatmap(lambda dtype: arrays(dtype, array_shapes(min_side=0, max_dims=3))))
def test_numbers_come_back_bit_for_bit(values: Array) -> None:
    assert (back(values).dtype, back(values).shape) == (values.dtype, values.shape)
    assert back(values).tobytes() == values.tobytes()


@pytest.mark.parametrize(
    "values",
    [
        np.arange(9_999.0).reshape(99, 101),
        np.random.default_rng(1).random((100, 100)),
        np.arange(10_000).reshape(100, 100) % 7 - 1,
        np.arange(9_999).reshape(99, 101) % 3 == 0,
        np.full((1, 5_000), np.nan),
        np.arange(10_000).astype(np.int16) % 16,
        np.where(np.arange(9_999) % 8, 0.0, np.arange(9_999) % 17 - 0.5),
    ],
    ids=["counting", "random", "peers", "flags", "nan", "sixteen", "seventeen"],
)
def test_long_arrays_come_back_too(values: Array) -> None:
    assert back(values).dtype == values.dtype
    np.testing.assert_array_equal(back(values), values)


def test_text_comes_back_with_its_gaps() -> None:
    words = np.array([["no larger than Ä", None], ["", 'a "quote"\n']], object)
    assert back(words).tolist() == words.tolist()
    assert back(words).dtype == object
    labels = np.array([["C", "D"]])
    assert back(labels).tolist() == [["C", "D"]]
    assert back(labels).dtype == labels.dtype


def test_what_comes_back_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        back(np.zeros((1, 2)))[0, 0] = 1


def test_lines_come_back_with_kind_form_and_names_in_order() -> None:
    effort = np.array([[0.5]])
    ask: StoredLine = (
        "ask",
        "effort",
        "amount 0..1",
        {("own", "wealth"): effort, ("answer", ""): effort},
    )
    assert reread(ask, line(catch=effort)) == [ask, line(catch=effort)]


def test_an_array_that_two_lines_share_is_kept_once() -> None:
    catch = np.random.default_rng(1).random((1, 1_000))
    alone = size(catch)
    assert len(pack_lines([line(catch=catch), line(seen=catch)])[1]) == alone
    assert len(pack_lines([line(catch=catch), line(seen=catch.copy())])[1]) == 2 * alone


def test_flags_and_small_numbers_shrink_and_random_floats_are_left_alone() -> None:
    random = np.random.default_rng(1)
    assert size(random.random((100, 100)) < 0.5) < 1_400  # 10,000 flags, eight to a byte
    assert size(random.integers(-1, 10, (100, 100))) < 15_000  # instead of 80,000
    assert size(random.random((100, 100))) == 80_004


def test_what_takes_few_values_takes_some_bits_for_each() -> None:
    """A part has 4 bytes of size, and here 1 byte for how many values there are, and these."""
    payoffs = np.arange(10_000).reshape(100, 100) % 4 * 0.5
    assert size(payoffs * 0) == 4 + 1 + 8
    assert size(payoffs) <= 4 + 1 + 4 * 8 + 10_000 * 2 / 8


def test_a_blob_that_does_not_fit_its_look_is_refused() -> None:
    look, blob = pack_lines([line(it=np.zeros((2, 2)))])
    for cut in range(len(blob)):
        with pytest.raises(ValueError, match="bytes; expected"):
            unpack_lines(look, blob[:cut])
    look, blob = pack_lines([line(it=np.arange(10_000) % 100)])
    with pytest.raises(zlib.error):
        unpack_lines(look, blob[:4] + bytes(len(blob) - 4))
    look, blob = pack_lines([line(it=np.arange(10_000) % 3)])
    with pytest.raises(ValueError, match="entry 3 of 3 values"):
        unpack_lines(look, blob[:-1] + b"\xff")
    with pytest.raises(ValueError, match="reshape"):
        unpack_lines(look, blob[:4] + bytes(len(blob) - 4))
