"""A society is played from Python by name, file, object or mapping."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx
import numpy as np
import pytest

import society
from society.cli.main import main
from society.components.games.classic_strategies import ClassicStrategies
from society.errors import InputError, Paused, ScenarioError
from society.llm.call_tables import checksum
from society.runs.schema import RunStanding
from society.scenarios.village.fishing_village import fishing_village

if TYPE_CHECKING:
    from society.engine.component import AgentGroup, Question
    from tests.conftest import Written


@dataclass(frozen=True)
class Miser(society.Component):
    """Works little."""

    share: float = 0.1
    answers = ("effort",)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return np.full(len(agents), self.share)


def misers(part: object) -> dict[str, Any]:
    return {"name": "misers", "count": 4, "replace": {"harvest": part}}


SMALL: dict[str, Any] = {"rounds": 3, "agents": 4, "seed": 2}


def test_a_name_is_played_with_what_overrides_it() -> None:
    result = society.run("fishing_village", **SMALL, replicates=2, parameters={"growth": 0.2})
    assert (result.scenario, result.seed, result.replicates, result.played) == (
        "fishing_village",
        2,
        2,
        3,
    )
    assert result.measures["survival_time"].mean == 3
    assert result.measures["survival_time"].n == 2


def test_a_mapping_says_what_a_scenario_file_says() -> None:
    said = {"scenario": "fishing_village", **SMALL}
    assert society.run(said).digest == society.run("fishing_village", **SMALL).digest


def test_a_file_is_played(written: Written) -> None:
    file = written("lake.yaml", "scenario: fishing_village\nrounds: 3\nagents: 4\nseed: 2\n")
    assert society.run(Path(file)).digest == society.run("fishing_village", **SMALL).digest


def test_a_scenario_that_is_defined_in_a_cell_is_played_under_its_own_name() -> None:
    """Even if something of ours has the same name."""
    mine = replace(fishing_village, name="donor_language", rounds=2, agents=4)
    assert society.run(mine).scenario == "donor_language"
    assert society.run({"scenario": mine, "rounds": 1}).played == 1


def test_a_scenario_object_outweighs_files_of_its_name_and_of_ours(written: Written) -> None:
    """Whatever lies in the working directory."""
    for name in ("fishing_village.yaml", "scenarios/fishing_village.yaml", "scenarios/lake.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("no: scenario")
    lake = replace(fishing_village, name="lake", agents=4, rounds=2)
    assert society.run(lake, seed=2).scenario == "lake"
    assert society.run(replace(lake, name="fishing_village"), rounds=1).played == 1


def test_parameters_are_added_to_those_of_a_mapping() -> None:
    said = {"scenario": "fishing_village", **SMALL, "parameters": {"growth": 0.1}}
    both = society.run(said, parameters={"capacity": 90.0})
    alone = society.run("fishing_village", **SMALL, parameters={"growth": 0.1, "capacity": 90.0})
    assert both.digest == alone.digest
    assert both.digest != society.run("fishing_village", **SMALL).digest


def test_a_graph_is_given_as_a_function() -> None:
    def hermits(agents: int, chance: Any) -> Any:
        return networkx.empty_graph(agents)

    for graph in (hermits, {"function": hermits}):
        played = society.run("fishing_village", **SMALL, graph=graph)
        assert played.digest != society.run("fishing_village", **SMALL).digest


def test_a_model_is_named_by_words_and_not_given_as_a_function() -> None:
    words = "model: got 'repr', a function; expected words that say where it stands, such as model="
    with pytest.raises(InputError, match=words):
        society.run("language_village", model=repr)  # type: ignore[arg-type]


def test_a_model_is_added_to_those_that_have_names() -> None:
    """As --model adds it."""
    with pytest.raises(ScenarioError, match="no component asks the model default; models in use"):
        society.run("donor_language_mixed_minds", model="offline")
    said = {
        "scenario": "language_village",
        "parameters": {"norm_embedder": "hashing"},
        "models": {"default": {"temperature": 0.5}},
    }
    spoken = society.run(said, model="offline", rounds=1, agents=2)
    assert spoken.scenario == "language_village"


@pytest.mark.parametrize("part", [Miser(0.2), {Miser: {"share": 0.2}}])
def test_components_are_given_as_objects_or_classes(part: object) -> None:
    result = society.run("fishing_village", rounds=3, cohorts=[misers(part)])
    assert set(result.agents.effort.dropna()) == {0.2}


def test_a_mechanism_is_given_as_an_object() -> None:
    class Bonus:
        """Everybody gets a point more."""

        def on_payoff(self, tell: society.Tell, payoffs: Any) -> Any:
            return np.ones_like(payoffs)

    plain, more = (
        society.run("prisoners_dilemma", rounds=2, mechanisms=around).measures["payoff"].mean
        for around in ([], [society.mechanism(Bonus)])
    )
    assert plain is not None
    assert more == plain + 1


def test_a_component_whose_fields_nobody_could_keep_is_refused() -> None:
    class Hermit(society.Component):
        def __init__(self, mood: str) -> None:
            self.mood = mood

    with pytest.raises(ScenarioError, match=r"put @dataclass\(frozen=True\) above class Hermit"):
        society.run("fishing_village", cohorts=[misers(Hermit("glum"))])


def test_a_result_has_tidy_frames_and_a_short_form() -> None:
    result = society.run("fishing_village", **SMALL)
    assert len(result.rounds) == 3
    assert len(result.agents) == 16  # four at the start, and in each round
    assert result.rounds.attrs["units"]["stock"]
    first, second, *_ = repr(result).splitlines()
    assert first == "fishing_village, seed 2: 3 rounds"
    assert second.split() == ["survival_time", "3", "rounds"]


def test_without_a_file_nothing_is_left_behind(tmp_path: Path) -> None:
    result = society.run("fishing_village", **SMALL)
    path = result.path
    assert path.exists()
    del result
    assert not path.exists()


def test_a_run_file_is_kept_where_it_was_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "lake.run"
    result = society.run("fishing_village", **SMALL, out=out)
    assert society.open_run(out).conditions.digest.tolist() == [result.digest]
    with pytest.raises(InputError, match="exists"):
        society.run("fishing_village", **SMALL, out=out)
    assert society.run("fishing_village", **SMALL, out=out, overwrite=True).digest == result.digest


def test_designs_of_a_tournament_are_runs_beside_it_and_count_to_its_limit(tmp_path: Path) -> None:
    types = [{"name": name, "components": ["language_policy"]} for name in ("ann", "bob")]
    given: dict[str, Any] = {"mechanisms": ["contracts", "tournament"], "cohorts": types}
    out = tmp_path / "t.run"
    with pytest.raises(Paused, match="max_calls"):
        society.run("prisoners_dilemma", **given, out=out, limits={"max_calls": 7})
    files = [tmp_path / "t.contracts-designs.run", out]
    assert [len(society.open_run(file).calls) for file in files] == [4, 3]


@pytest.mark.parametrize(
    "given",
    [
        {"scenario": replace(fishing_village, rounds=3, agents=4)},
        {"scenario": "fishing_village", "cohorts": [misers(Miser)], "rounds": 3},
    ],
)
def test_a_run_of_an_object_is_not_taken_for_one_of_ours(
    given: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "lake.run"
    society.run(given, out=out)
    name = "miser" if "cohorts" in given else "fishing_village"
    words = f"{name} was given as an object in Python and cannot be rebuilt from the file"
    assert main(["verify", str(out)]) == 1
    assert words in capsys.readouterr().out
    assert main(["show", str(out)]) == 0
    assert words not in " ".join(capsys.readouterr().out.split()), "it has no analysis to miss"
    with sqlite3.connect(out) as connection:  # as if it had been cut short
        standing = RunStanding("interrupted")
        connection.execute(
            "UPDATE status SET (status, process, host, born, digest, seal) = (?, ?, ?, ?, ?, ?)",
            (*standing, checksum(*standing)),
        )
    assert main(["resume", str(out)]) == 2
    assert words in capsys.readouterr().err


def test_designs_are_made_by_components_that_are_objects(tmp_path: Path) -> None:
    class Coy(ClassicStrategies):
        """Plays as ours do."""

    types = [
        {"name": "coy", "components": [Coy, {"mechanism_use": {"skill": "stubborn"}}]},
        {"name": "able", "components": ["classic_strategies", "mechanism_use"]},
    ]
    given: dict[str, Any] = {"mechanisms": ["mediation", "tournament"], "cohorts": types}
    society.run("prisoners_dilemma", **given, out=tmp_path / "t.run")
    assert (tmp_path / "t.mediation-designs.run").exists()


@pytest.mark.usefixtures("hashed_words")
def test_it_plays_inside_a_running_event_loop() -> None:
    async def cell() -> str:
        return society.run("language_village", rounds=1, seed=1).digest

    assert asyncio.run(cell()) == society.run("language_village", rounds=1, seed=1).digest


def test_a_mistake_of_a_component_comes_out_as_it_was_raised(tmp_path: Path) -> None:
    class Broken(society.Component):
        answers = ("effort",)

        def answer(self, ask: Question, agents: AgentGroup) -> Any:
            raise ZeroDivisionError("no effort at all")

    with pytest.raises(ZeroDivisionError, match="no effort at all"):
        society.run("fishing_village", cohorts=[misers(Broken)])


def test_a_mapping_without_a_scenario_is_refused() -> None:
    with pytest.raises(ScenarioError, match="names no scenario; begin with"):
        society.run({"rounds": 3})


def test_what_the_front_door_offers_is_there_under_its_name() -> None:
    code = "import society; print({name for name in society.__all__ if not hasattr(society, name)})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    assert set(society.__all__) <= set(dir(society))
    assert society.__version__.count(".") == 2


def test_the_front_door_imports_nothing_before_it_is_used() -> None:
    early = ("numpy", "society.engine.scenario", "torch", "litellm", "matplotlib", "textual")
    code = f"import society, sys; print({{*{early}}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_no_scenario_is_refused_with_its_type() -> None:
    given: Any = [1, 2]
    with pytest.raises(ScenarioError, match=r"got \[1, 2\], a list; expected a scenario: its name"):
        society.run(given)


def test_a_language_variant_that_is_an_object_is_refused_with_its_name() -> None:
    given: Any = fishing_village
    with pytest.raises(ScenarioError, match="is a scenario; give its name, 'fishing_village'"):
        replace(fishing_village, language_variant=given)
