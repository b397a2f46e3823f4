"""Run every attack in a jail of its own, and print as JSON what came of each.

python -m tests.sandbox.jailed_attacks [UID]
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import mmap
import multiprocessing.context
import multiprocessing.popen_fork
import multiprocessing.shared_memory
import os
import pathlib
import pty
import resource
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from society.sandbox.workers.jail import detach, isolate, lock, memory_in_use
from society.sandbox.workers.jail_limits import JailLimits
from tests.sandbox.attacks_on_jail import ATTACKS, system_call

LIMITS = JailLimits(memory=256 << 20, processor=1)
MODULES = (
    ctypes, fcntl, mmap, multiprocessing, os, pathlib, pty, resource, select, signal, socket,
    sqlite3, subprocess, tempfile, termios, threading, time,
)  # fmt: skip


def readable(descriptor: int) -> bool:
    try:
        os.read(descriptor, 1)
    except PermissionError:
        return False
    return True


def ctypes_getenv(name: bytes) -> bytes | None:
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    found: bytes | None = libc.getenv(name)
    return found


def ctypes_call(number: int) -> int:
    return int(ctypes.CDLL(None).syscall(number))


def attempt(source: str) -> Any:
    """What is left in `found`, or the name of the exception."""
    names: dict[str, Any] = {module.__name__: module for module in MODULES}
    names |= {"np": np, "readable": readable, "system_call": system_call}
    names |= {"ctypes_getenv": ctypes_getenv, "ctypes_call": ctypes_call}
    names |= {"found": "nothing stopped it"}
    try:
        exec(source, names)
    except BaseException as error:
        return type(error).__name__
    return names["found"]


def outcome(source: str, used: int) -> Any:
    """What comes of an attack in a new jail."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        for descriptor in (0, 1):
            os.dup2(theirs.fileno(), descriptor)
        detach(parent)
        report = lock(LIMITS, used)
        told = {"lacks": report.lacks(), "found": attempt(source)}
        os.write(1, json.dumps(told).encode())
        os._exit(0)
    theirs.close()
    with ours:
        answer = b"".join(iter(lambda: ours.recv(1 << 16), b""))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    said = json.loads(answer)
    return said["found"] if not said["lacks"] else f"no jail: {said}"


def main(words: Sequence[str]) -> None:
    if words:
        os.setgroups([])
        os.setgid(int(words[0]))
        os.setuid(int(words[0]))
    attempt("np.median(np.ones(3))")
    used = memory_in_use()
    isolate()
    child = os.fork()
    if child == 0:
        results = {name: outcome(source, used) for name, (source, _) in ATTACKS.items()}
        print(json.dumps(results), flush=True)
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
