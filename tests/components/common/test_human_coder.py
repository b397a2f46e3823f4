"""A person among the raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.common.human_coder import HumanCoder
from society.engine.action_spaces import Choice
from society.engine.script import common, own
from society.errors import PartError

if TYPE_CHECKING:
    from tests.components.conftest import Answer

CODES = {"demand": {"Fish less.": "spare", "Fish more.": "use"}}
TEXTS = np.array([["Fish more.", "Fish less.", "Sing."]], object)


def rated(
    answer: Answer, criterion: str, codes: Mapping[str, Mapping[str, str]] = CODES
) -> list[int]:
    """The indices of the labels given to three texts, of: spare, use, uncoded."""
    facts = {"criterion": common(criterion), "text": own(TEXTS)}
    reply = Choice("spare", "use", "uncoded")
    labels: list[int] = answer("rate", reply, HumanCoder(codes), facts=facts)[0].tolist()
    return labels


def test_each_text_has_the_label_that_the_person_gave_it(answer: Answer) -> None:
    assert rated(answer, "demand") == [1, 0, 2]


def test_a_criterion_without_codes_leaves_all_texts_uncoded(answer: Answer) -> None:
    assert rated(answer, "force") == [2, 2, 2]


def test_texts_are_told_apart_word_for_word(answer: Answer) -> None:
    assert rated(answer, "demand", {"demand": {"fish more.": "use", "Fish": "use"}}) == [2, 2, 2]


def test_a_label_that_is_not_asked_for_is_refused(answer: Answer) -> None:
    with pytest.raises(
        PartError, match="human_coder, agent 2 of replicate 0, answered 'rate' with 'law'"
    ):
        rated(answer, "demand", {"demand": {"Sing.": "law"}})
