"""What the kernel lists of processes: those that they started, and the sockets that they hold."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path


def open_sockets() -> set[str]:
    """The sockets of this process, as the kernel names them."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself
            found.add(str(descriptor.readlink()))
    return {one for one in found if one.startswith("socket:")}


def processes_of(parent: int) -> set[int]:
    """This process's descendants, as the kernel lists them."""
    tasks = Path(f"/proc/{parent}/task").glob("*/children")
    children = {int(child) for task in tasks for child in task.read_text().split()}
    return children.union(*map(processes_of, children))


def gone(process: int) -> bool:
    """Whether a process has ended within two seconds."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    ended = bool(poll.poll(2000))
    os.close(handle)
    return ended
