"""The mechanism that is none."""

from __future__ import annotations

from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.baseline.baseline import baseline


def digest(scenario: str, *mechanisms: Any, rounds: int = 1) -> str:
    spec = load_config(
        scenario, {"mechanisms": list(mechanisms), "rounds": rounds, "replicates": 3}
    )
    return build(spec).gamemaster().play().digest


def test_the_play_is_the_very_same() -> None:
    assert baseline(prisoners_dilemma.play) is prisoners_dilemma.play


@pytest.mark.parametrize("scenario", ["prisoners_dilemma", "fishing_village", "donor_game"])
def test_it_leaves_a_game_bit_for_bit_as_it_was(scenario: str) -> None:
    assert digest(scenario, "baseline", rounds=2) == digest(scenario, rounds=2)


def test_it_makes_no_difference_between_other_mechanisms() -> None:
    stack = ["baseline", "repetition", "baseline"]
    assert digest("trust", *stack) == digest("trust", "repetition") != digest("trust")
