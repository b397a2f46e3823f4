"""What is told of a replicate, and what is said where nothing can be told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import society
from society import Ask, Cohort, Component, Measure, Real, Script, Tell, common
from society.analysis.histories import explain
from society.cli.main import main
from society.engine.environment import Environment
from society.engine.post_mortem import PostMortem, RecordedReplicate, Statement
from society.engine.scenario import Scenario, scenario
from society.errors import InputError, RunFileError
from society.runs.runfile import open_run_file


class Thirst(Component):
    """Draws as much as it can."""

    answers = ("draw",)

    def answer(self, ask: Any, agents: Any) -> Any:
        return np.ones(len(agents))


def tell(record: RecordedReplicate) -> Any:
    """When the pond fell dry, and who drew first."""
    for page in record.pages():
        for step in page.steps:
            if step.kind == "drawn" and step.arrays["common", "dry"][record.replicate, 0]:
                words = f"Dry in round {page.number} of {record.horizon}, by {record.name(0)}."
                yield Statement("end", words, {"round": page.number}, (0,))


@scenario(
    cast=lambda params, count: [Cohort("drinker", count, (Thirst(),))],
    measures=(Measure("lasted", "rounds", lambda told, env: told["dry"], fold="first"),),
    agents=2,
    rounds=9,
    post_mortem=PostMortem(tell, lives="lasted"),
)
def pond(env: Environment) -> Script:
    """Two drinkers at a pond of five buckets."""
    left = np.full((env.replicates, 1), 5.0)
    for _ in env.rounds():
        drawn = yield Ask("draw", Real(0, 1), {})
        left = left - drawn.sum(1, keepdims=True)
        yield Tell("drawn", {"dry": common(left <= 0)}, ends=left <= 0)


@pytest.fixture
def dry(tmp_path: Path) -> Path:
    society.run(pond, out=tmp_path / "pond.run")
    return tmp_path / "pond.run"


def test_a_scenario_of_ones_own_tells_what_it_declares(dry: Path) -> None:
    with open_run_file(dry) as run:
        found = explain(run, scenario=pond)
    assert [one.words for one in found.statements] == ["Dry in round 3 of 9, by agent 0."]
    assert (found.named, found.lives) == ((0,), "lasted")


def test_no_code_of_the_users_is_executed_for_a_post_mortem(
    dry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", str(dry)]) == 0
    assert "is Python code of its author's" in capsys.readouterr().out


def test_a_scenario_in_a_file_is_not_executed_either(tmp_path: Path) -> None:
    file = tmp_path / "lake.py"
    file.write_text(
        "from pathlib import Path\n"
        "from society.scenarios.village.fishing_village import fishing_village\n"
        "from dataclasses import replace\n"
        "Path(__file__).with_name('executed').touch()\n"
        "lake = replace(fishing_village, name='lake')\n"
    )
    society.run(f"{file}:lake", rounds=1, out=tmp_path / "a.run")
    (tmp_path / "executed").unlink()
    with open_run_file(tmp_path / "a.run") as run:
        assert "is Python code of its author's" in explain(run).statements[0].words
    assert not (tmp_path / "executed").exists()


def test_a_scenario_that_declares_nothing_says_so(tmp_path: Path) -> None:
    society.run("public_goods", rounds=1, out=tmp_path / "a.run")
    with open_run_file(tmp_path / "a.run") as run:
        words = [one.words for one in explain(run).statements]
    assert words == ["The scenario public_goods declares nothing that could be told of its end."]


def test_a_replicate_that_is_not_there_is_refused(dry: Path) -> None:
    with (
        open_run_file(dry) as run,
        pytest.raises(InputError, match=r"there is no replicate 3 in .*; it has 1 replicate, "),
    ):
        explain(run, 3, pond)


def test_a_record_without_what_is_read_is_refused_in_a_line(dry: Path) -> None:
    def other(record: RecordedReplicate) -> Any:
        yield Statement("end", str(next(record.pages()).measures["missing"]))

    stranger = Scenario("pond", pond.play, cast=pond.cast, post_mortem=PostMortem(other))
    with (
        open_run_file(dry) as run,
        pytest.raises(RunFileError, match="lack what the post-mortem of pond reads: KeyError"),
    ):
        explain(run, scenario=stranger)


def test_json_has_statements_with_their_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    society.run("fishing_village", seed=1, out=tmp_path / "a.run")
    assert main(["why", str(tmp_path / "a.run"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["named"] == []
    names = [one["name"] for one in said["statements"]]
    assert names == ["end", "too_late", "above_norm", "lax_norm", "above_share", "cause"]
    assert said["statements"][0]["numbers"]["rounds"] == 52


def test_what_was_played_in_place_of_a_village_of_rules_is_explained(tmp_path: Path) -> None:
    """With a model, `fishing_village` is played as `language_village`."""
    given: dict[str, Any] = {"parameters": {"norm_embedder": "hashing"}, "model": "offline"}
    result = society.run("fishing_village", rounds=1, agents=2, out=tmp_path / "a.run", **given)
    (statement,) = society.why(result).statements
    assert statement.words.startswith("The village lived to its last round, 1: nobody died")
