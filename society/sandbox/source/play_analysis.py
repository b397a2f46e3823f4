"""Read off a program's source what tables of its moves need to know."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from society.sandbox.source.source_nodes import SourceNodes, stored_names
from society.sandbox.source.sufficient_history import SufficientHistory, sufficient_history
from society.sandbox.source.writing_calls import bound_names, change_through_values, writes_out

# Methods and functions that change a list, a dictionary, an array or an iterator.
_CHANGING = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "at",
        "clear",
        "copyto",
        "difference_update",
        "discard",
        "extend",
        "fill",
        "fill_diagonal",
        "insert",
        "intersection_update",
        "itemset",
        "next",
        "partition",
        "place",
        "pop",
        "popitem",
        "popleft",
        "put",
        "put_along_axis",
        "putmask",
        "remove",
        "resize",
        "reverse",
        "rotate",
        "setdefault",
        "shuffle",
        "sort",
        "symmetric_difference_update",
        "update",
    ]
)


@dataclass(frozen=True)
class PlayAnalysis:
    """The parts of history and memory that decide a program's moves, read off its source.

    sufficient: the part of the history; stored: attributes that are stored outside __init__;
    changes: whether it may change a list, a dictionary, an array or an iterator; identities:
    whether it may ask if two numbers are one object, which copies of its memory do not keep.
    """

    sufficient: SufficientHistory
    stored: frozenset[str]
    changes: bool
    identities: bool


def analyse_play(source: str, name: str) -> PlayAnalysis:
    """Analyse the class of this name, whose source holds all that it needs."""
    nodes = SourceNodes(source, name)
    every = [*nodes.parents, *nodes.playing]
    return PlayAnalysis(
        sufficient_history(nodes),
        stored_names(nodes.playing),
        can_change_objects(nodes.playing),
        asks_for_identity(every),
    )


def can_change_objects(nodes: Iterable[ast.AST]) -> bool:
    """Check for anything that may change a list, a dictionary, an array or an iterator."""
    nodes = list(nodes)
    return any(map(_changes, nodes)) or writes_out(nodes) or change_through_values(nodes)


def _changes(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.AugAssign):
        return True  # `entries += [one]` changes a list in place
    if isinstance(node, ast.keyword):
        return node.arg == "out"
    named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return named in _CHANGING


def asks_for_identity(nodes: Iterable[ast.AST]) -> bool:
    """Check for `is` between values of which neither must be None, True, False, C or D."""
    nodes = list(nodes)
    moves = set() if {"Action", "C", "D"} & bound_names(nodes) else _MOVES
    return any(
        isinstance(operator, ast.Is | ast.IsNot)
        and not any(_is_single(one, moves) for one in (left, right))
        for node in nodes
        if isinstance(node, ast.Compare)
        for left, operator, right in zip(
            [node.left, *node.comparators], node.ops, node.comparators, strict=False
        )
    )


_MOVES = {"Action.C", "Action.D", "C", "D"}


def _is_single(node: ast.expr, moves: Collection[str]) -> bool:
    """Check for a value of which there is one object only."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, bool)
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in moves
