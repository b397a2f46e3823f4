"""Short ways of numpy's functions give numpy's values and types, to the last bit."""

import ast
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from society.sandbox.running import quick_numbers
from society.sandbox.running.quick_numbers import plain_item, quick_functions
from society.sandbox.source.compared_items import items_in_tests

QUICK = quick_functions()
numbers = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=70).map(lambda one: np.array(one, int)),
    st.lists(st.integers(0, 255), max_size=70).map(lambda one: np.array(one, int)),
    st.lists(st.booleans(), max_size=70).map(lambda one: np.array(one, bool)),
    st.lists(st.floats(), max_size=70).map(lambda one: np.array(one, float)),
    st.lists(st.integers(-9, 9), min_size=6, max_size=6).map(lambda one: np.reshape(one, (2, 3))),
    st.lists(st.integers(0, 9), max_size=9).map(lambda one: np.array(one, np.int8)),
    st.lists(st.integers(0, 9), max_size=20).map(lambda one: np.array(one, int)[::2]),
)


def outcome(function: Callable[..., Any], *values: Any) -> tuple[Any, ...]:
    """What a function gives, in bits, or the error that it raises."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            found = function(*values)
        except (TypeError, ValueError) as error:
            return (type(error),)
    return type(found), np.asarray(found).dtype.str, np.asarray(found).tobytes()


@settings(max_examples=300)
@given(values=numbers)
def test_functions_give_what_those_of_numpy_give(values: NDArray[Any]) -> None:
    for name, quick in QUICK.items():
        assert outcome(quick, values) == outcome(getattr(np, name), values), name


@settings(max_examples=100)
@given(values=numbers)
def test_methods_give_what_those_of_arrays_give(values: NDArray[Any]) -> None:
    for name in ("mean", "std", "var"):
        quick = getattr(quick_numbers, f"{name}_of")
        assert outcome(quick, values) == outcome(getattr(values, name)), name


def test_further_arguments_and_lists_go_the_usual_way() -> None:
    table = np.arange(6).reshape(2, 3)
    assert QUICK["mean"](table, axis=0).tolist() == [1.5, 2.5, 3.5]
    assert QUICK["sum"](table, 1).tolist() == [3, 12]
    assert QUICK["std"](np.array([1, 3]), ddof=1) == np.std([1, 3], ddof=1)
    assert QUICK["median"]([3, 1, 2]) == 2.0
    assert QUICK["mean"](a=[1, 2]) == 1.5
    with pytest.raises(ValueError, match="zero-size"):
        QUICK["max"](np.array([], int))


@given(
    whole=st.integers(-(2**63), 2**63 - 1) | st.integers(-3000, 3000),
    other=st.floats()
    | st.integers(-(2**70), 2**70)
    | st.booleans()
    | st.floats(width=16).map(np.float16)
    | st.floats(width=32).map(np.float32)
    | st.integers(0, 255).map(np.uint8),
)
def test_items_compare_as_before(whole: int, other: Any) -> None:
    item = np.int64(whole)
    with np.errstate(all="ignore"):
        assert (plain_item(item) < other) == (item < other)
        assert (other <= plain_item(item)) == (other <= item)
        assert (plain_item(item) == other) == (item == other)


def test_other_values_are_compared_as_they_are() -> None:
    for value in (np.float64(0.5), np.bool_(True), 2, 2.5, None, np.int8(3)):
        assert plain_item(value) is value


@pytest.mark.parametrize(
    ("source", "compared"),
    [
        ("while counts[-1 - streak] >= limit: pass", ["counts[-1 - streak]"]),
        ("sum(1 for given in counts if given > 0.5 * n)", ["given"]),
        ("all(0.5 <= given for given in counts)", ["given"]),
        ("last = counts[-1]\nif not (last < 0.5 or done): pass", ["last"]),
        ("if counts[0] == 3: pass", []),  # numbers of one kind compare fast
        ("flag = counts[0] < 0.5", []),  # numpy's truth may be used as such
        ("if (counts[0] < 0.5) + 1: pass", []),
        ("if 0.2 < counts[0] < 0.5: pass", []),
        ("if max(counts[0] < 0.5, flag): pass", []),
        ("for back in range(9):\n    if back < 0.5: pass", []),
        ("if counts[1:] < 0.5: pass", []),
    ],
)
def test_items_are_found_where_only_the_answer_matters(source: str, compared: list[str]) -> None:
    tree = ast.parse(source)
    found = items_in_tests(tree, bound=())
    assert [ast.unparse(one) for one in ast.walk(tree) if id(one) in found] == compared
