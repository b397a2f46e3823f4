"""Count the steps of a program while it runs, and stop it when they are used up.

A step is a turn of a loop or a comprehension, or a call of a helper. Unlike a time limit, a budget
of steps stops a program at the same place on every machine. Once a rule is broken the budget stays
broken, so that no `finally` of a program can hide it: see `StepBudget.broken`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from gc import get_referents
from traceback import walk_tb
from types import GeneratorType
from typing import Any

import numpy as np

from society.sandbox.running.set_order import ordered_items

STEPS = 100_000  # of one decision
DEPTH = 100  # of helpers that call themselves
PROGRAM = "<program "  # how the name of the file of a program's code begins

LAZY: tuple[type[Any], ...] = (
    type(iter([])),
    type(iter(())),
    map,
    filter,
    zip,
    enumerate,
    reversed,
    GeneratorType,
)
_DEEPEST = 50  # iterators over iterators, which the stack of C holds

# Their length is fixed before a loop begins, so a loop pays for all its turns at once.
_SIZED = frozenset({range, tuple, str, frozenset})


class RuleBroken(BaseException):
    """A program broke a rule while it ran; it cannot catch this.

    rule: one clause that says what is not allowed.
    """

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule
        budget.broken = budget.broken or self

    @property
    def line(self) -> int | None:
        """The line of the program's file, None if the error did not pass through a program."""
        return program_line(self)


def program_line(error: BaseException) -> int | None:
    """Return the innermost line of a program that an error has passed through."""
    frames = walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code.co_filename.startswith(PROGRAM)]
    return lines[-1] if lines else None


class LimitReached(RuleBroken):
    """A limit was reached that a program shares with those that it simulates."""


class StepBudget:
    """The steps that are left to the program that runs; there is one, as programs take turns.

    broken: the first rule that was broken since `reset`; look at it after each call, also when the
    call has returned something.
    """

    __slots__ = ("broken", "depth", "left", "steps")

    def __init__(self) -> None:
        self.reset(STEPS)

    def reset(self, steps: int = STEPS) -> None:
        """Give the next call of a program so many steps."""
        self.left = self.steps = steps
        self.depth = 0
        self.broken: RuleBroken | None = None

    def charge(self, steps: int) -> None:
        """Take steps; raises RuleBroken when there are none left."""
        self.left -= steps
        if self.left < 0:
            raise LimitReached(f"more than {self.steps:,} steps in one call")


budget = StepBudget()


def step(weight: int = 1) -> None:
    """Take a step: a turn of a `while`, a call of a helper; long bodies weigh more."""
    budget.left -= weight
    if budget.left < 0:
        budget.charge(0)


def enter(weight: int = 1) -> None:
    """Begin a call of a helper that may call itself."""
    budget.charge(weight)
    budget.depth += 1
    if budget.depth > DEPTH:
        raise RuleBroken(f"more than {DEPTH} calls of functions that call themselves")


def leave() -> None:
    """End a call of a helper that may call itself."""
    budget.depth -= 1


def in_order(values: Any) -> Any:
    """Return values that are gone through; a set that luck would order is refused."""
    if type(values) is not set and type(values) is not frozenset:
        return values
    items = ordered_items(values)
    if items is None:
        raise RuleBroken("the order of a set of things that are neither numbers, texts nor moves")
    return items


def with_order(values: Any) -> Any:
    """Return what an item is taken from; a set must have an order of its own."""
    return values if in_order(values) is values else in_order({object()})


def parts_with_order(value: Any) -> Any:
    """Return what is taken apart; sets in it must have an order of their own."""
    if type(value) is set or type(value) is frozenset:
        return with_order(value)
    if type(value) is list or type(value) is tuple:
        for part in value:
            with_order(part)
    return value


def parts_over(values: Iterable[Any], weight: int = 1) -> Iterator[Any]:
    """Take a step for each turn of a loop that takes its values apart."""
    for value in steps_over(values, weight):
        yield parts_with_order(value)


def steps_over(values: Iterable[Any], weight: int = 1) -> Iterable[Any]:
    """Take a step for each turn of a loop over these values; turns of long bodies weigh more."""
    if isinstance(values, np.ndarray):
        budget.charge(weight * values.shape[0] if values.ndim else 0)
        return values
    if type(values) in _SIZED:
        budget.charge(weight * len(values))  # type: ignore[arg-type]
        ordered: Iterable[Any] = in_order(values)
        return ordered
    if type(values) in LAZY:
        _check_depth(values)
    return _step_by_step(in_order(values), weight)


def _check_depth(values: Any) -> None:
    """Refuse iterators over iterators that are nested too deeply for the stack."""
    level = [values]
    for _ in range(_DEEPEST):
        level = [one for one in get_referents(*level) if type(one) in (*LAZY, tuple)][:_DEEPEST]
        if not level:
            return
    raise RuleBroken("iterators that are nested too deeply")


def _step_by_step(values: Iterable[Any], weight: int) -> Iterator[Any]:
    for value in values:
        budget.left -= weight
        if budget.left < 0:
            budget.charge(0)
        yield value


def caught() -> None:
    """Let a program handle no error of the machine: its memory and its stack are not its own."""
    error = sys.exc_info()[1]
    if isinstance(error, MemoryError):
        raise error
    if isinstance(error, RecursionError):
        raise LimitReached("RecursionError: it takes more stack than a program may")
