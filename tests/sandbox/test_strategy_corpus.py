"""The corpus of the benchmark has the shares that were counted in the published strategies."""

from __future__ import annotations

import ast
from functools import cache
from statistics import median

import pytest

from tests.benchmarks.strategy_corpus import HEADER, Kind, strategies
from tests.sandbox.slow_runner import load_programs

COUNT = 600


@cache
def sources() -> list[str]:
    return list(strategies(COUNT, Kind()))


def share_with(*kinds: type[ast.AST]) -> float:
    found = [any(isinstance(node, kinds) for node in ast.walk(ast.parse(one))) for one in sources()]
    return sum(found) / COUNT


def test_lines_are_as_many_as_published() -> None:
    lines = sorted(one.count("\n") for one in sources())
    assert median(lines) == pytest.approx(36, abs=3)
    assert lines[int(0.99 * COUNT)] < 95


@pytest.mark.parametrize(
    ("kinds", "published"),
    [
        ((ast.For, ast.While), 0.16),
        ((ast.While,), 0.02),
        ((ast.GeneratorExp, ast.ListComp), 0.06),
        ((ast.Try,), 0.02),
        ((ast.Slice,), 0.12),
    ],
    ids=["loops", "while", "comprehensions", "try", "slices"],
)
def test_syntax_has_the_published_shares(
    kinds: tuple[type[ast.AST], ...], published: float
) -> None:
    assert share_with(*kinds) == pytest.approx(published, abs=0.05)


@pytest.mark.parametrize(
    ("word", "published"),
    [
        ("np.", 0.15),
        ("getattr(", 0.05),
        ("def _", 0.12),
        ("super()", 0.05),
        ("@staticmethod", 0.02),
    ],
)
def test_words_have_the_published_shares(word: str, published: float) -> None:
    found = [word in one.replace("def __", "") for one in sources()]
    assert sum(found) / COUNT == pytest.approx(published, abs=0.05)


@pytest.mark.thorough
def test_luck_and_memory_have_the_published_shares() -> None:
    programs = load_programs(HEADER + "\n\n" + "\n\n".join(sources()))
    lucky = sum(one.random for one in programs) / COUNT
    pure = sum(not one.random and not one.keeps_state for one in programs) / COUNT
    assert lucky == pytest.approx(0.09, abs=0.05)
    assert pure == pytest.approx(0.63, abs=0.05)
