"""One Ctrl-C, or one SIGTERM of a scheduler, ends a command, whatever code is being played."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.child_processes import heed_interrupts

ROOT = Path(__file__).resolve().parents[2]

STUCK = """
import sys, time
import numpy as np
from society import Component

class Stuck(Component):
    answers = ("effort",)
    def answer(self, ask, me):
        rounds = open("rounds.txt", "a")
        rounds.write("x"); rounds.close()
        if len(open("rounds.txt").read()) == 4:
            open("stuck.txt", "w").close()
            BODY
        return np.full(len(me), 0.1)
"""

BODIES = {
    "endless": "while True: pass",
    "sleeping": "time.sleep(3600)",
    "catching errors": """
            while True:
                try:
                    time.sleep(0.01)
                except Exception:
                    pass""",
    "catching all once": """
            try:
                while True: pass
            except BaseException:
                while True: pass""",
    "catching all": """
            while True:
                try:
                    while True: pass
                except BaseException:
                    pass""",
    "waiting for a thread": """
            import threading
            threading.Event().wait()""",
    "looking into a generator": "sum(1 for _ in iter(int, 1))",
    "matching for ever": "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
}
# The others are left to `make test-all`.
QUICK = ("endless",)

CAST = (
    "scenario: fishing_village\nrounds: 30\nagents: 4\nuses: [stuck.py]\n"
    "cohorts: [{name: a, count: 4, replace: {harvest: stuck}}]\n"
)


def begun(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A command that has come to the code that is stuck."""
    process = subprocess.Popen(
        [sys.executable, "-m", "society", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    until = time.monotonic() + 120
    while not (folder / "stuck.txt").exists():
        assert time.monotonic() < until, process.communicate(timeout=1)
        time.sleep(0.05)
    return process


@pytest.mark.parametrize(
    ("body", "number"),
    [
        *[
            pytest.param(body, signal.SIGTERM, marks=() if body in QUICK else pytest.mark.thorough)
            for body in BODIES
        ],
        pytest.param("endless", signal.SIGINT, marks=pytest.mark.thorough),
        pytest.param("sleeping", signal.SIGINT, marks=pytest.mark.thorough),
    ],
    ids=str,
)
def test_one_signal_ends_code_that_never_ends(
    body: str, number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "stuck.py").write_text(STUCK.replace("BODY", BODIES[body]))
    (tmp_path / "a.yaml").write_text(CAST)
    process = begun(tmp_path, "run", "a.yaml", "--quiet", "--out", "a.run")
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert "interrupted" in said
    # It goes on from the last round that was committed.
    (tmp_path / "stuck.py").write_text(STUCK.replace("BODY", "pass"))
    done = subprocess.run(
        [sys.executable, "-m", "society", "resume", "a.run", "--trust", "--json"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rounds"] == 30


@pytest.mark.thorough
@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.thorough)])
def test_one_signal_ends_a_sweep_whose_worker_is_stuck(workers: str, tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(STUCK.replace("BODY", "while True: pass"))
    base = CAST.replace("\n", "\n  ").strip()
    (tmp_path / "e.yaml").write_text(f"name: e\nbase:\n  {base}\nfactors: {{growth: [0.2]}}\n")
    process = begun(tmp_path, "sweep", "e.yaml", "--quiet", "--workers", workers)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    assert process.returncode == 130


@pytest.mark.thorough
def test_code_that_goes_elsewhere_does_not_take_the_run_along(tmp_path: Path) -> None:
    """os.chdir in code of the user's: the run file stays where it was said."""
    (tmp_path / "stuck.py").write_text(
        STUCK.replace("BODY", "").replace("import sys", "import os, sys")
        .replace("rounds = open", "os.chdir('/'); rounds = open")
        .replace('"rounds.txt"', "os.devnull")
    )  # fmt: skip
    (tmp_path / "a.yaml").write_text(CAST)
    for words in (["run", "a.yaml", "--out", "runs/a.run"], ["show", "runs/a.run"]):
        done = subprocess.run(
            [sys.executable, "-m", "society", *words, "--json"],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["out"] == "runs/a.run"
