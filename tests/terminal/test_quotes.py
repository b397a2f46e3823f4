"""What agents say in a history: quoted where it is new, in short, and never obeyed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from society.engine.history import Page
from society.engine.scenario import DisplaySpec

if TYPE_CHECKING:
    from tests.terminal.conftest import Hand

VILLAGE = DisplaySpec(
    notes={"policy": {"vote": "the plurality of {n} votes"}},
    quotes={"norm": "now holds", "proposal": "proposes"},
)


def chapter(story: str, number: int) -> list[str]:
    """The lines of one round, without its title."""
    return story.partition(f"Round {number} of 10")[2].split("\n\n")[0].splitlines()[1:]


def texts(*words: str) -> Any:
    """One text for each of three agents, or one for all of them."""
    return np.array([words], object)


def debate(hand: Hand, number: int, norm: Any, policy: str, **more: Any) -> Page:
    """A round in which three options were voted on, and one became the policy."""
    ballot = {("options", ""): texts("Take one.", "Take two.", "Take all.")}
    return hand.page(
        number,
        hand.ask("vote", "choice", {("answer", ""): [[1, 1, 0]], **ballot}),
        hand.tell("reconsidered", {("own", "norm"): norm}),
        hand.tell("adopted", {("common", "policy"): texts(policy)}),
        **more,
    )


def told_of(hand: Hand, *pages: Page, width: int = 80, stage: DisplaySpec = VILLAGE) -> list[str]:
    """The last of these rounds."""
    run = hand.recorded(hand.page(0), *pages, manifest=hand.manifest(stage=stage))
    return chapter(hand.told(run, width=width), len(pages))


def test_a_policy_in_words_is_quoted_with_the_votes_that_it_won(hand: Hand) -> None:
    nothing = texts("", "", "")
    assert told_of(hand, debate(hand, 1, nothing, "Take two.")) == [
        'policy     "Take two."',
        "           the plurality of 3 votes",
        "           2 for it",
        '           1 for "Take one."',
    ]


def test_a_sentence_of_ordinary_length_is_told_in_full(hand: Hand) -> None:
    norm = "Nobody takes more than the poorest of us needs to live through the winter."
    lines = told_of(hand, debate(hand, 1, texts("", "", ""), norm), width=50)
    assert " ".join(" ".join(lines).split()).startswith(f'policy "{norm}"')


def test_a_long_text_keeps_its_beginning_and_its_end(hand: Hand) -> None:
    speech = f"First of all {'blah ' * 100}take at most 4.5 fish"
    line = " ".join(told_of(hand, debate(hand, 1, texts(speech, "", ""), ""))[:2])
    quote = r'"First of all( blah)+ … (blah )+take at most 4.5 fish"'
    assert re.fullmatch(f"norm agent 0 now holds {quote}", " ".join(line.split()))


def test_texts_are_quoted_when_they_change(hand: Hand) -> None:
    first = debate(hand, 1, texts("share", "grab", "wait"), "")
    second = debate(hand, 2, texts("share", "give", "wait"), "")
    assert told_of(hand, first, second)[0] == 'norm       agent 1 now holds "give"'
    third = debate(hand, 3, texts("share", "give", "wait"), "")
    assert "norm" not in " ".join(told_of(hand, first, second, third))


def test_what_one_held_before_the_first_round_is_known(hand: Hand) -> None:
    opening = hand.page(0, public={"norm": texts("share", "grab", "wait")})
    first = debate(hand, 1, texts("share", "grab", "rush"), "")
    run = hand.recorded(opening, first, manifest=hand.manifest(stage=VILLAGE))
    story = hand.told(run)
    assert 'agent 0 now holds "share"' in story
    assert chapter(story, 1)[0] == 'norm       agent 2 now holds "rush"'


def test_of_many_new_texts_a_few_are_quoted_and_the_others_counted(hand: Hand) -> None:
    norms = np.array([[f"norm {number}" for number in range(9)]], object)
    page = hand.page(
        1,
        hand.tell("reconsidered", {("own", "norm"): norms}),
        present=[[True] * 9],
        measures={},
    )
    manifest = hand.manifest(agents=9, stage=VILLAGE, cohorts=[])
    opening = hand.page(0, present=[[True] * 9])
    lines = chapter(hand.told(hand.recorded(opening, page, manifest=manifest)), 1)
    assert lines[0] == 'norm       agent 0 now holds "norm 0"'
    assert lines[3:5] == ['           agent 3 now holds "norm 3"', "           and 5 more"]


def test_whom_nobody_understood_is_told(hand: Hand) -> None:
    troubles = (
        hand.trouble(1, "effort", "repair"),
        hand.trouble(1, "effort", "fallback"),
        hand.trouble(2, "vote", "cut"),
        hand.trouble(0, "vote", "fallback", replicate=1),
    )
    assert told_of(hand, debate(hand, 1, texts("", "", ""), "", troubles=troubles))[-3:] == [
        "trouble    agent 1 (altruist) could not be understood (effort): the fallback was",
        "           used",
        "           1 repair, 1 reply cut off",
    ]


def test_without_a_stage_free_text_is_quoted_and_options_stand_in_the_table(hand: Hand) -> None:
    page = hand.page(
        1,
        hand.ask("speak", "words up to 400", {("answer", ""): texts("hello", "", "no")}),
        hand.ask("move", "choice C/D", {("answer", ""): [[0, 1, 1]]}),
        hand.tell("paid", {("own", "mood"): texts("glad", "glad", "sad")}),
    )
    lines = told_of(hand, page, stage=DisplaySpec())
    assert [" ".join(line.split()) for line in lines] == [
        "type move",
        "agent 0 altruist C",
        "agent 1 altruist D",
        "agent 2 selfish D",
        'speak agent 0 says "hello"',
        'agent 2 says "no"',
        'mood agent 0 says "glad"',
        'agent 1 says "glad"',
        'agent 2 says "sad"',
    ]


UNWELCOME = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u034f\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
INVISIBLE = st.sampled_from([chr(code) for code in range(0x3000) if UNWELCOME.match(chr(code))])


@given(st.lists(st.text() | INVISIBLE, min_size=1, max_size=6), st.sampled_from([20, 60, 120]))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_agents_say_the_terminal_gets_one_harmless_line_after_another(
    hand: Hand, parts: list[str], width: int
) -> None:
    words = "".join(parts).encode("utf-8", "replace").decode()
    troubles = (hand.trouble(0, words, "fallback", words),)
    page = debate(hand, 1, texts(words, "[red]x[/red]", ""), words, troubles=troubles)
    lines = told_of(hand, page, width=width)
    assert not [line for line in lines if UNWELCOME.search(line)]
    assert all(cell_len(line) <= width for line in lines)
    assert "[red]x[/red]" in "".join(line.strip() for line in lines)


def test_who_is_gone_holds_nothing(hand: Hand) -> None:
    """Agent 2 is turned away before the first round, with a norm of its own."""
    held = {("own", "norm"): texts("Take one.", "Take two.", "Take all.")}
    page = hand.page(1, hand.tell("settled", held), present=[[True, True, False]])
    told = " ".join(" ".join(told_of(hand, page)).split())
    assert 'agent 1 now holds "Take two."' in told
    assert "agent 2 now holds" not in told
