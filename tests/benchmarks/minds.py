"""What language minds cost: our CPU time per call, and the wait for answers.

The server is tests/provider.py in a process of its own. CPU time is that of this process, with the
thread that writes the run file. The bare client is aiohttp: it makes and reads the JSON of the same
requests, as many at once as a question has agents. Programs take turns; of CPU times the best turn
counts, since a busy machine can only add to them, and of wall times the median. Run files lie on
the disk that TMPDIR says.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from urllib.request import urlopen

import aiohttp

from society.components.language import llm_policy
from society.components.language.llm_policy import LanguagePolicy
from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.action_spaces import Real
from society.engine.calls import ASKED_ON, Address, Completion, Going, Minds, Request
from society.engine.cancellation import CancellationToken
from society.engine.environment import Environment
from society.engine.population import Cohort
from society.engine.scenario import Params, scenario
from society.engine.script import Ask, Script
from society.llm.call_tables import Call
from society.llm.prompt_files import Prompts
from society.runs.manifest import manifest_of
from society.runs.runfile import Writer, open_run_file

AGENTS, TURNS = 200, 5
SERVER = Path(__file__).parents[1] / "provider.py"


@contextmanager
def served() -> Iterator[str]:
    """The URL of a server."""
    words = [sys.executable, str(SERVER)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def slow_down(url: str, seconds: float) -> None:
    """Every answer takes so long from now on."""
    plan = json.dumps({"latency": seconds}).encode()
    urlopen(url.removesuffix("/v1") + "/plan", plan).close()


class Instant:
    """Minds that say at once what was said in an earlier run: no client, and no wait."""

    patience = 0.0

    def __init__(self, said: Mapping[Address, Completion]) -> None:
        self._said = said

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        return self._said[request.address]

    async def close(self) -> None:
        pass


def villages(url: str, rounds: int, count: int) -> Society:
    """AGENTS language agents in so many villages, in which nobody dies; ten of them are seen."""
    agents = AGENTS // count
    lake = {"capacity": 30 * agents, "catchability": 0.5 / agents, "wealth": 1e6}
    parameters = {**lake, "ends_on": "horizon", "peers_seen": 10}
    sizes = {"agents": agents, "replicates": count, "rounds": rounds}
    return build(load_config("language_village", {"parameters": parameters, **sizes, **model(url)}))


def model(url: str) -> Mapping[str, Any]:
    """The lean path, with room for everybody at once."""
    settings = {"model": "benchmark", "api_base": url, "concurrency": AGENTS}
    return {"models": {"default": settings}}


def recorded(setup: Society, path: Path, minds: Minds | None = None) -> None:
    """Play with a run file."""
    with Writer(path, manifest_of(setup), overwrite=True) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store, minds=minds)).play()


def calls_of(setup: Society, path: Path) -> list[Call]:
    """Play a society and list its calls, each question once."""
    recorded(setup, path)
    with open_run_file(path) as run:
        calls = list(run.calls())
    assert calls, "somebody was asked"
    assert not any(call.request.again for call in calls), "all answers could be read"
    return calls


def bodies(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Bodies of all requests that were posted."""
    return [
        {
            "messages": [word._asdict() for word in call.request.messages],
            **{name: value for name, value in call.said.sent.items() if name != ASKED_ON},
        }
        for call in calls
    ]


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
) -> dict[str, list[float]]:
    """Seconds of each in all turns, by a clock."""
    times: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(TURNS):
        for name, play in plays.items():
            times[name].append(taken(clock, play))
    return times


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


def cost_of_a_call(url: str, folder: Path, count: int) -> None:
    """CPU time per call of some villages, by parts, and against the bare client."""
    setup, path = villages(url, 4, count), folder / "village.run"
    calls = calls_of(setup, path)
    posted = bodies(calls)
    instant = Instant({call.request.address: call.said for call in calls})
    unrecorded = partial(setup.gamemaster, minds=instant)
    seconds = in_turns(
        time.process_time,
        {
            "whole": lambda: recorded(setup, path),
            "no client": lambda: recorded(setup, path, instant),
            "nor file": lambda: unrecorded().play(),
            "bare": lambda: bare(url, posted),
        },
    )
    whole, no_client, nor_file, client = map(min, seconds.values())
    prompt = within(Prompts, "question", lambda: unrecorded().play())
    reading = within(llm_policy, "read_reply", lambda: unrecorded().play())
    parts = {
        "prompt": prompt,
        "reading": reading,
        "asking, settling, ledger": nor_file - prompt - reading,
        "limiter, retries, wire": whole - no_client - client,
        "run file": no_client - nor_file,
        "ours (target 0.25)": whole - client,
        "bare client": client,
        "whole lean path (target 0.5)": whole,
    }
    letters = sum(len(body["messages"][0]["content"]) for body in posted) / len(posted)
    print(f"{AGENTS} agents in {count} villages: prompts of {letters:,.0f} letters")
    for name, cost in parts.items():
        milliseconds = cost / len(calls) * 1e3
        print(
            f"  {name:30} {milliseconds:5.3f} ms of CPU a call, {cost / client:4.2f} bare clients"
        )
    ratios = sorted(map(truediv, seconds["whole"], seconds["bare"]))
    print(f"  whole path turn by turn: {', '.join(f'{one:.2f}' for one in ratios)} bare clients")


@scenario(params=Params, cast=lambda p, n: [Cohort("speaker", n, (LanguagePolicy(),))])
def moods(env: Environment) -> Script:
    """Everybody is asked one question a round."""
    for _ in env.rounds():
        yield Ask("mood", Real(0, 1))


def waiting(url: str, folder: Path, latency: float, rounds: int, most: float) -> None:
    """Wall time against the sum of the latencies, with a run file, and of the bare client."""
    sizes = {"agents": AGENTS, "rounds": rounds}
    setup, path = (
        build(load_config("moods", {**sizes, **model(url)}), own=[moods]),
        folder / "a.run",
    )
    slow_down(url, 0.0)
    posted = bodies(calls_of(setup, path))
    slow_down(url, latency)
    seconds = in_turns(
        time.perf_counter,
        {"ours": lambda: recorded(setup, path), "bare": lambda: bare(url, posted)},
    )
    ours, client = (median(seconds[name]) / (rounds * latency) for name in ("ours", "bare"))
    print(
        f"{AGENTS} agents, answers after {latency:g} s: wall / critical path  {ours:.2f} "
        f"(at most {most:g}); bare client {client:.2f}"
    )


def main() -> None:
    with served() as url, TemporaryDirectory() as name:
        folder = Path(name)
        cost_of_a_call(url, folder, count=20)
        cost_of_a_call(url, folder, count=1)
        waiting(url, folder, latency=0.05, rounds=10, most=3)
        waiting(url, folder, latency=1.0, rounds=2, most=1.15)


if __name__ == "__main__":
    main()
