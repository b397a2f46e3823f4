"""Looking and finding from Python, and errors in its words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import society
from society.errors import FileError, InputError, SocietyError
from society.notebook.python_words import python_words

Typed = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_of_a_kind_are_those_of_the_command(typed: Typed) -> None:
    found = society.list_names("perturbations")
    said = json.loads(typed("list", "perturbations", "--json").out)["perturbations"]
    assert found.names == [*said]
    assert found.frame()["words"].tolist() == [one["words"] for one in said.values()]
    assert "<td>paraphrase</td>" in found._repr_html_()


def test_one_name_is_described_as_the_command_does(typed: Typed) -> None:
    found = society.describe("recall")
    assert found.as_json() == json.loads(typed("list", "recall", "--json").out)
    assert repr(found).splitlines() == typed("list", "recall").out.splitlines()
    assert "<dt>columns</dt><dd>memory · object</dd>" in found._repr_html_()


def test_a_starter_is_written_and_the_schema_is_that_of_the_command(
    typed: Typed, here: Path
) -> None:
    files = society.new("component", "thrifty", "made")
    assert files[0] == Path("made/thrifty.py")
    assert all(file.is_file() for file in files)
    with pytest.raises(FileError, match=r"another name, or another folder$"):
        society.new("component", "thrifty", "made")
    assert society.schema() == json.loads(typed("schema").out)


def test_run_files_of_a_folder_are_a_frame(typed: Typed, here: Path) -> None:
    society.run("fishing_village", rounds=2, seed=3, out="runs/a.run")
    (here / "runs" / "b.run").write_text("no run", "utf-8")
    found = society.list_runs()
    assert found.as_json() == json.loads(typed("list", "runs", "--json").out)
    frame = found.frame()
    assert frame["status"].tolist() == ["finished", "unreadable"]
    assert frame["mean"].tolist()[0] == 2.0
    assert frame["measure"].tolist()[0] == "survival_time"
    assert len(society.list_runs(status="finished").frame()) == 1
    assert "<td>runs/a.run</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("option", "argument"),
    [
        ("--remove: there is no agent 'x'", "remove: there is no agent 'x'"),
        ("name another --out, or replace it with --overwrite", "name another out, or replace it "
         "with overwrite=True"),
        ("raise it with --max-calls N, or lift it with --max-calls none", "raise it with "
         "limits={'max_calls': N}, or lift it with limits={'max_calls': None}"),
        ("--max-cost: 2 of 2 used", "limits['max_cost']: 2 of 2 used"),
        ("play it with --record full", "play it with level='full'"),
        ("go on with --workers 1", "go on with workers=1"),
        ("such as by --set minds=language", "such as by parameters={'minds': 'language'}"),
        ("give --replicate a number", "give replicate a number"),
        ("`society run --record full` records it", "`society run --record full` records it"),
        ("the same with --estimate", "the same with --estimate of the command line"),
        ("repeat the command with --trust.", "repeat the call with trust=True."),
        ("leave --batch out", "leave batch: true out"),
    ],
)  # fmt: skip
def test_an_option_is_told_as_an_argument(option: str, argument: str) -> None:
    assert python_words(option) == argument


def test_an_option_has_the_name_that_a_function_gives_it() -> None:
    assert python_words("add --model M", {"model": "models"}) == "add models=M"


def named(word: Any) -> Any:
    """Pass a name that no type allows."""
    return word


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("lived") / "a.run"
    society.run("fishing_village", rounds=2, agents=3, out=file)
    return file


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda file: society.fork(file, 1, remove="x"), "remove: there is no agent 'x'"),
        (lambda file: society.fork(file, 1, norm="none"), "norm: got 'none'; expected a cap"),
        (lambda file: society.fork(file, 1, out=file), "is forked; name another out"),
        (lambda file: society.fork(file, 1, rounds=1), "rounds: got 1, but the society has lived"),
        (lambda file: society.interview(file, 1, ask=" "), "ask ' ': got no words"),
        (lambda file: society.interview(file, 1, ask="Why?"), "model=M lets a model speak"),
        (
            lambda file: society.run("fishing_village", rounds=2, out=file),
            "name another out, or replace it with overwrite=True",
        ),
        (lambda file: society.list_names(named("scenario")), "kind: got 'scenario'; did you mean"),
        (lambda file: society.describe("recal"), "did you mean 'recall'"),
        (lambda file: society.describe("graphs"), "society.list_names('graphs') lists its names"),
        (lambda file: society.list_runs(named(5)), "folder: got 5; expected a path"),
        (lambda file: society.list_runs(status=named("done")), "status: got 'done'; choose one of"),
        (
            lambda file: society.new("scenario", "small_wood", file),
            "a.run is not a folder; name another folder",
        ),
        (
            lambda file: society.new("scenario", "x" * 300),
            "got a name of 300 characters; expected at most 60",
        ),
    ],
)
def test_errors_of_functions_name_their_arguments(
    lived: Path, call: Callable[[Path], object], words: str
) -> None:
    with pytest.raises(SocietyError) as refused:
        call(lived)
    assert words in str(refused.value)
    assert "--" not in str(refused.value)


def test_what_a_cell_defines_is_no_experiment_and_it_is_said_why() -> None:
    class Miser(society.Component):
        """Keeps what it has."""

    with pytest.raises(InputError, match=r"save it as FILE\.py and name that in the experiment's"):
        society.sweep(Miser)  # type: ignore[arg-type]
