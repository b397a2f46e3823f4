"""What language minds cost: our CPU time per call, the wait for answers, the price of long runs.

The server is tests/provider.py in a process of its own. CPU time is that of this process, with the
thread that writes the run file. The bare client is aiohttp: it makes and reads the JSON of the same
requests, as many at once as a question has agents. Programs take turns, and of each the median
counts, so that ratios hold on a busy machine. Run files lie on the disk: TMPDIR says on which.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from unittest.mock import patch
from urllib.request import urlopen

import aiohttp

from society.calls import Address, Going, Minds, Request, Said
from society.cast import Cohort
from society.components import language
from society.components.language import LanguagePolicy
from society.prompts import Prompts
from society.replies import Amount
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer, open_run
from society.scenario import Params, scenario
from society.scenario_file import load
from society.spec import Setup, prepared
from society.table import Table
from society.talk import Ask, Page, Script

AGENTS, TURNS = 200, 5
SERVER = Path(__file__).parent.parent / "tests" / "provider.py"

T = TypeVar("T")


@contextmanager
def served() -> Iterator[str]:
    """The URL of a server."""
    words = [sys.executable, str(SERVER)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def slow_down(url: str, seconds: float) -> None:
    """Every answer takes so long from now on."""
    plan = json.dumps({"latency": seconds}).encode()
    urlopen(url.removesuffix("/v1") + "/plan", plan).close()


class Instant:
    """Minds that say at once what was said in an earlier run: no client, and no wait."""

    def __init__(self, said: Mapping[Address, Said]) -> None:
        self._said = said

    async def call(self, request: Request, going: Going) -> Said:
        await going()
        return self._said[request.address]

    async def close(self) -> None:
        pass


def village(url: str, rounds: int, peers_seen: int | None) -> Setup:
    """A village of language agents, in which nobody dies and whose lake grows with it."""
    lake = {"capacity": 30 * AGENTS, "catchability": 0.5 / AGENTS, "wealth": 1e6}
    parameters = {**lake, "ends_on": "horizon", "peers_seen": peers_seen}
    sizes = {"agents": AGENTS, "rounds": rounds}
    return prepared(load("language_village", {"parameters": parameters, **sizes, **model(url)}))


def model(url: str) -> Mapping[str, Any]:
    """The lean path, with room for everybody at once."""
    settings = {"model": "benchmark", "api_base": url, "concurrency": AGENTS}
    return {"models": {"default": settings}}


def recorded(setup: Setup, path: Path) -> None:
    """Play with a run file."""
    game = setup.gamemaster()
    with Writer(path, manifest_of(setup, game), overwrite=True) as writer:
        game.recorders = [writer]
        game.play()


def unrecorded(setup: Setup, minds: Minds | None = None) -> None:
    """Play without one."""
    setup.gamemaster(minds=minds).play()


def bare(url: str, bodies: Sequence[Mapping[str, Any]]) -> None:
    """Post bodies and read what comes back, each question's when those of the last are answered."""

    async def post(session: aiohttp.ClientSession, body: Mapping[str, Any]) -> Any:
        async with session.post(f"{url}/chat/completions", data=json.dumps(body)) as response:
            return json.loads(await response.read())

    async def all_of_them() -> None:
        headers = {"Content-Type": "application/json"}
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(headers=headers, connector=connector) as session:
            for start in range(0, len(bodies), AGENTS):
                await asyncio.gather(*(post(session, body) for body in bodies[start:][:AGENTS]))

    asyncio.run(all_of_them())


def taken(clock: Callable[[], float], play: Callable[[], object]) -> float:
    """Seconds of one call by a clock."""
    gc.collect()
    start = clock()
    play()
    return clock() - start


def in_turns(
    clock: Callable[[], float], plays: Mapping[str, Callable[[], object]]
) -> dict[str, float]:
    """Seconds of each by a clock, the median of several turns."""
    times: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(TURNS):
        for name, play in plays.items():
            times[name].append(taken(clock, play))
    return {name: median(several) for name, several in times.items()}


def within(owner: object, name: str, play: Callable[[], object]) -> float:
    """CPU seconds that `play` spends in one function of ours."""
    function, total = getattr(owner, name), 0.0

    def timed(*args: Any, **more: Any) -> Any:
        nonlocal total
        start = time.thread_time()
        try:
            return function(*args, **more)
        finally:
            total += time.thread_time() - start

    with patch.object(owner, name, timed):
        play()
    return total


