"""How fast we are beside others, in one run, on one page, and compared over time.

python tests/benchmarks/ratios.py            writes RESULTS.md and adds to history.json
python tests/benchmarks/ratios.py --check    measures, and fails if a ratio has fallen by a fifth
       --only NAME                           contests whose name has this in it; nothing is written

In each of five repetitions all programs of a contest take turns, so that a ratio compares what ran
within the same seconds. A ratio is the median of five, with the smallest and the largest. A check
compares it with the last entry of this machine in the history, or else with the last one. Ratios
that seem to have fallen are measured once more: other work on the machine passes.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from society.machine import count_cores
from society.runs.session import keep_freed_memory
from tests.benchmarks.contests import Contest, Play, all_contests

HERE = Path(__file__).parent
HISTORY, PAGE = HERE / "history.json", HERE / "RESULTS.md"
REPETITIONS = 5
FALL = 0.2  # of a ratio, that a check does not accept
BUSY = 0.5  # load on each core, from which on wall seconds are not compared


class Ratio(NamedTuple):
    """Our rate over that of another program: the median over repetitions, and the extremes."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, ours: Sequence[float], others: Sequence[float]) -> Ratio:
        """Compare rates that were measured in turns."""
        each = [one / other for one, other in zip(ours, others, strict=True)]
        return cls(median(each), min(each), max(each))

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


class Measured(NamedTuple):
    """One contest after its repetitions.

    rates: of what is counted, a second, by program and repetition; "ours" is one of them.
    """

    contest: Contest
    rates: Mapping[str, Sequence[float]]

    @property
    def ratios(self) -> dict[str, Ratio]:
        """The ratio to each other program."""
        ours = self.rates["ours"]
        return {role: Ratio.of(ours, self.rates[role]) for role in self.contest.others}


def measure(contest: Contest, repetitions: int = REPETITIONS) -> Measured:
    """Let the programs of a contest take turns."""
    plays = {"ours": contest.ours, **contest.others}
    rates: dict[str, list[float]] = {role: [] for role in plays}
    for _ in range(repetitions):
        for role, play in plays.items():
            rates[role].append(_rate(play, wall=contest.wall))
    return Measured(contest, rates)


def _rate(play: Play, *, wall: bool) -> float:
    gc.collect()
    clock = time.perf_counter if wall else time.process_time
    start = clock()
    done = play()
    return done / (clock() - start)


def falls(entry: Mapping[str, Any], measured: Iterable[Measured]) -> list[str]:
    """Describe the ratios that are a fifth smaller than in an entry of the history."""
    found = []
    for one in measured:
        before = entry["ratios"].get(one.contest.name, {})
        for role, ratio in one.ratios.items():
            if role in before and ratio.median < (1 - FALL) * before[role][0]:
                found.append(
                    f"{one.contest.name} / {role}: {ratio}, and {Ratio(*before[role])} on "
                    f"{entry['when']}"
                )
    return found


def entry_to_compare(history: Sequence[Any], machine: Mapping[str, Any]) -> Any:
    """Return the last entry of this machine, or else the last one; None if there is none."""
    same = [one for one in history if one["machine"]["processor"] == machine["processor"]]
    return (same or history or [None])[-1]


def describe_machine() -> dict[str, Any]:
    """Describe the machine, and what plays on it."""
    versions = {name: _version(name) for name in ("numpy", "networkx", "mesa", "axelrod")}
    return {
        "processor": _processor(),
        "cores": count_cores(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version for name, version in versions.items() if version},
    }


def _processor() -> str:
    """Return the name of the processor, as its maker has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _load() -> float:
    """Return how many processes were running or waiting for a core, over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _commit() -> str:
    words = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    return found.stdout.strip()


