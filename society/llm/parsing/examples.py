"""Examples of the form of an answer, with a placeholder where a value would suggest itself."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Integer,
    Legal,
    Neighbour,
    Real,
    Sentence,
    Text,
)

from .answers import open_options
from .values import are_numbered


def example(reply: ActionSpace, legal: Legal) -> str:
    """An answer as it may be written: `{"answer": <number>}`.

    "" where the hint itself shows the form: an object of fields or percentages, or the form of a
    class that has a hint of its own.
    """
    placeholder = "" if hasattr(reply, "hint") else _placeholder(reply, legal)
    return f'{{"answer": {placeholder}}}' if placeholder else ""


@singledispatch
def _placeholder(reply: Any, legal: Legal) -> str:
    return ""


@_placeholder.register
def _(reply: Real, legal: Legal) -> str:
    return "<number or null>" if reply.optional else "<number>"


@_placeholder.register
def _(reply: Integer, legal: Legal) -> str:
    return "<whole number>"


@_placeholder.register
def _(reply: Choice, legal: Legal) -> str:
    return "<number>" if are_numbered(open_options(reply, legal)) else '"<choice>"'


@_placeholder.register
def _(reply: Neighbour, legal: Legal) -> str:
    return '"<name>"'


@_placeholder.register
def _(reply: Text, legal: Legal) -> str:
    return '"<text>"'


@_placeholder.register
def _(reply: Sentence, legal: Legal) -> str:
    return '"<sentence>"'
