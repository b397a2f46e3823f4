"""Copy what an instance of a program remembers, so that one instance can play many games."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import numpy as np

from society.sandbox.facades import C, Description

_MARKS = frozenset({type(C), type(None), bool, int, str, float})
_SCALARS = _MARKS | {np.bool_, np.int64, np.float64}
_MOST_ENTRIES = 64
_CHANGING = frozenset(
    "add append appendleft clear discard extend fill insert intersection_update itemset next pop "
    "popitem popleft put remove resize reverse rotate setdefault sort difference_update partition "
    "symmetric_difference_update update copyto place putmask put_along_axis fill_diagonal shuffle "
    "at out".split()
)


class InstanceState(NamedTuple):
    """What an instance remembers: `key` is equal if and only if it is the same."""

    key: tuple[Any, ...]
    attributes: dict[str, Any]
    containers: tuple[str, ...]  # attributes that must be copied before they are used again

    def restore(self, instance: Any) -> None:
        """Make an instance remember this and nothing else."""
        if self is STATELESS:
            return
        kept = vars(instance)
        kept.clear()
        kept.update(self.attributes)
        for name in self.containers:
            kept[name] = self.attributes[name].copy()


STATELESS = InstanceState((), {}, ())


def capture_state(instance: Any, frozen: dict[str, Any]) -> InstanceState | None:
    """Copy what an instance remembers; None if it holds something that cannot be copied for sure.

    frozen: attributes, by name, that nothing can change while they are the same object.
    """
    key: list[Any] = []
    containers: list[str] = []
    kept = vars(instance)
    for name, value in kept.items():
        if type(value) in _SCALARS:
            key += (name, *_scalar_key(value))
        elif name not in frozen or frozen[name] is not value:
            content = _container_key(value)
            if content is None or any(kept[other] is value for other in containers):
                return None
            containers.append(name)
            key += (name, *content)
    attributes = dict(kept)
    for name in containers:
        attributes[name] = attributes[name].copy()
    return InstanceState(tuple(key), attributes, tuple(containers))


def _scalar_key(value: Any) -> tuple[Any, ...]:
    """Tell True from 1 and 1.0, and zeros of two signs; a NaN is itself."""
    if isinstance(value, float) and (value == 0 or value != value):
        return type(value), value.hex()
    return type(value), value


def _container_key(value: Any) -> tuple[Any, ...] | None:
    kind = type(value)
    if kind is np.ndarray:
        plain = value.dtype.kind in "bif" and value.size <= _MOST_ENTRIES and value.base is None
        return (kind, value.dtype.str, value.shape, value.tobytes()) if plain else None
    if kind not in (list, dict) or len(value) > _MOST_ENTRIES:
        return None
    entries = [*value, *value.values()] if kind is dict else value
    if any(type(one) not in _SCALARS for one in entries):
        return None
    return kind, len(value), *(part for one in entries for part in _scalar_key(one))


def can_change_objects(source: str, name: str) -> bool:
    """Check for anything outside __init__ that may change a list, a dictionary or an iterator."""
    return any(_changes(node) for node in _outside_init(ast.parse(source), name))


def _outside_init(tree: ast.AST, name: str) -> list[ast.AST]:
    found, left = [], [tree]
    while left:
        node = left.pop()
        found.append(node)
        init = isinstance(node, ast.ClassDef) and node.name == name
        left += [
            child
            for child in ast.iter_child_nodes(node)
            if not (init and isinstance(child, ast.FunctionDef) and child.name == "__init__")
        ]
    return found


def _changes(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.AugAssign):
        return True  # `entries += [one]` changes a list in place
    if isinstance(node, ast.keyword):
        return node.arg == "out"
    named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return named in _CHANGING


def frozen_attributes(instance: Any, *, changing: bool) -> dict[str, Any]:
    """The attributes, after __init__, that nothing in a program's source can change."""
    kinds = (Description,) if changing else (Description, list, dict, set, tuple, np.ndarray)
    return {name: value for name, value in vars(instance).items() if isinstance(value, kinds)}
