"""Small recorded runs for the theatre, each played once a session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.history import InMemoryRecorder, Page
from society.experiments.analysis_plan import AnalysisPlan
from society.experiments.factors import Label
from society.experiments.folder import NOTE, ConditionFile, SweepFolder
from society.llm.providers.free_minds import FreeMinds
from society.runs.runfile import Manifest, Writer, manifest_of, open_run_file
from society.theatre.conditions_data import RunsFolder, read_folder
from society.theatre.history import History

Record = Callable[..., History]


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """`record(scenario, changes)` plays a scenario and opens its history; equal ones are shared."""
    made: dict[str, History] = {}

    def recorded(scenario: str, changes: Mapping[str, Any], level: Any = None) -> History:
        named = repr((scenario, changes, level))
        if named not in made:
            path = tmp_path_factory.mktemp("theatre") / "small.run"
            setup = build(load_config(scenario, changes))
            with Writer(path, manifest_of(setup, level)) as writer:
                setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
            made[named] = History(open_run_file(path))
        return made[named]

    yield recorded
    for history in made.values():
        history.run.close()


@pytest.fixture(scope="session")
def village(record: Record) -> History:
    """Four poor villagers, six rounds at most: fines, caps, and one who is fined to death."""
    poor = {"population": "mixed", "wealth": 2, "consumption": 3, "punishers": "text"}
    changes = {"agents": 4, "rounds": 6, "seed": 9, "parameters": {**poor, "effort_rule": "trait"}}
    return record("fishing_village", changes)


@pytest.fixture(scope="session")
def pair(record: Record) -> History:
    """Two replicates of a village of four that lasts for six rounds."""
    changes = {"agents": 4, "rounds": 6, "seed": 9, "replicates": 2}
    return record("fishing_village", {**changes, "parameters": {"population": "mixed"}})


@pytest.fixture(scope="session")
def uneven(record: Record) -> History:
    """Two villages of four: the first one ends in round 2, the other one lasts for six rounds."""
    poor = {"population": "mixed", "wealth": 2, "consumption": 3}
    return record(
        "fishing_village",
        {"agents": 4, "rounds": 6, "seed": 4, "replicates": 2, "parameters": poor},
    )


@pytest.fixture(scope="session")
def chain(record: Record) -> History:
    """Six donors over four generations, whose strategies are in words that elders advise."""
    evolve = {"count": 4, "fitness": "final", "phenotype": "share", "selection": "truncation"}
    changes = {
        "agents": 6,
        "seed": 3,
        "replicates": 2,
        "parameters": {"games": 1},
        "rounds": 3,
        "mechanisms": [{"generations": {**evolve, "strategies": "advice"}}],
    }
    return record("donor_game", changes)


@pytest.fixture(scope="session")
def rivals(record: Record) -> History:
    """Three types, each of which meets all types on both seats, twice."""
    types = {"rogue": "always_defect", "mirror": "tit_for_tat", "pavlov": "win_stay_lose_shift"}
    cohorts = [
        {"name": name, "components": [{"classic_strategies": {"strategy": strategy}}]}
        for name, strategy in types.items()
    ]
    mechanisms = [{"repetition": {"games": 6}}, {"tournament": {"repetitions": 2}}]
    return record("prisoners_dilemma", {"mechanisms": mechanisms, "cohorts": cohorts})


@pytest.fixture(scope="session")
def ring(record: Record) -> History:
    """Eight villagers on a shore, who watch and copy their neighbours alone."""
    changes = {"agents": 8, "rounds": 4, "seed": 2, "graph": "ring"}
    return record("fishing_village", changes)


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> RunsFolder:
    """A sweep of two fines with three villages each, and a condition that has not begun."""
    folder = tmp_path_factory.mktemp("fines")
    conditions = []
    for fine in (2, 18, 30):
        changes = {"replicates": 3, "rounds": 12, "seed": 4, "parameters": {"fine": fine}}
        setup = build(load_config("fishing_village", changes))
        file = f"fine={fine}.run"
        factors: dict[str, Label] = {"fine": fine}
        conditions.append(ConditionFile(name=str(fine), factors=factors, file=file, essence=""))
        if fine < 30:
            with Writer(folder / file, manifest_of(setup, "summary")) as writer:
                setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    note = SweepFolder(
        name="fines",
        text="",
        random_numbers="common",
        levels={"fine": [2, 18, 30]},
        analysis=AnalysisPlan(),
        conditions=conditions,
    )
    (folder / NOTE).write_text(note.model_dump_json(), "utf-8")
    return read_folder(folder)


@pytest.fixture(scope="session")
def played() -> tuple[Manifest, list[Page]]:
    """A village of four over six rounds, with what its run file says of it."""
    setup = build(load_config("fishing_village", {"agents": 4, "rounds": 6, "seed": 9}))
    kept = InMemoryRecorder()
    setup.gamemaster([kept]).play()
    return manifest_of(setup), kept.pages


class ManyTongues(FreeMinds):
    """The offline mind, but villager 0 thinks aloud, 1 cannot be read, 2 writes what it likes."""

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        said = await super().call(request, going, token)
        said = said._replace(cost=0.00125, cached_tokens=100, latency=0.25)
        kind, agent = request.address.kind, request.address.agent
        if (kind, agent) == ("effort", 0):
            return said._replace(text='{"situation": "The lake is full.", "answer": 0.25}')
        if (kind, agent) == ("effort", 1):
            return said._replace(text="I would rather sleep.")
        if (kind, agent) == ("propose", 2):
            norm = "少なく獲ろう \x1b[31m‮ we [bold]take[/bold] less"
            return said._replace(text=json.dumps({"personal": norm, "community": norm}))
        return said


@pytest.fixture(scope="session")
def thinkers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """Three villagers with memories and thoughts, in three rounds; see ManyTongues."""
    path = tmp_path_factory.mktemp("thinkers") / "thinkers.run"
    parts = ["persona", "recall", "plan", "personal_norm", "situation"]
    cohort = {"name": "thinkers", "count": 3, "components": [*parts, "language_policy"]}
    changes = {"rounds": 3, "seed": 4, "cohorts": [cohort], "agents": None}
    changes |= {"parameters": {"norm_embedder": "hashing"}}
    setup = build(load_config("language_village", changes))
    with Writer(path, manifest_of(setup)) as writer:
        outside = setup.outside(writer.call_store, minds=ManyTongues(4))
        setup.gamemaster([writer], outside=outside).play()
    with open_run_file(path) as run:
        yield History(run)
