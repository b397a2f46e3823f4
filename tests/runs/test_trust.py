"""Reading a run file runs no code; verify and resume run trusted code, wherever the folder is."""

from __future__ import annotations

import asyncio
import json
import marshal
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import numpy as np
import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.engine.agents import AgentGroup
from society.engine.component import Component
from society.engine.observations import Question
from society.engine.rng import Array
from society.errors import UntrustedCodeError
from society.llm.call_tables import checksum
from society.memory.embedders import embedder
from society.runs.heritable import _advise
from society.runs.moved_files import find_moved_files
from society.runs.runfile import open_run_file
from society.runs.trust import refuse_user_code, trust_files, trust_store, trusted_hashes
from society.user_code import check_user_code, guard_user_code

COMPONENT = """
from pathlib import Path
from dataclasses import dataclass
import numpy as np
from society.engine.component import Component
from society.engine.observations import Question

Path(__file__).with_name("executed").touch()


@dataclass(frozen=True)
class Steady(Component):
    answers = ("effort",)

    def answer(self, ask, me):
        return np.full(len(me), 0.2)
"""
SCENARIO = """
scenario: fishing_village
seed: 3
agents: 4
rounds: 5
uses: [component.py]
cohorts:
  - {name: steady, count: 4, replace: {harvest: steady}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario file, a component and a finished run of them, just copied here."""
    monkeypatch.setenv("SOCIETY_STATE", str(tmp_path / "state of the maker"))
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "component.py").write_text(COMPONENT, encoding="utf-8")
    (folder / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.chdir(folder)
    assert main(["run", "scenario.yaml", "--quiet", "--out", "a.run"]) == 0
    (folder / "executed").unlink()
    return folder


@pytest.fixture
def received(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder at a colleague's, who trusts nothing yet; the maker's is gone."""
    folder = tmp_path / "another home" / "received"
    shutil.move(project, folder)
    monkeypatch.setenv("SOCIETY_STATE", str(tmp_path / "state of the colleague"))
    monkeypatch.chdir(tmp_path)
    return folder


def make_unfinished(path: Path) -> None:
    """Have a run file say that it was interrupted after its third round."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM rounds WHERE round > 3")
        connection.execute("DELETE FROM findings")
        (chain,) = connection.execute("SELECT chain FROM rounds WHERE round = 3").fetchone()
        row = ("interrupted", None, None, None, chain)
        names = "(status, process, host, born, digest, seal)"
        connection.execute(
            f"UPDATE status SET {names} = (?, ?, ?, ?, ?, ?)", (*row, checksum(*row))
        )


@pytest.mark.parametrize(
    "words", [["show"], ["show", "--json"], ["replay"], ["report"]], ids=" ".join
)
def test_reading_executes_no_code_even_of_ones_own(project: Path, words: list[str]) -> None:
    assert main([*words, "a.run"]) == 0
    assert not (project / "executed").exists()


def test_the_graph_of_advice_is_drawn_without_code_of_the_makers(project: Path) -> None:
    """It is wanted for the lineages that show prints."""
    with open_run_file(project / "a.run") as run:
        assert _advise(run.manifest) is None
    assert not (project / "executed").exists()


NAMED = {
    "components": {"uses": ["component.py"]},
    "scenario": {"scenario": "component.py:steady"},
    "graph": {"graph": {"kind": "function", "function": "component.py:ties"}},
    "embedder": {
        "scenario": "language_village", "parameters": {"norm_embedder": "component.py:embed"},
    },
    "model": {
        "scenario": "language_village", "models": {"default": {"model": "component.py:model"}},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("named", "words"),
    [*((name, ["show", "--json"]) for name in NAMED), ("components", ["report"])],
)
def test_reading_executes_no_code_where_findings_are_missing(
    project: Path, named: str, words: list[str]
) -> None:
    """To find them, the society would be built again from all that the run file names."""
    here = f"{project}/component.py"
    changes = json.loads(json.dumps(NAMED[named]).replace("component.py", here))
    with closing(sqlite3.connect("a.run")) as connection, connection:
        connection.execute("DELETE FROM findings")
        rows = dict(connection.execute("SELECT key, value FROM manifest WHERE key != 'seal'"))
        spec = json.loads(rows["spec"]) | {"uses": [], "cohorts": None} | changes
        rows["spec"] = json.dumps(spec)
        rows["seal"] = checksum(*sorted(rows.items()))
        connection.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", rows.items())
    assert main([*words, "a.run"]) == 0
    assert not (project / "executed").exists()


def test_nothing_is_missed_in_a_run_whose_scenario_has_no_analysis(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "a.run"]) == 0
    assert "findings" not in capsys.readouterr().out
    with open_run_file(project / "a.run") as run:
        assert run.findings() == ()


def test_verify_executes_what_this_user_ran(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "a.run"]) == 0
    assert (project / "executed").exists()
    assert "executes" not in capsys.readouterr().err


