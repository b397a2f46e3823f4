"""Read the text of a file of programs into a syntax tree, after a look at its size and depth.

Python's own parser and all visitors of trees use the stack, so that a hostile text could end the
process; here depth is measured with a list.
"""

from __future__ import annotations

import ast
import warnings

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


def oversize(node: ast.stmt, characters: int) -> tuple[int, str] | None:
    """Return the line and reason why a class or function is too large; None if it is not."""
    if characters > CLASS_CHARACTERS:
        return (
            node.lineno,
            f"it has {characters:,} characters; at most {CLASS_CHARACTERS:,} are read",
        )
    count, waiting = 0, [(node, 1)]
    while waiting:
        here, depth = waiting.pop()
        count += 1
        if depth > DEPTH:
            return _line(here, node), f"it is nested more than {DEPTH} deep; split it into helpers"
        if count > NODES:
            return _line(here, node), f"it has more than {NODES:,} pieces of syntax; shorten it"
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(here)]  # type: ignore[misc]
    return None


def _line(node: ast.AST, outer: ast.stmt) -> int:
    return getattr(node, "lineno", outer.lineno)
