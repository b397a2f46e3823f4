"""Programs like the published ones run, and decide as in plain Python."""

from __future__ import annotations

import pytest

from .harmless_programs import COUNTS, FULL, SOCIETY, Harmless
from .program_play import four_players, only_program, plain_code, play

PROGRAMS = (*COUNTS, *FULL, *SOCIETY)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("harmless", PROGRAMS, ids=lambda one: one.name)
def test_a_harmless_program_is_accepted_and_makes_its_moves(harmless: Harmless) -> None:
    program = only_program(harmless.text, harmless.name)
    assert program.accepted, program.reason
    assert play(program, program.code, four_players(harmless.game)) == harmless.moves


@pytest.mark.parametrize("harmless", PROGRAMS, ids=lambda one: one.name)
def test_instrumentation_changes_no_decision(harmless: Harmless) -> None:
    program = only_program(harmless.text, harmless.name)
    plain = plain_code(program, harmless.text)
    game = four_players(harmless.game)
    for seed in range(4):
        assert play(program, program.code, game, seed) == play(program, plain, game, seed)


@pytest.mark.parametrize("interface", ["counts", "full", "society"])
def test_the_interface_is_read_off_the_signature(interface: str) -> None:
    programs = {"counts": COUNTS, "full": FULL, "society": SOCIETY}[interface]
    found = {only_program(one.text, one.name).interface for one in programs}
    assert found == {interface}


def test_there_are_at_least_thirty_programs() -> None:
    assert len(PROGRAMS) >= 30
