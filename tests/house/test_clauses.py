"""The rule that counts hard first lines agrees with a person on 100 of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
LINES = [
    tuple(row.split("\t")) for row in (HERE / "lines.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def clauses() -> ModuleType:
    """clauses.py, which is found by its path from wherever tests are run."""
    found = importlib.util.spec_from_file_location("clauses", HERE / "clauses.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_a_hundred_lines_are_labelled_once() -> None:
    assert len(LINES) == len({line for _, line in LINES}) == 100
    assert {label for label, _ in LINES} == {"clause", "good"}


def test_precision_and_recall_are_at_least_nine_in_ten(clauses: ModuleType) -> None:
    truly = {line for label, line in LINES if label == "clause"}
    found = {line for _, line in LINES if clauses.opens_with_a_clause(line)}
    assert len(truly & found) / len(found) >= 0.9, found - truly
    assert len(truly & found) / len(truly) >= 0.9, truly - found


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("Whom a URL leads to.", True),
        ("What is said to an outside mind.", True),
        ("Whose exchange it is.", True),
        ("Of each agent.", True),
        ("Those of each run.", True),
        ("Told once more.", True),
        ("The same for each agent.", True),
        ("Return the mean.", False),
        ("Draw each weight from a normal distribution.", False),
        ("The mean over present neighbours.", False),
        ("Mixed strategies, (R, N, K).", False),
        ("The same draws for one entry alone.", False),
        ("All columns, in order.", False),
        ("Seed the generator.", False),
    ],
)
def test_typical_lines(clauses: ModuleType, line: str, bad: bool) -> None:
    assert clauses.opens_with_a_clause(line) is bad