def test_code_that_changed_is_not_executed_without_a_word(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = COMPONENT.replace("0.2", "0.3")
    (project / "component.py").write_text(changed, encoding="utf-8")
    assert main(["verify", "a.run"]) == 2
    assert "component.py (SHA-256" in (said := capsys.readouterr().err)
    assert "changed since the run was made" in said
    assert not (project / "executed").exists()
    assert main(["verify", "a.run", "--trust"]) == 1
    assert "component.py has changed" in capsys.readouterr().out


def test_a_colleague_says_yes_once(received: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(received / "a.run")
    assert main(["verify", file]) == 2
    said = capsys.readouterr().err
    assert str(received / "component.py") in said
    assert "--trust" in said
    assert not (received / "executed").exists()
    assert main(["verify", file, "--trust"]) == 0
    assert f"executes {received / 'component.py'} (SHA-256" in capsys.readouterr().err
    assert main(["verify", file]) == 0  # the second time, silently
    assert capsys.readouterr().err == ""
    assert str(received / "component.py") in trust_store().read_text(encoding="utf-8")


def test_an_interrupted_run_goes_on_elsewhere(
    received: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = received / "a.run"
    with open_run_file(file) as run:
        digest = run.outcome().digest
    make_unfinished(file)
    assert main(["resume", str(file), "--quiet"]) == 2
    assert not (received / "executed").exists()
    assert main(["resume", str(file), "--quiet", "--trust"]) == 0
    with open_run_file(file) as run:
        assert (run.status, run.outcome().digest) == ("finished", digest)


def test_a_run_file_that_travels_alone_is_told_where_its_files_are(
    received: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "somewhere" / "else" / "a.run"
    alone.parent.mkdir(parents=True)
    shutil.move(received / "a.run", alone)
    assert main(["verify", str(alone)]) == 1
    assert "--files DIR" in capsys.readouterr().out
    assert main(["verify", str(alone), "--files", str(received / "nowhere")]) == 2
    assert f"there is no folder {received / 'nowhere'}" in capsys.readouterr().err
    assert main(["verify", str(alone), "--files", str(received), "--trust"]) == 0


def test_a_file_in_the_folder_that_was_named_is_taken_even_if_it_was_edited(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited = tmp_path / "edited"
    edited.mkdir()
    code = COMPONENT.replace("0.2", "0.4")
    (edited / "component.py").write_text(code, encoding="utf-8")
    assert main(["verify", "a.run", "--files", str(edited)]) == 2
    said = capsys.readouterr().err
    assert f"{edited / 'component.py'}" in said
    assert "changed since the run was made" in said
    assert main(["verify", "a.run", "--files", str(edited), "--trust"]) == 1


def test_a_file_of_another_content_in_the_old_place_is_not_taken(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "elsewhere" / "a.run"
    alone.parent.mkdir()
    shutil.move(project / "a.run", alone)
    (project / "component.py").write_text("raise SystemExit('executed')", encoding="utf-8")
    assert main(["verify", str(alone), "--trust"]) == 1
    assert "cannot read" in capsys.readouterr().out


def test_a_run_file_alone_still_finds_unchanged_files_in_the_old_place(
    project: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "elsewhere" / "a.run"
    alone.parent.mkdir()
    shutil.move(project / "a.run", alone)
    assert main(["verify", str(alone)]) == 0


def test_code_that_is_not_recorded_is_not_executed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _change_manifest(project / "a.run", files="{}")
    for words in (["show"], ["report"]):
        assert main([*words, "a.run"]) == 0
    assert main(["verify", "a.run"]) == 2
    assert "which the run file does not record" in capsys.readouterr().err
    assert not (project / "executed").exists()


def test_the_embedder_of_a_run_file_is_not_executed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with guard_user_code(refuse_user_code), pytest.raises(UntrustedCodeError):
        embedder(f"{project / 'component.py'}:steady")
    assert not (project / "executed").exists()


def _change_manifest(path: Path, **changes: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = dict(connection.execute("SELECT key, value FROM manifest")) | changes
        del rows["seal"]
        rows["seal"] = checksum(*sorted(rows.items()))
        connection.executemany(
            "UPDATE manifest SET value = ? WHERE key = ?",
            [(value, key) for key, value in rows.items()],
        )


def test_the_folder_of_a_run_without_files_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "fishing_village", "--rounds", "2", "--quiet", "--out", "b.run"]) == 0
    with open_run_file("b.run") as run:
        assert run.manifest.folder == ""
    assert json.loads(run.manifest.model_dump_json())["format"] == 4


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        pytest.param("complete", "lives in 2 generations", marks=pytest.mark.thorough),
        ("ring", "No lineage can be shown: reading a run file does not execute mine.py"),
    ],
)
def test_who_descends_from_whom_is_not_guessed(
    graph: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Newborn agents follow the words of elders whom they see; only mine.py knows whom they see."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from dataclasses import replace\n"
        "from scenarios.donor.donor_game import donor_game\n"
        f"mine = replace(donor_game, name='mine', graphs={{'advise': {graph!r}}})\n",
        encoding="utf-8",
    )
    Path("mine.yaml").write_text(
        "scenario: mine.py\nagents: 4\nrounds: 2\nparameters: {minds: language}\n"
        "mechanisms:\n  - generations: {count: 2, fitness: final, strategies: advice}\n",
        encoding="utf-8",
    )
    assert main(["run", "mine.yaml", "--quiet", "--out", "a.run"]) == 0
    capsys.readouterr()
    assert main(["show", "a.run"]) == 0
    assert words in " ".join(capsys.readouterr().out.split())


def test_prompts_graphs_and_tapes_move_with_the_run_and_texts_do_not(
    project: Path, tmp_path: Path
) -> None:
    with open_run_file(project / "a.run") as run:
        manifest = run.manifest
    now = tmp_path / "now"
    for name in ("prompts", "inner"):
        (now / name).mkdir(parents=True)
    (now / "inner" / "tape.run").touch()
    spec = {
        **manifest.spec,
        "prompts": str(project / "prompts"),
        "models": {"default": {"model": f"tape:{project / 'inner' / 'tape.run'}"}},
        "parameters": {"advice": "/"},
        "graph": {"kind": "file", "file": str(project / "gone.csv")},
    }
    moved = find_moved_files(manifest.model_copy(update={"spec": spec}), now / "a.run").spec
    assert moved["prompts"] == str(now / "prompts")
    assert moved["models"]["default"]["model"] == f"tape:{now / 'inner' / 'tape.run'}"
    assert moved["parameters"]["advice"] == "/"
    assert moved["graph"]["file"] == str(project / "gone.csv")


# The file of trusted hashes


@pytest.mark.skipif(sys.platform == "win32", reason="has other rights")
@pytest.mark.parametrize("whose", ["file", "folder"])
def test_what_others_can_write_trusts_nothing(
    project: Path, whose: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = trust_store() if whose == "file" else trust_store().parent
    place.chmod(0o777)
    assert main(["verify", "a.run"]) == 2
    said = capsys.readouterr().err
    assert f"{place} counts for nothing: others than you can change it." in said
    assert not (project / "executed").exists()
    place.chmod(0o700)
    assert main(["verify", "a.run"]) == 0


def test_the_file_of_trusted_hashes_is_for_its_user_alone(project: Path) -> None:
    assert trust_store().stat().st_mode & 0o077 == 0
    assert trust_store().parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"\0" * 99, b"\xff\xfe", b"0" * 64, b"\n\n  \n"])
def test_a_damaged_file_of_trusted_hashes_asks_again_and_is_added_to(
    project: Path, content: bytes
) -> None:
    trust_store().write_bytes(content)
    assert main(["verify", "a.run"]) == 2
    assert main(["verify", "a.run", "--trust"]) == 0
    assert main(["verify", "a.run"]) == 0
    assert trust_store().read_bytes().startswith(content)


def test_a_file_of_trusted_hashes_that_is_none_trusts_nothing(project: Path) -> None:
    trust_store().unlink()
    os.mkfifo(trust_store())
    assert main(["verify", "a.run"]) == 2
    assert main(["verify", "a.run", "--trust"]) == 0
    trust_store().unlink()
    trust_store().mkdir()
    assert main(["verify", "a.run"]) == 2
    assert main(["verify", "a.run", "--trust"]) == 0, "it just cannot be remembered"


@pytest.mark.thorough
def test_processes_that_trust_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIETY_STATE", str(tmp_path))
    code = (
        "import sys\nfrom society.runs.trust import trust_files\n"
        "for n in range(50): trust_files({f'{n}.py': f'{sys.argv[1]}-{n}'})"
    )
    all_at_once = [
        subprocess.Popen([sys.executable, "-c", code, name], env={**os.environ}) for name in "abcd"
    ]
    assert [one.wait() for one in all_at_once] == [0] * 4
    assert trusted_hashes() == {f"{name}-{n}" for name in "abcd" for n in range(50)}


def test_a_path_cannot_smuggle_a_hash_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIETY_STATE", str(tmp_path))
    trust_files({"a\nfeed  b.py": "1234", "c\x85beef\u2028d.py": "5678"})
    assert trusted_hashes() == {"1234", "5678"}


# Modules that a component imports from its folder


IMPORTING = (
    "import sys\nfrom pathlib import Path\n"
    "sys.path.insert(0, str(Path(__file__).parent))\nimport beside_it\n" + COMPONENT
)
BESIDE = "from pathlib import Path\nPath(__file__).with_name('beside executed').touch()\n"


@pytest.fixture
def importing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a component that imports a module beside it, and a run of both."""
    monkeypatch.setenv("SOCIETY_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "importing"
    folder.mkdir()
    (folder / "component.py").write_text(IMPORTING, encoding="utf-8")
    (folder / "scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    (folder / "beside_it.py").write_text(BESIDE, encoding="utf-8")
    monkeypatch.chdir(folder)
    assert main(["run", "scenario.yaml", "--quiet", "--out", "a.run"]) == 0
    del sys.modules["beside_it"]  # a new process would not know it
    (folder / "beside executed").unlink()
    yield folder
    sys.modules.pop("beside_it", None)


def test_a_module_beside_a_component_is_recorded_and_trusted_like_it(importing: Path) -> None:
    with open_run_file(importing / "a.run") as run:
        assert {Path(file).name for file in run.manifest.files} == {"component.py", "beside_it.py"}
    assert main(["verify", "a.run"]) == 0
    assert (importing / "beside executed").exists()


def test_a_module_beside_a_component_that_changed_is_not_executed(
    importing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (importing / "beside_it.py").write_text(BESIDE + "# more\n", encoding="utf-8")
    assert main(["verify", "a.run"]) == 2
    assert "beside_it.py (SHA-256 " in (said := capsys.readouterr().err)
    assert "changed since the run was made" in said
    assert not (importing / "beside executed").exists()
    assert main(["verify", "a.run", "--trust"]) == 0
    assert "executes " in (said := capsys.readouterr().err)
    assert "beside_it.py" in said
    assert (importing / "beside executed").exists()


def test_a_module_that_the_run_file_keeps_quiet_about_is_not_executed(
    importing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The component is the user's own; the module beside it is somebody else's."""
    (importing / "beside_it.py").write_text(BESIDE + "# more\n", encoding="utf-8")
    with closing(sqlite3.connect("a.run")) as connection, connection:
        rows = dict(connection.execute("SELECT key, value FROM manifest WHERE key != 'seal'"))
        files = json.loads(rows["files"])
        rows["files"] = json.dumps({k: v for k, v in files.items() if "component" in k})
        rows["seal"] = checksum(*sorted(rows.items()))
        connection.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", rows.items())
    assert main(["verify", "a.run"]) == 2
    assert "beside_it.py" in (said := capsys.readouterr().err)
    assert "which the run file does not record" in said
    assert not (importing / "beside executed").exists()


def test_the_compiled_form_of_a_module_is_not_taken_for_it(importing: Path) -> None:
    """Python would take what lies in __pycache__ if time and size of the source fit."""
    source = importing / "beside_it.py"
    cached = Path(cache_from_source(str(source)))
    cached.parent.mkdir(exist_ok=True)
    evil = compile("raise SystemExit('taken from __pycache__')", str(source), "exec")
    about = source.stat()
    head = MAGIC_NUMBER + struct.pack("<III", 0, int(about.st_mtime), about.st_size)
    cached.write_bytes(head + marshal.dumps(evil))
    assert main(["verify", "a.run"]) == 0
    assert (importing / "beside executed").exists()


def test_the_gate_holds_in_the_thread_of_a_notebook() -> None:
    """Under a running event loop a society is played in another thread."""
    seen = list[str]()

    class Late(Component):
        answers = ("effort",)

        def answer(self, ask: Question, agents: AgentGroup) -> Array:
            check_user_code("late.py", b"")
            return np.full(len(agents), 0.2)

    misers = {"name": "late", "count": 4, "replace": {"harvest": "late"}}
    setup = build(load_config("fishing_village", {"cohorts": [misers], "rounds": 1}), own=[Late])

    async def cell() -> None:
        with guard_user_code(lambda path, hashed: seen.append(path)):
            setup.gamemaster().play()

    asyncio.run(cell())
    assert seen == ["late.py"]
