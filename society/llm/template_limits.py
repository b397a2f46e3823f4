"""Limits of templates: the time and memory that a prompt pack may take, wherever it comes from.

A rendering may take a number of steps (turns of loops, calls, filters) and some seconds, and no
text or list in it may grow beyond a bound. An operation that could make a larger one is refused
before it is carried out. Templates change nothing that they are given, and draw no chance.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from functools import wraps
from types import BuiltinMethodType
from typing import Any

from jinja2 import Template, TemplateRuntimeError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

LARGEST_TEMPLATE = 256_000  # bytes of a file
_LONGEST = 1_000_000  # characters of a text, entries of a list
_MOST_STEPS = 200_000
_STEP = 1_000  # characters or entries that count as one step more
_MOST_SECONDS = 5.0
_MANY = 1_000  # entries of a loop that are counted one by one
_SOME = 50  # steps between two looks at the clock
_MOST_BITS = 4_096  # of a whole number
_MOST_DECIMALS = 300
_WIDEST = 9_999  # characters of one field in a format that passes
# These draw chance without an address, or take a time that grows faster than the text.
_NO_FILTERS = ("random", "pprint", "striptags", "urlize", "xmlattr")
_NO_GLOBALS = ("lipsum",)
_WIDE_PERCENT = re.compile(r"%(?:\([^)]*\))?[-+ #0]*(?:\*|\d{5}|\d{0,4}\.(?:\*|\d{5}))")
_WIDE_BRACES = re.compile(r":[^{}]*(?:\d{5}|\{)")


class TooMuch(TemplateRuntimeError):
    """A template takes more time, steps or memory than a prompt may."""


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox in which nothing lasts or grows without end; for one rendering at a time."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, finalize=self.bounded_text)
        self._depth, self._steps, self._look, self._until = 0, 0, 0, 0.0
        for name in _NO_FILTERS:
            del self.filters[name]
        for name in _NO_GLOBALS:
            del self.globals[name]
        for name, function in self.filters.items():
            self.filters[name] = self._bounded_filter(function, _FILTER_SIZES.get(name))
        self.filters["count_turns"] = self.count_turns

    def enter(self) -> None:
        """Begin a rendering; one within another is part of it."""
        if self._depth == 0:
            self._steps, self._look, self._until = 0, 0, time.monotonic() + _MOST_SECONDS
        self._depth += 1

    def leave(self) -> None:
        """End what `enter` began."""
        self._depth -= 1

    def spend(self, steps: int = 1) -> None:
        """Count steps; raises TooMuch."""
        self._steps += steps
        if self._steps > _MOST_STEPS:
            raise TooMuch(f"more than {_MOST_STEPS:,} turns of loops and calls; shorten its loops")
        if self._steps >= self._look:  # a look at the clock takes as long as a step
            self._look = self._steps + _SOME
            self._check_clock()

    def _check_clock(self) -> None:
        if time.monotonic() > self._until:
            raise TooMuch(f"it takes more than {_MOST_SECONDS:g} s; shorten its loops")

    def take(self, size: int) -> None:
        """Allow a text or list of this size, which counts as steps; raises TooMuch."""
        if size > _LONGEST:
            raise TooMuch(
                f"a text, list or number that is too long; at most {_LONGEST:,} are rendered"
            )
        if size >= _STEP:
            self.spend(size // _STEP)

    def bounded_text(self, value: Any) -> str:
        """Turn the value of an expression into a text, which counts by its length."""
        text = value if type(value) is str else str(value)
        if len(text) >= _STEP:
            self.take(len(text))
        return text

    def count_turns(self, entries: Iterable[Any]) -> Iterable[Any]:
        """Count the turns of a loop, at once where they are few."""
        if isinstance(entries, Sized) and len(entries) <= _MANY:
            self.spend(1 + len(entries))
            return entries
        return self._count_singly(entries)

    def _count_singly(self, entries: Iterable[Any]) -> Iterator[Any]:
        for entry in entries:
            self.spend()
            yield entry

    def bounded_join(self, pieces: Iterable[Any]) -> str:
        """Join texts, if the whole is not too long."""
        return self.concat([str(piece) for piece in pieces])

    def concat(self, pieces: Iterable[str]) -> str:
        """Join texts, if the whole is not too long; jinja2 joins its output by this."""
        texts = list(pieces)
        self.take(sum(map(len, texts)))
        return "".join(texts)

    def get_template(self, *given: Any, **named: Any) -> Template:
        """Find a template; each that is included is a step."""
        if self._depth:
            self.spend()
        return super().get_template(*given, **named)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call something, if its result cannot be too large."""
        if type(obj) is BuiltinMethodType:
            self.take(_method_size(obj, [*args, *kwargs.values()]))
            if isinstance(obj.__self__, Sized):
                self.take(len(obj.__self__))
        elif isinstance(obj, LoopContext):  # a recursive loop, one level deeper
            args = tuple(map(self.count_turns, args))
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Carry out an operation, if its result cannot be too large."""
        if operator == "*":
            self.take(_product_size(left, right))
        elif operator == "**":
            self.take(_power_size(left, right))
        elif operator == "%" and isinstance(left, str):
            self.take(_percent_size(left, right))
        value = super().call_binop(context, operator, left, right)
        if operator == "+" and isinstance(value, Sized):
            self.take(len(value))
        return value

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Bound the text that `format` gives."""
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None

        def bounded(*args: Any, **kwargs: Any) -> str:
            self.take(_braces_size(value.__self__, [*args, *kwargs.values()]))
            return wrapped(*args, **kwargs)

        return bounded

    def _bounded_filter(
        self, function: Callable[..., Any], size: Callable[..., int] | None
    ) -> Callable[..., Any]:
        """Count each use of a filter as a step; refuse it if its result could be too large."""
        first = int(hasattr(function, "jinja_pass_arg"))  # after a context, which it wants

        @wraps(function)
        def bounded(*args: Any, **kwargs: Any) -> Any:
            self.spend()
            if size is not None:
                self.take(size(*args[first:], *kwargs.values()))
            elif len(args) > first and isinstance(args[first], Sized):
                self.take(len(args[first]))
            return function(*args, **kwargs)

        return bounded


