"""A measure of the last round keeps its last number, and it is told where that is an older one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import society
from society.engine.scenario import Folded

NAN = np.nan


def test_a_last_value_is_earlier_where_the_last_round_of_a_replicate_has_none() -> None:
    """Replicate 0 has a number to the end; 1 lives on without; 2 ends with its last number."""
    founders = Folded("last", "share", 3)
    founders.add(1, np.array([1.0, 0.5, 0.8]), np.array([True, True, True]))
    founders.add(2, np.array([0.9, NAN, NAN]), np.array([True, True, False]))
    assert founders.values().tolist() == [0.9, 0.5, 0.8]
    assert founders.latest.tolist() == [2, 1, 1]
    assert founders.earlier().tolist() == [False, True, False]
    assert founders.estimate().earlier == 1


def test_rounds_in_which_nothing_is_due_make_no_value_earlier() -> None:
    told_once = Folded("last", "share", 2)
    told_once.add(1, np.array([1.0, 0.5]), np.array([True, True]))
    assert told_once.estimate().earlier == 0


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Three villages of two people, of whom everybody leaves as round 3 begins, or nobody does."""
    leaving = {"schedule": [{"round": 3, "leave": 2}]}
    return society.run(
        "fishing_village",
        agents=2,
        rounds=4,
        replicates=3,
        mechanisms=[{"turnover": leaving}],
        out=tmp_path_factory.mktemp("left") / "left.run",
    )


def test_an_empty_village_keeps_the_value_of_the_round_in_which_somebody_was_there(
    left: Any,
) -> None:
    founders = left.measures["founders"]
    assert (founders.mean, founders.n, founders.earlier) == (1.0, 3, 3)
    assert left.measures["stock"].earlier == 0


def test_frames_tables_and_answers_tell_the_round_of_an_earlier_value(left: Any) -> None:
    runs = left.runs
    assert runs["founders_round"].tolist() == [2, 2, 2]
    assert runs["rounds"].tolist() == [4, 4, 4]
    assert "stock_round" not in runs
    assert "of those present, last round; in 3 of 3 of an earlier round" in left._repr_html_()


def test_the_command_line_tells_it_too(left: Any, typed: Any) -> None:
    shown = typed("show", left.path).out
    [heading] = [line for line in shown.splitlines() if line.split()[:1] == ["mean"]]
    assert heading.split() == ["mean", "se", "n", "censored", "earlier"]


def test_a_file_opened_again_has_the_same_counts(left: Any) -> None:
    with society.open_run(left.path).played[0].opened() as file:
        assert file.results().measures["founders"].earlier == 3
