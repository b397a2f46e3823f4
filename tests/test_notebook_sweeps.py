"""A sweep in a notebook refuses what it cannot use, before it plays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import society
from society.errors import InputError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"limits": {"max_cots": 3}}, "there is no key 'max_cots'; did you mean 'max_cost'"),
        ({"limits": {"max_calls": "x"}}, "max_calls: got 'x'; expected a whole number"),
        ({"limits": 3}, "limits: got 3; expected a mapping"),
        ({"workers": -1}, "workers: got -1; expected a whole number of at least 1"),
        ({"workers": True}, "workers: got True; expected a whole number of at least 1"),
        ({"workers": "x"}, "workers: got 'x'; expected a whole number of at least 1"),
    ],
)
def test_bad_arguments_of_a_sweep_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        society.sweep("none.yaml", **given)


@pytest.mark.parametrize("given", [5, True, b"x", "a\0b", "x" * 300])
@pytest.mark.parametrize("call", [society.sweep, society.run])
def test_a_place_that_cannot_be_written_is_named(call: Any, given: Any) -> None:
    with pytest.raises(InputError, match=r"out: got .*; expected a path|cannot write .*; name"):
        call("fishing_village" if call is society.run else "dilemmas_models", out=given)


@pytest.mark.parametrize("call", [society.why, society.make_report])
def test_what_is_no_run_file_is_named(call: Any) -> None:
    with pytest.raises(InputError, match="got 5; expected a run file, as str or Path, or a result"):
        call(5)


@pytest.mark.thorough
def test_a_script_may_play_an_experiment_at_its_top_level(tmp_path: Path) -> None:
    """Its processes do not import it again, so that it needs no `if __name__ == "__main__"`."""
    (tmp_path / "e.yaml").write_text(
        "base: fishing_village\nreplicates: 2\nrounds: 2\nfactors: {fine: [2, 9]}\n"
    )
    script = 'import society\nprint("played", len(society.sweep("e.yaml").runs))\n'
    (tmp_path / "play.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "play.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "played 4\n", done.stderr
