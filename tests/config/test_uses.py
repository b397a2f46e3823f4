"""`uses` of a scenario file takes files, folders and modules that can be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.errors import InputError

MISER = '''from society import Component


class Miser(Component):
    """Takes a tenth of what it could."""

    answers = ("effort",)

    def answer(self, ask, agents):
        return 0.1 + 0 * ask.facts["full_catch"]
'''


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "thrifty_parts.py").write_text(MISER)
    (folder / "test_thrift.py").write_text("raise SystemExit('a test is not imported')\n")
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.mark.parametrize("named", ["parts/thrifty_parts.py", "parts", "thrifty_parts"])
def test_a_component_is_found_in_a_file_a_folder_and_a_module(named: str, parts: Path) -> None:
    file = parts.parent / "lake.yaml"
    cohort = "{name: miser, count: 4, replace: {harvest: miser}}"
    file.write_text(f"scenario: fishing_village\nuses: [{named}]\ncohorts: [{cohort}]\n")
    setup = build(load_config(str(file)), rehearsed=False)
    assert [*setup.files] == [str(parts / "thrifty_parts.py")]
    assert "Miser" in {type(part).__name__ for part in setup.cast()[0].components}


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("no_such_module", "lake.yaml:2:8 uses.*no file, folder or module 'no_such_module'"),
        ("empty", "lake.yaml:2:8 uses.*empty holds no .py file"),
    ],
)
def test_what_is_not_there_is_refused_with_its_place(
    named: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "lake.yaml").write_text(f"scenario: fishing_village\nuses: [{named}]\n")
    with pytest.raises(InputError, match=words):
        build(load_config(str(tmp_path / "lake.yaml")), rehearsed=False)
