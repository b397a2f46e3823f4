"""The syntax tree of a program's source, walked once for all that is read off it."""

from __future__ import annotations

import ast
from collections.abc import Iterable


class SourceNodes:
    """All nodes of a class with its helpers.

    owner: the class, None if there is not exactly one of this name; parents: that of each node;
    methods: the nodes in each method of the class; playing: all nodes outside its __init__, which
    run while a game goes on.
    """

    def __init__(self, source: str, name: str) -> None:
        tree = ast.parse(source)
        classes = [
            node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name
        ]
        self.owner = classes[0] if len(classes) == 1 else None
        self.parents: dict[ast.AST, ast.AST] = {}
        self.methods: dict[ast.FunctionDef, list[ast.AST]] = {}
        self.playing: list[ast.AST] = []
        for statement in tree.body:
            if statement is not self.owner:
                self.playing += self._walk(statement)
        for node in [] if self.owner is None else child_nodes(self.owner):
            nodes = self._walk(node)
            if isinstance(node, ast.FunctionDef):
                self.methods[node] = nodes
            if not (isinstance(node, ast.FunctionDef) and node.name == "__init__"):
                self.playing += nodes

    def _walk(self, top: ast.AST) -> list[ast.AST]:
        """A node and all nodes in it."""
        found = [top]
        for node in found:
            for child in child_nodes(node):
                self.parents[child] = node
                found.append(child)
        return found


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """The nodes in a node; contexts and operators, which have no parts, are left out."""
    found: list[ast.AST] = []
    if type(node) in _LEAVES:
        return found
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST) and one._fields]
        elif isinstance(value, ast.AST) and value._fields:
            found.append(value)
    return found


_LEAVES = (ast.Name, ast.Constant)


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The names of attributes that are stored."""
    return frozenset(
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
    )
