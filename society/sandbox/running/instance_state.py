"""Copy what an instance of a program remembers, so that one instance can play many games.

A NaN is never copied: of two of them `in` and dictionaries tell which one it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any

import numpy as np

from society.sandbox.running.facades import AnyDescription, C

_CONTAINERS = (list, dict, set, tuple, np.ndarray)
_COPIED = (list, dict, np.ndarray)
_MOST_ENTRIES = 64


class _Absent:
    """Stands for the value of an attribute that an instance has not."""


_ABSENT = _Absent()
_EXACT = frozenset({type(C), type(None), bool, int, str, np.bool_, np.int64, _Absent})
_FLOATS = frozenset({float, np.float64})
_SCALARS = _EXACT | _FLOATS


@dataclass(slots=True, eq=False)
class InstanceState:
    """The memory of an instance: `key` is equal if and only if the memory is the same.

    number: its place in a table of nodes; 0 while it has none.
    """

    key: tuple[Any, ...]
    values: dict[str, Any]
    number: int = 0

    def restore(self, instance: Any) -> None:
        """Make an instance remember this and nothing else."""
        kept = vars(instance)
        for name, value in self.values.items():
            if value is _ABSENT:
                kept.pop(name, None)
            else:
                kept[name] = value.copy() if isinstance(value, _COPIED) else value


STATELESS = InstanceState((), {}, 1)


def capture_key(instance: Any, names: Sequence[str]) -> tuple[Any, ...] | None:
    """Tell by a key what these attributes are; None if one cannot be copied for sure."""
    kept = vars(instance)
    values = tuple([kept.get(name, _ABSENT) for name in names])
    kinds = tuple(map(type, values))  # True is not 1
    if _EXACT.issuperset(kinds):
        return kinds, values
    contents = [id(value) for value in values if isinstance(value, _CONTAINERS)]
    if len(set(contents)) < len(contents):  # two names of one value
        return None
    parts = tuple(map(_value_key, values, kinds))
    return None if None in parts else (kinds, parts)


def _value_key(value: Any, kind: type) -> Any:
    if kind in _EXACT:
        return (value,)
    if kind in _FLOATS:
        if value != value:
            return None
        return value or value.hex()  # 0.0 is not -0.0
    return _container_key(value)


def copy_state(instance: Any, names: Iterable[str], key: tuple[Any, ...]) -> InstanceState:
    """Copy these attributes, of which the key is known."""
    kept = vars(instance)
    values = {name: kept.get(name, _ABSENT) for name in names}
    copied = {
        name: value.copy() if isinstance(value, _COPIED) else value
        for name, value in values.items()
    }
    return InstanceState(key, copied)


def _container_key(value: Any) -> tuple[Any, ...] | None:
    kind = type(value)
    if kind is np.ndarray:
        plain = value.dtype.kind in "bif" and value.size <= _MOST_ENTRIES and value.base is None
        # A copy can be written, and lies in memory row by row, which is the order of sums.
        plain = plain and value.flags.carray
        return (kind, value.dtype.str, value.shape, value.tobytes()) if plain else None
    if kind not in (list, dict) or len(value) > _MOST_ENTRIES:
        return None
    entries = [*value, *value.values()] if kind is dict else value
    kinds = set(map(type, entries))
    if not kinds <= _SCALARS or any(one != one for one in entries):
        return None
    if kinds == {float}:
        return kind, float, pack(f"{len(entries)}d", *entries)
    exact = (one.hex() if type(one) in _FLOATS else one for one in entries)
    return kind, len(value), *map(type, entries), *exact


def remembered_names(
    instance: Any, stored: frozenset[str], *, changes: bool
) -> tuple[str, ...] | None:
    """The attributes of a new instance that can change while it plays; None if that is not known.

    stored: names that are stored outside __init__; changes: whether objects may be changed.
    """
    kept = vars(instance)
    names = [*sorted(stored)]
    containers = [value for value in kept.values() if isinstance(value, _CONTAINERS)]
    for name, value in kept.items():
        if isinstance(value, _CONTAINERS):
            if not _is_plain(value):
                return None
            if changes and name not in stored:
                names.append(name)
        elif type(value) not in _SCALARS and not isinstance(value, AnyDescription):
            return None
    shared = len({id(value) for value in containers}) < len(containers)
    return None if shared and (changes or stored) else tuple(names)


def _is_plain(value: Any) -> bool:
    """Tell if a container holds nothing that can change itself."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "bif" and value.base is None
    entries = [*value, *value.values()] if isinstance(value, dict) else value
    return all(type(one) in _SCALARS for one in entries)
