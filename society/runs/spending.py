"""What runs have used of what is limited, by their files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from society.calls import Spent, added

from .reader import open_run


def spent(file: Path) -> Spent:
    """What the run in a file has used so far; nothing if there is none. Raises RunFileError."""
    if not file.exists():
        return Spent()
    with open_run(file) as run:
        return run.spent


def total(files: Iterable[Path]) -> Spent:
    """What the runs in some files have used together; raises RunFileError."""
    used = [spent(file) for file in files]
    calls, tokens = sum(one.calls for one in used), sum(one.tokens for one in used)
    return Spent(calls, tokens, added(one.cost for one in used))
