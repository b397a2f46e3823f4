"""Taking part in collective choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.components.village.norm_belief import NormBelief
from society.components.village.voting import Voting, caps_of, proposal_texts
from society.engine.action_spaces import Choice, Fields, Real, Text
from society.engine.component import AgentGroup
from society.engine.environment import Environment
from society.engine.script import Ask, Script
from society.text import clean_line

if TYPE_CHECKING:
    from tests.components.conftest import Answer
    from tests.conftest import Play


class Believing(NormBelief):
    """Beliefs of 1, 5 and 9."""

    def begin(self, agents: AgentGroup) -> None:
        agents["belief"] = 4.0 * agents.audience.rows.seat + 1


def test_everybody_proposes_its_own_belief(answer: Answer) -> None:
    assert answer("propose", Real(0, 99), Believing(), Voting()).tolist() == [[1, 5, 9]]


def test_everybody_votes_for_what_lies_nearest_to_its_belief(answer: Answer) -> None:
    options = np.array([[2.0, 6.0, 8.0]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[0, 1, 2]]


def test_of_two_options_equally_near_the_first_is_chosen(answer: Answer) -> None:
    options = np.array([[3.0, 7.0]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[0, 0, 1]]


def test_options_that_are_not_open_are_passed_over(answer: Answer) -> None:
    options = np.array([[np.nan, 7.0, np.nan]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[1, 1, 1]]


# In words


def test_asked_in_words_everybody_says_its_belief_in_words(play: Play) -> None:
    def script(env: Environment) -> Script:
        texts = {"personal": Text(), "community": Text()}
        yield Ask("propose", Fields({**texts, "cap": Real(0, np.inf, optional=True)}))
        yield Ask("update", Fields({"personal": Text()}))

    over = play(script, Believing(), Voting())
    held = [f"Land no more than {cap} fish on one day." for cap in (1, 5, 9)]
    assert over.answers("propose", "personal")[0].tolist() == [held]
    assert over.answers("update", "personal")[0].tolist() == [held]
    assert over.answers("propose", "cap")[0].tolist() == [[1, 5, 9]]
    assert len(set(over.answers("propose", "community")[0][0])) == 1


def test_a_rule_votes_by_the_caps_that_proposals_end_with(answer: Answer) -> None:
    endings = [f"(at most {cap} fish per villager and day)" for cap in (8, 2.5, 5)]
    options = np.array([["Fish 1 fish.", *(f"Rest. {words}" for words in endings), None]], object)
    votes = answer("vote", Choice(options=options), Believing(), Voting())
    assert votes.tolist() == [[2, 3, 1]]


def test_a_rule_that_can_judge_no_option_takes_the_first(answer: Answer) -> None:
    options = np.array([["Share.", "Take.", None]], object)
    votes = answer("vote", Choice(options=options), Believing(), Voting())
    assert votes.tolist() == [[0, 0, 0]]


def test_no_cap_at_all_may_be_voted_for(answer: Answer) -> None:
    """A belief is always finite, and so nearer to what is finite."""
    options = np.array([[2.0, 1e9, np.inf]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize(
    ("sentence", "cap", "proposal"),
    [
        ("Fish less.", np.nan, "Fish less."),
        ("Fish less.", np.inf, "Fish less."),
        (" Fish\n less.\u200b ", 6.25, "Fish less. (at most 6.25 fish per villager and day)"),
        ("Fish less.", 1 / 3, "Fish less. (at most 0.33 fish per villager and day)"),
        ("", 6.25, ""),
        (
            "Rest. (at most 3 fish per villager and day)",
            6.0,
            "Rest. (at most 6 fish per villager and day)",
        ),
        (
            "Rest. (at most 3 fish per villager and day)",
            np.nan,
            "Rest. (at most 3 fish per villager and day)",
        ),
    ],
)
def test_a_proposal_is_a_sentence_with_its_cap(sentence: str, cap: float, proposal: str) -> None:
    sentences = np.array([[sentence]], object)
    assert proposal_texts(sentences, np.array([[cap]])).tolist() == [[proposal]]


@pytest.mark.parametrize(
    "words",
    [
        "At most 6 fish.",
        "Rest. (at most 6 fish per villager and day) Amen.",
        "Rest. (at most six fish per villager and day)",
        "Rest. (At most 6 fish per villager and day)",
        "",
    ],
)
def test_a_cap_is_read_at_the_end_and_in_its_one_form_only(words: str) -> None:
    assert np.isnan(caps_of(np.array([words, None], object))).all()


@given(st.text(max_size=60), st.floats(0, 1e12))
def test_a_cap_is_read_as_it_was_written(sentence: str, cap: float) -> None:
    (proposal,) = proposal_texts(np.array([sentence], object), np.array([cap])).tolist()
    read = caps_of(np.array([proposal], object)).item()
    assert read == round(cap, 2) if clean_line(sentence) else np.isnan(read)
