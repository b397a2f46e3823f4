"""Fines, gifts, promises and votes by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.games.classic_strategies import ClassicStrategies
from society.components.games.sanctions import Sanctions
from society.engine.action_spaces import Fields, Integer
from society.engine.population import Cohort
from society.engine.scenario import Scenario, wrap_scenario
from society.engine.script import Ask, Script, common, own
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import matching_pennies, prisoners_dilemma
from society.scenarios.mechanisms.cheap_talk.cheap_talk import cheap_talk
from society.scenarios.mechanisms.institution_choice.institution_choice import institution_choice
from society.scenarios.mechanisms.peer_incentives.peer_punishment import peer_punishment
from society.scenarios.mechanisms.peer_incentives.peer_reward import peer_reward

if TYPE_CHECKING:
    from society.engine.environment import Environment
    from tests.conftest import Play, Played

MINDS = ("always_cooperate", "always_cooperate", "always_defect")


def test_cooperators_fine_defectors_and_nobody_else(play: Play) -> None:
    """In order of seat: player 1 fines player 3, and so does player 2."""
    over = met(play, wrap_scenario(public_goods, peer_punishment), Sanctions(fine=2))
    assert over.answers("fine", "other_1")[0].tolist() == [[0, 0, 0]]
    assert over.answers("fine", "other_2")[0].tolist() == [[2, 2, 0]]


def test_cooperators_are_given_something_by_all(play: Play) -> None:
    over = met(play, wrap_scenario(public_goods, peer_reward), Sanctions(gift=1))
    assert over.answers("give", "other_1")[0].tolist() == [[1, 1, 1]]
    assert over.answers("give", "other_2")[0].tolist() == [[0, 0, 1]]


def test_who_plays_elsewhere_is_neither_fined_nor_given_anything(play: Play) -> None:
    """Player 1 defects alone; of the others player 2 cooperates, and fines player 3 alone."""
    goes = (
        Sanctions(fine=2, gift=2, favours="peer_reward"),
        Sanctions(fine=2, gift=2, favours="peer_punishment"),
    )
    scenario = wrap_scenario(
        public_goods, institution_choice, options=["peer_reward", "peer_punishment"], by="feet"
    )
    cast = [
        Cohort("alone", 1, (ClassicStrategies("always_defect"), goes[0])),
        Cohort("kind", 1, (ClassicStrategies("always_cooperate"), goes[1])),
        Cohort("unkind", 1, (ClassicStrategies("always_defect"), goes[1])),
    ]
    over = play(scenario, cast=cast, agents=3)
    assert over.answers("fine", "other_1")[0].tolist() == [[0, 0, 0]]
    assert over.answers("fine", "other_2")[0].tolist() == [[0, 2, 0]]
    assert over.answers("give", "other_1")[0].tolist() == [[0, 0, 0]]


def test_where_moves_are_no_actions_nobody_is_fined_or_given_anything(play: Play) -> None:
    """Of a village nobody is told what the others did, only that there are some."""

    def script(env: Environment) -> Script:
        others = {"others_seats": own(np.array([[[2], [1]]]))}
        for kind in ("fine", "give"):
            facts = {**others, f"{kind}_most": common(3)}
            yield Ask(kind, Fields({"other_1": Integer(0, 3)}), facts)

    over = play(script, Sanctions(fine=2, gift=2), agents=2)
    for kind in ("fine", "give"):
        assert over.answers(kind, "other_1")[0].tolist() == [[0, 0]]


def test_nobody_spends_more_than_is_allowed(play: Play) -> None:
    over = met(play, wrap_scenario(public_goods, peer_punishment, most=3), Sanctions(fine=5))
    assert over.answers("fine", "other_2")[0].tolist() == [[3, 3, 0]]


def test_everybody_promises_to_cooperate(play: Play) -> None:
    over = met(play, wrap_scenario(public_goods, cheap_talk), Sanctions())
    assert over.answers("say")[0].tolist() == [["I will play A0."] * 3]


def test_where_nothing_is_cooperation_nobody_is_fined_or_promised_anything(play: Play) -> None:
    over = met(play, wrap_scenario(matching_pennies, peer_punishment), Sanctions(), seats=2)
    assert over.answers("fine", "other_1")[0].tolist() == [[0, 0]]
    over = met(play, wrap_scenario(matching_pennies, cheap_talk), Sanctions(), seats=2)
    assert over.answers("say")[0].tolist() == [["", ""]]


def test_they_vote_for_what_they_favour_and_else_for_anything(play: Play) -> None:
    scenario = wrap_scenario(
        prisoners_dilemma, institution_choice, options=["baseline", "peer_punishment"]
    )
    over = met(play, scenario, Sanctions(favours="peer_punishment"), seats=2)
    assert over.answers("choose")[0].tolist() == [[1, 1]]
    over = met(play, scenario, Sanctions(favours="jailed"), seats=2, replicates=2000)
    assert over.answers("choose")[0].mean() == pytest.approx(0.5, abs=4 * (0.25 / 4000) ** 0.5)


def met(play: Play, scenario: Scenario, part: Sanctions, seats: int = 3, **at: Any) -> Played:
    """Two cooperators and a defector, who all have this part."""
    cast = [
        Cohort(f"{seat}", 1, (ClassicStrategies(strategy), part))  # type: ignore[arg-type]
        for seat, strategy in enumerate(MINDS[:seats])
    ]
    return play(scenario, cast=cast, agents=seats, **at)
