"""Agents of a single faculty, and the columns and answers that they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from society.agent import Component
from society.draws import Array
from society.replies import Reply
from society.table import Table
from society.talk import Ask, Fact, Inherit, Script

if TYPE_CHECKING:
    from tests.conftest import Play

Answer = Callable[..., Array]
Column = Callable[..., Array]


@pytest.fixture(scope="session")
def answer(play: Play) -> Answer:
    """`answer(kind, reply, *components, agents=..., fact=...)` to one question, (R, N)."""

    def asked(
        kind: str, reply: Reply, *parts: Component, facts: dict[str, Fact] | None = None, **at: Any
    ) -> Array:
        def script(table: Table) -> Script:
            yield Ask(kind, reply, facts or {})

        answers: Array = play(script, *parts, **at).answers(kind)[0]
        return answers

    return asked


@pytest.fixture(scope="session")
def column(play: Play) -> Column:
    """`column(name, *components)` as it begins; with `parents`, after one imitation; (R, N)."""

    def kept(name: str, *parts: Component, parents: Any = None, **at: Any) -> Array:
        def script(table: Table) -> Script:
            if parents is not None:
                yield Inherit("imitated", parents, (name,))

        values: Array = play(script, *parts, **at).pages[-1].public[name]
        return values

    return kept
