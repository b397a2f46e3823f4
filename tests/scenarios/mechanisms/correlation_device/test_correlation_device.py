"""A device recommends: from the profiles that it may draw, to each its own part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.errors import ScenarioError
from society.scenarios.games.two_by_two import prisoners_dilemma, stag_hunt
from society.scenarios.mechanisms.correlation_device.correlation_device import (
    Recommendation,
    correlation_device,
)

if TYPE_CHECKING:
    from society.engine.component import Question
    from society.engine.graph import AgentRows
    from society.engine.rng import Array
    from tests.scenarios.mechanisms.conftest import Actors


def obeys(ask: Question, rows: AgentRows) -> Array:
    return np.asarray(ask.facts["recommended_action"], int)


def drawn(**chances: float) -> dict[str, list[Recommendation]]:
    """`drawn(p01=0.5, p10=0.5)`: one of the two profiles."""
    return {
        "profiles": [
            Recommendation(profile=[int(action) for action in name[1:]], probability=chance)
            for name, chance in chances.items()
        ]
    }


def test_all_are_asked_to_cooperate_if_nothing_is_stated(actors: Actors) -> None:
    over = actors(stag_hunt, (correlation_device, {}), move=obeys)
    assert over.told("action")[0].tolist() == [[0, 0]]
    assert over.outcome.measures["followed"].mean == 1


def test_who_obeys_plays_what_was_drawn_for_the_match(actors: Actors) -> None:
    """Exactly one of the two defects in every match; each as often as it is likely to."""
    device = drawn(p01=0.25, p10=0.75)
    over = actors(
        prisoners_dilemma,
        (correlation_device, device),
        agents=4,
        move=obeys,
        at={"replicates": 500},
    )
    (action,) = over.told("action")
    assert (action[:, 0] + action[:, 1] == 1).all()
    assert (action[:, 2] + action[:, 3] == 1).all()
    assert (action[:, 0] != action[:, 2]).any()  # each match has a draw of its own
    assert action[:, [0, 2]].mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 1000))


def test_all_know_the_device_and_nobody_the_part_of_another(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (correlation_device, drawn(p01=0.5, p10=0.5)), move=[1, 1])
    (asked,) = [step.arrays for step in over.steps if step.kind == "move"]
    assert asked["common", "device_profiles"].tolist() == [[[0, 1, 1, 0]]]
    assert asked["common", "device_probabilities"].tolist() == [[[0.5, 0.5]]]
    assert {name for role, name in asked if role == "own"} == {"seat", "recommended_action"}
    assert over.outcome.measures["followed"].mean == 0.5


@pytest.mark.parametrize(
    ("scenario", "profiles", "words"),
    [
        ("matching_pennies", None, "nothing is cooperation in this game; say what to recommend"),
        ("trust", [([0, 0], 0.9)], "the probabilities of profiles sum to 0.9; expected 1"),
        ("trust", [([0], 1)], "got the profile \\[0\\]; expected an action"),
        ("trust", [([0, 2], 1)], "got the profile \\[0, 2\\]; expected an action"),
        (
            "trust",
            [([0, -1], 1)],
            "profiles\\[0\\].profile\\[1\\]: got -1; expected a whole number",
        ),
        ("trust", [([0, 0], 2)], "probability: got 2; expected a number from 0 to 1"),
        ("donor_game", None, "has no list of actions for each player"),
    ],
)
def test_what_cannot_be_recommended_is_refused(scenario: str, profiles: Any, words: str) -> None:
    said = profiles and [{"profile": one, "probability": chance} for one, chance in profiles]
    with pytest.raises(ScenarioError, match=words):
        build(load_config(scenario, {"mechanisms": [{"correlation_device": {"profiles": said}}]}))
