"""Rounds within rounds: where one is, how far the run went, and where to begin to read."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from society.engine.history import Page
from society.engine.scenario import DisplaySpec
from society.errors import InputError
from society.runs.structure import RoundStructure
from society.terminal.console import TerminalStyle
from society.terminal.live import Live
from society.terminal.measures_table import measures_over_time
from society.terminal.summary import course_sentence
from tests.terminal.table_text import without_bars

if TYPE_CHECKING:
    from society.runs.runfile import Manifest, RunFile, Status
    from tests.terminal.conftest import Hand

LEVELS = ("generation", "game", "round")
PATHS = [
    (),
    (1,),
    *((1, game, number) for game in (1, 2) for number in (1, 2, 3)),
    (2,),
    *((2, game, number) for game in (1, 2) for number in (1, 2, 3)),
]


def evolving(hand: Hand, **changes: Any) -> Manifest:
    """Two generations of two games of three rounds; fitness is measured at the end of each."""
    measures = [
        {"name": "given", "unit": "", "fold": "mean"},
        {"name": "fitness", "unit": "", "fold": "last"},
        {"name": "refused", "unit": "", "fold": "mean"},
    ]
    given = {
        "horizon": 3,
        "extent": RoundStructure(14, (2, 2, 3)),
        "stage": DisplaySpec(columns=("coins",), levels=LEVELS),
        "measures": measures,
    }
    return hand.manifest(**given | changes)


def pages(hand: Hand, count: int = len(PATHS)) -> list[Page]:
    """In round n everybody has n coins; what is given is worth n in percent."""
    return [
        hand.page(
            number,
            hand.tell("paid", {("own", "coins"): [[number] * 3]}),
            path=path,
            measures={
                "given": [number / 100 if len(path) == 3 else float("nan")],
                "fitness": [10.0 * path[0] if path[1:] == (2, 3) else float("nan")],
                "refused": [0.0],
            }
            if number
            else {},
        )
        for number, path in enumerate(PATHS[:count])
    ]


def played(hand: Hand, count: int = len(PATHS), **changes: Any) -> RunFile:
    status: Status = "finished" if count == len(PATHS) else "interrupted"
    return hand.recorded(*pages(hand, count), manifest=evolving(hand, **changes), status=status)


def titles(story: str) -> list[str]:
    """The place of each round."""
    lines = [line for line in story.splitlines() if line.startswith("──")]
    return [line.removeprefix("── ").rpartition(" ─")[0].rstrip("─ ") for line in lines]


def test_a_round_is_named_by_the_rounds_around_it(hand: Hand) -> None:
    assert titles(hand.told(played(hand)))[:5] == [
        "Before the first generation",
        "Generation 1",
        "Generation 1 · game 1 · round 1",
        "Generation 1 · game 1 · round 2",
        "Generation 1 · game 1 · round 3",
    ]


def test_a_level_with_one_round_alone_is_not_named(hand: Hand) -> None:
    run = hand.recorded(
        hand.page(0),
        hand.page(1, path=(1,)),
        hand.page(2, path=(1, 1, 1)),
        manifest=evolving(hand, extent=RoundStructure(4, (1, 1, 3))),
    )
    assert titles(hand.told(run)) == ["Before the first generation", "Generation 1", "Round 1"]


def test_a_level_that_nobody_has_named_leaves_the_path(hand: Hand) -> None:
    run = played(hand, stage=DisplaySpec(columns=("coins",), levels=("game", "round")))
    assert titles(hand.told(run))[2:4] == ["Round 2 (1.1.1)", "Round 3 (1.1.2)"]


def test_a_play_may_have_more_rounds_than_it_was_given(hand: Hand) -> None:
    story = hand.told(hand.recorded(*map(hand.page, range(3)), manifest=hand.manifest(horizon=1)))
    assert titles(story) == ["Before the first round", "Round 1 of 1", "Round 2"]
    assert story.endswith("The end, after 2 rounds.\n")


def test_the_end_says_how_far_the_run_went(hand: Hand) -> None:
    assert hand.told(played(hand)).endswith(
        "The end, after generation 2 of 2, game 2 of 2, round 3 of 3.\n"
    )
    assert hand.told(played(hand, count=7)).endswith(
        "So far generation 1 of 2, game 2 of 2, round 2 of 3; the run was interrupted.\n"
    )


@pytest.mark.parametrize(
    ("start", "first"),
    [
        (9, "Generation 2 · game 1 · round 1"),
        ((2, 1, 1), "Generation 2 · game 1 · round 1"),
        ((2, 2), "Generation 2 · game 2 · round 1"),
        ((2,), "Generation 2"),
        ((1, 2, 3), "Generation 1 · game 2 · round 3"),
        (0, "Before the first generation"),
    ],
)
def test_the_history_starts_at_a_number_or_at_a_path(hand: Hand, start: Any, first: str) -> None:
    assert titles(hand.told(played(hand), start=start))[0] == first


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (15, "no round 15; the record goes from round 0 to 14"),
        ((3,), "no round 3; the record goes to 2.2.3"),
        ((1, 1, 4), "no round 1.1.4; the record goes to 2.2.3"),
        ((1, 1, 1, 1), "no round 1.1.1.1; the record goes to 2.2.3"),
    ],
)
def test_a_place_that_is_not_there_is_refused(hand: Hand, start: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        hand.told(played(hand), start=start)


def test_without_details_rounds_have_their_paths(hand: Hand) -> None:
    text = hand.told(played(hand, level="summary"), start=(2, 2, 2))
    lines = without_bars(text.splitlines())
    assert "2.2.2 0.13 – 0" in lines
    assert "2.2.3 0.14 20 0" in lines


@pytest.mark.parametrize(
    ("count", "status", "ends", "story"),
    [
        (15, "finished", "", "The lake lasted all 2 generations of 2 games of 3 rounds."),
        (
            7,
            "paused",
            "",
            "The lake has lasted until generation 1 of 2, game 2 of 2, round 2 of 3 so far; "
            "the run is paused.",
        ),
        (
            9,
            "finished",
            "collapsed",
            "The lake lasted until generation 2 of 2, then collapsed.",
        ),
    ],
)
def test_the_story_of_a_run_counts_every_level(
    hand: Hand, count: int, status: Any, ends: str, story: str
) -> None:
    run = played(hand, count)
    outcome = run.outcome()
    object.__setattr__(outcome, "ends", {ends: 1})
    assert course_sentence(run.manifest, outcome, status, run.paths()[-1]) == story


def test_many_replicates_lasted_all_of_it_or_were_going_on_there(hand: Hand) -> None:
    manifest, outcome = evolving(hand, replicates=8), played(hand).outcome()
    object.__setattr__(outcome, "ends", {"": 8})
    assert course_sentence(manifest, outcome, "finished", (2, 2, 3)) == (
        "8 of 8 lasted all 2 generations of 2 games of 3 rounds."
    )
    assert course_sentence(manifest, outcome, "paused", (2, 2, 1)) == (
        "8 of 8 were still running after generation 2 of 2, game 2 of 2, round 1 of 3; "
        "the run is paused."
    )


def test_each_generation_has_a_row_of_what_changed_from_one_to_another(hand: Hand) -> None:
    run = played(hand)
    lines = list(
        measures_over_time(run.manifest, run.records(lines=False), TerminalStyle("utf-8", 40))
    )
    assert without_bars(line.plain for line in lines) == [
        "",
        "given fitness",
        "generation 1 0.05 10",
        "generation 2 0.12 20",
    ]


def test_a_run_of_plain_rounds_has_no_such_table(hand: Hand) -> None:
    run = hand.recorded(hand.page(0), hand.page(1))
    assert not list(
        measures_over_time(run.manifest, run.records(lines=False), TerminalStyle("utf-8", 80))
    )


def test_of_many_generations_twenty_are_told(hand: Hand) -> None:
    manifest = evolving(hand, extent=RoundStructure(200, (100, 1, 1)))
    many = [
        hand.page(number, path=(number,), measures={"given": [float(number)]})
        for number in range(1, 101)
    ]
    run = hand.recorded(hand.page(0), *many, manifest=manifest)
    lines = list(measures_over_time(manifest, run.records(lines=False), TerminalStyle("utf-8", 80)))
    assert len(lines) == 22
    assert lines[2].plain.split()[:2] == ["generation", "1"]
    assert lines[-1].plain.split()[:2] == ["generation", "100"]


@pytest.mark.parametrize("width", [24, 40, 80])
def test_the_table_keeps_its_figures_on_any_terminal(hand: Hand, width: int) -> None:
    run = played(hand)
    lines = list(
        measures_over_time(run.manifest, run.records(lines=False), TerminalStyle("utf-8", width))
    )
    assert all(line.cell_len <= width for line in lines)
    assert any(" 0.12" in line.plain for line in lines)


def test_the_view_of_a_run_counts_every_round_and_keeps_the_latest_fitness(hand: Hand) -> None:
    file = io.StringIO()
    with Live(evolving(hand), Console(file=file, width=200)) as live:
        for page in pages(hand):
            live.page(page)
        live.console.print(live._picture())
    lines = [line.partition(" · 3 of 3 present")[0] for line in file.getvalue().splitlines()]
    assert lines[0] == "generation 1 of 2 · game 1 of 2 · round 1 of 3"
    assert lines[9] == "generation 2 of 2 · game 2 of 2 · round 3 of 3"
    assert lines[10].startswith("generation 2 of 2  ━")
    assert lines[11:] == ["game 2 of 2 · round 3 of 3", "given 0.14 · fitness 20 · refused 0"]


def test_fitness_stands_until_it_is_measured_again(hand: Hand) -> None:
    file = io.StringIO()
    with Live(evolving(hand), Console(file=io.StringIO())) as live:
        for page in pages(hand, 11):
            live.page(page._replace(measures={k: v for k, v in page.measures.items() if v == v}))
        Console(file=file, width=200).print(live._picture())
    assert "given 0.10 · fitness 10 · refused 0" in file.getvalue()
