"""What many tests share: a way to play any script with any agents, and to read what was said."""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from urllib.request import urlopen

import hypothesis
import numpy as np
import pytest

from society.cli.main import main
from society.engine.agents import RunContext
from society.engine.component import AgentGroup, Component, Question
from society.engine.environment import Environment, complete_graphs
from society.engine.game_master import GameMaster, Outcome
from society.engine.graph import Graph
from society.engine.history import InMemoryRecorder, Page, Step
from society.engine.mechanism import public_facts
from society.engine.population import Cast, Cohort, Population
from society.engine.rng import Array
from society.engine.scenario import Measure, Scenario
from society.engine.script import Script
from society.engine.tape import Answerer
from society.experiments.worker import Job, JobResult, run_job
from society.llm.prompt_files import Prompts
from society.memory import embedders
from tests.hostile_server import HostileServer, hostile_server

pytest_plugins = ["tests.figure_checks"]

# Torch comes late. Where tests share the cores, its threads would spin to wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What a test runs is not trusted by the user of this machine, nor the other way round.
os.environ["SOCIETY_STATE"] = tempfile.mkdtemp(prefix="society-state-")

# The same examples every time: when a test begins to fail, a change is to blame. `make test-all`
# plays all properties again with `--hypothesis-profile thorough`.
for profile, examples in (("quick", 20), ("thorough", 200)):
    hypothesis.settings.register_profile(
        profile, deadline=None, max_examples=examples, derandomize=True, database=None
    )
