"""Sweeps as a user types them, in this process or as a program of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from society.runs.runfile import open_run_file
from tests.child_processes import heed_interrupts


class Program(subprocess.Popen[str]):
    """`society`, in a session of its own, as a terminal has; `begun` gives one."""

    def __init__(self, *words: object) -> None:
        super().__init__(
            [sys.executable, "-m", "society", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=heed_interrupts,
        )

    def ended(self) -> tuple[int, str, str]:
        """Wait for the end; return the exit code, stdout and stderr."""
        with self:
            said = self.communicate(timeout=60)
        return (self.returncode, *said)


@pytest.fixture(scope="session")
def begun() -> Callable[..., Program]:
    """`begun("sweep", "a.yaml", ...)` is the program, which goes on meanwhile."""
    return Program


@pytest.fixture(scope="session")
def until() -> Callable[[Callable[[], object]], None]:
    """`until(lambda: file.exists())` waits for something."""

    def wait(happens: Callable[[], object]) -> None:
        end = time.monotonic() + 60
        while not happens():
            assert time.monotonic() < end, "it has not happened in a minute"
            time.sleep(0.005)

    return wait


LONG = """
base: fishing_village
replicates: 40
rounds: 160
parameters: {ends_on: horizon}
factors: {fine: [2, 6, 10]}
"""


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment of three conditions, which take some time."""
    file = tmp_path_factory.mktemp("long") / "long.yaml"
    file.write_text(LONG)
    return file


@pytest.fixture(scope="session")
def whole(
    long: Path, begun: Callable[..., Program], digests: Callable[[Path], dict[str, str]]
) -> dict[str, str]:
    """The results of a sweep with two workers and without interruption."""
    folder = long.with_name("whole")
    program = begun("sweep", long, "--workers", 2, "--quiet", "--out", folder)
    assert program.ended() == (0, "", "")
    return digests(folder)


@pytest.fixture(scope="session")
def digests() -> Callable[[Path | str], dict[str, str]]:
    """`digests(folder)` are those of all finished runs in it, by file name."""

    def told(folder: Path | str) -> dict[str, str]:
        found = {}
        for file in sorted(Path(folder).glob("*.run")):
            with open_run_file(file) as run:
                assert (file.name, run.status) == (file.name, "finished")
                found[file.stem] = run.outcome().digest
        return found

    return told


@pytest.fixture(scope="session")
def plain() -> Callable[[str], str]:
    """Words without what moves a cursor or colours them."""
    return lambda words: re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", words)


Begun = Callable[..., Program]
Until = Callable[[Callable[[], object]], None]
Digests = Callable[[Path | str], dict[str, str]]
