"""Cheap talk: who hears what, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.errors import ScenarioError
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.cheap_talk.cheap_talk import cheap_talk
from society.scenarios.mechanisms.repetition.repetition import repetition

if TYPE_CHECKING:
    from society.engine.component import Question
    from society.engine.graph import AgentRows
    from society.engine.rng import Array
    from tests.conftest import Played
    from tests.scenarios.mechanisms.conftest import Actors


def counting(ask: Question, rows: AgentRows) -> Array:
    """Everybody says its number, and how much it has said before."""
    before = len(ask.facts["said_own"][0]) if "said_own" in ask.facts else 0
    return np.array([f"{seat + 1}.{before}" for seat in rows.seat], object)


def heard(over: Played, kind: str, fact: str) -> list[Any]:
    """The fact with each question of a kind, in the first replicate; None where it is not there."""
    asked = [step.arrays for step in over.steps if (step.sort, step.kind) == ("ask", kind)]
    return [one["own", fact][0].tolist() if ("own", fact) in one else None for one in asked]


def test_all_hear_all_others_of_their_match_before_they_move(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (cheap_talk, {}), agents=4, move=[0] * 4, say=counting)
    assert [step.kind for step in over.steps] == ["say", "move", "played"]
    assert heard(over, "move", "said_own") == [[["1.0"], ["2.0"], ["3.0"], ["4.0"]]]
    assert heard(over, "move", "said_others") == [[["2.0"], ["1.0"], ["4.0"], ["3.0"]]]


def test_later_messages_answer_earlier_ones(actors: Actors) -> None:
    over = actors(public_goods, (cheap_talk, {"rounds": 2}), agents=3, move=[0] * 3, say=counting)
    first, second = heard(over, "say", "said_others")
    assert first is None
    assert second[0] == ["2.0", "3.0"]
    assert heard(over, "move", "said_others")[0][0] == ["2.0", "3.0", "2.1", "3.1"]
    assert heard(over, "move", "said_own")[0][2] == ["3.0", "3.1"]


def test_each_move_has_talk_of_its_own(actors: Actors) -> None:
    over = actors(
        prisoners_dilemma, (cheap_talk, {}), (repetition, {"games": 2}), move=[0, 0], say=counting
    )
    asked = [step.kind for step in over.steps if step.sort == "ask"]
    assert asked == ["say", "move"] * 2
    assert heard(over, "move", "said_own") == [[["1.0"], ["2.0"]]] * 2


def test_players_with_different_actions_talk_once(actors: Actors) -> None:
    """They are asked for their moves one after the other, and move at the same time."""
    payoffs = [[[1, 1]] * 3] * 2
    over = actors(
        normal_form,
        (cheap_talk, {}),
        at={"params": {"payoffs": payoffs}},
        move=[1, 2],
        say=counting,
    )
    assert [step.kind for step in over.steps] == ["say", "move", "move", "played"]
    assert heard(over, "move", "said_others") == [[["2.0"], ["1.0"]]] * 2


def test_messages_are_cut_at_the_limit(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (cheap_talk, {"limit": 2}), move=[0, 0], say=["abc", "d"])
    assert heard(over, "move", "said_own") == [[["ab"], ["d"]]]


def test_talk_within_talk_is_refused() -> None:
    with pytest.raises(ScenarioError, match="players talk in this play already"):
        build(load_config("trust", {"mechanisms": ["cheap_talk", "cheap_talk"]}))
