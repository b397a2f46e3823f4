"""The syntax tree of a program's source, walked once for all that is read off it."""

from __future__ import annotations

import ast


class SourceNodes:
    """All nodes of a class with its helpers, and the parent of each.

    playing: the nodes outside the __init__ of the class, which run while a game goes on.
    """

    def __init__(self, source: str, name: str) -> None:
        self.tree = ast.parse(source)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.playing: list[ast.AST] = []
        self.classes: list[ast.ClassDef] = []
        self._walk(name)

    def _walk(self, name: str) -> None:
        left: list[tuple[ast.AST, bool]] = [(self.tree, True)]
        while left:
            node, playing = left.pop()
            if playing:
                self.playing.append(node)
            named = isinstance(node, ast.ClassDef) and node.name == name
            if named and isinstance(node, ast.ClassDef):
                self.classes.append(node)
            for child in children(node):
                self.parents[child] = node
                starts = named and isinstance(child, ast.FunctionDef) and child.name == "__init__"
                left.append((child, playing and not starts))


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes in a node, contexts (load, store) left out."""
    found: list[ast.AST] = []
    for value in vars(node).values():
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    return found


def descendants(node: ast.AST) -> list[ast.AST]:
    """A node and all nodes in it."""
    found = [node]
    for one in found:
        found += children(one)
    return found
