"""The end of a run: what happened in words, the measures, and what to type next."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from society.gamemaster import Outcome
from society.scenario import Estimate
from society.talk import Entry
from society.theatre.summary import happened, summary

if TYPE_CHECKING:
    from tests.theatre.conftest import Hand

MEASURES = {
    "survival_time": Estimate(59.874, 1.4963, 400, "rounds", 12),
    "gini": Estimate(0.20049, 0.0123, 400, "of wealth"),
    "fines": Estimate(None, None, 0, "fines per fisher and round, and a good deal more than that"),
}


def outcome(rounds: int, ends: Mapping[str, int], **more: Any) -> Outcome:
    given = {"measures": MEASURES, "ledger": (), "values": {}} | more
    return Outcome(rounds=rounds, digest="0123456789abcdef" * 4, ends=ends, **given)


def printed(hand: Hand, result: Outcome, *, width: int = 80, path: str = "runs/lake-7.run") -> str:
    file = io.StringIO()
    manifest = hand.manifest(replicates=400)
    summary(manifest, result, "finished", Path(path), Console(file=file, width=width))
    return file.getvalue()


@pytest.mark.parametrize(
    ("rounds", "ends", "status", "story"),
    [
        (
            7,
            {"collapsed": 1},
            "finished",
            "The pond lasted 7 of 10 rounds, then the lake collapsed.",
        ),
        (6, {"left_alone": 1}, "finished", "The pond lasted 6 of 10 rounds, then left alone."),
        (10, {"": 1}, "finished", "The pond lasted all 10 rounds."),
        (4, {"": 1}, "finished", "The pond was over after 4 of 10 rounds."),
        (
            4,
            {"": 1},
            "interrupted",
            "The pond has lasted 4 of 10 rounds so far; the run was interrupted.",
        ),
    ],
)
def test_one_replicate_is_told_as_a_story(
    hand: Hand, rounds: int, ends: dict[str, int], status: str, story: str
) -> None:
    assert happened(hand.manifest(scenario="pond"), outcome(rounds, ends), status) == story


def test_many_replicates_are_counted_by_their_end(hand: Hand) -> None:
    manifest = hand.manifest(replicates=20)
    ends = {"": 8, "starved": 3, "collapsed": 9}
    assert happened(manifest, outcome(10, ends), "finished") == (
        "12 of 20 replicates ended: in 9 the lake collapsed, in 3 starved. "
        "8 of 20 lasted all 10 rounds."
    )
    assert happened(manifest, outcome(4, ends), "paused").endswith(
        "8 of 20 were going on after 4 of 10 rounds; the run is paused."
    )
    assert happened(manifest, outcome(5, {"starved": 20}), "finished") == (
        "20 of 20 replicates ended: in 20 starved."
    )


def test_means_have_as_many_decimals_as_their_standard_error_has_digits(hand: Hand) -> None:
    lines = [line.split() for line in printed(hand, outcome(10, {"": 400})).splitlines()]
    assert ["mean", "se", "n", "censored"] in lines
    assert ["survival_time", "59.9", "1.5", "400", "12", "rounds"] in lines
    assert ["gini", "0.200", "0.012", "400", "of", "wealth"] in lines
    assert ["fines", "–", "–", "0"] in [line[:4] for line in lines]


def test_the_reader_is_told_where_it_is_kept_and_what_to_type_next(hand: Hand) -> None:
    lines = printed(hand, outcome(10, {"": 400}), path="my runs/a.run").splitlines()
    assert lines[-5:] == [
        "digest  0123456789abcdef",
        "file    my runs/a.run",
        "next    society replay 'my runs/a.run' --plain",
        "        society verify 'my runs/a.run'",
        "        society show 'my runs/a.run'",
    ]


def test_answers_that_could_not_be_read_are_counted(hand: Hand) -> None:
    ledger = (Entry("language_policy", "effort", 120, 3), Entry("oracle", "vote", 5, 0))
    lines = printed(hand, outcome(10, {"": 400}, ledger=ledger), width=120).splitlines()
    assert (
        "minds   language_policy was asked 120 times for effort; "
        "3 answers could not be read and were settled by the fallback"
    ) in " ".join(lines).replace("         ", " ")
    assert "minds   oracle was asked 5 times for vote" in lines


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_no_line_is_longer_than_the_terminal_is_wide(hand: Hand, width: int) -> None:
    text = printed(hand, outcome(10, {"": 398, "starved": 2}), width=width, path="/long" * 30)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert "".join(text.split()).count("/long" * 30) == 4


def test_a_run_that_measured_nothing_has_no_table(hand: Hand) -> None:
    text = printed(hand, outcome(0, {"": 400}, measures={}, values={"x": np.zeros(1)}))
    assert "mean" not in text
