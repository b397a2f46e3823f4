"""Texts as rows of numbers: what every file here means by a vector."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors = NDArray[np.float32]  # (n, d): one text a row, of length 1, or 0 for a text without words
Doubles = NDArray[np.float64]


def unit(vectors: ArrayLike) -> Doubles:
    """Scale every vector to length 1, in double precision; zero vectors stay zero; (..., d).

    Raises ValueError if a number is not finite.

    >>> unit([[3, 4], [0, 0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("a vector with numbers that are not finite; embed its text again")
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Doubles = rows / np.where(length > 0, length, 1)
    return scaled
