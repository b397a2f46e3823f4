"""Sweeps of which a few cases are quick, since they carry the promise; the rest is thorough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def all_but(quick: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Return cases for `pytest.mark.parametrize`: thorough are all but the quick ones.

    A tuple is a case of several arguments. Raises ValueError if a quick one is no value, so that
    no rename leaves a sweep without quick cases.
    """
    values, quick = list(values), list(quick)
    if missing := [value for value in quick if value not in values]:
        raise ValueError(f"{missing} are among no cases of the sweep; name others")
    return [
        value
        if value in quick
        else pytest.param(
            *(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.thorough
        )
        for value in values
    ]
