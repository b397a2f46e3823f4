"""What the machine has: cores to play on, and memory that is free."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    # Not on every system, and os.process_cpu_count is not in every Python.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int | None:
    """Return the bytes that a process may still take; None if the system does not say."""
    bounds = [
        _in_kilobytes(Path("/proc/meminfo"), "MemAvailable:"),
        _memory_of_group(),
        _memory_of_process(),
    ]
    if known := [bound for bound in bounds if bound is not None]:
        return min(known)
    try:  # without /proc: all of it
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _in_kilobytes(file: Path, name: str) -> int | None:
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError:
        return None
    found = (line.split()[1] for line in lines if line.startswith(name))
    return next((1024 * int(kilobytes) for kilobytes in found), None)


def _memory_of_group() -> int | None:
    """Return the memory that the control group of a container still allows."""
    folder = Path("/sys/fs/cgroup")
    try:
        most, used = (int((folder / f"memory.{name}").read_text()) for name in ("max", "current"))
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):  # no such group, or "max": no bound
        return None
    return most - used + int(stat.get("inactive_file", 0))  # cached files make room


def _memory_of_process() -> int | None:
    """Return what is left of a bound on the addresses of this process, as ulimit -v sets it."""
    with suppress(ImportError, OSError):
        import resource  # there is none on Windows

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        taken = _in_kilobytes(Path("/proc/self/status"), "VmSize:")
        if most != resource.RLIM_INFINITY and taken is not None:
            return max(most - taken, 0)
    return None
