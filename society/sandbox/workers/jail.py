"""Lock a process in, by layers of the operating system, so that it can compute and nothing else.

    isolate()  namespaces, for all that this process forks from now on: no network, no other
               processes, an empty file system; where the kernel grants them
    detach()   end with the parent, keep two descriptors and no environment
    lock()     for ever: limits, no privileges, Landlock (no files, no TCP), and a seccomp filter
               (a list of the calls that are allowed)

Each layer alone leaves something open: namespaces protect no open files, Landlock leaves fork and
stat, and limits do not bind root. A layer that is missing is reported, never passed over.
Linux on x86_64 and aarch64, for root and for ordinary users; ctypes on the C library, nothing else.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.seccomp import INSTRUCTION_SIZE, PROCESSORS, filter_program

# A strict jail has all of these. Namespaces come on top of them, where the kernel grants them.
REQUIRED = ("limits", "privileges", "landlock", "seccomp")

READS, WRITES = 0, 1  # the descriptors that stay open

# linux/prctl.h
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
# linux/sched.h
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NETWORK = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
# sys/mount.h
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
# linux/landlock.h: the same numbers on every processor.
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
LANDLOCK_VERSION = 1
CAPABILITY_VERSION = 0x20080522  # linux/capability.h, version 3


class JailReport(NamedTuple):
    """The layers that hold, and for each one that does not, why."""

    layers: tuple[str, ...]
    missing: dict[str, str]

    def lacks(self) -> list[str]:
        """Required layers that do not hold."""
        return [layer for layer in REQUIRED if layer not in self.layers]


def isolate() -> JailReport:
    """Move this process's future children into namespaces of their own.

    The first child is the init of its process namespace: when it ends, the kernel ends the others.
    """
    return _try_layers({"namespaces": _new_namespaces, "empty root": _empty_root})


def detach(parent: int) -> None:
    """End with the parent, or at once if it is gone; keep two descriptors and no environment."""
    die_with_parent()
    # If it died before the line above, nobody would ever send the signal.
    if os.getppid() != parent:
        os._exit(1)
    os.closerange(WRITES + 1, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()


def lock(limits: JailLimits, used: int) -> JailReport:
    """Lock this process in, for ever; `used` is the memory that it may have beyond its limit."""
    report = _try_layers(
        {
            "limits": lambda: _limit(limits, used),
            "privileges": _drop_privileges,
            "landlock": _restrict_by_landlock,
            # A ruleset of Landlock is a descriptor, the last one that this process opens.
            "descriptors": _refuse_descriptors,
            "seccomp": _filter_system_calls,
        }
    )
    open_doors = list(_open_doors()) if "seccomp" in report.layers else []
    return _without_seccomp(report, open_doors) if open_doors else report


def _try_layers(layers: dict[str, Callable[[], None]]) -> JailReport:
    held, missing = [], {}
    for name, put_on in layers.items():
        try:
            put_on()
        except (OSError, ValueError) as error:
            missing[name] = str(error)
        else:
            held.append(name)
    return JailReport(tuple(held), missing)


_libc = ctypes.CDLL(None, use_errno=True)


def _succeed(result: int, what: str) -> int:
    """Return a result of the C library, or raise the OSError that it stands for."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _prctl(option: int, value: int, pointer: object = None) -> None:
    arguments = ctypes.c_ulong(value), pointer, ctypes.c_ulong(0), ctypes.c_ulong(0)
    _succeed(_libc.prctl(option, *arguments), f"prctl {option}")


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that made it ends."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _new_namespaces() -> None:
    inner = NEW_MOUNTS | NEW_IPC | NEW_PIDS | NEW_NETWORK
    # Root in a container may have namespaces without a user namespace.
    if _libc.unshare(NEW_USER | inner) < 0:
        _succeed(_libc.unshare(inner), "unshare")


def _empty_root() -> None:
    """Make an empty file system the root of this process; nothing has a path any more."""
    _mount(b"none", b"/", None, MS_REC | MS_PRIVATE)
    _mount(b"none", b"/tmp", b"tmpfs", 0)
    os.chroot("/tmp")
    os.chdir("/")


def _mount(source: bytes, target: bytes, kind: bytes | None, flags: int) -> None:
    done = _libc.mount(source, target, kind, ctypes.c_ulong(flags), None)
    _succeed(done, f"mount on {target.decode()}")


def _limit(limits: JailLimits, used: int) -> None:
    """Limit memory, processor time and processes; forbid files and core dumps."""
    _bound(resource.RLIMIT_AS, used + limits.memory)
    # The first limit ends it by a signal that tells why.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor, limits.processor + 1))
    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        _bound(kind, 0)


def _bound(kind: int, bound: int) -> None:
    resource.setrlimit(kind, (bound, bound))


def memory_in_use() -> int:
    """Bytes of address space that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _drop_privileges() -> None:
    """Give up all capabilities, and the chance to gain some by running another program."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_DUMPABLE, 0)
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    _succeed(_libc.capset(header, bytes(24)), "capset")


def _restrict_by_landlock() -> None:
    """Deny every access to files, TCP, and the abstract sockets and signals of other processes."""
    version = _landlock(LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_VERSION)
    attributes = landlock_attributes(version)
    ruleset = _landlock(LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        _landlock(LANDLOCK_RESTRICT_SELF, ctypes.c_int(ruleset), 0)
    finally:
        os.close(ruleset)


def _landlock(call: int, first: object, *others: int) -> int:
    return _succeed(_libc.syscall(call, first, *map(ctypes.c_size_t, others)), "landlock")


def landlock_attributes(version: int) -> bytes:
    """The accesses that a version of Landlock can deny (struct landlock_ruleset_attr).

    >>> landlock_attributes(1).hex(), len(landlock_attributes(4)), len(landlock_attributes(6))
    ('ff1f000000000000', 16, 24)
    """
    files = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    denied = [(1 << files) - 1]
    if version >= 4:
        denied.append(0b11)  # bind and connect
    if version >= 6:
        denied.append(0b11)  # abstract sockets and signals
    return struct.pack(f"={len(denied)}Q", *denied)


def _refuse_descriptors() -> None:
    _bound(resource.RLIMIT_NOFILE, 0)


def _filter_system_calls() -> None:
    processor = PROCESSORS.get(platform.machine())
    if processor is None or sys.maxsize < 2**32:
        raise OSError(f"there is no list of system calls for {platform.machine()}")
    program = filter_program(processor, reads=READS, writes=WRITES)
    instructions = ctypes.create_string_buffer(program, len(program))
    address = ctypes.addressof(instructions)
    head = struct.pack("@HP", len(program) // INSTRUCTION_SIZE, address)  # struct sock_fprog
    _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head)


def _open_doors() -> Iterator[str]:
    """Try calls that the filter must refuse, and name those that went through."""
    attempts: dict[str, Callable[[], object]] = {
        "open": lambda: os.open("/", os.O_RDONLY),
        "socket": socket.socket,
        "fork": _forked_child_ends,
    }
    for name, attempt in attempts.items():
        with suppress(PermissionError):
            attempt()
            yield name


def _forked_child_ends() -> None:
    if os.fork() == 0:
        os._exit(0)


def _without_seccomp(report: JailReport, open_doors: list[str]) -> JailReport:
    layers = tuple(layer for layer in report.layers if layer != "seccomp")
    why = f"the filter was accepted but let through: {', '.join(open_doors)}"
    return JailReport(layers, {**report.missing, "seccomp": why})
