"""Perturbations leave what is said, and name back what they rename."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.action_spaces import Legal
from society.llm.perturbations import PERTURBATIONS, Vocabulary

KNOWN = Vocabulary("villager", ("B0", "B1", "C", "P", "stay"))
WORDS = st.lists(
    st.sampled_from(
        [
            "villager 2",
            "Villagers",
            "B0",
            "B1,",
            "C.",
            "P",
            "stay",
            "3 coins",
            "Point",
            "12.5",
            "the",
        ]
    )
).map(" ".join)


@pytest.mark.parametrize("name", PERTURBATIONS)
@given(words=WORDS)
def test_a_reply_in_the_new_names_is_restored_to_the_old_ones(name: str, words: str) -> None:
    one = PERTURBATIONS[name]
    assert one.restore(one.rename(words, KNOWN), KNOWN) == words


@pytest.mark.parametrize(
    ("name", "plain", "changed"),
    [
        ("names", "Villager 2 and villagers", "Resident 2 and residents"),
        ("labels", "B0 or B1: C, not P", "O0 or O1: P, not C"),
        ("units", "Coins: 3 points", "Tokens: 3 credits"),
        ("numbers", "1234 of 12.5, agent 2_4, 0 to 1", "1,234 of 12.50, agent 2_4, 0 to 1"),
        ("persona", "You are villager 2.", "You play the part of villager 2."),
    ],
)
def test_a_perturbation_changes_words_as_it_says(name: str, plain: str, changed: str) -> None:
    assert PERTURBATIONS[name].change(plain, KNOWN) == changed


def test_an_answer_by_the_old_label_is_understood_unless_another_has_it_now() -> None:
    labels = PERTURBATIONS["labels"]
    assert labels.restore("B0", KNOWN) == "B0"
    assert labels.restore("C", KNOWN) == "P"


def test_a_label_that_is_a_word_keeps_its_name() -> None:
    assert Vocabulary("", ("A", "I", "B", "cooperate", "A1")).codes == ("B", "A1")


def test_reversed_options_keep_their_indices() -> None:
    legal = PERTURBATIONS["options_reversed"].arrange(
        Legal({"keep": 0, "give": 1}, {"2": 5, "3": 6})
    )
    assert list(legal.options.items()) == [("give", 1), ("keep", 0)]
    assert list(legal.peers.items()) == [("3", 6), ("2", 5)]
