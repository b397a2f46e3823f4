"""Large societies of words: what a question, an agent and a look cost, from 100 agents to 5,000.

Villagers with language minds sit on a small-world graph (Watts and Strogatz 1998), of which each
sees three neighbours in a round, as in the preset language_village_neighbours; nobody dies, and the
lake is as large for each as there. They play four rounds of three questions into a run file. Each
size is a process of its own, after a small village that compiles all templates.

CPU a question    of this process, threads included, with minds that say at once what the offline
                  mind has said before; and with the offline mind itself. The best of turns: a busy
                  machine can only add to them
memory an agent   the most that Python has allocated while it plays one round, over what it had
                  before: to count costs several times the play, and all are asked in each round
bytes a question  of the closed file, with all that it holds
show, first frame wall time to open the file as `society show` and `society replay` do, imports left
                  out; the best of turns. What they read and draw grows with the society
All are given beside those of the smallest society.

python tests/benchmarks/large_societies.py [AGENTS ...]
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import society
from society.cli.main import main as society_command
from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.calls import Address, Completion, Going, Minds, Request
from society.engine.cancellation import CancellationToken
from society.llm.providers.pool import ModelPool
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer, open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.view import View

SIZES = (100, 300, 1_000, 5_000)
ROUNDS, TURNS, MOST = 4, 3, 1.2
SIZE = Size(120, 40)


class Repeated:
    """Minds that say at once what the offline mind said when it was asked first."""

    patience = 0.0

    def __init__(self, seed: int) -> None:
        self._offline = ModelPool({}, seed=seed)
        self.said: dict[Address, Completion] = {}

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        said = self.said.get(request.address)
        if said is None:
            said = self.said[request.address] = await self._offline.call(request, going, token)
        else:
            await going()
        return said

    async def close(self) -> None:
        pass


def given(agents: int) -> dict[str, Any]:
    """The settings of a village of so many on a small-world graph, in which nobody dies."""
    lake = {"capacity": 30 * agents, "catchability": 0.5 / agents, "wealth": 1e6}
    parameters = {
        **lake,
        "ends_on": "horizon",
        "peers_seen": 3,
        "vote": "median",
        "norm_embedder": "hashing",
    }
    graph = {"kind": "small_world", "neighbours": 6, "rewiring": 0.1}
    sizes = {"agents": agents, "rounds": ROUNDS, "seed": 1}
    return {"parameters": parameters, "graph": graph, **sizes}


def play(setup: Society, path: Path, minds: Minds | None = None) -> None:
    """Play into a run file."""
    with Writer(path, manifest_of(setup), overwrite=True) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store, minds=minds)).play()


def best(clock: Callable[[], float], job: Callable[[], object]) -> float:
    """The shortest of some turns."""
    times = []
    for _ in range(TURNS):
        gc.collect()
        start = clock()
        job()
        times.append(clock() - start)
    return min(times)


def repeat(setup: Society, path: Path) -> tuple[int, float]:
    """Count the questions of a run, and take the CPU time to play it with instant minds."""
    minds = Repeated(seed=1)
    play(setup, path, minds)
    return len(minds.said), best(time.process_time, lambda: play(setup, path, minds))


def most_memory(setup: Society, path: Path) -> int:
    """The most bytes that Python allocates for a play."""
    gc.collect()
    tracemalloc.start()
    play(setup, path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def show(path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        assert society_command(["show", str(path)]) == 0


def first_frame(path: Path) -> None:
    with open_run_file(path) as run:
        history = History(run)
        draw(history, View(), SIZE, TerminalStyle("utf-8", SIZE.width))
        history.close()


def measure(agents: int, folder: Path) -> Mapping[str, float]:
    """Measure one size, in a process that does nothing else."""
    society.run("language_village", out=folder / "warm.run", **given(10))
    path, setup = folder / "a.run", build(load_config("language_village", given(agents)))
    questions, instant = repeat(setup, path)
    offline = best(time.process_time, lambda: play(setup, path))
    peak = most_memory(build(load_config("language_village", given(agents) | {"rounds": 1})), path)
    path.unlink()
    society.run("language_village", out=path, **given(agents))
    show(path)
    return {
        "questions": questions,
        "us of CPU a question": instant / questions * 1e6,
        "with the offline mind": offline / questions * 1e6,
        "kB of memory an agent": peak / agents / 1e3,
        "bytes a question": path.stat().st_size / questions,
        "ms to show": best(time.perf_counter, lambda: show(path)) * 1e3,
        "ms to the first frame": best(time.perf_counter, lambda: first_frame(path)) * 1e3,
    }


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        with TemporaryDirectory() as name:
            print(json.dumps(measure(int(sys.argv[2]), Path(name))))
        return
    sizes = [*map(int, sys.argv[1:])] or SIZES
    first: Mapping[str, float] = {}
    for agents in sizes:
        words = [sys.executable, __file__, "--one", str(agents)]
        found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        first = first or found
        load = os.getloadavg()[0]
        print(f"{agents:,} agents, {found.pop('questions'):,} questions (load {load:.1f})")
        for what, value in found.items():
            ratio = value / first[what]
            print(f"  {what:24} {value:10,.1f}   {ratio:5.2f} times the first (at most {MOST:g})")


if __name__ == "__main__":
    main()
