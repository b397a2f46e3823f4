"""Premises that contradict themselves are refused before anybody is asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from society.components.scenes.verdict_form import singular
from society.engine.rng import Array
from society.errors import ScenarioError

MOST = 1e12  # of an item: up to here sums of whole amounts are exact


def check_words(kind: str, words: Any) -> None:
    """Refuse words, of items or places, of which two read alike, or that are no list of words."""
    if isinstance(words, str) or not words or not all(isinstance(w, str) for w in words):
        raise ScenarioError(
            f"the {kind}s are {words!r}; give a tuple of names, such as ('this', 'that')"
        )
    alike_words: dict[str, list[str]] = {}
    for word in words:
        plain = word.strip().casefold().removeprefix("the ").replace("_", " ")
        alike_words.setdefault(singular(plain), []).append(word)
    if "" in alike_words:
        raise ScenarioError(f"the {kind}s are {words!r}, and one has no name; name it")
    for alike in alike_words.values():
        if len(alike) > 1:
            said = " and ".join(map(repr, alike))
            raise ScenarioError(f"the {kind}s {said} read alike; give them different names")


def check_amount(words: str, amount: Any, *, whole: bool) -> None:
    """Refuse what is no amount of an item, or of one that is counted no whole one.

    amount: a number, or an array of them. words: what has it, as in "coins at the start are".
    """
    values = np.asarray(amount)
    if values.dtype.kind in "biuf" and np.all(values >= 0) and np.all(values <= MOST):
        if not whole or np.all(values == np.floor(values)):
            return
        raise ScenarioError(f"{words} {_shown(values)}; give whole amounts, or take whole=False")
    raise ScenarioError(f"{words} {_shown(values)}; give amounts from 0 to {MOST:g}")


def _shown(values: Array) -> str:
    return repr(values.tolist()) if values.size < 10 else "not such amounts"


def check_number(words: str, value: Any, low: float, high: float, *, whole: bool = False) -> None:
    """Refuse what is no number from `low` to `high`; words: what it is, as in "most of a Clock"."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    legal = number and low <= value <= high and math.isfinite(value)
    if legal and (not whole or float(value).is_integer()):
        return
    kind = "a whole number" if whole else "a number"
    upto = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
    raise ScenarioError(f"{words} is {value!r}; give {kind} {upto}")


def check_option(words: str, said: Any, options: Sequence[str]) -> None:
    """Refuse what is none of some options."""
    if said not in options:
        raise ScenarioError(f"{words} is {said!r}; choose one of: {', '.join(options)}")


def check_facts(names: Sequence[str]) -> None:
    """Refuse two facts of the same name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ScenarioError(
                f"two parts of the scene have a fact {name!r}; give one of them another name"
            )


def check_shape(words: str, given: Any, shape: tuple[int, ...]) -> None:
    """Refuse an array of another shape; words: what it is, as in "players"."""
    if np.shape(given) != shape:
        raise ScenarioError(f"{words}: an array of shape {np.shape(given)}; expected {shape}")
