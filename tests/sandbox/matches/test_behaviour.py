"""The 961 features of behaviour are those of a brute force, and of closed forms."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.behaviour import (
    LUCKY_GAMES,
    behaviour_batch,
    behaviour_classes,
    behaviour_features,
    opponents_source,
)
from society.sandbox.matches.match_batch import play_batch
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import stage_game
from tests.sandbox.slow_runner import load_programs

GAME = stage_game("public_goods", 4, 5)
REFERENCES = """
class AlwaysC:
    def act(self, history):
        return C


class AlwaysD:
    def act(self, history):
        return D


class HalfHalf:
    def act(self, history):
        return C if random.random() < 0.5 else D


class SeesWho:
    def act(self, history):
        return C if history.round_number and history.opponent_actions[-1, 0] else D
"""
CONDITIONAL = """

class Starts{first}{least}:
    def act(self, history):
        if history.round_number == 0:
            return {first}
        return C if history.opponent_cooperators[-1] >= {least} else D
"""
CONTEXTS = [
    context
    for length in range(5)
    for context in combinations_with_replacement(product((0, 1), repeat=length), 3)
]


@cache
def programs() -> tuple[LoadedProgram, ...]:
    conditional = (CONDITIONAL.format(first=a, least=b) for a in "CD" for b in (1, 2, 3))
    return tuple(load_programs(REFERENCES + "".join(conditional) + "\n\n" + opponents_source()))


def features(name: str, repetitions: int = 1) -> np.ndarray:
    names = [one.name for one in programs()]
    seeds = np.arange(repetitions * 816, dtype=np.uint64).reshape(repetitions, 816)
    batch = behaviour_batch(GAME, names.index(name), names.index("Follows_DDDD"), seeds)
    result = play_batch(programs(), batch, AutomatonTables(), lambda _: None)
    assert not result.troubles
    return behaviour_features(result.actions)


def test_there_are_961_contexts() -> None:
    assert len(CONTEXTS) == 1 + 4 + 20 + 120 + 816 == len(features("AlwaysC"))


def test_unconditional_programs_do_the_same_in_every_context() -> None:
    assert features("AlwaysC").tolist() == [1.0] * 961
    assert features("AlwaysD").tolist() == [0.0] * 961


@pytest.mark.parametrize("first", ["C", "D"])
@pytest.mark.parametrize("least", [1, 2, 3])
def test_conditional_cooperators_follow_the_last_round_of_each_context(
    first: str, least: int
) -> None:
    expected = [
        float(sum(one[-1] for one in context) >= least) if context[0] else float(first == "C")
        for context in CONTEXTS
    ]
    assert features(f"Starts{first}{least}").tolist() == expected


def test_a_coin_is_half_in_every_context() -> None:
    found = features("HalfHalf", LUCKY_GAMES)
    assert found[0] == pytest.approx(0.5, abs=0.02)  # of 40,800 draws
    assert abs(found[-816:].mean() - 0.5) < 0.02
    assert abs(found - 0.5).max() < 0.4
    assert set((found[-816:] * LUCKY_GAMES).round(9) % 1) == {0.0}


def test_short_contexts_are_averages_over_the_multisets_that_begin_with_them() -> None:
    # The first seat follows the smallest of the three histories. Of contexts (D, D, C) it is that
    # of a history from D.., which cooperated never; of (C, C, C) it always did.
    found = features("SeesWho")
    assert found[:5].tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    # In (DC, DD, CD), sorted (DD, DC, CD), longer histories keep the order, as do all.
    expected = [float(context[0][-1]) if context[0] else 0.0 for context in CONTEXTS]
    assert found.tolist() == expected


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="5 rounds of 4 players"):
        behaviour_batch(stage_game("public_goods", 5), 0, 1, np.zeros((1, 816), np.uint64))


def test_programs_of_one_behaviour_are_one_class() -> None:
    rows = np.stack([features(one) for one in ("StartsC1", "AlwaysD", "StartsC1", "StartsD1")])
    assert behaviour_classes(rows).tolist() == [0, 1, 0, 2]
