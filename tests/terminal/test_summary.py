"""The end of a run: what happened in words, the measures, and what to type next."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from society.engine.calls import Usage
from society.engine.game_master import Outcome
from society.engine.scenario import Estimate
from society.terminal.summary import course_sentence, print_summary

if TYPE_CHECKING:
    from society.runs.runfile import RunFile
    from tests.terminal.conftest import Hand

MEASURES = {
    "survival_time": Estimate(59.874, 1.4963, 400, "rounds", 12),
    "gini": Estimate(0.20049, 0.0123, 400, "of wealth"),
    "fines": Estimate(None, None, 0, "fines per fisher and round, and a good deal more than that"),
}


def outcome(rounds: int, ends: Mapping[str, int], **more: Any) -> Outcome:
    given = {"measures": MEASURES, "ledger": (), "values": {}} | more
    return Outcome(rounds=rounds, digest="0123456789abcdef" * 4, ends=ends, **given)


def printed(run: RunFile, result: Outcome, *, width: int = 80, notes: Sequence[str] = ()) -> str:
    file = io.StringIO()
    print_summary(run, result, notes, Console(file=file, width=width))
    return file.getvalue()


def written(hand: Hand, **more: Any) -> RunFile:
    """A run of 400 replicates that nobody outside was asked in."""
    page = hand.page(0, present=[[True] * 3] * 400, running=[[True]] * 400)
    return hand.recorded(page, manifest=hand.manifest(replicates=400), **more)


def shown(run: RunFile, *, width: int = 80, notes: Sequence[str] = ()) -> list[str]:
    """The lines of the summary of a run as it is in its file."""
    return printed(run, run.outcome(), width=width, notes=notes).splitlines()


def words(lines: Sequence[str]) -> list[str]:
    """Lines without the gaps of a table."""
    return [" ".join(line.split()) for line in lines]


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
        (4, {"": 1}, "finished", "The pond ended after 4 of 10 rounds."),
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
    assert course_sentence(hand.manifest(scenario="pond"), outcome(rounds, ends), status) == story


def test_many_replicates_are_counted_by_their_end(hand: Hand) -> None:
    manifest = hand.manifest(replicates=20)
    ends = {"": 8, "starved": 3, "collapsed": 9}
    assert course_sentence(manifest, outcome(10, ends), "finished") == (
        "12 of 20 replicates ended: in 9 the lake collapsed, in 3 starved. "
        "8 of 20 lasted all 10 rounds."
    )
    assert course_sentence(manifest, outcome(4, ends), "paused").endswith(
        "8 of 20 were still running after 4 of 10 rounds; the run is paused."
    )
    assert course_sentence(manifest, outcome(5, {"starved": 20}), "finished") == (
        "20 of 20 replicates ended: in 20 starved."
    )


def test_a_run_that_outlives_what_its_time_waits_for_is_not_said_to_have_lasted(
    hand: Hand,
) -> None:
    note = {"name": "survival_time", "fold": "first", "unit": "rounds"}

    def story(replicates: int, survival: Estimate) -> str:
        manifest = hand.manifest(scenario="pond", replicates=replicates, measures=[note])
        found = outcome(10, {"": replicates}, measures={"survival_time": survival})
        return course_sentence(manifest, found, "finished")

    assert story(1, Estimate(6.0, None, 1, "rounds")) == (
        "The pond went on for all 10 rounds, though its survival time is 6 rounds."
    )
    assert story(1, Estimate(10.0, None, 1, "rounds", 1)) == "The pond lasted all 10 rounds."
    assert story(20, Estimate(7.0, 0.5, 20, "rounds", 8)) == (
        "20 of 20 went on for all 10 rounds, 12 of them beyond their survival time."
    )
    assert story(20, Estimate(10.0, 0.0, 20, "rounds", 20)) == "20 of 20 lasted all 10 rounds."


def test_means_have_as_many_decimals_as_their_standard_error_has_digits(hand: Hand) -> None:
    text = printed(written(hand), outcome(10, {"": 400}))
    lines = [line.split() for line in text.splitlines()]
    assert ["mean", "se", "n", "censored"] in lines
    assert ["survival_time", "59.9", "1.5", "400", "12", "rounds"] in lines
    assert ["gini", "0.200", "0.012", "400", "of", "wealth"] in lines
    assert ["fines", "–", "–", "0"] in [line[:4] for line in lines]


def test_an_error_that_is_rounding_alone_has_no_digits(hand: Hand) -> None:
    """Replicates that agree but for the last bit have no spread to be shown."""
    over = outcome(10, {"": 400})
    same = replace(over.measures["gini"], mean=20 / 3, se=8e-17)
    text = printed(written(hand), replace(over, measures={**over.measures, "gini": same}))
    assert ["gini", "6.67", "0", "400"] in [line.split()[:4] for line in text.splitlines()]


def test_the_reader_is_told_where_it_is_kept_and_what_to_type_next(hand: Hand) -> None:
    text = printed(written(hand, path="my lake.run"), outcome(10, {"": 400}))
    assert text.splitlines()[-5:] == [
        "digest   0123456789abcdef",
        "file     my lake.run",
        "next     society replay 'my lake.run'",
        "         society verify 'my lake.run'",
        "         society show 'my lake.run'",
    ]


@pytest.mark.parametrize(
    ("status", "first"),
    [
        ("paused", "next     society resume hand.run"),
        ("interrupted", "next     society resume hand.run"),
        ("finished", "next     society replay hand.run"),
    ],
)
def test_a_run_that_can_go_on_is_resumed_first(hand: Hand, status: Any, first: str) -> None:
    lines = shown(hand.recorded(hand.page(0), hand.page(1), status=status))
    assert [line for line in lines if line.startswith("next")] == [first]


def test_notes_are_printed(hand: Hand) -> None:
    assert "note     pip install -e '.[more]'" in shown(
        written(hand), notes=["pip install -e '.[more]'"]
    )


def test_what_a_model_was_asked_is_a_table_with_a_row_for_each_question(hand: Hand) -> None:
    exchanges = [
        hand.exchange("effort"),
        hand.exchange("effort", again="repair", retries=2),
        hand.exchange("vote", again="cut"),
    ]
    fallback = (hand.trouble(0, "effort", "fallback"),)
    lines = words(shown(hand.recorded(hand.page(0, troubles=fallback), exchanges=exchanges)))
    start = lines.index("asked of gpt")
    assert lines[start + 1 : start + 5] == [
        "calls retries repairs cut fallbacks tokens in tokens out dollars",
        "effort 2 2 1 0 1 2,000 20 0.0400",
        "vote 1 0 0 1 0 1,000 10 0.0200",
        "total 3 2 1 1 1 3,000 30 0.0600",
    ]


def test_what_nobody_knows_is_unknown_and_so_is_every_sum_it_is_part_of(hand: Hand) -> None:
    exchanges = [
        hand.exchange("effort", model="known"),
        hand.exchange("effort", model="strange", cost=None, completion_tokens=None),
    ]
    lines = words(shown(hand.recorded(hand.page(0), exchanges=exchanges)))
    assert lines[lines.index("asked of known") + 2] == "effort 1 0 0 0 0 1,000 10 0.0200"
    assert lines[lines.index("asked of strange") + 2] == "effort 1 0 0 0 0 1,000 unknown unknown"
    assert lines[lines.index("asked of 2 models") + 2] == "total 2 0 0 0 0 2,000 unknown unknown"


def test_calls_that_left_no_answer_may_have_been_paid_for(hand: Hand) -> None:
    exchanges = [hand.exchange("effort"), hand.exchange("effort", lost=True)]
    assert ("open     calls without an answer that may still be billed: 1") in shown(
        hand.recorded(hand.page(0), exchanges=exchanges)
    )
    only = [hand.exchange("effort"), hand.exchange("effort")]
    assert "open" not in "\n".join(shown(hand.recorded(hand.page(0), exchanges=only)))


def test_those_who_were_understood_worst_are_named_first_and_the_others_counted(
    hand: Hand,
) -> None:
    troubles = (
        hand.trouble(0, "effort", "repair"),
        hand.trouble(0, "vote", "repair"),
        hand.trouble(1, "effort", "cut"),
        hand.trouble(2, "effort", "repair"),
        hand.trouble(2, "effort", "fallback"),
        hand.trouble(2, "effort", "repair", replicate=1),
    )
    page = hand.page(0, troubles=troubles, present=[[True] * 3] * 2, running=[[True], [True]])
    manifest = hand.manifest(replicates=2)
    lines = shown(hand.recorded(page, manifest=manifest, exchanges=[hand.exchange("effort")]))
    start = next(number for number, line in enumerate(lines) if line.startswith("trouble"))
    assert lines[start : start + 5] == [
        "trouble  agent 2 (selfish) of replicate 0: 1 repair, 1 fallback",
        "         agent 0 (altruist) of replicate 0: 2 repairs",
        "         agent 1 (altruist) of replicate 0: 1 reply cut off",
        "         and 1 more",
        "reasons  1 for effort: got nothing",
    ]


def test_lives_that_take_turns_on_a_seat_are_told_apart(hand: Hand) -> None:
    pages = [
        hand.page(
            number,
            hand.tell("descended", {("own", "life"): [[life, 1, 2]]}),
            troubles=(hand.trouble(0, "effort", what),),
        )
        for number, life, what in ((1, 0, "repair"), (2, 3, "fallback"))
    ]
    run = hand.recorded(hand.page(0), *pages, exchanges=[hand.exchange("effort")])
    lines = shown(run)
    start = next(number for number, line in enumerate(lines) if line.startswith("trouble"))
    assert lines[start : start + 2] == [
        "trouble  agent 2_1 (altruist): 1 fallback",
        "         agent 1_1 (altruist): 1 repair",
    ]


def test_the_reasons_of_fallbacks_are_told_in_short_and_do_no_harm(hand: Hand) -> None:
    troubles = (
        hand.trouble(0, "vote", "fallback", "got 'C'"),
        hand.trouble(1, "vote", "fallback", "got 'B'"),
        hand.trouble(2, "vote", "fallback", "got 'B'"),
        hand.trouble(2, "effort", "fallback", "got '\x1b[2J\u202e" + "no " * 100),
        hand.trouble(2, "effort", "repair", "never told"),
    )
    page = hand.page(0, troubles=troubles)
    lines = shown(hand.recorded(page, exchanges=[hand.exchange("effort")]), width=100)
    start = next(number for number, line in enumerate(lines) if line.startswith("reasons"))
    assert lines[start] == "reasons  3 for vote, such as: got 'B'"
    effort = " ".join("".join(lines[start + 1 : start + 3]).split())
    assert effort.startswith(r"1 for effort: got '\x1b[2J\u202eno no no")
    assert len(effort) < 120
    assert "never told" not in "".join(lines)


def test_components_without_a_model_are_told_in_a_sentence(hand: Hand) -> None:
    ledger = (
        Usage("oracle", "effort", fallbacks=3, unasked=120),
        Usage("oracle", "vote", unasked=1),
    )
    lines = printed(written(hand), outcome(10, {"": 400}, ledger=ledger), width=120).splitlines()
    start = lines.index("         oracle was asked once for vote")
    assert " ".join(words(lines[start - 2 : start])) == (
        "minds oracle was asked 120 times for effort; "
        "3 of the answers could not be read: the fallback was used"
    )


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_no_line_is_longer_than_the_terminal_is_wide(hand: Hand, width: int) -> None:
    troubles = (hand.trouble(1, "effort", "fallback", "long " * 50),)
    exchanges = [hand.exchange("effort", model="m" * 70, cost=None), hand.exchange("vote")]
    path = "long" * 30 + ".run"
    run = hand.recorded(hand.page(0, troubles=troubles), exchanges=exchanges, path=path)
    result = outcome(10, {"": 398, "starved": 2}, ledger=run.ledger())
    text = printed(run, result, width=width, notes=["a note" * 20])
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert "".join(text.split()).count("long" * 30) == 4


def test_a_run_that_measured_nothing_has_no_table(hand: Hand) -> None:
    text = printed(written(hand), outcome(0, {"": 400}, measures={}, values={"x": np.zeros(1)}))
    assert "mean" not in text
