"""Arrays have the same hash whoever has hashed which of their rows."""

from __future__ import annotations

import numpy as np
import pytest
from xxhash import xxh3_128_digest, xxh3_128_hexdigest

from society.engine.array_digests import (
    FIRST_RULE,
    NEWEST_RULE,
    HashedRows,
    RowsElsewhere,
    array_hash,
    block_length,
    hash_of_parts,
    hash_rows,
    rows_of,
)

LARGE = np.arange(100 * 200.0).reshape(100, 200)  # 160,000 bytes
ENDS = 4, 52, 100  # of slices: a block has four rows


def test_a_small_array_is_hashed_in_one_go_by_both_rules() -> None:
    small = np.arange(6.0).reshape(3, 2)
    by_hand = f"<f8(3, 2){xxh3_128_hexdigest(small.tobytes())}"
    assert array_hash(small, FIRST_RULE) == array_hash(small, NEWEST_RULE) == by_hand


def test_a_large_array_is_hashed_by_its_blocks() -> None:
    blocks = [LARGE[at : at + 4].tobytes() for at in range(0, 100, 4)]
    by_hand = xxh3_128_hexdigest(b"".join(map(xxh3_128_digest, blocks)))
    assert array_hash(LARGE, NEWEST_RULE) == f"<f8(100, 200){by_hand}"
    assert array_hash(LARGE, FIRST_RULE) == f"<f8(100, 200){xxh3_128_hexdigest(LARGE.tobytes())}"


@pytest.mark.parametrize(
    ("count", "length", "blocks"), [(1, 1, 1), (32, 1, 32), (33, 2, 17), (1000, 32, 32)]
)
def test_there_are_32_blocks_at_most(count: int, length: int, blocks: int) -> None:
    assert block_length(count) == length
    assert -(-count // length) == blocks


def test_who_has_hashed_some_rows_need_not_send_them() -> None:
    starts = 0, *ENDS[:-1]
    parts = []
    for start, end in zip(starts, ENDS, strict=True):
        rows = hash_rows(LARGE[start:end], 100)
        assert rows is not None
        parts.append(HashedRows(rows.dtype, rows.shape, rows.digests))
    assert hash_of_parts(parts) == array_hash(LARGE)
    assert hash_of_parts([LARGE[:4], *parts[1:]]) == array_hash(LARGE)
    with pytest.raises(RowsElsewhere, match="not of the same kind in all slices"):
        rows_of(parts[0])


def test_parts_that_end_within_a_block_have_the_hash_of_the_whole() -> None:
    for rule in (FIRST_RULE, NEWEST_RULE):
        assert hash_of_parts([LARGE[:5], LARGE[5:]], rule) == array_hash(LARGE, rule)


def test_a_changed_number_changes_the_hash_and_the_order_of_bytes_does_not() -> None:
    changed = LARGE.copy()
    changed[99, 199] += 1e-9
    assert array_hash(changed) != array_hash(LARGE)
    assert array_hash(LARGE.astype(">f8")) == array_hash(LARGE)
    assert array_hash(np.asfortranarray(LARGE)) == array_hash(LARGE)


def test_text_is_hashed_as_json_whatever_its_size() -> None:
    words = np.full((100, 50), "a word", object)
    assert array_hash(words) == array_hash(words.astype("U90"))
    assert array_hash(words) == array_hash(words, FIRST_RULE)
    assert hash_rows(words, 100) is None