def cost_of_a_call(url: str, folder: Path, peers_seen: int | None) -> None:
    """CPU time per call of a village of 200, whole and by parts."""
    setup, path = village(url, rounds=2, peers_seen=peers_seen), folder / "village.run"
    recorded(setup, path)
    with open_run(path) as run:
        calls = list(run.calls())
    assert not any(call.request.again for call in calls), "the server answers in the form asked for"
    bodies = [
        {"messages": [word._asdict() for word in call.request.messages], **call.said.sent}
        for call in calls
    ]
    instant = Instant({call.request.address: call.said for call in calls})
    seconds = in_turns(
        time.process_time,
        {
            "whole": lambda: recorded(setup, path),
            "no file": lambda: unrecorded(setup),
            "no client": lambda: unrecorded(setup, instant),
            "bare": lambda: bare(url, bodies),
        },
    )
    inner = {
        "prompt": within(Prompts, "question", lambda: unrecorded(setup, instant)),
        "reading": within(language, "read", lambda: unrecorded(setup, instant)),
    }
    parts = {
        **inner,
        "asking, settling, ledger": seconds["no client"] - sum(inner.values()),
        "limiter, retries, wire": seconds["no file"] - seconds["no client"] - seconds["bare"],
        "run file, committed before use": seconds["whole"] - seconds["no file"],
        "OURS (at most 0.25)": seconds["whole"] - seconds["bare"],
        "bare client": seconds["bare"],
        "WHOLE lean path (at most 0.5)": seconds["whole"],
    }
    letters = sum(len(body["messages"][0]["content"]) for body in bodies) / len(bodies)
    sight = "everybody" if peers_seen is None else f"{peers_seen} peers"
    print(f"CPU ms per call; {AGENTS} agents who see {sight}, prompts of {letters:,.0f} letters")
    for name, cost in parts.items():
        print(f"  {name:32} {cost / len(calls) * 1e3:5.3f}")


@scenario(params=Params, cast=lambda p, n: [Cohort("speaker", n, (LanguagePolicy(),))])
def moods(table: Table) -> Script:
    """Everybody is asked one question a round."""
    for _ in table.rounds():
        yield Ask("mood", Amount(0, 1))


def waiting(url: str, folder: Path, latency: float, rounds: int, most: float) -> None:
    """Wall time against the sum of the latencies, with a run file, and of the bare client."""
    sizes = {"agents": AGENTS, "rounds": rounds}
    setup, path = prepared(load("moods", {**sizes, **model(url)}), own=[moods]), folder / "a.run"
    slow_down(url, 0.0)
    recorded(setup, path)
    with open_run(path) as run:
        bodies = [
            {"messages": [word._asdict() for word in call.request.messages], **call.said.sent}
            for call in run.calls()
        ]
    slow_down(url, latency)
    seconds = in_turns(
        time.perf_counter,
        {"ours": lambda: recorded(setup, path), "bare": lambda: bare(url, bodies)},
    )
    ours, client = (seconds[name] / (rounds * latency) for name in ("ours", "bare"))
    print(
        f"{AGENTS} agents, answers after {latency:g} s: wall / critical path  {ours:.2f} "
        f"(at most {most:g}); bare client {client:.2f}"
    )


class Watch:
    """A recorder that notes, after every round, CPU time, and the size of a run file."""

    def __init__(self, path: Path) -> None:
        self._path, self.times, self.sizes = path, list[float](), dict[int, int]()

    def page(self, page: Page) -> None:
        self.times.append(time.process_time())
        if page.number % 500 == 0 and page.number:
            with closing(sqlite3.connect(self._path)) as reader:
                (pages,), (size,) = (
                    reader.execute(f"PRAGMA {name}").fetchone()
                    for name in ("page_count", "page_size")
                )
            self.sizes[page.number] = pages * size


def long_run(folder: Path) -> None:
    """A thousand rounds of ten agents with the offline mind."""
    parameters = {"ends_on": "horizon", "wealth": 1e6}
    setup = prepared(load("language_village", {"rounds": 1_000, "parameters": parameters}))
    game, path = setup.gamemaster(), folder / "long.run"
    watch = Watch(path)
    with Writer(path, manifest_of(setup, game)) as writer:
        game.recorders = [writer, watch]
        game.play()
    rounds = [later - sooner for sooner, later in zip(watch.times, watch.times[1:], strict=False)]
    first, last = median(rounds[:100]), median(rounds[-100:])
    half, full = watch.sizes[500], watch.sizes[1_000]
    print(
        f"1,000 rounds: CPU ms a round, first tenth {first * 1e3:.1f}, last tenth {last * 1e3:.1f}, "
        f"ratio {last / first:.2f}"
    )
    print(
        f"run file: {half / 1e6:.1f} MB at 500 rounds, {full / 1e6:.1f} MB at 1,000, "
        f"ratio {full / half:.2f}"
    )


def main() -> None:
    with served() as url, TemporaryDirectory() as name:
        folder = Path(name)
        cost_of_a_call(url, folder, peers_seen=10)
        cost_of_a_call(url, folder, peers_seen=None)
        waiting(url, folder, latency=0.05, rounds=10, most=3)
        waiting(url, folder, latency=1.0, rounds=2, most=1.15)
        long_run(folder)


if __name__ == "__main__":
    main()
