"""Perturbations leave what is said, and name back what they rename."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from society import index
from society.config.build import build
from society.config.run_config import Setting, load_config, override
from society.engine.action_spaces import Legal
from society.errors import InputError
from society.llm.perturbations import PERTURBATIONS, Vocabulary, find_perturbation
from society.llm.templates import Templates
from society.runs.prompt_preview import first_prompts

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
        (
            "personal_names",
            "Villager 2 saw villagers 0, 1: 2 fish",
            "Chidi saw Aiko, Bruno: 2 fish",
        ),
        (
            "personal_names",
            "3 days. Form: one of these names: 2, 27, or nobody",
            "3 days. Form: one of these names: Chidi, Bruno2, or nobody",
        ),
        (
            "personal_names",
            '{"enum": ["2", "0", "nobody"]}',
            '{"enum": ["Chidi", "Aiko", "nobody"]}',
        ),
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


def test_an_answer_by_a_personal_name_is_that_of_the_agent_with_the_number() -> None:
    named = PERTURBATIONS["personal_names"]
    assert named.restore('{"answer": "Chidi"}', KNOWN) == '{"answer": "villager 2"}'
    assert named.restore("Bruno2 and Brunos, Bruno1", KNOWN) == "villager 27 and Brunos, Bruno1"


PARAPHRASED = index.packs()["paraphrase"]


@pytest.mark.parametrize("name", sorted(PARAPHRASED))
def test_a_paraphrase_has_other_words_and_reads_the_same_names(name: str) -> None:
    """What a template reads is what it can say; its literal words differ."""
    ours = index.prompts()
    assert name in ours
    plain = Templates(ours.get).names(name)
    other = Templates({**ours, **PARAPHRASED}.get).names(name)
    assert other.vocabulary == plain.vocabulary
    assert other.included == plain.included
    assert PARAPHRASED[name].read_text("utf-8") != ours[name].read_text("utf-8")


@pytest.mark.parametrize(
    "scenario", ["language_village", "stag_hunt", "public_goods", "collective_risk", "common_pool"]
)
def test_a_paraphrased_question_gives_the_same_numbers_in_other_words(scenario: str) -> None:
    plain, other = (
        first_prompts(
            build(
                override(
                    load_config(scenario),
                    [Setting("model", "offline"), Setting(("perturbation",), name)],
                )
            )
        )
        for name in (None, "paraphrase")
    )
    assert plain.keys() == other.keys()
    for question, words in plain.items():
        assert words != other[question]
        assert numbers(words) == numbers(other[question])


def numbers(words: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?", words))


def test_a_perturbation_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no perturbation 'paraphrases'; did you mean"):
        find_perturbation("paraphrases")
