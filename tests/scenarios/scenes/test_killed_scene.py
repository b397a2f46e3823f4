"""A scene that is killed in the middle of an hour goes on to the same end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.runs.verify import verify

KILLED = """
import os, signal, sys
from society.cli.main import main
from society.llm.providers.offline import Offline

left, plain = [int(sys.argv[1])], Offline.__call__

def dying(self, request):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self, request)

Offline.__call__ = dying
main(sys.argv[2:])
"""
EVENING = ["run", "pub_coordination", "--agents", "5", "--rounds", "3", "--seed", "3", "--quiet"]


@pytest.mark.parametrize(
    "call",
    [8, pytest.param(5, marks=pytest.mark.thorough), pytest.param(13, marks=pytest.mark.thorough)],
)
def test_a_scene_that_is_killed_is_resumed_to_the_same_digest(call: int, tmp_path: Path) -> None:
    """An hour takes five calls, the last of them the verdict."""
    whole, path = tmp_path / "whole.run", tmp_path / "killed.run"
    assert main([*EVENING, "--out", str(whole)]) == 0
    command = [sys.executable, "-c", KILLED, str(call), *EVENING, "--out", str(path)]
    assert subprocess.run(command, check=False).returncode == -9
    with open_run_file(path) as run:
        assert run.status != "finished"
        assert sum(1 for _ in run.calls()) == call - 1
    assert main(["resume", str(path), "--quiet"]) == 0
    with open_run_file(whole) as one, open_run_file(path) as other:
        assert one.outcome().digest == other.outcome().digest
        assert sum(1 for _ in one.calls()) == sum(1 for _ in other.calls()) == 15
    assert verify(path).ok
