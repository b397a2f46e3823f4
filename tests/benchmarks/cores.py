"""Villages of rules on one core and on two: wall clock, processor time, and the critical path.

The whole command, `society run`, with one process and with two in turns; the level is summary. On a
machine that has other work the wall clock says little. So the critical path is computed as well,
from processor times: what one process does alone, before and after the replicates are played, and
then all that is left, shared by two cores, but at least what the slower process of a slice takes.

    python tests/benchmarks/cores.py [REPETITIONS] [VILLAGES AGENTS ROUNDS]...
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

SIZES = (1_000, 50, 400), (1_000, 50, 2_000), (1_000, 200, 400)
REPETITIONS = 5
NOTED = Path(__file__).with_name("noted_run.py")


class Taken(NamedTuple):
    """Seconds of a command. alone: of its processor time, outside of the play."""

    wall: float
    cpu: float
    alone: float
    path: float


def main(words: list[str]) -> None:
    repetitions = int(words[0]) if words else REPETITIONS
    sizes = [*map(int, words[1:])]
    given = [sizes[at : at + 3] for at in range(0, len(sizes), 3)]
    for villages, agents, rounds in given or SIZES:
        print(f"{villages:,} villages x {agents} agents x {rounds:,} rounds; load {load()}")
        taken: dict[int, list[Taken]] = {1: [], 2: []}
        for _ in range(repetitions):
            for workers, found in taken.items():
                found.append(command(villages, agents, rounds, workers))
        print("  processes      wall             cpu             path     alone")
        for workers, found in taken.items():
            wall, cpu, alone, path = ([*each] for each in zip(*found, strict=True))
            spans = (f"{median(each):6.2f} ({min(each):.2f})" for each in (wall, cpu, path))
            print(f"  {workers}         {'   '.join(spans)}   {median(alone):.2f}")
        ratios = [a.path / b.path for a, b in zip(*taken.values(), strict=True)]
        print(f"  by the path {median(ratios):.2f} times as fast ({min(ratios):.2f} to", end=" ")
        print(f"{max(ratios):.2f}); load {load()}", flush=True)


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def command(villages: int, agents: int, rounds: int, workers: int) -> Taken:
    """Run the command in a process of its own, which writes down what each of its parts took."""
    with TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        sizes = f"--replicates {villages} --agents {agents} --rounds {rounds} --workers {workers}"
        words = f"run fishing_village {sizes} --record summary --quiet --set ends_on=horizon"
        typed = [*words.split(), "--out", str(Path(folder) / "a.run")]
        start = time.perf_counter()
        subprocess.run([sys.executable, str(NOTED), str(notes), *typed], check=True, timeout=3600)
        wall = time.perf_counter() - start
        noted = [*read_notes(notes)]
    slices = [seconds for name, seconds in noted if name == "slice"]
    assert len(slices) == (workers if workers > 1 else 0), "one core has played on"
    own = dict(noted)
    cpu, play = own["all"] + sum(slices), own["play"] + sum(slices)
    alone = cpu - play
    shared = max(play / workers, *slices) if slices else play
    return Taken(wall, cpu, alone, alone + shared)


def read_notes(path: Path) -> Iterator[tuple[str, float]]:
    """Yield what was noted: a name, and seconds."""
    for line in path.read_text("utf-8").splitlines():
        name, seconds = json.loads(line)
        yield name, seconds


if __name__ == "__main__":
    main(sys.argv[1:])
