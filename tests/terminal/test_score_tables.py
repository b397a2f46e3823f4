"""The table of types that met each other, as a terminal shows it."""

from __future__ import annotations

import io

import numpy as np
from rich.console import Console

from society.engine.rng import Array
from society.terminal.score_tables import print_scoreboard

NAN = np.nan


def shown(types: list[str], means: Array, met: Array | None, void: int = 0) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_scoreboard(types, means, met, void, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_each_type_has_a_row_and_a_column_by_name_the_highest_score_first() -> None:
    met = np.array([[2, 0.5], [3, 1]])
    words = shown(["nice", "nasty"], np.array([1.25, 2]), met)
    assert [line.split() for line in words.splitlines()[1:4]] == [
        ["score", "nasty", "nice"],
        ["nasty", "2.00", "1.00", "3.00"],
        ["nice", "1.25", "0.50", "2.00"],
    ]


def test_types_whose_names_begin_alike_are_numbered_by_their_place() -> None:
    met = np.array([[2, 0.5], [3, 1]])
    words = shown(["unconditional_1", "unconditional_2"], np.array([1.25, 2]), met)
    assert [line.split() for line in words.splitlines()[1:4]] == [
        ["score", "with", "1", "with", "2"],
        ["1", "unconditional_2", "2.00", "1.00", "3.00"],
        ["2", "unconditional_1", "1.25", "0.50", "2.00"],
    ]


def test_types_that_never_met_have_no_score_and_void_matches_are_counted() -> None:
    words = shown(["one", "two"], np.array([1.0, NAN]), np.array([[1, NAN], [NAN, NAN]]), void=3)
    assert "–" in words
    assert "void replicates, which do not count: 3" in words


def test_where_partners_change_there_is_the_score_alone() -> None:
    words = shown(["one", "two"], np.array([1.0, 2.5]), None)
    assert "with" not in words.splitlines()[1]


def test_a_table_of_many_types_has_no_column_for_each() -> None:
    words = shown([f"type {k}" for k in range(20)], np.arange(20.0), np.ones((20, 20)))
    assert "with 1" not in words
    assert words.splitlines()[2].startswith("type 19 ")


def test_names_are_data() -> None:
    assert "\\x1b[31m" in shown(["\x1b[31mred"], np.array([1.0]), None)
