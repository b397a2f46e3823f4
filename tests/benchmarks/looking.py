"""Looking at long histories: the first frame, jumps to rounds by chance, the index, and memory.

Each number is that of a process of its own, which opens the file as `society replay` does: the
first frame is drawn while series and marks are gathered in a thread; the second look finds them in
the index beside the run. Times are of the wall; imports are left out. The baseline is one pass over
all pages of the run in the same process.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import society
from society.runs.reader import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.view import View

SIZE = Size(120, 40)
STYLE = TerminalStyle("utf-8", SIZE.width)
LASTING = {"ends_on": "horizon", "wealth": 1e6}
HISTORIES: dict[str, tuple[str, dict[str, Any]]] = {
    "10 villagers, 1,000 rounds": ("fishing_village", {"rounds": 1_000}),
    "50 villagers x 10, 1,000 rounds": (
        "fishing_village",
        {"rounds": 1_000, "agents": 50, "replicates": 10},
    ),
    "100 villagers x 10, 1,000 rounds: a million turns": (
        "fishing_village",
        {"rounds": 1_000, "agents": 100, "replicates": 10},
    ),
    "10 language villagers, 200 rounds": ("language_village", {"rounds": 200}),
}


def look(path: Path, *, baseline: bool) -> dict[str, float]:
    """Open a run, draw its first frame and then rounds by chance; return seconds and megabytes."""
    start = time.perf_counter()
    with open_run_file(path) as run:
        history = History(run)
        history.gather_behind(0)
        draw(history, View(), SIZE, STYLE)
        seconds = {"first frame": time.perf_counter() - start}
        jumps = []
        for number in np.random.default_rng(1).integers(1, history.last + 1, 20).tolist():
            before = time.perf_counter()
            draw(history, View(round=number), SIZE, STYLE)
            jumps.append(time.perf_counter() - before)
        seconds["slowest jump of 20"] = max(jumps)
        while not history.ready(0):
            time.sleep(0.01)
        seconds["index ready"] = time.perf_counter() - start
        history.course(0)
        history.close()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if baseline:
            before = time.perf_counter()
            for _ in run.pages():
                pass
            seconds["a pass over all pages"] = time.perf_counter() - before
    return {**seconds, "MB at most": memory}


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(look(Path(sys.argv[1]), baseline=sys.argv[2] == "baseline")))
        return
    with TemporaryDirectory() as folder:
        for number, (name, (scenario, given)) in enumerate(HISTORIES.items()):
            path = Path(folder) / f"{number}.run"
            parameters = LASTING
            if scenario == "language_village":
                parameters = {**LASTING, "norm_embedder": "hashing"}
            society.run(scenario, seed=1, parameters=parameters, out=path, **given)
            print(f"{name}, {path.stat().st_size / 2**20:.1f} MB")
            for way in ("baseline", "with the index"):
                words = [sys.executable, __file__, str(path), way]
                done = subprocess.run(words, check=True, capture_output=True, text=True)
                found = json.loads(done.stdout)
                told = [f"{what} {value:.2f}" for what, value in found.items()]
                if passed := found.get("a pass over all pages"):
                    told.append(f"index / pass {found['index ready'] / passed:.2f}")
                print(
                    f"  {'first look' if way == 'baseline' else 'second look'}: {', '.join(told)}"
                )


if __name__ == "__main__":
    main()
