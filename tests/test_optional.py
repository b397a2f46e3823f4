"""A library of an extra that is missing is said in one way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest

from society.cli.main import main
from society.errors import InputError
from society.optional import require


class Missing(MetaPathFinder):
    """A finder that makes a library seem not installed."""

    def __init__(self, library: str) -> None:
        self.library = library

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        if name.partition(".")[0] == self.library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize(
    ("library", "module"), [("scipy", "statsmodels.api"), ("pandas", "pandas")]
)
def test_what_is_missing_is_named_with_the_line_that_installs_it(
    library: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if another library of the extra needs it."""
    for name in list(sys.modules):
        if name.partition(".")[0] in ("scipy", "pandas", "statsmodels"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(library), *sys.meta_path])
    words = (
        rf"{library} is not installed; in the folder of society, type: pip install -e '.\[lab\]'"
    )
    with pytest.raises(InputError, match=words):
        require(module)


def test_a_library_that_is_there_but_broken_says_so_itself() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"society\.no_such_part"):
        require("society.no_such_part")


@pytest.mark.parametrize(
    ("replicates", "said"),
    [
        ("1", ""),
        ("4", "what was found is not said in sentences, as scipy is not installed"),
    ],
)
def test_a_run_is_shown_without_the_libraries_of_statistics(
    replicates: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As `make demo` does it, which installs no extra; a single run is told in sentences anyway."""
    file = str(tmp_path / "a.run")
    words = ["run", "fishing_village", "--seed", "1", "--rounds", "3", "--quiet", "--out", file]
    assert main([*words, "--replicates", replicates]) == 0
    for name in list(sys.modules):
        if name.partition(".")[0] in ("scipy", "pandas", "statsmodels"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing("scipy"), Missing("pandas"), *sys.meta_path])
    assert main(["show", file]) == 0
    out, err = capsys.readouterr()
    assert "survival_time" in out
    assert said in err if said else not err


def test_an_audit_says_what_it_needs_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a real model all of it would have been paid for by then."""
    experiment = tmp_path / "a.yaml"
    experiment.write_text(
        "base: language_village\nreplicates: 2\nrounds: 1\nagents: 2\n"
        "parameters: {norm_embedder: hashing}\nfactors: {growth: [0.2, 0.6]}\n"
    )
    for name in list(sys.modules):
        if name.partition(".")[0] in ("scipy", "pandas", "statsmodels"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing("scipy"), *sys.meta_path])
    folder = tmp_path / "played"
    assert main(["audit", str(experiment), "--only", "opening", "--out", str(folder)]) == 2
    assert "scipy is not installed" in capsys.readouterr().err
    assert not folder.exists()


def test_a_reproduction_says_what_it_needs_before_its_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(sys.modules):
        if name.partition(".")[0] == "pandas":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing("pandas"), *sys.meta_path])
    assert main(["reproduce", "village", "--quick"]) == 2
    assert "pandas is not installed" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
