"""What is said to outside minds: whose it is, and when two prompts are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.engine.calls import (
    BARE,
    Address,
    Completion,
    Message,
    NoCallStore,
    Request,
    stack_vectors,
    sum_known,
)

ADDRESS = Address("language_policy", "answer effort", 3, 0, 7, 0)
ASKED = Request(ADDRESS, "default", (Message("user", "How hard do you fish?"),))


def test_an_address_names_the_question_and_tells_answers_found_without_a_call() -> None:
    assert ADDRESS.kind == "effort"
    assert not ADDRESS.bare
    assert ADDRESS._replace(turn=BARE).bare


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "another"},
        {"messages": (Message("user", "How hard do you fish"),)},
        {"messages": (Message("system", "How hard do you fish?"),)},
        {"messages": (Message("user", "How hard do you fish?"), Message("user", ""))},
        {"messages": (Message("user", "How hard do you fish?\ud800"),)},
        {"messages": ()},
    ],
    ids=str,
)
def test_other_words_and_other_models_make_another_prompt(changes: dict[str, Any]) -> None:
    assert ASKED._replace(**changes).fingerprint != ASKED.fingerprint


@pytest.mark.parametrize(
    "changes",
    [
        {"address": ADDRESS._replace(agent=8, turn=1)},
        {"room": 2048, "again": "cut", "reason": "no end"},
        {"peers": ("1", "2")},
    ],
    ids=str,
)
def test_who_is_asked_and_why_changes_no_prompt(changes: dict[str, Any]) -> None:
    assert ASKED._replace(**changes).fingerprint == ASKED.fingerprint


def test_the_hash_of_a_prompt_is_the_same_in_every_process() -> None:
    assert ASKED.fingerprint == "2da994f9ebcf38e8fdead7865ef7a7e9"


def test_what_a_provider_does_not_say_is_unknown_and_not_zero() -> None:
    said = Completion("0.4")
    assert (said.prompt_tokens, said.completion_tokens, said.cost) == (None, None, None)


def test_a_sum_is_unknown_if_one_of_its_parts_is() -> None:
    assert sum_known([0.25, 0.5]) == 0.75
    assert sum_known([1, None, 2]) is None
    assert sum_known(iter(())) == 0


def test_where_nothing_is_recorded_nothing_is_kept() -> None:
    call_store = NoCallStore()
    call_store.keep_vectors("hashing", {"a": np.ones(2)})
    assert call_store.kept(ASKED) is None
    assert call_store.vectors("hashing", ["a"]) == {}


def test_vectors_stand_in_the_order_of_their_texts() -> None:
    known = {"sea": np.array([1.0, 2.0]), "lake": np.array([3.0, 4.0])}
    assert stack_vectors(known, ["lake", "sea", "lake"]).tolist() == [[3, 4], [1, 2], [3, 4]]
