"""Branches: a play under several options, one after the other, each played by some and told as one.

What a script says never depends on data, and so all options are played, each by those who are to
play under it while the others are away. All of it is one round of the play that branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from society.engine.environment import Environment
from society.engine.mechanism import Declared, intercept
from society.engine.rng import Array
from society.engine.scenario import Measure
from society.engine.script import Ask, Fact, Line, Script, Tell, common

# What is told of somebody by the options under which it does not play, by the kind of the values;
# whole numbers become such that can be NaN.
_NOTHING: Mapping[str, Any] = {"f": np.nan, "b": False, "O": ""}
MEASURED = "chosen_"  # before the name of a measure, it is the fact that holds it


class Branch(NamedTuple):
    """A play under one option, and what that option measures."""

    script: Script
    measures: tuple[Measure, ...]


class _Told(NamedTuple):
    """The facts about payoffs in a branch, its measures, (R,), and its players' number, (R,)."""

    facts: Mapping[str, Fact]
    measured: Mapping[str, Array]
    players: Array


def play_branches(
    env: Environment,
    declared: Declared,
    branches: Sequence[Branch],
    mine: Array,
    known: Mapping[str, Fact],
) -> Script:
    """Play each branch with its own players, `mine`, (R, N); returns the facts to be told.

    known: facts for all questions.
    """
    told = []
    for number, branch in enumerate(branches):
        away = (mine != number) & env.active
        yield Tell("parted", gone=away)
        told.append((yield from _withheld(env, declared, branch, known)))
        yield Tell("rejoined", back=away)
    return {**_together([one.facts for one in told], mine), **dict(_averaged(told))}


def _withheld(
    env: Environment, declared: Declared, branch: Branch, known: Mapping[str, Fact]
) -> Script:
    """Drive a branch without telling what everybody got."""
    kept = _Told({}, {}, np.zeros(env.replicates))

    def heard(line: Line) -> Line | None:
        nonlocal kept
        if isinstance(line, Ask):
            return replace(line, facts={**line.facts, **known})
        if isinstance(line, Tell) and line.kind == declared.told:
            values = {name: fact.values for name, fact in line.facts.items()}
            measured = {one.name: one.of(values, env) for one in branch.measures}
            kept = _Told(line.facts, measured, env.active.sum(1))
            return None
        return line

    with env.in_one_round():
        yield from intercept(branch.script, line=heard)
    return kept


def _together(told: Sequence[Mapping[str, Fact]], mine: Array) -> dict[str, Fact]:
    """Join the facts of all options: everybody's come from the option under which it plays."""
    facts = {}
    for name in dict.fromkeys(chain.from_iterable(told)):
        some = {number: one[name] for number, one in enumerate(told) if name in one}
        first = next(iter(some.values()))
        plays = mine[:, :1] if first.scope == "common" else mine
        more = first.values.shape[2:]
        values = _nothing(
            (*plays.shape, *more), first.values.dtype, all_tell=len(some) == len(told)
        )
        for number, fact in some.items():
            here = (plays == number).reshape(*plays.shape, *(1 for _ in more))
            values = np.where(here, fact.values, values)
        facts[name] = first._replace(values=values)
    return facts


def _nothing(shape: tuple[int, ...], kind: np.dtype[Any], *, all_tell: bool) -> Array:
    """Make an array without facts yet; what all options tell keeps its type."""
    if all_tell:
        return np.zeros(shape, kind)
    blank = _NOTHING.get(kind.kind, np.nan)
    return np.full(shape, blank, object if kind.kind == "O" else None)


def _averaged(told: Sequence[_Told]) -> Iterator[tuple[str, Fact]]:
    """Each measure over the options that have it, by how many play under each; NaN under none."""
    for name in dict.fromkeys(chain.from_iterable(one.measured for one in told)):
        some = [one for one in told if name in one.measured]
        values = np.stack([one.measured[name].reshape(-1) for one in some])
        weights = np.where(np.isnan(values), 0, [one.players for one in some])
        total = (np.nan_to_num(values) * weights).sum(0)
        count = weights.sum(0)
        mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
        yield f"{MEASURED}{name}", common(mean[:, None])
