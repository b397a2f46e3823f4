"""How many cores there are to play on."""

from __future__ import annotations

import os


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    # Not on every system, and os.process_cpu_count is not in every Python.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
