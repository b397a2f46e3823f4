"""Strategies as models write them are accepted, and decide in every round of every game."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from .program_play import four_players, only_program, play
from .realistic_strategies import COUNTS, FULL, SOCIETY

_START = (
    "class Written:\n    def __init__(self, game):\n        self.game = game\n"
    "        self.n = game.n_players\n        self.rounds = game.n_rounds\n"
    "        self.seen = []\n\n"
)
_METHODS = {
    "counts": "__call__(self, history)",
    "full": "__call__(self, state, history)",
    "society": "act(self, history)",
}
WRITTEN = [
    *(("counts", one) for one in COUNTS),
    *(("full", one) for one in FULL),
    *(("society", one) for one in SOCIETY),
]


def test_there_are_forty_strategies() -> None:
    assert len(WRITTEN) == 40


@pytest.mark.parametrize(("interface", "body"), WRITTEN)
def test_a_strategy_as_models_write_it_plays(interface: str, body: str) -> None:
    method = f"    def {_METHODS[interface]}:\n{indent(dedent(body), ' ' * 8)}\n"
    program = only_program(_START + method)
    assert program.accepted, program.reason
    assert program.interface == interface
    moves = play(program, program.code, four_players("public_goods"))
    assert set(moves) <= {"C", "D"}
    assert len(moves) == four_players("public_goods").rounds
