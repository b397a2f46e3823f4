"""How cost grows: with agents, with rounds, and with what is recorded.

Every figure is a ratio taken in this one run; each pair takes turns and the best of its turns
counts, so that ratios hold on a busy machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from society.config.build import Society, build
from society.config.run_config import load_config
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer


def village(agents: int, rounds: int, replicates: int = 1, graph: str = "complete") -> Society:
    """A village in which no replicate ends, and whose lake grows with it."""
    lake = {"capacity": 30 * agents, "catchability": 0.5 / agents, "ends_on": "horizon"}
    sizes = {"agents": agents, "rounds": rounds, "replicates": replicates}
    return build(load_config("fishing_village", {"parameters": lake, "graph": graph, **sizes}))


def seconds(play: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    play()
    return time.process_time() - start


def growing_villages() -> None:
    """CPU time per agent-round at a million agent-rounds each, against a village of 1,000."""
    print("agents, and nanoseconds per agent-round on the complete graph / on a ring")
    for agents in (10, 100, 1_000, 10_000, 100_000):
        rounds = 20
        replicates = max(1_000_000 // (agents * rounds), 1)
        costs = []
        for graph in ("complete", "ring"):
            setup = village(agents, rounds, replicates, graph)
            games = [setup.gamemaster() for _ in range(3)]
            best = min(seconds(game.play) for game in games)
            costs.append(best / (agents * rounds * replicates) * 1e9)
        print(f"{agents:7,}  {costs[0]:6.0f}  {costs[1]:6.0f}")


def memory_over_rounds() -> None:
    """Peak memory of a run of 400 rounds against one of 40, written to a run file at full level."""

    def peak(rounds: int) -> int:
        tracemalloc.start()
        recorded(village(200, rounds))
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(5)
    print(f"peak memory, 400 rounds / 40 rounds  {peak(400) / peak(40):.2f}")


def recorded(setup: Society) -> int:
    """Play with a run file; its size in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        with Writer(path, manifest_of(setup, "full")) as writer:
            setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
            writer.close("finished")
        return path.stat().st_size


def cost_of_recording() -> None:
    """A single village of 10 with and without a run file that keeps everything."""
    setup = village(10, 100)
    bare, kept = [], []
    for _ in range(15):
        bare.append(seconds(lambda: setup.gamemaster().play()))
        kept.append(seconds(lambda: recorded(setup)))
    print(f"single village, recorded in full / not recorded  {min(kept) / min(bare):.2f}")
    print(f"run file, bytes per agent-round  {recorded(setup) / 1_000:.0f}")


def cost_of_help() -> None:
    """`society --help` against an interpreter that does nothing."""
    idle, helped = list[float](), list[float]()
    for _ in range(7):
        for command, times in ((["-c", "pass"], idle), (["-m", "society", "--help"], helped)):
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, capture_output=True)
            times.append(time.perf_counter() - start)
    print(f"society --help  {min(helped):.3f} s; a bare interpreter {min(idle):.3f} s")


if __name__ == "__main__":
    growing_villages()
    memory_over_rounds()
    cost_of_recording()
    cost_of_help()
