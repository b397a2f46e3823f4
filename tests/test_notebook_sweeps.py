"""A sweep in a notebook refuses what it cannot use, before it plays."""

from __future__ import annotations

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