class BoundedGenerator(CodeGenerator):
    """The compiler of templates, with counted loops and bounded concatenation (~)."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        """Count the turns of all loops."""
        for loop in list(node.find_all(nodes.For)):
            line = loop.lineno
            loop.iter = nodes.Filter(loop.iter, "count_turns", [], [], None, None, lineno=line)
        super().visit_Template(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        """Join within the bound."""
        self.write("environment.bounded_join((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")


BoundedEnvironment.code_generator_class = BoundedGenerator


# What operations could give, in characters or entries: estimates from above


def _product_size(left: Any, right: Any) -> int:
    if isinstance(left, int) and isinstance(right, int):
        return _number_size(left.bit_length() + right.bit_length())
    for count, many in ((left, right), (right, left)):
        if isinstance(count, int) and isinstance(many, Sized):
            return count * len(many)
    return 0


def _power_size(left: Any, right: Any) -> int:
    if isinstance(left, int) and isinstance(right, int) and right > 0:
        return _number_size(max(left.bit_length(), 1) * right)
    return 0


def _number_size(bits: int) -> int:
    return 0 if bits <= _MOST_BITS else _LONGEST + 1


def _percent_size(form: str, given: Any) -> int:
    if _WIDE_PERCENT.search(form):
        return _LONGEST + 1
    values = given.values() if isinstance(given, Mapping) else _several(given)
    return _format_size(form, form.count("%"), values)


def _braces_size(form: str, given: Iterable[Any]) -> int:
    if _WIDE_BRACES.search(form):
        return _LONGEST + 1
    values = [one for value in given for one in _several(value)]
    return _format_size(form, form.count("{"), values)


def _format_size(form: str, fields: int, values: Iterable[Any]) -> int:
    longest = max(map(_text_size, values), default=0)
    return len(form) + (fields * longest if longest > _WIDEST else 0)


def _several(given: Any) -> Iterable[Any]:
    if isinstance(given, Mapping):
        return given.values()
    return given if isinstance(given, tuple | list) else (given,)


def _text_size(value: Any) -> int:
    return len(value) if isinstance(value, str) else len(str(value))


def _method_size(method: BuiltinMethodType, given: list[Any]) -> int:
    """Estimate the size of the value that a method of a text, list or number gives."""
    owner: Any = method.__self__
    name = method.__name__
    most = max((abs(one) for one in given if isinstance(one, int)), default=0)
    if name == "join":
        return _joined_size(given[0], owner) if given else 0
    if name == "replace" and len(given) > 1:
        return _replaced_size(owner, given[0], given[1])
    if name == "expandtabs":
        return len(owner) * max(most, 8)
    if name == "translate":
        return len(owner) * max(map(_text_size, _several(given[0])), default=1) if given else 0
    return 0 if name in ("count", "find", "index", "rfind", "rindex", "get") else most


def _joined_size(parts: Any, between: Any = "", *_: Any) -> int:
    if not isinstance(parts, Collection):
        return 0  # an iterator would be used up by looking at it
    return sum(map(_text_size, parts)) + len(parts) * _text_size(between)


def _replaced_size(text: Any, old: Any = "", new: Any = "", *_: Any) -> int:
    found = _text_size(text) // max(_text_size(old), 1) + 1
    return _text_size(text) + found * _text_size(new)


def _indented_size(text: Any, width: Any = 4, *_: Any) -> int:
    lead = width if isinstance(width, int) else _text_size(width)
    return _text_size(text) + (str(text).count("\n") + 1) * lead


def _wrapped_size(text: Any, width: Any = 79, breaks: Any = True, by: Any = None, *_: Any) -> int:
    return _text_size(text) * (1 + _text_size(by or "\n"))


def _tojson_size(value: Any, indent: Any = None, *_: Any) -> int:
    text = str(value)
    depth = max(text.count("["), text.count("{"), 1)
    return len(text) * (1 + (indent or 0) * depth if isinstance(indent, int) else 8)


def _rounded_size(value: Any, precision: Any = 0, *_: Any) -> int:
    return 0 if isinstance(precision, int) and abs(precision) <= _MOST_DECIMALS else _LONGEST + 1


def _summed_size(values: Any, *_: Any) -> int:
    if not isinstance(values, list | tuple):
        return 0
    return sum(len(one) for one in values if isinstance(one, Sized))


def _given_size(value: Any, count: Any = 0, *_: Any) -> int:
    return count if isinstance(count, int) else 0


def _formatted_size(form: Any, *values: Any) -> int:
    return _percent_size(str(form), values)


_FILTER_SIZES: Mapping[str, Callable[..., int]] = {
    "batch": _given_size,
    "center": _given_size,
    "format": _formatted_size,
    "indent": _indented_size,
    "join": _joined_size,
    "replace": _replaced_size,
    "round": _rounded_size,
    "slice": _given_size,
    "sum": _summed_size,
    "tojson": _tojson_size,
    "wordwrap": _wrapped_size,
}
