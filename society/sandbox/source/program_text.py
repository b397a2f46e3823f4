"""Read the text of a file of programs into a syntax tree, after a look at its size and depth.

Python's own parser and all visitors of trees use the stack, so that a hostile text could end the
process; here depth is measured with a list.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from typing import Any

from society.errors import SandboxError

CHARACTERS = 4_000_000  # of a file
CLASS_CHARACTERS = 40_000
LINE = 2_000  # characters of a line
DEPTH = 120  # of nested syntax
NODES = 12_000  # of one class or function


def parse_text(text: str, filename: str) -> ast.Module:
    """Parse a file; raises SandboxError with file, line and what would be right."""
    _check_text(text, filename)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of invalid escapes, which change nothing
            tree = ast.parse(text, filename)
    except SyntaxError as error:
        raise SandboxError(
            f"{filename}:{error.lineno or 1}: this is not Python: {error.msg}"
        ) from None
    except (MemoryError, RecursionError):
        raise SandboxError(
            f"{filename}:1: this is nested too deeply for Python; write shorter expressions"
        ) from None
    except ValueError as error:
        raise SandboxError(f"{filename}:1: this is not Python: {error}") from None
    return tree


def _check_text(text: str, filename: str) -> None:
    if len(text) > CHARACTERS:
        raise SandboxError(
            f"{filename}: {len(text):,} characters, and a file of programs has at most "
            f"{CHARACTERS:,}; split it"
        )
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LINE:
            raise SandboxError(
                f"{filename}:{number}: a line of {len(line):,} characters, and at most {LINE:,} "
                "are read; break it"
            )
        if "\0" in line:
            raise SandboxError(f"{filename}:{number}: a null character; save the file as text")


def walk_within_limits(node: ast.stmt, characters: int) -> list[ast.AST]:
    """List a class or function with all its syntax; raises Refusal if it is too large."""
    if characters > CLASS_CHARACTERS:
        raise Refusal(
            node,
            f"{characters:,} characters in one definition; at most {CLASS_CHARACTERS:,} are read",
        )
    found: list[ast.AST] = [node]
    depth, level = 1, [node]
    while level:
        level = [child for parent in level for child in _children(parent)]
        found += level
        depth += 1
        if depth > DEPTH:
            raise Refusal(level[0], f"syntax nested more than {DEPTH} deep; split it into helpers")
        if len(found) > NODES:
            raise Refusal(level[0], f"more than {NODES:,} pieces of syntax; shorten it")
    return found


def inner_syntax(tops: Iterable[ast.AST]) -> list[ast.AST]:
    """List pieces of syntax with all that stands inside them."""
    level = list(tops)
    found = []
    while level:
        found += level
        level = [child for parent in level for child in _children(parent)]
    return found


def _children(node: ast.AST) -> list[Any]:
    """List what stands directly inside a piece of syntax, but for operators and contexts."""
    found = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST) and value._fields:
            found.append(value)
    return found


class Refusal(Exception):
    """A reason why a program is refused, and its line."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.line: int = getattr(node, "lineno", 1)
        self.reason = reason
