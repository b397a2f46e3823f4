"""What a run file keeps of a game in normal form, and of who sat where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.environment import Environment
from society.engine.script import Script
from society.runs.manifest import Manifest, manifest_of
from society.runs.structure import GameNote, rules_of
from society.scenarios.games.public_goods import PublicGood

TYPES = [
    {"name": name, "components": [{"classic_strategies": {"strategy": strategy}}]}
    for name, strategy in (("nice", "always_cooperate"), ("nasty", "always_defect"))
]


def manifest(scenario: str, **said: Any) -> Manifest:
    setup = build(load_config(scenario, said))
    return manifest_of(setup)


def test_a_game_is_kept_with_its_payoffs() -> None:
    game = manifest("trust").game
    assert game is not None
    assert game.actions == (("A0", "A1"), ("A0", "A1"))
    assert game.table is not None
    assert game.table[:, 0, 1].tolist() == [0, 20]
    assert (game.cooperation, game.cooperative, game.equilibrial) == ((0, 0), (10, 10), (4, 4))
    assert game.players == 2


def test_it_is_found_inside_of_mechanisms() -> None:
    game = manifest("prisoners_dilemma", mechanisms=[{"repetition": {"games": 2}}]).game
    assert game is not None
    assert game.cooperative == (2, 2)


def test_it_is_known_without_playing_and_the_game_master_alone_calls_the_play() -> None:
    game, tables = build(load_config("prisoners_dilemma")).gamemaster(), list[Environment]()

    def play(env: Environment) -> Script:
        tables.append(env)
        return inner(env)

    inner = game.scenario.play
    game.scenario = replace(game.scenario, play=play)
    assert rules_of(game.env) is not None
    assert tables == []
    game.play()
    assert tables == [game.env]


@pytest.mark.parametrize(
    ("scenario", "alike"),
    [
        ("prisoners_dilemma", True),
        ("public_goods", True),
        ("trust", False),
        ("matching_pennies", False),
    ],
)
def test_seats_of_a_game_are_alike_or_not(scenario: str, alike: bool) -> None:
    game = manifest(scenario).game
    assert game is not None
    assert game.symmetric is alike


def test_other_scenarios_play_none() -> None:
    assert manifest("fishing_village").game is None


def test_what_a_game_does_not_name_is_not_there() -> None:
    game = manifest("matching_pennies").game
    assert game is not None
    assert (game.cooperation, game.cooperative, game.equilibrial) == (None, None, None)


def test_a_table_that_is_too_large_is_left_out() -> None:
    """40 players have 2^40 profiles."""
    game = GameNote.of(PublicGood(40, 1.5))
    assert game.table is None
    assert game.cooperative == (1.5,) * 40


def test_seats_that_differ_by_replicate_are_kept_once_for_all_repetitions() -> None:
    given = manifest(
        "prisoners_dilemma", cohorts=TYPES, mechanisms=[{"tournament": {"repetitions": 3}}]
    )
    assert given.replicates == 12
    assert given.seating == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert given.types.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize("replicates", [1, 5])
def test_where_all_replicates_are_seated_alike_cohorts_tell_it(replicates: int) -> None:
    given = manifest("prisoners_dilemma", cohorts=TYPES, replicates=replicates)
    assert given.seating == ()
    assert given.types.tolist() == [[0, 1]]


def test_a_manifest_comes_back_from_its_file_as_it_was() -> None:
    given = manifest("prisoners_dilemma", cohorts=TYPES, mechanisms=[{"tournament": {}}])
    back = Manifest.model_validate_json(given.model_dump_json())
    assert back == given
    assert np.array_equal(back.types, given.types)
