"""The jail alone, without a checker, keeps a program from the machine."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from society.sandbox.workers.jail import landlock_attributes
from tests.sandbox.attacks_on_jail import ATTACKS

OTHER = 65534  # an ordinary user


@cache
def outcomes(user: int) -> dict[str, Any]:
    """What came of every attack, made by this user."""
    words = [] if user == os.getuid() else [str(user)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.sandbox.jailed_attacks", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def users() -> list[int]:
    return [os.getuid(), OTHER] if os.getuid() == 0 else [os.getuid()]


def case_of(user: int) -> Any:
    """One jail for all attacks of a user; that of another user than ours is thoroughly tried."""
    marks = [pytest.mark.xdist_group(f"jail of {user}")]
    return pytest.param(user, marks=marks + [pytest.mark.thorough] * (user != os.getuid()))


@pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")
@pytest.mark.parametrize("user", map(case_of, users()))
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_jailed_program_cannot_do_what_harms(attack: str, user: int) -> None:
    assert outcomes(user)[attack] == ATTACKS[attack][1]


@pytest.mark.parametrize(
    ("version", "denied"),
    [
        (1, (0x1FFF,)),
        (2, (0x3FFF,)),
        (3, (0x7FFF,)),
        (4, (0x7FFF, 3)),
        (5, (0xFFFF, 3)),
        (6, (0xFFFF, 3, 3)),
        (7, (0xFFFF, 3, 3)),
    ],
)
def test_landlock_denies_all_that_its_version_knows(version: int, denied: tuple[int, ...]) -> None:
    assert struct.unpack(f"={len(denied)}Q", landlock_attributes(version)) == denied
