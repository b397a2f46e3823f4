"""Guards look at sizes and count steps, and change no value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.sandbox.running import facades
from society.sandbox.running.step_budget import RuleBroken, budget
from tests.sandbox.program_play import only_program

LEAVES = st.sampled_from(
    ["2", "0.5", "3", "x", "y", "self.n", "self.items", "'ab'", "[1]", "(1, 2)", "len(self.items)"]
)
OPERATORS = st.sampled_from(["+", "-", "*", "%", "**", "//", "/", "<<"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(inner, OPERATORS, inner).map(lambda one: f"({' '.join(one)})"),
    max_leaves=5,
)
STARTS = st.sampled_from(["1", "4", "2.5", "'z'", "[0, 0]", "True"])


def value_of(text: str, *, checked: bool) -> Any:
    """Decide once with a class, as it is or after instrumentation; errors are values."""
    program = only_program(text)
    assert program.accepted, program.reason
    assert program.code is not None
    code = program.code if checked else compile(text, "plain", "exec", dont_inherit=True)
    kind: Any = facades.define(code, "Spy", facades.make_namespace())
    budget.reset()
    try:
        return kind(None).act(None)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, AttributeError) as error:
        return type(error)


@given(expression=EXPRESSIONS, start=STARTS, step=EXPRESSIONS, operator=OPERATORS)
def test_operations_give_what_python_gives(
    expression: str, start: str, step: str, operator: str
) -> None:
    text = f"""
class Spy:
    def __init__(self, game):
        self.n = 3
        self.items = [1, 2]

    def act(self, history):
        x = {start}
        y = self.n
        y {operator}= {step}
        return [{expression}, x, y, f"{{x}} {{y}}", self.items]
"""
    try:
        instrumented = value_of(text, checked=True)
    except RuleBroken:  # some powers are large
        return
    assert instrumented == value_of(text, checked=False)


LOOPS = [
    ("range(4)", "[0, 1, 2, 3]"),
    ("[3, 1]", "[3, 1]"),
    ("'ab'", "['a', 'b']"),
    ("{'k': 1}.items()", "[('k', 1)]"),
    ("np.arange(2)", "[0, 1]"),
    ("np.eye(2)", "two rows"),
    ("zip([1], [2])", "[(1, 2)]"),
    ("enumerate('a')", "[(0, 'a')]"),
    ("set()", "[]"),
]


@pytest.mark.parametrize(("values", "items"), LOOPS)
def test_loops_over_anything_see_all_items(values: str, items: str) -> None:
    text = (
        "class Spy:\n    def __init__(self, game):\n        pass\n\n    def act(self, history):\n"
        f"        seen = []\n        for one in {values}:\n            seen.append(one)\n"
        f"        return seen, [one for one in {values}]\n"
    )
    looped, comprehended = value_of(text, checked=True)
    shown = "two rows" if "eye" in values else str([*map(_plain, looped)])
    assert shown == items
    assert len(looped) == len(comprehended)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def test_a_loop_over_a_list_that_grows_sees_what_is_added() -> None:
    text = """
class Spy:
    def __init__(self, game):
        self.items = [1, 2, 3]

    def act(self, history):
        for one in self.items:
            if one < 3:
                self.items.append(one + 2)
        return self.items
"""
    assert value_of(text, checked=True) == [1, 2, 3, 3, 4]


def test_steps_are_counted_alike_on_every_machine() -> None:
    text = """
class Spy:
    def __init__(self, game):
        pass

    def helper(self, count):
        return [self.double(n) for n in range(count)]

    def double(self, n):
        return 2 * n

    def act(self, history):
        total = 0
        while total < 5:
            total += 1
        return self.helper(10)
"""
    value_of(text, checked=True)
    # __init__, five turns of the while, one call of helper, ten turns and ten calls of double
    assert budget.steps - budget.left == 1 + 5 + 1 + 10 + 10
