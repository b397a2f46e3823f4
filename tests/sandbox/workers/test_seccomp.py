"""The filter allows a short list of system calls on each processor, decided by reading it."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

import pytest

from society.sandbox.workers.seccomp import (
    ALLOW,
    INSTRUCTION_SIZE,
    JUMP_AT_LEAST,
    JUMP_EQUAL,
    JUMP_IF_SET,
    KILL_PROCESS,
    LOAD_WORD,
    PROCESSORS,
    REFUSE,
    RETURN,
    Processor,
    filter_program,
)

ANONYMOUS, SHARED = 0x22, 0x01
READ, WRITE, EXECUTE = 1, 2, 4


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would do about a call."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *padded)
    place, word = 0, 0
    tests: dict[int, Callable[[int], bool]] = {
        JUMP_EQUAL: lambda value: word == value,
        JUMP_AT_LEAST: lambda value: word >= value,
        JUMP_IF_SET: lambda value: bool(word & value),
    }
    while True:
        code, true, false, value = struct.unpack_from("=HBBI", program, place * INSTRUCTION_SIZE)
        place += 1
        if code == RETURN:
            return int(value)
        if code == LOAD_WORD:
            (word,) = struct.unpack_from("=I", data, value)
        else:
            place += true if tests[code](value) else false


@pytest.fixture(params=PROCESSORS)
def processor(request: pytest.FixtureRequest) -> Processor:
    return PROCESSORS[request.param]


@pytest.fixture
def program(processor: Processor) -> bytes:
    return filter_program(processor, reads=0, writes=1)


def test_only_memory_time_and_the_end_can_be_asked_for_without_conditions(
    processor: Processor, program: bytes
) -> None:
    allowed = {
        number
        for number in range(600)
        if verdict(program, processor.audit, number, 99, 99, EXECUTE, SHARED) == ALLOW
    }
    assert allowed == set(processor.plain)
    assert len(allowed) == 12


def test_one_descriptor_can_be_read_and_another_written(
    processor: Processor, program: bytes
) -> None:
    calls = [(processor.read, 0), (processor.read, 1), (processor.write, 0), (processor.write, 1)]
    found = [verdict(program, processor.audit, *call) for call in calls]
    assert found == [ALLOW, REFUSE, REFUSE, ALLOW]


def test_no_memory_can_be_executed(processor: Processor, program: bytes) -> None:
    def asked(*arguments: int) -> int:
        return verdict(program, processor.audit, *arguments)

    assert asked(processor.mmap, 0, 4096, READ | WRITE, ANONYMOUS) == ALLOW
    assert asked(processor.mmap, 0, 4096, READ | EXECUTE, ANONYMOUS) == REFUSE
    assert asked(processor.mmap, 0, 4096, READ, SHARED) == REFUSE
    assert asked(processor.mprotect, 0, 4096, READ | WRITE) == ALLOW
    assert asked(processor.mprotect, 0, 4096, READ | EXECUTE) == REFUSE


def test_calls_in_another_convention_end_the_process(processor: Processor, program: bytes) -> None:
    assert verdict(program, processor.audit ^ 1, processor.read) == KILL_PROCESS
    assert verdict(program, processor.audit, 0x40000000 | processor.read) == KILL_PROCESS


def test_a_refused_call_fails_with_eperm() -> None:
    assert REFUSE & 0xFFFF == errno.EPERM
