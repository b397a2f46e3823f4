"""Shells complete commands, options and names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from society import index
from society.cli.main import main
from society.config.registry import scenarios


def test_names_of_scenarios_are_read_off_their_files() -> None:
    assert [*index.scenario_names()] == [*scenarios()]


@pytest.mark.parametrize(
    ("shell", "words"),
    [
        ("bash", "complete -o nospace"),
        ("zsh", "#compdef society"),
        ("fish", "complete --command society"),
    ],
)
def test_each_shell_gets_its_lines(
    shell: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    assert words in capsys.readouterr().out


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["completion", "tcsh"])
    assert "got 'tcsh'; choose one of: bash, fish, zsh" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("society int", ["interview"]),
        ("society run fishing_village_r", ["fishing_village_ring"]),
        ("society run own", ["own.yaml"]),
        ("society run trust --repl", ["--replicates"]),
        ("society strategies dive", ["diversity"]),
        ("society run fishing_village_ring --set grow", ["growth="]),
        ("society run pond.py --set de", ["depth="]),
        ("society prompts own.yaml --set de", ["depth="]),
    ],
)
@pytest.mark.thorough
def test_what_may_follow_is_offered(typed: str, offered: list[str], tmp_path: Path) -> None:
    """Ask as bash does: the line in the environment, the answers on descriptor 8."""
    (tmp_path / "own.txt").touch()
    (tmp_path / "own.yaml").write_text("scenario: pond.py\n")
    # Nothing of the file is executed, or else this would fail.
    (tmp_path / "pond.py").write_text("class Pond(Params):\n    depth: float = 2.0\n")
    asked = {**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": typed, "COMP_POINT": str(len(typed))}
    asked |= {"_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    call = f"exec {sys.executable} -m society 8>answers 9>/dev/null"
    subprocess.run(["bash", "-c", call], env=asked, cwd=tmp_path, check=True, capture_output=True)
    said = (tmp_path / "answers").read_text().split("\n")
    assert [one.strip() for one in said if one.strip()] == offered
