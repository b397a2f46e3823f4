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
        ({"workers": "x"}, "workers: got 'x'; expected a whole number of at least 1"),
    ],
)
def test_bad_arguments_of_a_sweep_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        society.sweep("none.yaml", **given)
