"""Functions for notebooks refuse what they cannot use, before they play or read anything."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import society
from society.errors import InputError
from society.experiments.worker import JobResult
from society.notebook.given import listed, read_number, read_place, read_places
from society.notebook.progress import watch_sweep


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


EXPERIMENTS: list[Any] = [society.sweep, society.audit, society.power]


@pytest.mark.parametrize("call", EXPERIMENTS)
@pytest.mark.parametrize("given", [None, 5, b"x", {}])
def test_what_is_no_experiment_is_named(call: Any, given: Any) -> None:
    with pytest.raises(InputError, match=r"got .*; expected an experiment: a file"):
        call(given)


@pytest.mark.parametrize(
    ("call", "given", "words"),
    [
        ("fork", {"at": None}, "at: got None; expected the number of a round"),
        ("fork", {"at": 2.5}, "at: got 2.5; expected the number of a round"),
        ("fork", {"at": 1, "set": [("fine", 3)]}, "set: got .*; expected names with values"),
        ("fork", {"at": 1, "cohorts": ["x"]}, "cohorts: got 'x'; expected dict, or a list"),
        ("fork", {"at": 1, "remove": 1.5}, "remove: got 1.5; expected int or str, or a list"),
        ("fork", {"at": 1, "seed": "a"}, "seed: got 'a'; expected a whole number"),
        ("fork", {"at": 1, "norm": 5}, "norm: got 5; expected a norm, as text"),
        ("why", {"replicate": "x"}, "replicate: got 'x'; expected a whole number of at least 0"),
        ("why", {"replicate": True}, "replicate: got True; expected a whole number"),
        ("resume", {"limits": 5}, "limits: got 5; expected a mapping"),
        ("resume", {"limits": {"max_cal": 5}}, "there is no key 'max_cal'; did you mean"),
        ("interview", {"at": None, "ask": "Why?"}, "at: got None; expected the number of a round"),
        ("interview", {"ask": 5}, "ask: got 5; expected str, or a list of these"),
        ("interview", {"ask": "Why?", "every": 0}, "every: got 0; expected a whole number of at"),
        ("interview", {"ask": "Why?", "at": 1, "model": {"x": 1}}, "model: got .*; expected the"),
        (
            "interview",
            {"ask": "Why?", "at": 1, "agents": None},
            "agents: got None; expected int or",
        ),
    ],
)
def test_bad_arguments_of_single_runs_are_named(
    call: str, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        getattr(society, call)("none.run", **given)


def test_other_bad_arguments_are_named() -> None:
    with pytest.raises(InputError, match="paper: got 5; expected a name such as 'village', as"):
        society.reproduce(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="question: got 5; expected the name of one, as text"):
        society.preview_prompts("language_village", 5)  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    """As they come out of frames and arrays."""
    assert read_places(np.int64(3)) == [3]
    assert read_places((np.int32(3), 1)) == [(3, 1)]
    assert read_places(np.array([1, 2])) == [1, 2]
    assert read_place(np.int64(0)) == 0
    assert listed("remove", np.array([4, 1]), int, str) == [4, 1]
    assert read_number("replicate", np.int16(2)) == 2


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


class Terminal(io.StringIO):
    """Takes text as a terminal does."""

    def isatty(self) -> bool:
        return True


def test_the_line_of_a_sweep_ends_when_the_sweep_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)

    def fail() -> None:
        with watch_sweep(2) as watching:
            watching.advanced("fine=2", 0.5, ())
            watching.noted("a note")
            watching.done("fine=2", JobResult("finished", ""))
            raise InputError("the disk is full")

    with pytest.raises(InputError):
        fail()
    assert screen.getvalue() == (
        "\r0 of 2 conditions are over\na note\n\r1 of 2 conditions are over\n"
    )
