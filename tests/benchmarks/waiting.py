"""How long a society waits for slow answers, played as one batch and in slices of its replicates.

The offline mind answers after a time that chance gives to each call, log-normal with sigma 1 and a
median of MEDIAN seconds: one answer in twenty takes five times as long, one in a hundred ten times.
Both ways ask the same and have the same digest. `batch` is how all was played before slices.
`path` is the longest sum of latencies that some replicate has to wait for one after the other: no
order of calls is faster. Times are wall times, the best of turns; run files lie on the disk that
TMPDIR says.
"""

from __future__ import annotations

import asyncio
import gc
import math
import time
from collections import defaultdict
from hashlib import blake2b
from pathlib import Path
from statistics import NormalDist
from tempfile import TemporaryDirectory
from typing import Any

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.calls import Address, Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.llm.providers.free_minds import FreeMinds
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer

MEDIAN, SIGMA, TURNS = 0.05, 1.0, 3
LEAST_GAIN = 1.3  # of a tournament


def latency(address: Address) -> float:
    """Seconds that the answer to one call takes."""
    said = "\0".join(map(str, address))
    u = int.from_bytes(blake2b(said.encode(), digest_size=6).digest(), "little") / 2**48
    return MEDIAN * math.exp(SIGMA * NormalDist().inv_cdf(max(u, 1e-9)))


class HeavyTailed(FreeMinds):
    """The offline mind, with an answer of its own latency to each call."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.asked: list[Request] = []

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        self.asked.append(request)
        reply = await super().call(request, going, token)
        await asyncio.sleep(latency(request.address))
        return reply

    def path(self) -> float:
        """The longest sum of latencies in one replicate, in which a question waits for the last."""
        slowest: dict[int, dict[tuple[str, int], float]] = defaultdict(lambda: defaultdict(float))
        of_one: dict[tuple[Any, ...], float] = defaultdict(float)  # repairs come one by one
        for request in self.asked:
            at = request.address
            of_one[at[:-1]] += latency(at)
            question = slowest[at.replicate]
            key = at.occasion, at.use
            question[key] = max(question[key], of_one[at[:-1]])
        return max(sum(questions.values()) for questions in slowest.values())


def tournament() -> Society:
    """Four language minds that play the repeated prisoner's dilemma, each against all."""
    types = [{"name": f"type{number}", "components": ["language_policy"]} for number in range(4)]
    mechanisms = [{"repetition": {"games": 12, "continuation": 0.8, "window": 3}}, "tournament"]
    return build(load_config("prisoners_dilemma", {"mechanisms": mechanisms, "cohorts": types}))


def donors() -> Society:
    """Eight donor games of six language minds each, over two generations."""
    sizes = {"replicates": 8, "agents": 6}
    mechanisms = [{"generations": {"fitness": "final", "count": 2, "selection": "truncation"}}]
    parameters = {"minds": "language", "games": 1}
    changes = {**sizes, "mechanisms": mechanisms, "parameters": parameters, "rounds": 6}
    return build(load_config("donor_game", changes))


def played(setup: Society, minds: HeavyTailed, path: Path, *, sliced: bool) -> tuple[float, str]:
    """Wall time in seconds to play a society into a run file, and its digest."""
    gc.collect()
    start = time.perf_counter()
    with Writer(path, manifest_of(setup), overwrite=True) as writer:
        make = setup.sliced_game if sliced else setup.gamemaster
        outcome = make([writer], outside=setup.outside(writer.call_store, minds=minds)).play()
    return time.perf_counter() - start, outcome.digest


def compare(name: str, setup: Society, path: Path) -> float:
    """Print both ways to play; return how many times faster slices are."""
    best, digests, minds = {}, set(), HeavyTailed(setup.seed)
    for sliced in (False, True):
        times = []
        for _ in range(TURNS):
            minds = HeavyTailed(setup.seed)
            seconds, digest = played(setup, minds, path, sliced=sliced)
            times.append(seconds)
            digests.add(digest)
        best[sliced] = min(times)
    assert len(digests) == 1, "both ways play the same"
    gain = best[False] / best[True]
    print(
        f"{name}: {setup.replicates} replicates, {len(minds.asked):,} questions: batch "
        f"{best[False]:.2f} s, slices {best[True]:.2f} s, {gain:.2f} times as fast; "
        f"path {minds.path():.2f} s"
    )
    return gain


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        gain = compare("tournament", tournament(), path)
        print(f"  at least {LEAST_GAIN:g}: {'reached' if gain >= LEAST_GAIN else 'missed'}")
        compare("donor games", donors(), path)


if __name__ == "__main__":
    main()
