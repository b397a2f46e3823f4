"""Where only one answer is legal nobody is asked for it, and nothing is paid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.components.language.llm_policy import only_answer
from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
)
from society.engine.graph import NOBODY
from tests.every_question import listen

PEERS = Legal(peers={"1": 1})
ONE = Choice(options=np.array([["Fish less.", None]], object))


@pytest.mark.parametrize(
    ("reply", "legal", "only"),
    [
        (Real(0, 0), Legal(), 0.0),
        (Integer(3, 3), Legal(), 3),
        (ONE, Legal(options={"Fish less.": 0}), 0),
        (Neighbour("all"), Legal(), NOBODY),
        (MixedStrategy("A0"), Legal(), [1.0]),
        (Fields({"whom": Neighbour("all"), "much": Real(2, 2)}), Legal(), {"whom": -1, "much": 2}),
    ],
)
def test_the_only_legal_answer_is_found(reply: ActionSpace, legal: Legal, only: Any) -> None:
    assert only_answer(reply, legal) == only


@pytest.mark.parametrize(
    "reply",
    [
        Real(0, 1),
        Real(0, 0, optional=True),
        Choice("yes", "no"),
        Neighbour("all"),
        Text(),
        Fields({"much": Real(0, 0), "why": Text()}),
    ],
)
def test_where_there_is_a_choice_it_is_asked_for(reply: ActionSpace) -> None:
    assert only_answer(reply, PEERS) is None


def test_a_closed_field_beside_an_open_one_is_left_out_of_the_question() -> None:
    """A donor without units may only be asked what it would do, and not how much of nothing."""
    poor = {"endowment": 0, "punishment": True, "games": 1, "minds": "language"}
    heard = [
        one for one in listen("donors", mechanisms=[], parameters=poor) if one.kind == "donate"
    ]
    assert heard
    for one in heard:
        assert '- "deed": one of these: donate, punish' in one.words
        assert "you have no units to spend" in one.words
        assert '"amount"' not in one.words


def test_a_donor_without_units_is_not_asked_and_gives_nothing() -> None:
    """Of four donors two are asked in each of two rounds: four answers are settled unasked."""
    poor = {"endowment": 0, "games": 1, "minds": "language"}
    assert [one.kind for one in listen("donors", mechanisms=[], parameters=poor)] == []
    setup = build(load_config("donor_game", {"agents": 4, "rounds": 2, "parameters": poor}))
    (entry,) = setup.gamemaster().play().ledger
    assert entry[:4] == (
        "language_policy", "donate", "", 0,
    )  # fmt: skip
    assert entry.unasked == 4
