"""The gate that every Python file of the user's passes before it is executed.

A command executes the files that its user named. A run file names files too, and may have been made
by somebody else: whoever reads one closes the gate, or lets only trusted files through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256

CodeGate = Callable[[str, str], None]  # (path, SHA-256 of the content); raises InputError

_GATE: ContextVar[CodeGate | None] = ContextVar("code_gate", default=None)


@contextmanager
def guard_user_code(gate: CodeGate) -> Iterator[None]:
    """Ask `gate` about each file before it is executed, until the block is left."""
    token = _GATE.set(gate)
    try:
        yield
    finally:
        _GATE.reset(token)


def check_user_code(file: str, source: bytes) -> None:
    """Raise what the gate raises, if a file with this content may not be executed now."""
    gate = _GATE.get()
    if gate is not None:
        gate(file, sha256(source).hexdigest())
