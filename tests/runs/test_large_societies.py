"""Large societies of words: a question costs as many bytes however many are asked, and a run that
is paused by a limit, or killed, comes to the same history."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import society
from society.errors import Paused
from society.runs.reader import open_run_file


def settings(agents: int, **more: Any) -> dict[str, Any]:
    """A village on a small-world graph, of whom each sees three, and nobody dies."""
    lake = {"capacity": 30 * agents, "catchability": 0.5 / agents, "wealth": 1e6}
    parameters = {**lake, "peers_seen": 3, "vote": "median", "norm_embedder": "hashing"}
    graph = {"kind": "small_world", "neighbours": 6, "rewiring": 0.1}
    parameters |= {"ends_on": "horizon"}
    return {"agents": agents, "seed": 1, "graph": graph, "parameters": parameters, **more}


def bytes_of_a_question(path: Path) -> tuple[float, int]:
    """The mean size of what is kept of a question's words, and how many prompts stand in full.

    Without the cells of these, which say no more than that.
    """
    with closing(sqlite3.connect(path)) as run:
        cell = "length(CAST(messages AS BLOB))"
        query = f"SELECT avg({cell}), count(*) FROM calls WHERE {cell} > 40"
        size, asked = run.execute(query).fetchone()
        (full,) = run.execute("SELECT count(shared) FROM shared").fetchone()
    assert asked > 0
    return size, full


@pytest.mark.parametrize("sizes", [(20, 60), pytest.param((100, 300), marks=pytest.mark.thorough)])
def test_a_question_takes_as_many_bytes_among_three_times_as_many_agents(
    tmp_path: Path, sizes: tuple[int, int]
) -> None:
    found = []
    for agents in sizes:
        path = tmp_path / f"{agents}.run"
        society.run("language_village", out=path, rounds=1, **settings(agents))
        found.append(bytes_of_a_question(path))
    (few, full_of_few), (many, full_of_many) = found
    assert many == pytest.approx(few, rel=0.05)
    assert many < 350, "a quarter of the prompt at most"
    assert full_of_few == full_of_many == 3, "one prompt in full for each question"


AGENTS = 300


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the society when nothing happens to it."""
    path = tmp_path_factory.mktemp("whole") / "a.run"
    society.run("language_village", out=path, rounds=2, **settings(AGENTS))
    with open_run_file(path) as run:
        return run.outcome().digest


@pytest.mark.thorough
@pytest.mark.xdist_group("large_societies")
def test_a_limit_in_the_middle_of_a_question_leads_to_the_same_history(
    tmp_path: Path, digest: str
) -> None:
    path = tmp_path / "a.run"
    with pytest.raises(Paused, match="1234 of 1234 used"):
        society.run(
            "language_village", out=path, rounds=2, **settings(AGENTS), limits={"max_calls": 1234}
        )
    with open_run_file(path) as run:
        assert (run.status, run.spent.calls) == ("paused", 1234)
    society.resume(path, limits={"max_calls": None})
    with open_run_file(path) as run:
        assert (run.status, run.outcome().digest) == ("finished", digest)
        assert run.spent.calls == 6 * AGENTS


@pytest.mark.thorough
@pytest.mark.xdist_group("large_societies")
def test_a_kill_in_the_middle_of_a_question_leads_to_the_same_history(
    tmp_path: Path, digest: str
) -> None:
    path = tmp_path / "a.run"
    given = settings(AGENTS)
    code = (
        f"import society; society.run('language_village', out={str(path)!r}, rounds=2, **{given})"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        for _ in range(6000):
            if path.exists() and calls_in(path) > AGENTS:
                break
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    assert AGENTS < calls_in(path) < 6 * AGENTS
    society.resume(path)
    with open_run_file(path) as run:
        assert (run.status, run.outcome().digest) == ("finished", digest)


def calls_in(path: Path) -> int:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as run:
        return int(run.execute("SELECT count(*) FROM calls").fetchone()[0])
