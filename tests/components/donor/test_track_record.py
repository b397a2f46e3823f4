"""What is known of a recipient, read from numbers and from what people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.donor.track_record import known_shares, mean_share, write_reviews
from society.engine.action_spaces import Real, Text
from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array
from society.engine.script import own

if TYPE_CHECKING:
    from tests.components.conftest import Answer

UNKNOWN = float("nan")


class Reader(Component):
    """Answers with the mean share that it reads; -1 where nothing is known."""

    answers = ("donate",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return np.nan_to_num(mean_share(known_shares(ask)), nan=-1.0)


class Reviewer(Component):
    """Writes reviews."""

    answers = ("review",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return write_reviews(ask, agents)


def read(answer: Answer, **facts: Any) -> Any:
    """The mean that each of three readers finds."""
    told = {name: own(values) for name, values in facts.items()}
    return answer("donate", Real(-1, 1), Reader(), facts=told)[0].tolist()


def test_an_entry_weighs_half_as_much_as_the_one_before() -> None:
    """(.8 + .2 / 2) / (1 + 1 / 2) = .6; and (.5 + .9 / 4) / (1 + 1 / 4) = .58 around a gap."""
    shares = np.array([[0.8, 0.2, UNKNOWN], [0.5, UNKNOWN, 0.9]])
    assert mean_share(shares).tolist() == pytest.approx([0.6, 0.58])


def test_of_strangers_nothing_is_known() -> None:
    assert np.isnan(mean_share(np.full((2, 3), UNKNOWN))).all()
    assert np.isnan(mean_share(np.zeros((2, 0)))).all()


def test_numbers_are_read_from_a_trace(answer: Answer) -> None:
    trace = [[[0.5, 0.5], [0.0, UNKNOWN], [UNKNOWN, UNKNOWN]]]
    assert read(answer, trace_share=trace) == [0.5, 0, -1]


@pytest.mark.parametrize("share", [0.0, 0.07, 0.125, 1 / 3, 0.5, 0.999, 1.0])
def test_a_rule_reads_from_the_review_of_another_rule_what_was_given(
    answer: Answer, share: float
) -> None:
    facts = {"share": own(np.full((1, 3), share)), "taken": own(np.zeros((1, 3)))}
    written = answer("review", Text(), Reviewer(), facts=facts)
    found = read(answer, reviews=written[..., None])
    assert found == pytest.approx([share] * 3, abs=5e-5)  # two decimals of a percentage


def test_reviews_say_what_happened(answer: Answer) -> None:
    facts = {"share": own([[0.4, UNKNOWN, 0.0]]), "taken": own([[0, 0, 6.0]])}
    assert answer("review", Text(), Reviewer(), facts=facts)[0].tolist() == [
        "Gave me 40 % of what it owned.",
        "Had nothing to give.",
        "Punished me, and gave me nothing.",
    ]


def test_under_a_fixed_stake_reviews_speak_of_no_shares(answer: Answer) -> None:
    facts = {"share": own([[1.0, 0.0, 0.0]]), "taken": own([[0, 0, 6.0]])}
    written = answer("review", Text(), Reviewer(), facts=facts, stake="fixed")
    assert written[0].tolist() == [
        "Gave to me.",
        "Gave me nothing.",
        "Punished me, and gave me nothing.",
    ]
    assert read(answer, reviews=written[..., None]) == [1, 0, 0]


@pytest.mark.parametrize(
    "review",
    [
        "",
        "Had nothing to give.",
        "A generous soul, 100 % to be trusted.",
        "Never gave me 50 % of what it owned.",
        "Gave me 140 % of what it owned.",
        "Gave me 40 units.",
    ],
)
def test_a_review_in_other_words_tells_a_rule_nothing(answer: Answer, review: str) -> None:
    assert read(answer, reviews=np.full((1, 3, 2), review, object)) == [-1, -1, -1]


def test_whoever_writes_more_may_begin_with_the_figure(answer: Answer) -> None:
    review = "Gave me 40 % of what it owned. I had hoped for more."
    assert read(answer, reviews=np.full((1, 3, 1), review, object)) == [0.4, 0.4, 0.4]