hypothesis.settings.load_profile("quick")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case after the beginning of a long text; else names of megabytes travel to workers."""
    return f"{val[:40]!a}..." if isinstance(val, str | bytes) and len(val) > 60 else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests and their modules stay: collecting garbage need not look at them.

    They are not set aside for good: each game would count what is (society/engine/garbage.py).
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the ten files that took longest, where a run took a minute: it fails nobody."""
    seconds = defaultdict[str, float](float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    total = sum(seconds.values())
    if total >= 60:
        terminalreporter.section(f"slowest files of {total:,.0f} s in tests")
        for file, spent in sorted(seconds.items(), key=lambda one: -one[1])[:10]:
            terminalreporter.write_line(f"{spent:7.1f} s  {file}")


@pytest.fixture
def hashed_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for the sentence model gets hashes of words, where no meaning is looked at.

    A worker takes seconds and half a gigabyte to load the model.
    """
    monkeypatch.setitem(embedders._BY_NAME, "minilm", embedders.Hashing)


@pytest.fixture
def watchdog() -> Iterator[None]:
    """End a test that would never end: after a minute of this process's time, or ten of waiting.

    It is no stopwatch. What a test of this kind is given takes a moment if the program keeps its
    promise, and for ever if not, so that no machine is too slow or too busy to pass.
    """
    bites: list[str] = []

    def bite(number: int, frame: FrameType | None) -> None:
        spent = "a minute of processor time" if number == signal.SIGPROF else "ten minutes"
        bites.append(f"It has not ended in {spent}, as if it never would.")
        pytest.fail(bites[0])

    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    before = {number: signal.signal(number, bite) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, 60, 10)
    signal.setitimer(signal.ITIMER_REAL, 600, 10)
    # Where C code does not return to hear of a signal, the system ends the process.
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 120, hard))
    yield
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in before.items():
        signal.signal(number, handler)
    assert not bites  # what was interrupted may have made something of it


class Played(NamedTuple):
    """A game that is over."""

    outcome: Outcome
    pages: list[Page]
    game: GameMaster

    @property
    def steps(self) -> list[Step]:
        return [step for page in self.pages for step in page.steps]

    def answers(self, kind: str, field: str = "") -> list[Array]:
        """The settled answers to each question of a kind, which was asked; (R, N) or (R, N, K)."""
        found = [step.arrays["answer", field] for step in self.steps if step.kind == kind]
        assert found, f"nobody was asked {kind}, so that a loop over it would check nothing"
        return found

    def told(self, name: str) -> list[Array]:
        """A fact each time it was told, (R, 1) or (R, N) each; it was told, or a test fails."""
        tells = [step for step in self.steps if step.sort == "tell"]
        found = [values for step in tells for key, values in step.arrays.items() if key[1] == name]
        assert found, f"nothing called {name} was told, so that a loop over it would check nothing"
        return found

    def column(self, name: str) -> list[Any]:
        """A public column of replicate 0 at the end."""
        values: list[Any] = self.pages[-1].public[name][0].tolist()
        return values

    @property
    def population(self) -> Population:
        assert isinstance(self.game.answerer, Population)
        return self.game.answerer


def _recorded(game: GameMaster) -> Played:
    recorder = InMemoryRecorder()
    game.recorders = [recorder]
    return Played(game.play(), recorder.pages, game)


def _play(
    script: Scenario | Callable[[Environment], Script],
    *parts: Component,
    cast: Cast | None = None,
    params: Mapping[str, Any] | None = None,
    agents: int = 3,
    replicates: int = 1,
    rounds: int = 1,
    seed: int = 1,
    ids: Sequence[int] | None = None,
    replicate_ids: Sequence[int] | None = None,
    graphs: Mapping[str, Graph] | None = None,
    measures: tuple[Measure, ...] = (),
    answerer: Answerer | None = None,
) -> Played:
    """Play a script or scenario among agents made of `parts`, or with `cast`, or its own cast.

    A script on its own has the complete graph `all`; graphs that are not given are complete.
    """
    scenario = script if isinstance(script, Scenario) else _parlour(script, measures)
    if parts or (cast is None and scenario.name == "parlour"):
        cast = [Cohort("everybody", agents, parts)]
    seats = np.arange(agents) if ids is None else np.array(ids)
    numbers = np.arange(replicates) if replicate_ids is None else np.array(replicate_ids)
    table = Environment(
        scenario.params(**params or {}),
        seed=seed,
        ids=seats,
        replicate_ids=numbers,
        horizon=rounds,
        graphs=complete_graphs(scenario.relations, len(numbers), seats) | dict(graphs or {}),
        facts=public_facts(scenario.play, scenario.params(**params or {})),
    )
    if answerer is None:
        cast = scenario.cast(table.params, agents) if cast is None else cast
        answerer = Population(cast, RunContext(table, words=Prompts("")))
    return _recorded(GameMaster(scenario, table, answerer))


def _parlour(script: Callable[[Environment], Script], measures: tuple[Measure, ...]) -> Scenario:
    return Scenario("parlour", script, cast=lambda p, n: [], measures=measures, relations=("all",))


Play = Callable[..., Played]
Recorded = Callable[[GameMaster], Played]
Answering = Callable[[Callable[[Question, AgentGroup], object]], Component]
Written = Callable[[str, str], str]


@pytest.fixture(scope="session")
def play() -> Play:
    """`play(script, *components, agents=3, ...)` plays a scenario, or a script named parlour."""
    return _play


@pytest.fixture(scope="session")
def recorded() -> Recorded:
    """`recorded(game)` plays the game of a game master and keeps every page."""
    return _recorded


@pytest.fixture(scope="session")
def answering() -> Answering:
    """`answering(rule)` is a component `Oracle` that answers `bid` by a rule over columns."""

    def oracle(rule: Callable[[Question, AgentGroup], object]) -> Component:
        class Oracle(Component):
            answers = ("bid",)

            def answer(self, ask: Question, agents: AgentGroup) -> object:
                return rule(ask, agents)

        return Oracle()

    return oracle


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """`written("a.yaml", text)` writes a file in an empty working directory and gives its path."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return str(file)

    return write


class Provider:
    """A server of tests/provider.py that runs."""

    def __init__(self, url: str) -> None:
        self.url = url

    def plan(self, **plan: Any) -> None:
        """Set the behaviour of the server from now on; see tests/provider.py."""
        self._told("/plan", json.dumps(plan).encode())

    def log(self) -> dict[str, dict[str, Any]]:
        """Return the requests by hash of the prompt: `count`, `full`, and when (`at`, seconds)."""
        return self._told("/log")

    def stats(self) -> dict[str, Any]:
        """Altogether: `count`, `full`, `in_flight`, the `most` at once, and the `last` request."""
        return self._told("/stats")

    def jobs(self) -> dict[str, dict[str, Any]]:
        """Return the jobs of the batch interface, by id, in the order of their beginning."""
        return self._told("/jobs")

    def reset(self) -> None:
        """Forget the plan and what was asked."""
        self._told("/reset", b"")

    def _told(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        with urlopen(self.url.removesuffix("/v1") + path, body) as answer:
            told: dict[str, Any] = json.load(answer)
        return told


@pytest.fixture(scope="session")
def _server() -> Iterator[Provider]:
    words = [sys.executable, str(Path(__file__).with_name("provider.py"))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield Provider(server.stdout.readline().strip())
        server.kill()


@pytest.fixture
def provider(_server: Provider) -> Provider:
    """An OpenAI-compatible server that does as it is told, and has not been asked yet."""
    _server.reset()
    return _server


@pytest.fixture
def hostile() -> Iterator[HostileServer]:
    """A server that answers in whatever way a test wants."""
    with hostile_server() as server:
        yield server


class _Reciting(Component):
    """Plays a word, C for the first action and D for the second."""

    answers = ("move",)

    def __init__(self, word: str) -> None:
        self.word = word

    def answer(self, ask: Question, agents: AgentGroup) -> object:
        chosen = "CD".index(self.word[agents.occasion.use])
        return np.full((len(agents), 2), np.eye(2)[chosen])


Duel = Callable[..., list[str]]


@pytest.fixture(scope="session")
def duel() -> Duel:
    """`duel(Moves("grim"), "CDCCC", game=...)`: what each played, action 0 as C and 1 as D."""

    def played(*minds: Component | str, game: Scenario, rounds: int = 8, **at: Any) -> list[str]:
        parts = [_Reciting(mind) if isinstance(mind, str) else mind for mind in minds]
        rounds = min([rounds, *(len(mind) for mind in minds if isinstance(mind, str))])
        cast = [Cohort(f"player {seat}", 1, (part,)) for seat, part in enumerate(parts, 1)]
        over = _play(game, cast=cast, agents=len(parts), rounds=rounds, **at)
        actions = np.concatenate(over.told("action"))
        return ["".join("CD23456789"[action] for action in one) for one in actions.T]

    return played


class Said(NamedTuple):
    """The output of a command."""

    code: int
    out: str
    err: str

    @property
    def conditions(self) -> dict[str, tuple[str, str]]:
        """The conditions in --json: status and words of each."""
        told = json.loads(self.out)["conditions"]
        return {one["name"]: (one["status"], one["words"]) for one in told}

    @property
    def statuses(self) -> dict[str, str]:
        return {name: status for name, (status, _) in self.conditions.items()}


class _Thread:
    """A cluster of one thread of this process: nothing has to be begun."""

    slots, away = 1, False

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)

    def submit(self, job: Job) -> Future[JobResult]:
        return self._pool.submit(run_job, job)


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """`typed("sweep", "a.yaml", ...)` in an empty folder; rules are played in this process."""
    monkeypatch.chdir(tmp_path)

    @contextmanager
    def processes(workers: int) -> Iterator[_Thread]:
        yield _Thread()

    monkeypatch.setattr("society.experiments.clusters.local_processes", processes)

    def run(*words: object) -> Said:
        code = main([str(word) for word in words])
        return Said(code, *capsys.readouterr())

    return run


Typed = Callable[..., Said]
