"""Perturbations leave what is said, and name back what they rename."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from jinja2.nodes import Const, TemplateData

from society import index
from society.engine.action_spaces import Legal
from society.errors import InputError
from society.llm.perturbations import PERTURBATIONS, Vocabulary, find_perturbation
from society.llm.templates import Templates
from tests.every_question import SOCIETIES, listen
from tests.sweeps import all_but

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


@pytest.mark.parametrize(
    "owner",
    all_but(
        ["donor_game", "contracts", "village_meeting"],
        sorted({name.partition("/")[0] for name in index.prompts()}),
    ),
)
def test_a_paraphrase_reads_the_same_names_and_keeps_no_sentence(owner: str) -> None:
    """What a template reads is what it can say. Those without words need no paraphrase."""
    ours = index.prompts()
    plain, other = Templates(ours.get), Templates({**ours, **PARAPHRASED}.get)
    for name in (one for one in ours if one.startswith(f"{owner}/")):
        assert (name in PARAPHRASED) == plain.says_words(name), name
        assert other.names(name).vocabulary == plain.names(name).vocabulary, name
        assert other.names(name).included == plain.names(name).included, name
        if name in PARAPHRASED:
            assert not sentences(PARAPHRASED[name]) & sentences(ours[name]), name


def test_a_paraphrase_stands_in_for_a_template_of_ours() -> None:
    assert PARAPHRASED.keys() < index.prompts().keys()


def sentences(file: Path) -> set[str]:
    """Runs of six words or more in the texts of a template."""
    parsed = Environment().parse(file.read_text("utf-8"))
    texts = [one.data for one in parsed.find_all(TemplateData)]
    texts += [str(one.value) for one in parsed.find_all(Const)]
    runs = [run.strip() for text in texts for run in re.split(r"[.:;,?!]\s|\n", text)]
    return {run for run in runs if len(re.findall(r"[^\W\d_]{2,}", run)) >= 6}


QUICK = ("canal", "donors who review", "game with talk", "game with a menu", "meeting", "village")


@pytest.mark.parametrize("society", all_but(QUICK, SOCIETIES))
def test_a_paraphrased_question_says_the_same_numbers_and_words_of_agents(society: str) -> None:
    plain, other = listen(society), listen(society, perturbation="paraphrase")
    assert len(plain) == len(other) > 0
    for one, reworded in zip(plain, other, strict=True):
        assert one.words != reworded.words
        assert numbers(one.words) == numbers(reworded.words)
        assert quotations(one.words) == quotations(reworded.words)
        _, marked, form = one.words.rpartition("Form of the answer: ")
        assert not marked or reworded.words.endswith(f"The answer has this form: {form}")


def test_an_event_that_is_remembered_has_other_words_too() -> None:
    remembered = {
        perturbation: [
            line
            for one in listen("donors who talk", perturbation=perturbation)
            for line in re.findall(r"^- Round \d: (.*)", one.words, re.M)
        ]
        for perturbation in (None, "paraphrase")
    }
    assert "You gave up 3.079 units for agent 1." in remembered[None]
    assert "You parted with 3.079 units in favour of agent 1." in remembered["paraphrase"]
    assert not {*remembered[None]} & {*remembered["paraphrase"]}


def numbers(words: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?", words))


def quotations(words: str) -> list[str]:
    """What agents have said themselves; memories quote events, whose words differ."""
    lines = [line for line in words.splitlines() if not re.match(r"- (Round|Day|Game) ", line)]
    return sorted(re.findall(r"«[^»]*»", "\n".join(lines)))


def test_a_perturbation_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no perturbation 'paraphrases'; did you mean"):
        find_perturbation("paraphrases")
