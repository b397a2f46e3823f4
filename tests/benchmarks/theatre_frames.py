"""What the theatre costs: CPU time of a frame at 120 x 40, drawn and played on a headless terminal.

Ten villagers, 1,000 rounds, by rules; a thousand villagers, 20 rounds; lines of descent, a ranking
of types, and a network. Playing holds 20 frames
a second on one core if a frame that is played takes less than 50 ms.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import society
from society.runs.reader import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.app import Theatre
from society.theatre.draw import draw
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.view import View

SIZE = Size(120, 40)
STYLE = TerminalStyle("utf-8", SIZE.width)


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU time that something takes, in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


async def play(history: History, rounds: int) -> float:
    """Return the CPU time of a round that is played on a headless terminal, in seconds."""
    theatre = Theatre(history, View(), STYLE)
    async with theatre.run_test(size=SIZE) as pilot:
        start = time.process_time()
        for number in range(1, rounds + 1):
            theatre.look(View(round=number))
            await pilot.pause()
        return (time.process_time() - start) / rounds


def report(name: str, path: Path) -> None:
    """Print the costs of looking at a run."""
    with open_run_file(path) as run:
        history = History(run)
        index = cpu(lambda: history.course(0))
        rounds = min(history.last, 200)
        drawn = [
            cpu(lambda number=number: draw(history, View(round=number), SIZE, STYLE))  # type: ignore[misc]
            for number in range(1, rounds + 1)
        ]
        played = asyncio.run(play(history, rounds))
    print(f"{name}: the index {index:.2f} s")
    print(
        f"  a frame, drawn     median {median(drawn) * 1e3:5.1f} ms, worst {max(drawn) * 1e3:.1f}"
    )
    print(f"  a frame, played    mean   {played * 1e3:5.1f} ms")


def report_screen(name: str, path: Path, view: View) -> None:
    """Print the costs of a screen: of reading what it shows, and of a frame after that."""
    with open_run_file(path) as run:
        history = History(run)
        first = cpu(lambda: draw(history, view, SIZE, STYLE))
        drawn = [cpu(lambda: draw(history, view, SIZE, STYLE)) for _ in range(20)]
    print(f"{name}: the first frame {first:.2f} s, others median {median(drawn) * 1e3:.1f} ms")


def main() -> None:
    lasting = {"ends_on": "horizon", "wealth": 1e6}
    with TemporaryDirectory() as folder:
        long, crowd = Path(folder) / "long.run", Path(folder) / "crowd.run"
        society.run("fishing_village", seed=1, rounds=1_000, parameters=lasting, out=long)
        society.run("fishing_village", seed=1, rounds=20, agents=1_000, parameters=lasting,
                    out=crowd)  # fmt: skip
        report("10 villagers, 1,000 rounds", long)
        report("1,000 villagers, 20 rounds", crowd)
        for scenario, screen in (
            ("donor_generations", "lineage"),
            ("cultural_evolution", "lineage"),
            ("dilemmas_round_robin", "ranking"),
            ("fishing_village_ring", "graph"),
        ):
            path = Path(folder) / f"{scenario}.run"
            society.run(scenario, seed=1, out=path)
            report_screen(f"{scenario}, {screen}", path, View(round=1, screens=(screen,)))


if __name__ == "__main__":
    main()
