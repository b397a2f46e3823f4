"""The README is run: its files are written, its commands typed, its outputs compared."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

README = Path(__file__).parents[1] / "README.md"
# A large group begins early, so that nobody waits for this long test in the end.
pytestmark = pytest.mark.xdist_group("typed")
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    language: str
    text: str


def blocks() -> list[Block]:
    """Every fenced block, in order."""
    fenced = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    return [Block(*found) for found in fenced]


def commands(text: str) -> list[tuple[str, str]]:
    """Each `$ command` of a console block with the output shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


def test_every_block_of_the_readme_runs_as_shown(tmp_path: Path) -> None:
    typed = 0
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    for block in blocks():
        if block.language in ("yaml", "python"):
            name = block.text.split("\n", 1)[0].removeprefix("# ")
            assert re.fullmatch(r"[\w.]+", name), f"no file name at the top of:\n{block.text}"
            (tmp_path / name).write_text(block.text)
        elif block.language == "console":
            for command, shown in commands(block.text):
                if command.startswith("make "):
                    continue  # the set-up of this very environment
                done = subprocess.run(
                    command,
                    shell=True,
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=300,
                )
                typed += 1
                said = done.stdout + done.stderr
                expected_code = 2 if shown.startswith("society: ") else 0
                assert done.returncode == expected_code, f"$ {command}\n{said}"
                matches = doctest.OutputChecker().check_output(shown, said, LOOSELY)
                assert not shown or matches, f"$ {command}\nshown:\n{shown}\nsaid:\n{said}"
    assert typed >= 8
