"""Looking and finding: list, schema, --version, -v, and the file that a run is written to."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import society
from society.cli.main import main


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(*words: str) -> int:
    try:
        return main([*words])
    except SystemExit as stop:
        return int(stop.code or 0)


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("--version") == 0
    assert capsys.readouterr().out == f"society {society.__version__}\n"


def test_a_scenario_is_listed_with_what_it_asks_and_tells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert typed("list", "fishing_village") == 0
    said = capsys.readouterr().out
    assert said.startswith("fishing_village · scenario · ")
    parts = re.findall(r"^  (\w+):$", said, re.MULTILINE)
    assert parts == [
        *("asks", "tells", "facts", "relations", "measures", "components", "parameters")
    ]
    assert "    stock · Fish in the lake · fish\n" in said
    assert re.search(
        r"^    effort · Real 0\.\.1 · .*full_catch \((own|common)\)", said, re.MULTILINE
    )
    assert "    efficiency · catch / maximum sustainable yield · mean over rounds" in said
    assert "    growth = 0.6 · a number from 0 to 3 · r, a round" in said


def test_a_component_is_listed_with_what_it_answers_and_its_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert typed("list", "punishment", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["name"], said["kind"]) == ("punishment", "components")
    assert said["parts"]["answers"] == ["watch", "inspect", "punish"]
    assert said["parts"]["columns"] == [
        "monitoring · Chance to look at a peer · float64 · public, heritable",
        "punishing · float64",
    ]


def test_a_former_name_is_listed_as_the_current_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("list", "gifted") == 0
    assert capsys.readouterr().out.startswith("peer_reward · mechanism · ")


def test_a_second_run_is_written_beside_the_first_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = ("run", "fishing_village", "--rounds", "1", "--quiet")
    assert typed(*run) == typed(*run) == typed(*run) == 0
    assert capsys.readouterr().err.splitlines() == [
        "society: runs/fishing_village-1.run exists; this run is written to "
        "runs/fishing_village-1-2.run",
        "society: runs/fishing_village-1.run exists; this run is written to "
        "runs/fishing_village-1-3.run",
    ]
    assert typed(*run, "--out", "runs/fishing_village-1.run") == 2
    assert "already exists" in capsys.readouterr().err


def test_nothing_is_said_of_the_file_of_a_run_that_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert typed("run", "public_goods", "--rounds", "1", "--model", "offline", "--quiet") == 0
    assert typed("run", "public_goods", "--rounds", "1", "--model", "local:none.gguf") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("society: there is no file none.gguf")


def test_runs_are_listed_with_their_status(capsys: pytest.CaptureFixture[str]) -> None:
    typed("run", "fishing_village", "--rounds", "1", "--quiet", "--seed", "7")
    Path("runs/torn.run").write_text("no run")
    assert typed("list", "runs") == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["file", "written", "status", "rounds", "survival_time", "size"]
    assert re.fullmatch(r"runs/fishing_village-7.run +\S+ \S+ +finished +1 of 1 +1 +\d+ kB", first)
    assert re.fullmatch(r"runs/torn.run +\S+ \S+ +unreadable +is not a run file; .*", second)
    assert typed("list", "runs", "--json", "--status", "finished") == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert typed("list", "runs", "--sort", "size", "--out", "page.html") == 0
    assert capsys.readouterr().out == "page.html\n"
    page = Path("page.html").read_text("utf-8")
    assert '<a href="runs/fishing_village-7.run">' in page
    assert "society replay fishing_village-7.run" in page
    assert (run["scenario"], run["seed"], run["status"]) == ("fishing_village", 7, "finished")
    assert (run["measure"]["name"], run["measure"]["mean"]) == ("survival_time", 1.0)
    assert (run["fork_of"], run["models"], run["settings"]["fine"]) == (None, [], 10.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["runs", "nowhere"], "nowhere is not there; name a folder with run files"),
        (["runs", "--sort", "cots"], "argument --sort: got 'cots'; did you mean 'cost'?"),
        (
            ["runs", ".", "--out", "list.txt"],
            "list.txt is not the name of a page; end it in .html",
        ),
        (["scenarios", "--out", "a.html"], "--out is for `society list runs`; leave it out"),
        (["scenarios", "--sort", "cost"], "--sort is for `society list runs`; leave it out"),
        (["scenarios", "."], ". is one word too many; only `society list runs` takes DIR"),
    ],
)
def test_lists_of_runs_refuse_what_they_do_not_take(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("list", *words) == 2
    assert said in capsys.readouterr().err


def test_the_schema_describes_scenario_and_experiment_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert typed("schema") == 0
    files = json.loads(capsys.readouterr().out)["$defs"]
    assert files["Scenario"]["required"] == ["scenario"]
    assert files["Experiment"]["required"] == ["base"]
    assert "replicates" in files["Experiment"]["properties"]
    assert "factors" not in files["Scenario"]["properties"]


def test_verbose_logs_the_steps_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("run", "fishing_village", "--rounds", "1", "--quiet", "-v") == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "society.runs.session: fishing_village: seed 1, 10 agents x 1 replicates" in said.err
    assert "society.runs.session: finished after round 1: done" in said.err


def test_a_graph_function_is_set_by_its_file_and_name() -> None:
    Path("star.py").write_text(
        "import networkx as nx\n\n\ndef star(agents, rng):\n    return nx.star_graph(agents - 1)\n"
    )
    settings = ("--set", "graph=star.py:star", "--rounds", "1", "--quiet")
    assert typed("run", "fishing_village", *settings) == 0


def test_a_study_is_short_and_personas_have_their_labels() -> None:
    result = society.run("fishing_village", rounds=1, parameters={"population": "altruist"})
    assert repr(result.study) == "Study('fishing_village': 1 condition (fishing_village))"
    assert set(result.agents["persona"]) == {"altruist"}
