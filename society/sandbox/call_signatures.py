"""Tell from its methods in which way a program is called."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from society.sandbox.running.facades import Interface

_ADVICE = "write `act(self, history)`, or `__call__(self, history)` as published strategies do"


class Misfit(Exception):
    """A class that cannot be called as a program, and the line of the method that is wrong."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.line: int = getattr(node, "lineno", 1)


class Signature(NamedTuple):
    """The arguments that a program is called with, and the questions that it answers."""

    interface: Interface
    takes_stock: bool
    answers: tuple[str, ...]


def read_signature(node: ast.ClassDef, methods: Mapping[str, ast.FunctionDef]) -> Signature:
    """Return how a class is called; raises Misfit if it cannot be."""
    answers = tuple(sorted(name[7:] for name in methods if name.startswith("answer_")))
    for name, method in methods.items():
        if name.startswith(("answer_", "notice_")):
            _expect(method, _arguments(method) == 1, f"must take `facts`: `{name}(self, facts)`")
    start = methods.get("__init__")
    if start is not None:
        _expect(start, _takes(start, 1), "must take the game: `__init__(self, game)`")
    if "act" in methods and "__call__" in methods:
        raise Misfit(methods["act"], "has both `act` and `__call__`; keep one of them")
    if "act" in methods:
        act = methods["act"]
        _expect(act, _takes(act, 1), "must take the history: `act(self, history)`")
        return Signature("society", False, answers)
    if "__call__" in methods:
        return _published(methods["__call__"], answers)
    if answers:
        return Signature("society", False, answers)
    raise Misfit(node, f"has no method that decides; {_ADVICE}")


def _published(call: ast.FunctionDef, answers: tuple[str, ...]) -> Signature:
    """Tell the two published interfaces apart by the names of the arguments."""
    names = [one.arg for one in call.args.args[1:]]
    if _takes(call, 2) and len(names) == 2:
        if names[1] == "history" or names[0] == "state":
            return Signature("full", False, answers)
        if "stock" in names[1]:
            return Signature("counts", True, answers)
    _expect(
        call,
        _takes(call, 1),
        "must take (self, history), (self, history, current_stock) or (self, state, history)",
    )
    return Signature("counts", False, answers)


def _arguments(method: ast.FunctionDef) -> int:
    """Count the arguments after self that a call must give."""
    return len(method.args.args) - 1 - len(method.args.defaults)


def _takes(method: ast.FunctionDef, count: int) -> bool:
    """Tell if a method can be called with so many arguments after self."""
    kept = [one for one in method.args.kw_defaults if one is None]
    return not kept and (
        _arguments(method) <= count
        and (method.args.vararg is not None or len(method.args.args) - 1 >= count)
    )


def _expect(method: ast.FunctionDef, whether: bool, wish: str) -> None:
    if not whether:
        raise Misfit(method, f"has a method {method.name} that cannot be called; it {wish}")
