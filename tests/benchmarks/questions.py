"""How fast the matches of a tournament are asked, with models that take no time or a known one.

Six language minds play the repeated prisoner's dilemma, each against all: 36 matches of 15 games,
1,080 questions, 72 at once, with a run file that has every answer on the disk before it is used.
The model is a function in this process, so that nothing but ours is measured. Without latency all
matches are played as one batch, as for the offline mind; with it in slices, as for other models.
`ideal` is what the latencies add up to where all that can wait together does. Without latency the
CPU time of the process counts, its threads included, which is nearly the wall time of an idle
machine; with it the wall time. The best of turns: whatever else a machine does can only add to
them. Run files lie on the disk that TMPDIR says.
"""

from __future__ import annotations

import asyncio
import gc
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.action_spaces import MixedStrategy
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer

TYPES, GAMES, TURNS = 6, 15, 7
LEAST_PER_SECOND, MOST_IDEALS = 2_500, 1.5


class Steady:
    """Minds that take `latency` seconds over each answer and mix all actions evenly."""

    patience = 0.0

    def __init__(self, latency: float) -> None:
        self.latency, self.calls = latency, 0

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        if self.latency:
            await asyncio.sleep(self.latency)
        self.calls += 1
        assert request.question is not None
        assert isinstance(request.question.reply, MixedStrategy)
        first, *others = request.question.reply.actions
        share = 100 // (1 + len(others))
        said = {first: 100 - share * len(others)} | dict.fromkeys(others, share)
        return Completion(f"Both have their price. {json.dumps(said)}", model="steady")

    async def close(self) -> None:
        pass


def tournament() -> Society:
    """The repeated dilemma of six language minds."""
    types: list[dict[str, Any]] = [
        {"name": f"type{number}", "components": ["language_policy"]} for number in range(TYPES)
    ]
    mechanisms = [{"repetition": {"games": GAMES, "continuation": 0.8, "window": 3}}, "tournament"]
    return build(load_config("prisoners_dilemma", {"mechanisms": mechanisms, "cohorts": types}))


def seconds(setup: Society, minds: Steady, path: Path) -> float:
    """Seconds to play a society into a run file: of the wall, or of the CPU without latency."""
    clock = time.perf_counter if minds.latency else time.process_time
    gc.collect()
    start = clock()
    with Writer(path, manifest_of(setup), overwrite=True) as writer:
        make = setup.sliced_game if minds.latency else setup.gamemaster
        make([writer], outside=setup.outside(writer.call_store, minds=minds)).play()
    return clock() - start


def main() -> None:
    setup = tournament()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        for latency in (0.0, 0.05):
            minds = Steady(latency)
            best = min(seconds(setup, minds, path) for _ in range(TURNS))
            asked = minds.calls // TURNS
            print(f"{asked:,} questions, answers after {latency:g} s: {best:.2f} s", end="; ")
            if latency:
                ideal = GAMES * latency
                ratio = best / ideal
                print(f"{ratio:.2f} times the ideal {ideal:.2f} s (at most {MOST_IDEALS:g})")
            else:
                print(f"{asked / best:,.0f} a second of CPU (at least {LEAST_PER_SECOND:,})")


if __name__ == "__main__":
    main()
