"""How fast a grid of villages is swept, and how much a report of many runs takes.

The grid is that of Fig. 3: 9 fines x 13 rates of regrowth, 100 villages of ten agents in each cell,
at most 100 rounds. The report is one of 500 conditions, written by a process of its own, whose peak
memory is taken. Seconds are those of the wall clock, since workers share the machine: read them as
ratios where it is busy.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import as_file, files
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from society.experiments.clusters import local_processes
from society.experiments.experiment import read_experiment
from society.experiments.progress import NoProgress
from society.experiments.sweep import Sweep, play_experiment

MANY = """
base: fishing_village
replicates: 20
rounds: 50
factors:
  fine: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
  growth: [0.2, 0.225, 0.25, 0.275, 0.3, 0.325, 0.35, 0.375, 0.4, 0.425, 0.45, 0.475, 0.5, 0.525,
    0.55, 0.575, 0.6, 0.625, 0.65, 0.675, 0.7, 0.725, 0.75, 0.775, 0.8]
"""


def seconds(job: Callable[[], object]) -> float:
    """Wall time in seconds."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def sweep(file: Path, folder: Path, workers: int) -> None:
    """Play an experiment from its file on."""
    with local_processes(workers) as pool:
        sweep = Sweep(pool, NoProgress())
        play_experiment(read_experiment(file), folder, sweep)
    assert {done.status for done in sweep.results.values()} == {"finished"}


def grid(folder: Path) -> None:
    """Sweep with one worker and with two, in turns; the better of two turns counts."""
    experiments = files("society.scenarios") / "reproductions" / "gupta2026" / "experiments"
    source = experiments / "village_fines_by_growth.yaml"
    best = {1: float("inf"), 2: float("inf")}
    with as_file(source) as file:
        for turn in range(2):
            for workers in best:
                taken = seconds(partial(sweep, file, folder / f"{workers}-{turn}", workers))
                best[workers] = min(best[workers], taken)
    print("the grid of Fig. 3, 117 conditions of 100 villages")
    for workers, taken in best.items():
        print(f"  {workers} workers                                {taken:6.1f} s")
    print(f"  speed-up                                 {best[1] / best[2]:6.2f}")


def reported(folder: Path, out: Path, told: Connection) -> None:
    """Open a sweep and report on it; tells the peak memory of this process, in kilobytes."""
    from society.analysis.study import open_study
    from society.report import write_report

    write_report(open_study([folder]), out)
    told.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def report_of_many(folder: Path) -> None:
    """The wall clock includes starting Python and importing what draws and computes."""
    file = folder / "many.yaml"
    file.write_text(MANY)
    sweep(file, folder / "many", 2)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=reported, args=(folder / "many", folder / "report", theirs))

    def run() -> None:
        process.start()
        process.join()

    taken = seconds(run)
    print("opening a sweep of 500 run files and writing its report")
    print(f"  time                                     {taken:6.1f} s")
    print(f"  peak memory                              {ours.recv() / 1024:6.0f} MB")


def main() -> None:
    with TemporaryDirectory() as folder:
        grid(Path(folder))
        report_of_many(Path(folder))


if __name__ == "__main__":
    main()
