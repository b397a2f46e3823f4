"""Strategies in words: how long they grow, how many numbers they name, how much they differ."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from society.draws import Array

_WORD = re.compile(r"\w+(?:['’.,/-]\w+)*")
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")


def words(text: str) -> int:
    """How many there are; what a hyphen, apostrophe or decimal point joins is one.

    >>> words("Give 0.5 of what's left to well-known donors.")
    8
    """
    return len(_WORD.findall(text))


def numbers(text: str) -> int:
    """How many are named in digits; "50 %", "1/2" and "0.5" are one each, "90-100 %" is two.

    >>> numbers("Give 50% at first, then 1.5 times as much, up to 90-100 %, but never all.")
    4
    """
    return len(_NUMBER.findall(text))


def distance(vectors: Array) -> float:
    """Mean cosine distance of two texts, 1 - cos, over all pairs; (n, d) of vectors.

    Texts without a word (zeros) are left out; NaN for fewer than two others.

    >>> distance(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    0.6666666666666667
    """
    worded = vectors[np.any(vectors != 0, axis=1)].astype(float)
    n = len(worded)
    if n < 2:
        return float("nan")
    directions = worded / np.sqrt(np.square(worded).sum(1, keepdims=True))
    products = np.square(directions.sum(0)).sum()  # of all pairs, n of them of a text with itself
    return float(1 - (products - n) / (n * (n - 1)))


def effective(kinds: Sequence[object] | Array) -> float:
    """How many equally frequent kinds would be as diverse: exp of Shannon's entropy; NaN of none.

    Hill's number of order 1 (Hill 1973, Ecology 54).

    >>> round(effective(["a", "a", "b", "b"]), 12), round(effective(["a"] * 9 + ["b"]), 3)
    (2.0, 1.384)
    """
    if not len(kinds):
        return float("nan")
    _, counts = np.unique(np.asarray(kinds), return_counts=True)
    shares = counts / counts.sum()
    return float(np.exp(-np.sum(shares * np.log(shares))))
