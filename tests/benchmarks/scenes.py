"""What an open scene costs: calls, waiting, processor time, and lines to write one.

    calls       a turn, divided by those who act, with 5 and 10 friends, in each order of turns
    waiting     10 agents and 20 turns, when each call takes LATENCY seconds, by order of turns
    processor   milliseconds an agent and turn: the offline mind with all prompts, and rules alone
    lines       of code of each scene, without docstrings and blank lines

The offline mind answers; wall times are single measurements, processor times the best of TURNS.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.llm.providers.free_minds import FreeMinds
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer

LATENCY, TURNS = 0.05, 3
ORDERS = ("at_once", "fixed", "initiative", "referee")
SCENES = (
    *("collective_labour", "haggling", "irrigation_election", "marketplace"),
    "pub_coordination",
)
MOST_CALLS = 2.0  # of each who acts in a turn, and one of the referee
HOME = Path(__file__).parents[2] / "scenarios" / "scenes"


class Slow(FreeMinds):
    """The offline mind, which takes some time to answer and counts its calls."""

    def __init__(self, seed: int, latency: float = 0.0) -> None:
        super().__init__(seed)
        self.latency, self.kinds = latency, Counter[str]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        self.kinds[request.address.kind] += 1
        if self.latency:
            await asyncio.sleep(self.latency)
        return await super().call(request, going, token)


def evening(friends: int, rounds: int, order: str = "at_once", **changes: Any) -> Society:
    said = {"agents": friends + 1, "rounds": rounds, "parameters": {"order": order}, **changes}
    return build(load_config("pub_coordination", said))


def by_rules(friends: int, rounds: int, replicates: int) -> Society:
    cohorts = [
        {"name": "friend", "count": friends, "components": ["pub_goer"]},
        {"name": "referee", "count": 1, "components": ["plain_referee"]},
    ]
    return evening(friends, rounds, cohorts=cohorts, replicates=replicates)


def seconds(setup: Society, minds: FreeMinds | None = None) -> tuple[float, float]:
    """Wall and processor time of a run into a file."""
    with TemporaryDirectory() as folder, Writer(Path(folder) / "a.run", manifest_of(setup)) as file:
        outside = setup.outside(file.call_store) if minds is None else None
        game = setup.gamemaster([file], outside=outside, minds=minds)
        wall, processor = time.perf_counter(), time.process_time()
        game.play()
        return time.perf_counter() - wall, time.process_time() - processor


def code_lines(file: Path) -> int:
    from tests.test_architecture import code_lines as count

    return count(file.read_text(encoding="utf-8"))


def main() -> None:
    print("calls a turn of each who acts (and at most one of the referee for a turn of all)")
    for order in ORDERS:
        row = []
        for friends in (5, 10):
            minds = Slow(1)
            evening(friends, 4, order).gamemaster(minds=minds).play()
            own = sum(count for kind, count in minds.kinds.items() if kind != "resolve")
            row.append(f"{own / (4 * friends):.2f} + {minds.kinds['resolve'] / 4:.2f} / {friends}")
            assert own <= 4 * friends * MOST_CALLS
            assert minds.kinds["resolve"] <= 4
        print(f"  {order:12} {'   '.join(row)}")
    print(f"waiting: 9 friends and a referee, 20 turns, {1000 * LATENCY:.0f} ms a call")
    for order in ORDERS:
        minds = Slow(1, LATENCY)
        wall, _ = seconds(evening(9, 20, order), minds)
        print(f"  {order:12} {wall:6.1f} s for {sum(minds.kinds.values())} calls")
    print("processor, ms an agent and turn")
    free = min(seconds(evening(9, 20))[1] for _ in range(TURNS))
    print(f"  in words     {1000 * free / (10 * 20):6.2f}")
    rules = min(seconds(by_rules(9, 20, 20))[1] for _ in range(TURNS))
    print(f"  by rules     {1000 * rules / (10 * 20 * 20):6.2f}")
    print("lines of code")
    for name in SCENES:
        print(f"  {name:18} {code_lines(HOME / f'{name}.py')}")


if __name__ == "__main__":
    main()
