"""What `society new` writes works as it stands, under any name and in any folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import society
from society.authoring import SCHEMA, STARTER_KINDS, StarterKind, schema_text, write_starter
from society.cli.main import main
from society.errors import CatalogueError, FileError

BIN = Path(sys.executable).parent


def test_the_files_carry_the_name_that_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "scenario", "small_pond"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "small_pond.py",
        "prompts/small_pond/take.md",
        "small_pond.yaml",
        "test_small_pond.py",
        "society.schema.json",
        "",
        "society check small_pond.py",
        "society run small_pond.yaml",
    ]
    text = (tmp_path / "small_pond.py").read_text()
    assert "def small_pond(env: Environment) -> Script:" in text
    assert "class SmallPondParams(Params):" in text
    assert "starter" not in text.casefold()


@pytest.mark.parametrize("kind", STARTER_KINDS)
def test_each_kind_has_a_file_to_edit_a_file_to_play_and_a_test(
    kind: StarterKind, tmp_path: Path
) -> None:
    files = [path.relative_to(tmp_path).as_posix() for path in write_starter(kind, "one", tmp_path)]
    assert files[0] == ("one.yaml" if kind == "experiment" else "one.py")
    assert {"one.yaml", "test_one.py", SCHEMA} <= {*files}
    assert (
        (tmp_path / "one.yaml").read_text().startswith(f"# yaml-language-server: $schema={SCHEMA}")
    )


def test_editors_get_the_schema_that_the_program_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_starter("experiment", "one", tmp_path)
    assert main(["schema"]) == 0
    assert (tmp_path / SCHEMA).read_text() == capsys.readouterr().out == schema_text()


def test_what_is_written_can_be_played_at_once(tmp_path: Path) -> None:
    write_starter("scenario", "pond", tmp_path)
    result = society.run(tmp_path / "pond.yaml", seed=1)
    assert (result.scenario, result.played) == ("pond", 20)
    assert 0 < (result.measures["stock"].mean or 0) < 100


def test_files_that_exist_are_kept(tmp_path: Path) -> None:
    (tmp_path / "test_pond.py").write_text("mine")
    with pytest.raises(FileError, match=r"test_pond.py exists already; choose another name, or an"):
        write_starter("scenario", "pond", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["test_pond.py"]


@pytest.mark.parametrize("name", ["Pond", "two words", "class", "../pond", "pond_", "1pond", ""])
def test_a_name_that_python_cannot_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="expected lower-case words joined by underscores"):
        write_starter("component", name, tmp_path)


def test_a_name_that_its_class_would_not_give_back_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="class APond would be called 'apond' in"):
        write_starter("component", "a_pond", tmp_path)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("scenario", "fishing_village"),
        ("scenario", "donor_generations"),
        ("component", "persona"),
        ("mechanism", "repetition"),
    ],
)
def test_a_name_that_society_has_is_refused(kind: StarterKind, name: str, tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=f"there is a {kind} '{name}' already; choose another"):
        write_starter(kind, name, tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot write"):
        write_starter("component", "pond", tmp_path / "file" / "folder")


@pytest.mark.thorough
def test_all_kinds_pass_check_their_own_tests_ruff_and_mypy(tmp_path: Path) -> None:
    files = [
        path for kind in STARTER_KINDS for path in write_starter(kind, f"new_{kind}", tmp_path)
    ]
    python = [str(path) for path in files if path.suffix == ".py"]
    for words in (
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "."],  # these check each file
        [sys.executable, "-m", "society", "check", "--strict", "new_scenario.yaml"],
        [str(BIN / "ruff"), "check", "--isolated", "--select", "E4,E7,E9,F,I,UP,B,SIM,PT", *python],
        [str(BIN / "ruff"), "format", "--isolated", "--check", *python],
        [str(BIN / "mypy"), "--strict", *python],
    ):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
