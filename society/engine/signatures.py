"""Checks of the arguments that a user's function takes, made when the function is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from society.errors import ArgumentError


def check_signature(function: Callable[..., Any], name: str, *takes: str) -> None:
    """Raise ArgumentError for a function that cannot be called with these arguments in order."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not written in Python
        return
    names = [*signature.parameters][: len(takes)]
    try:
        signature.bind(*takes)
        swapped = names != list(takes) and sorted(names) == sorted(takes)
    except TypeError:
        swapped = True
    if swapped:
        raise ArgumentError(
            f"{name} takes {signature}; write ({', '.join(takes)}), as it is called"
        )
