"""Games in a row: each from its beginning, among the same agents, as far as they live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.component import AgentGroup, Column, Component, News
from society.engine.environment import Environment
from society.engine.rng import Array
from society.engine.scenario import Measure, Scenario, wrap_scenario
from society.engine.script import Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.mechanisms.generations.generations import generations
from society.scenarios.mechanisms.repetition.repetition import repetition

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded


class Memory(Component):
    """Counts the tides that it has seen."""

    notices = ("tide",)
    columns = (Column("tides", int, public=True),)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["tides"] += 1


def sea(env: Environment) -> Script:
    """Three tides; the second drowns the last agent and ends the game of replicate 0."""
    level = np.zeros((env.replicates, 1))
    last, first = np.arange(env.agents) == env.agents - 1, np.arange(env.replicates) == 0
    for number in env.rounds(3):
        level = level + 1
        facts = {"level": common(level), "catch": own(level * 1.0), "number": common(number)}
        yield Tell("tide", facts)
        second = number == 2
        yield Tell("flood", gone=last[None] & second, ends=first[:, None] & second)


def level(told: Mapping[str, Array], env: Environment) -> Array:
    return told["level"]


SEA = Scenario("sea", sea, cast=lambda p, n: [], measures=(Measure("level", "feet", level),))


def played(play: Play, **given: Any) -> Played:
    return play(wrap_scenario(SEA, repetition, **given), Memory(), replicates=2)


def test_each_game_starts_from_its_beginning(play: Play) -> None:
    over = played(play)
    paths = [page.path for page in over.pages if page.path]
    assert paths == [(game, number) for game in (1, 2) for number in (1, 2, 3)]
    assert [values[1, 0] for values in over.told("level")] == [1, 2, 3, 1, 2, 3]
    assert over.game.scenario.display.levels == ("game", "round")


def test_agents_remember_and_wait_where_a_game_is_over(play: Play) -> None:
    over = played(play)
    assert over.pages[-1].public["tides"].tolist() == [[4, 4, 2], [6, 6, 2]]
    assert over.outcome.ends == {"": 2}


def test_who_waits_is_there_after_the_last_game_and_the_dead_are_not(play: Play) -> None:
    for games in (1, 2):
        present = played(play, games=games).game.env.present
        assert present.tolist() == [[True, True, False]] * 2


def test_what_is_told_where_a_game_is_over_has_no_numbers(play: Play) -> None:
    """Whole numbers stay: they have no way of saying so."""
    over = played(play, games=1)
    levels, catches, numbers = (over.told(name)[2] for name in ("level", "catch", "number"))
    assert np.isnan(levels[0]).all()
    assert np.isnan(catches[0]).all()
    assert numbers.tolist() == [[3], [3]]
    assert over.outcome.values["level"].tolist() == [1.5, 2.0]


def test_facts_of_any_shape_lose_their_numbers(play: Play) -> None:
    def shapes(env: Environment) -> Script:
        yield Tell("closed", ends=np.array([[True], [False]]))
        facts = {
            "scalar": own(1.5),
            "row": own([1.5, 1.5, 1.5]),
            "entries": own(np.full((2, 3, 4), 1.5)),
            "common": common(np.full((2, 1, 4), 1.5)),
            "words": own(np.full((2, 3), "x", object)),
        }
        yield Tell("seen", facts)

    over = play(
        wrap_scenario(Scenario("s", shapes, cast=lambda p, n: []), repetition),
        Memory(),
        replicates=2,
    )
    for name in ("scalar", "row", "entries", "common"):
        (values, *_) = over.told(name)
        assert np.isnan(values[0]).all()
        assert (values[1] == 1.5).all()
    assert over.told("words")[0].tolist() == [["x"] * 3] * 2


def test_games_may_be_within_games(play: Play) -> None:
    twice = wrap_scenario(wrap_scenario(SEA, repetition), repetition, games=2)
    over = play(twice, Memory(), replicates=2)
    assert over.pages[-1].path == (2, 2, 3)
    assert over.pages[-1].public["tides"].tolist() == [[8, 8, 2], [12, 12, 2]]


def test_a_fitness_may_be_summed_over_the_games_of_a_generation(play: Play) -> None:
    scenario = wrap_scenario(
        wrap_scenario(SEA, repetition), generations, count=1, fitness="catch", fold="sum"
    )
    fitness = play(scenario, Memory(), replicates=2).told("fitness")[0]
    assert fitness[:, 0].tolist() == [2 * (1 + 2), 2 * (1 + 2 + 3)]
    assert fitness[:, 2].tolist() == [1 + 2, 1 + 2]  # drowned in the first game


def test_a_village_that_has_failed_has_a_second_chance(recorded: Recorded) -> None:
    hard = {"mechanisms": [{"repetition": {}}], "parameters": {"wealth": 3}, "replicates": 5}
    over = recorded(build(load_config("fishing_village", {**hard, "rounds": 10})).gamemaster())
    lakes = [
        step.arrays["common", "full_catch"][:, 0].tolist()
        for page in over.pages
        for step in page.steps
        if page.path[1:] == (1,) and step.kind == "effort"
    ]
    assert lakes == [[15.0] * 5] * 2  # full again
    assert over.outcome.ends == {"": 5}


def test_generations_are_not_repeated() -> None:
    """What they would be is one long line of descent, and that is not what would be told."""
    evolving = {"generations": {"count": 2, "fitness": "wealth"}}
    with pytest.raises(ScenarioError, match="name `repetition` before `generations`"):
        build(load_config("fishing_village", {"mechanisms": [evolving, {"repetition": {}}]}))
    build(load_config("fishing_village", {"mechanisms": [{"repetition": {}}, evolving]}))


@pytest.mark.parametrize("games", [0, -1])
def test_at_least_one_game_is_played(games: int) -> None:
    with pytest.raises(ScenarioError, match="expected a whole number of at least 1"):
        build(load_config("fishing_village", {"mechanisms": [{"repetition": {"games": games}}]}))
