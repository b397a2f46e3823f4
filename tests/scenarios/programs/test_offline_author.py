"""The offline mind's programs do what its descriptions say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from society.engine.rng import generator
from society.sandbox.matches.match_batch import MatchBatch
from society.sandbox.stage_games import stage_game
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.offline_author import improvise_description, improvise_program
from society.scenarios.programs.trial_games import check_reply, prepare
from society.scenarios.programs.written_texts import NoProgram, find_program

NAMED = {"class_name": "Mine"}


def moves(description: str, *partners: str) -> str:
    """The moves of a described strategy in a common pool, among these strategies."""
    replies = [reply(one) for one in (description, *partners)]
    programs: list[Any] = [check_reply(one) for one in replies]
    game = stage_game("common_pool", 1 + len(partners), rounds=5)
    seats = np.arange(len(programs))[None]
    with ProgramPool(workers=1) as pool:
        pool.load([prepare(one, "C") for one in programs])
        result = pool.play(MatchBatch(game, seats, seats.astype(np.uint64)))
    assert result.troubles == []
    return "".join("C" if cooperates else "D" for cooperates in result.actions[0, 0])


def reply(description: str) -> str:
    """The first reply to a description that is no slip."""
    for seed in range(20):
        made = improvise_program({"description": description, **NAMED}, generator(seed, "test"))
        if "return D" in made:
            return made
    raise AssertionError(description)


ALWAYS = (
    "In the first round, cooperate. Later, cooperate if at least 0 percent of the other players "
    "cooperated in the round before, and else defect."
)
NEVER = (
    "In the first round, defect. Later, cooperate if at least 101 percent of the other players "
    "cooperated in the round before, and else defect."
)
CHANCE = " With a chance of 100 percent, cooperate although the rule says defect."
STOCK = " If the stock is below 90 percent of the capacity, cooperate in any case."


@pytest.mark.parametrize(
    ("description", "partners", "expected"),
    [
        (ALWAYS, (NEVER, NEVER), "CCCCC"),
        (ALWAYS.replace(" 0 ", " 50 "), (ALWAYS, NEVER), "CCCCC"),
        (ALWAYS.replace(" 0 ", " 75 "), (ALWAYS, NEVER), "CDDDD"),
        (ALWAYS + " In the last round, defect.", (NEVER,), "CCCCD"),
        (NEVER + CHANCE, (NEVER,), "DCCCC"),
        (NEVER + STOCK, (ALWAYS,), "DCCCD"),  # stocks of 8, 5, 5.9, 6.7 and 7.25
    ],
)
def test_a_program_does_what_its_description_says(
    description: str, partners: tuple[str, ...], expected: str
) -> None:
    assert moves(description, *partners) == expected


@pytest.mark.parametrize("fallback", ["C", "D"])
@pytest.mark.parametrize("game", ["public_goods", "common_pool"])
def test_every_description_of_its_making_becomes_a_program(game: str, fallback: str) -> None:
    facts = {"game": game, "fallback_action": fallback}
    described = [improvise_description(facts, generator(seed, "words")) for seed in range(50)]
    assert len(set(described)) > 20
    assert all(find_program(reply(one)).startswith("class Mine:") for one in described)
    share = [re.findall(r"(\d+) percent of the other", one)[0] for one in described]
    assert max(map(int, share)) <= 95


def test_descriptions_of_others_are_not_guessed_at() -> None:
    facts = {"description": "Cooperate a lot.", **NAMED}
    with pytest.raises(NoProgram):
        find_program(improvise_program(facts, generator(1, "test")))
