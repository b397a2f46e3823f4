"""The system calls that a jailed process may make, as a program for the kernel's filter (BPF).

A process that computes needs memory, its two ends of a pipe, and its end. Every other call fails
with EPERM; a call in the convention of another processor kills the process.
Source: Linux, Documentation/userspace-api/seccomp_filter.rst; classic BPF as in linux/filter.h.
"""

from __future__ import annotations

import errno
import struct
from typing import NamedTuple

# linux/bpf_common.h: class, size, mode and test of an instruction.
LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
JUMP_IF_SET = 0x45  # BPF_JMP | BPF_JSET | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K

# linux/seccomp.h: what becomes of a call.
KILL_PROCESS = 0x80000000
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM

# Offsets in struct seccomp_data; the low word of an argument stands first on these processors.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16

FOREIGN_NUMBERS = 0x40000000  # x32, which has numbers of its own
MAP_ANONYMOUS = 0x20
PROT_EXEC = 0x4


class Processor(NamedTuple):
    """A processor family: its name in linux/audit.h, and its numbers of system calls.

    plain ones are allowed with any arguments.
    """

    audit: int
    read: int
    write: int
    mmap: int
    mprotect: int
    plain: tuple[int, ...]


PROCESSORS = {
    "x86_64": Processor(
        audit=0xC000003E,
        read=0,
        write=1,
        mmap=9,
        mprotect=10,
        # munmap brk rt_sigreturn sched_yield mremap madvise exit gettimeofday futex clock_gettime
        # restart_syscall exit_group
        plain=(11, 12, 15, 24, 25, 28, 60, 96, 202, 228, 219, 231),
    ),
    "aarch64": Processor(
        audit=0xC00000B7,
        read=63,
        write=64,
        mmap=222,
        mprotect=226,
        # munmap brk rt_sigreturn sched_yield mremap madvise exit gettimeofday futex clock_gettime
        # restart_syscall exit_group
        plain=(215, 214, 139, 124, 216, 233, 93, 169, 98, 113, 128, 94),
    ),
}


INSTRUCTION_SIZE = 8  # struct sock_filter


class Instruction(NamedTuple):
    """One instruction of classic BPF; jumps count the instructions that are skipped."""

    code: int
    value: int
    if_true: int = 0
    if_false: int = 0


def filter_program(processor: Processor, *, reads: int, writes: int) -> bytes:
    """Assemble the filter: `reads` and `writes` are the descriptors that may be read and written.

    New memory must be anonymous, and no memory can become executable.
    """
    steps = [
        Instruction(LOAD_WORD, ARCHITECTURE),
        Instruction(JUMP_EQUAL, processor.audit, if_true=1),
        Instruction(RETURN, KILL_PROCESS),
        Instruction(LOAD_WORD, NUMBER),
        Instruction(JUMP_AT_LEAST, FOREIGN_NUMBERS, if_false=1),
        Instruction(RETURN, KILL_PROCESS),
        *_allow_descriptor(processor.read, reads),
        *_allow_descriptor(processor.write, writes),
        *_allow_unless_executable(processor.mprotect),
        *_allow_anonymous_memory(processor.mmap),
    ]
    for number in processor.plain:
        steps += [Instruction(JUMP_EQUAL, number, if_false=1), Instruction(RETURN, ALLOW)]
    steps.append(Instruction(RETURN, REFUSE))
    return b"".join(
        struct.pack("=HBBI", one.code, one.if_true, one.if_false, one.value) for one in steps
    )


def _allow_descriptor(number: int, descriptor: int) -> list[Instruction]:
    """Allow a call whose first argument is this descriptor."""
    return [
        Instruction(JUMP_EQUAL, number, if_false=4),
        Instruction(LOAD_WORD, ARGUMENTS),
        Instruction(JUMP_EQUAL, descriptor, if_false=1),
        Instruction(RETURN, ALLOW),
        Instruction(RETURN, REFUSE),
    ]


def _allow_unless_executable(number: int) -> list[Instruction]:
    """Allow a call whose third argument, the protection of memory, leaves out execution."""
    return [
        Instruction(JUMP_EQUAL, number, if_false=4),
        Instruction(LOAD_WORD, ARGUMENTS + 2 * 8),
        Instruction(JUMP_IF_SET, PROT_EXEC, if_true=1),
        Instruction(RETURN, ALLOW),
        Instruction(RETURN, REFUSE),
    ]


def _allow_anonymous_memory(number: int) -> list[Instruction]:
    """Allow new memory that is no file and cannot be executed."""
    return [
        Instruction(JUMP_EQUAL, number, if_false=6),
        Instruction(LOAD_WORD, ARGUMENTS + 2 * 8),
        Instruction(JUMP_IF_SET, PROT_EXEC, if_true=3),
        Instruction(LOAD_WORD, ARGUMENTS + 3 * 8),
        Instruction(JUMP_IF_SET, MAP_ANONYMOUS, if_false=1),
        Instruction(RETURN, ALLOW),
        Instruction(RETURN, REFUSE),
    ]
