"""Arrays as bytes: what is unpacked is what was packed, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays, scalar_dtypes

from society.draws import Array
from society.runs.packing import Look, packed, unpacked

NUMBERS = st.one_of(
    *(st.just(np.dtype(code)) for code in ("<f8", "<f4", "<i8", "|i1", "<u4", "|b1", ">f8"))
)


def through(*values: Array) -> list[Array]:
    """Packed and unpacked, by way of the JSON of the look."""
    look, blob = packed([("tell", "told", "", {("own", str(i)): a for i, a in enumerate(values)})])
    import json

    ((_, _, _, back),) = unpacked(Look.read(json.dumps(look)), blob)
    return list(back.values())


@given(NUMBERS.flatmap(lambda dtype: arrays(dtype, array_shapes(min_side=0, max_dims=3))))
def test_numbers_come_back_bit_for_bit(values: Array) -> None:
    (back,) = through(values)
    assert (back.dtype, back.shape) == (values.dtype, values.shape)
    assert back.tobytes() == values.tobytes()