def new_entry(measured: Iterable[Measured], loads: tuple[float, float]) -> dict[str, Any]:
    """Make an entry of the history. loads: of the machine, before and after."""
    return {
        "when": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "machine": describe_machine(),
        "load": [round(one, 2) for one in loads],
        "ratios": {
            one.contest.name: {
                role: [round(part, 4) for part in ratio] for role, ratio in one.ratios.items()
            }
            for one in measured
        },
    }


def page_of(measured: Iterable[Measured], entry: Mapping[str, Any]) -> str:
    """Write the page: rates of all programs, and ratios with their spread."""
    machine = ", ".join(f"{key} {value}" for key, value in entry["machine"].items())
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench` (ratios.py); contests.py says what each program is. Rates are "
        f"medians of {REPETITIONS} repetitions; ratios are ours over theirs: median (smallest to "
        "largest).",
        "",
        f"Machine: {machine}; load before and after {entry['load'][0]} and {entry['load'][1]}; "
        f"{entry['when']}, commit {entry['commit']}.",
        "",
        "| contest | program | rate a second | ours / theirs | aim |",
        "|---|---|---|---|---|",
    ]
    for one in measured:
        unit = f"{one.contest.unit}{', wall' if one.contest.wall else ''}"
        lines.append(
            f"| **{one.contest.name}** ({unit}) | ours | {median(one.rates['ours']):,.0f} | | |"
        )
        for role, ratio in one.ratios.items():
            aim = one.contest.aims.get(role)
            wanted = "" if aim is None else f"{aim:g}{'' if ratio.median >= aim else ': missed'}"
            rate = median(one.rates[role])
            lines.append(f"| | {role} | {rate:,.0f} | {ratio} | {wanted} |")
    return "\n".join([*lines, ""])


def _measure_all(contests: Iterable[Contest]) -> list[Measured]:
    measured = []
    for contest in contests:
        measured.append(measure(contest))
        said = ", ".join(f"{role} {ratio}" for role, ratio in measured[-1].ratios.items())
        print(f"{contest.name:26} ours / {said}", flush=True)
    return measured


def fair_now(contests: Iterable[Contest]) -> list[Contest]:
    """Leave out what is told by the clock on the wall, if other work is on the machine."""
    busy = _load() > BUSY * count_cores()
    if busy:
        print("the machine is busy: contests by the clock on the wall are left out")
    return [one for one in contests if not (one.wall and busy)]


def check(contests: Sequence[Contest]) -> int:
    """Measure, and return 1 if a ratio has fallen since the entry that is compared."""
    history = json.loads(HISTORY.read_text("utf-8")) if HISTORY.exists() else []
    entry = entry_to_compare(history, describe_machine())
    if entry is None:
        print(f"{HISTORY.name} has no entry to compare with; run `make bench` first")
        return 1
    chosen = fair_now(contests)
    suspects = falls(entry, _measure_all(chosen))
    names = [words.partition(" / ")[0] for words in suspects]
    if suspects:
        print("measured once more:", ", ".join(dict.fromkeys(names)))
        suspects = falls(entry, _measure_all(one for one in chosen if one.name in names))
    for words in suspects:
        print(f"fallen: {words}")
    return 1 if suspects else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="How fast we are beside others.")
    parser.add_argument("--check", action="store_true", help="compare with the history")
    parser.add_argument("--only", default="", metavar="NAME", help="contests with this in the name")
    args = parser.parse_args()
    keep_freed_memory()  # as sessions of the program do
    contests = [one for one in all_contests() if args.only in one.name]
    if args.check:
        return check(contests)
    before = _load()
    measured = _measure_all(contests if args.only else fair_now(contests))
    if args.only:
        return 0
    entry = new_entry(measured, (before, _load()))
    history = json.loads(HISTORY.read_text("utf-8")) if HISTORY.exists() else []
    HISTORY.write_text(json.dumps([*history, entry], indent=1) + "\n", "utf-8")
    PAGE.write_text(page_of(measured, entry), "utf-8")
    print(f"written: {PAGE.name}, {HISTORY.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
