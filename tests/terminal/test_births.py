"""Generations in a history: who is born of whom with what, and who lives on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.cells import cell_len

from society.engine.history import Page
from society.engine.scenario import DisplaySpec
from society.runs.structure import RoundStructure

if TYPE_CHECKING:
    from society.runs.runfile import RunFile
    from tests.terminal.conftest import Hand

STAGE = DisplaySpec(
    columns=("coins",), quotes={"strategy": "follows"}, levels=("generation", "round")
)
NONE = ("", "", "")


def generation(
    hand: Hand,
    number: int,
    at: int,
    lives: list[int],
    parents: list[int],
    newborn: list[bool],
    strategies: tuple[str, ...] = NONE,
    **more: Any,
) -> Page:
    """The round in which a generation begins."""
    return hand.page(
        at,
        hand.tell(
            "descended",
            {
                ("common", "generation"): [[number]],
                ("own", "life"): [lives],
                ("own", "parent"): [parents],
                ("own", "newborn"): [newborn],
                **more.pop("told", {}),
            },
        ),
        hand.tell("devised", {("own", "strategy"): np.array([strategies], object)}),
        path=(number,),
        **more,
    )


def selected(hand: Hand, at: int, number: int, fitness: list[float], kept: list[bool]) -> Page:
    """The last round of a generation."""
    return hand.page(
        at,
        hand.tell("paid", {("own", "coins"): [[1, 2, 3]]}),
        hand.tell("selected", {("own", "fitness"): [fitness], ("own", "survives"): [kept]}),
        path=(number, 1),
    )


def recorded(hand: Hand, *pages: Page, **given: Any) -> RunFile:
    manifest = {"stage": STAGE, "horizon": 1, "extent": RoundStructure(4, (2, 1))} | given
    return hand.recorded(hand.page(0), *pages, manifest=hand.manifest(**manifest))


def two_generations(hand: Hand, words: str = "give nothing") -> list[Page]:
    """1_1 outlives the others; 2_2 and 2_3 are its children, and learn of it."""
    taught = ("give half", "give half", words)
    return [
        generation(
            hand, 1, 1, [0, 1, 2], [-1] * 3, [True] * 3, ("give half", "give all", "give half")
        ),
        selected(hand, 2, 1, [9.5, 2, 7], [True, False, False]),
        generation(hand, 2, 3, [0, 4, 5], [-1, 0, 0], [False, True, True], taught),
        selected(hand, 4, 2, [8, np.nan, 12], [False, False, True]),
    ]


def chapter(story: str, title: str) -> list[str]:
    """The lines of one round, without its title."""
    return story.partition(f"── {title} ─")[2].split("\n\n")[0].splitlines()[1:]


def test_nobody_follows_the_number_that_stands_for_no_strategy(hand: Hand) -> None:
    """1_2 and 1_3 are rules: they put themselves into words, but keep none in the column."""
    public = {"strategy": np.array([["give half", 0, 0]], object)}
    first, ended, *_ = (page._replace(public=public) for page in two_generations(hand))
    lives, nobody = {"lives": [0, 1, 5], "parents": [-1, -1, 1]}, [False, False, True]
    said = ("give half", "give all", "give nothing")
    second = generation(hand, 2, 3, newborn=nobody, strategies=said, **lives)
    pages = [first, ended, second._replace(public=public), ended._replace(number=4, path=(2, 1))]
    story = hand.told(recorded(hand, *pages))
    assert chapter(story, "Generation 2") == [
        '1 born     agent 2_3, child of agent 1_2, follows "give nothing"'
    ]
    assert story.count("follows") == 3 + 1


def test_founders_are_told_with_what_they_follow(hand: Hand) -> None:
    story = hand.told(recorded(hand, *two_generations(hand)))
    assert chapter(story, "Generation 1") == [
        '3 born     agent 1_1 follows "give half"',
        '           agent 1_2 follows "give all"',
        '           agent 1_3 follows "give half"',
    ]


def test_a_child_is_told_with_its_parent_and_what_it_follows(hand: Hand) -> None:
    """2_2 follows what 1_2 did not; that 1_1 goes on as before is no news."""
    story = hand.told(recorded(hand, *two_generations(hand)))
    assert chapter(story, "Generation 2") == [
        '2 born     agent 2_2, child of agent 1_1, follows "give half"',
        '           agent 2_3, child of agent 1_1, follows "give nothing"',
    ]


def test_without_words_children_stand_in_a_row(hand: Hand) -> None:
    pages = [
        generation(hand, 1, 1, [0, 1, 2], [-1] * 3, [True] * 3),
        selected(hand, 2, 1, [1, 2, 3], [True] * 3),
        generation(hand, 2, 3, [0, 4, 5], [-1, 0, 2], [False, True, True]),
    ]
    story = hand.told(recorded(hand, *pages))
    assert chapter(story, "Generation 1") == ["3 born     agent 1_1   agent 1_2   agent 1_3"]
    assert chapter(story, "Generation 2") == [
        "2 born     agent 2_2, child of agent 1_1   agent 2_3, child of agent 1_3"
    ]


def test_agents_have_the_names_of_their_lives(hand: Hand) -> None:
    story = hand.told(recorded(hand, *two_generations(hand)))
    lines = [re.sub("[━╸]", "", line).split() for line in chapter(story, "Generation 1 · round 1")]
    assert [line[:2] for line in lines[1:4]] == [
        ["agent", "1_1"],
        ["agent", "1_2"],
        ["agent", "1_3"],
    ]


def test_names_are_known_wherever_one_begins_to_read(hand: Hand) -> None:
    story = hand.told(recorded(hand, *two_generations(hand)), start=4)
    assert [line.split("  ")[0] for line in story.splitlines()[4:7]] == [
        "agent 1_1",
        "agent 2_2",
        "agent 2_3",
    ]


def test_who_lives_on_is_told_with_its_fitness_the_fittest_first(hand: Hand) -> None:
    """2_2 has died before, and is not among those who leave."""
    run = recorded(hand, *two_generations(hand), extent=RoundStructure(4, (2, 2)))
    assert chapter(hand.told(run), "Generation 1 · round 1")[-2:] == [
        "1 live on  agent 1_1 (9.50)",
        "2 leave    agent 1_3 (7)   agent 1_2 (2)",
    ]
    assert chapter(hand.told(run), "Generation 2 · round 1")[-2:] == [
        "1 live on  agent 2_3 (12)",
        "1 leave    agent 1_1 (8)",
    ]


def test_heritable_traits_are_shown_where_a_generation_begins(hand: Hand) -> None:
    """Altruists have both traits, the selfish one has neither."""
    columns = [
        {"name": "policy", "heritable": True, "labels": ["fixed", "fair"], "cohorts": ["altruist"]},
        {"name": "age", "heritable": True, "labels": [], "cohorts": ["altruist"]},
        {"name": "mood", "heritable": False, "labels": [], "cohorts": ["altruist"]},
    ]
    public = {"policy": [[1, 0, 0]], "age": [[30, 40, 0]], "mood": [[5, 5, 5]]}
    pages = [
        generation(hand, 1, 1, [0, 1, 2], [-1] * 3, [True] * 3, public=public),
        selected(hand, 2, 1, [1, 2, 3], [True] * 3),
    ]
    story = hand.told(recorded(hand, *pages, columns=columns))
    lines = [re.sub("[━╸]", "", line).split() for line in chapter(story, "Generation 1")]
    assert lines[:4] == [
        ["type", "policy", "age"],
        ["agent", "1_1", "altruist", "fair", "30"],
        ["agent", "1_2", "altruist", "fixed", "40"],
        ["agent", "1_3", "selfish", "–", "–"],
    ]
    assert "policy" not in "".join(chapter(story, "Generation 1 · round 1"))


def test_whoever_is_back_is_counted(hand: Hand) -> None:
    pages = [
        generation(hand, 1, 1, [0, 1, 2], [-1] * 3, [True] * 3),
        hand.page(2, path=(1, 1), present=[[True, False, False]]),
        generation(
            hand,
            2,
            3,
            [0, 4, 5],
            [-1, 0, 0],
            [False, True, True],
            told={("back", ""): [[False, True, True]]},
        ),
    ]
    story = hand.told(recorded(hand, *pages))
    title = next(line for line in story.splitlines() if "Generation 2" in line)
    assert title.endswith("─ 3 of 3 present")
    assert chapter(story, "Generation 2") == [
        "2 born     agent 2_2, child of agent 1_1   agent 2_3, child of agent 1_1"
    ]


def test_of_a_crowd_a_dozen_births_are_told(hand: Hand) -> None:
    everybody = 30
    page = hand.page(
        1,
        hand.tell(
            "descended",
            {
                ("own", "life"): [np.arange(everybody)],
                ("own", "parent"): [[-1] * everybody],
                ("own", "newborn"): [[True] * everybody],
            },
        ),
        path=(1,),
        present=[[True] * everybody],
    )
    opening = hand.page(0, present=[[True] * everybody])
    manifest = hand.manifest(
        agents=everybody, cohorts=[], stage=STAGE, extent=RoundStructure(2, (2, 1))
    )
    lines = chapter(hand.told(hand.recorded(opening, page, manifest=manifest)), "Generation 1")
    assert lines[0].startswith("30 born    agent 1_1   agent 1_2   agent 1_3")
    assert lines[-1].endswith("agent 1_12   and 18 more")


def test_another_line_of_the_same_kind_is_no_birth(hand: Hand) -> None:
    stage = DisplaySpec(columns=("coins",))
    page = hand.page(1, hand.tell("descended", {("own", "coins"): [[1, 2, 3]]}))
    run = hand.recorded(hand.page(0), page, manifest=hand.manifest(stage=stage))
    assert "born" not in hand.told(run)


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_births_are_told_on_any_terminal_and_words_are_never_obeyed(
    hand: Hand, width: int, encoding: str
) -> None:
    words = "[bold]give[/] \x1b[2J all \u202eto \U0001f41f " + "and on " * 40
    run = recorded(hand, *two_generations(hand, words))
    text = hand.told(run, width=width, encoding=encoding)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "[bold]give[/]" in "".join(text.split())
    assert all(cell_len(line) <= width for line in text.splitlines())
