"""Show the items of a set in an order that is the same in every process.

A set is ordered by the hashes of its items. Those of numbers, texts (with a fixed seed) and moves
are the same everywhere; that of None, of a NaN, or of a function is an address, and so is luck.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

_FIXED = (bool, int, str, np.integer, np.bool_, enum.Enum, range)
_SURE = frozenset({bool, int, str, np.int64, np.bool_})


def ordered_items(values: Any) -> Any:
    """Return a set, or its items in an order of their own; None if they have none."""
    if _SURE.issuperset(map(type, values)) or all(map(_has_fixed_hash, values)):
        return values
    return sorted(values, key=repr) if all(map(_has_text, values)) else None


def _has_fixed_hash(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return bool(value == value)
    return isinstance(value, _FIXED) or (
        isinstance(value, tuple | frozenset) and all(map(_has_fixed_hash, value))
    )


def _has_text(value: Any) -> bool:
    """Tell if a value's text is the same everywhere."""
    if isinstance(value, tuple):
        return all(map(_has_text, value))
    return value is None or isinstance(value, (float, np.floating, *_FIXED))
