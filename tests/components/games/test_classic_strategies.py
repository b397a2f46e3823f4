"""Classic strategies: what they play against whom, in which game, and what they learn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.games.classic_strategies import STRATEGIES, ClassicStrategies, StrategyName
from society.components.games.mechanism_use import MechanismUse, Skill
from society.engine.action_spaces import Choice, MixedStrategy
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import Scenario, wrap_scenario
from society.engine.script import Ask, Script, Tell, common, own
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.public_goods import PublicGood, public_goods
from society.scenarios.games.travellers_dilemma import travellers_dilemma
from society.scenarios.games.two_by_two import matching_pennies, prisoners_dilemma, stag_hunt, trust
from society.scenarios.mechanisms.contracts.contracts import contracts

if TYPE_CHECKING:
    from society.engine.environment import Environment
    from tests.conftest import Duel, Play, Played

Against = Callable[..., str]


@pytest.fixture
def against(duel: Duel) -> Against:
    """`against("CDCC", "grim")`: what a strategy plays against a word."""

    def reply(
        word: str, strategy: StrategyName, game: Scenario = prisoners_dilemma, **fields: Any
    ) -> str:
        return duel(ClassicStrategies(strategy, **fields), word, game=game)[0]

    return reply


@pytest.mark.parametrize(
    ("strategy", "word", "moves"),
    [
        ("always_cooperate", "DDDDD", "CCCCC"),
        ("always_defect", "CCCCC", "DDDDD"),
        ("tit_for_tat", "CDCDDC", "CCDCDD"),
        ("suspicious_tit_for_tat", "CDCDDC", "DCDCDD"),
        ("tit_for_two_tats", "CDCDDCC", "CCCCCDC"),
        ("grim", "CDCCC", "CCDDD"),
        ("standing", "CDCCC", "CCDDD"),
        ("own_standing", "CDCCC", "CCDDD"),
        ("win_stay_lose_shift", "CCDDCDC", "CCCDCCD"),
        ("best_response", "CDCDC", "DDDDD"),
        ("fictitious_play", "CDCDC", "DDDDD"),
    ],
)
def test_a_strategy_answers_a_word_in_the_prisoners_dilemma(
    against: Against, strategy: StrategyName, word: str, moves: str
) -> None:
    assert against(word, strategy) == moves


def test_win_stay_lose_shift_keeps_on_exploiting_a_cooperator(against: Against) -> None:
    """Temptation (3) is more than equilibrium (1), so what paid is repeated."""
    assert against("DCCCC", "win_stay_lose_shift") == "CDDDD"


@pytest.mark.parametrize(("generosity", "moves"), [(0.0, "CDDDD"), (1.0, "CCCCC")])
def test_generosity_is_the_chance_to_forgive(
    against: Against, generosity: float, moves: str
) -> None:
    assert against("DDDDD", "generous_tit_for_tat", generosity=generosity) == moves


def test_generous_tit_for_tat_forgives_one_defection_in_three(play: Play) -> None:
    over = versus(play, "generous_tit_for_tat", "always_defect", rounds=2, replicates=4000)
    forgiven = over.told("action")[1][:, 0] == 0
    assert forgiven.mean() == pytest.approx(1 / 3, abs=4 * (2 / 9 / 4000) ** 0.5)


def test_random_plays_both_equally_often(play: Play) -> None:
    over = versus(play, "random", "random", replicates=4000)
    assert over.told("action")[0].mean() == pytest.approx(0.5, abs=4 * (0.25 / 8000) ** 0.5)


@pytest.mark.parametrize(
    ("strategy", "moves"),
    [
        # Both hunt the hare first; the answer to a stag is a stag, to a hare a hare.
        ("best_response", "DCDCC"),
        # Stags must make up 3 / 5 of what was seen: 1/1, 1/2, 2/3, 3/4.
        ("fictitious_play", "DCDCC"),
    ],
)
def test_best_responses_hunt_what_the_other_one_hunted(
    against: Against, strategy: StrategyName, moves: str
) -> None:
    assert against("CDCCC", strategy, stag_hunt) == moves


def test_fictitious_play_remembers_what_best_responses_forget(against: Against) -> None:
    """After C, C, D two of three were stags, and a stag still pays 10/3 against 3."""
    assert against("CCDC", "best_response", stag_hunt) == "DCCD"
    assert against("CCDC", "fictitious_play", stag_hunt) == "DCCC"


def test_best_response_undercuts_by_one_until_nothing_is_left(play: Play) -> None:
    """Claims 2, 3, 4, 5 are actions 0 to 3; it starts in equilibrium."""
    over = versus(play, "best_response", "tit_for_tat", travellers_dilemma, rounds=4)
    assert actions(over) == [[0, 3], [2, 0], [0, 0], [0, 0]]


@pytest.mark.parametrize("strategy", ["best_response", "fictitious_play"])
@pytest.mark.parametrize(
    ("payment", "action"),
    [
        (0.75, 1),  # of A0; defecting pays 1 more, whatever the other one does
        (1.5, 0),  # and so in each of the games that are remembered
    ],
)
def test_best_responses_count_what_a_contract_in_force_pays(
    play: Play, strategy: StrategyName, payment: float, action: int
) -> None:
    over = bound(play, strategy, "naive", payment)
    assert actions(over) == [[action, action]] * 4


def test_best_responses_do_not_count_what_a_refused_contract_would_pay(play: Play) -> None:
    assert actions(bound(play, "best_response", "stubborn", 1.5)) == [[1, 1]] * 4


def test_a_contract_by_seat_moves_best_responses_on_its_seats(play: Play) -> None:
    """Trust: for giving, player 1 gains 11 to what it costs against a keeper, 4."""
    over = bound(play, "best_response", "naive", 11, trust, form="seat")
    assert actions(over) == [[0, 1]] * 4


def test_to_defect_is_to_play_the_equilibrium_of_the_own_seat(play: Play) -> None:
    """Player 1 cooperates with L and defects with M, of three; player 2 with r and l."""
    cells = [[[0, 0], [0, 0]], [[1, 1], [3, 0]], [[0, 3], [2, 2]]]
    said = {"payoffs": cells, "cooperation": [2, 1], "equilibrium": [1, 0]}
    over = versus(play, "tit_for_tat", "always_defect", normal_form, rounds=3, params=said)
    assert actions(over) == [[2, 0], [1, 0], [1, 0]]


def test_a_seat_with_other_actions_provokes_by_its_own_defection(play: Play) -> None:
    cells = [[[0, 0], [0, 0]], [[1, 1], [3, 0]], [[0, 3], [2, 2]]]
    said = {"payoffs": cells, "cooperation": [2, 1], "equilibrium": [1, 0]}
    over = versus(play, "always_cooperate", "grim", normal_form, rounds=3, params=said)
    assert actions(over) == [[2, 1]] * 3


def test_one_defector_among_three_provokes_both_others(duel: Duel) -> None:
    minds = ClassicStrategies("tit_for_tat"), ClassicStrategies("grim"), "CDCC"
    assert duel(*minds, game=public_goods) == ["CCDD", "CCDD", "CDCC"]


def test_without_cooperation_strategies_mix_evenly(play: Play) -> None:
    """Matching pennies; the others cannot be told from `random`."""
    for strategy in set(STRATEGIES) - {"best_response", "fictitious_play"}:
        mix = versus(play, strategy, strategy, matching_pennies, rounds=2).answers("move")
        assert np.array(mix).tolist() == [[[[0.5, 0.5]] * 2]] * 2


def test_without_cooperation_an_equilibrium_is_played_if_there_is_one(play: Play) -> None:
    said = {"payoffs": [[[1, 1], [0, 0]], [[2, 0], [1, 1]]]}
    assert actions(versus(play, "grim", "always_cooperate", normal_form, params=said)) == [[1, 1]]


def test_where_no_equilibrium_is_known_to_defect_is_any_other_action(play: Play) -> None:
    said = {"payoffs": [[[2, 2]] * 2] * 3, "cooperation": [1, 0]}
    over = versus(play, "always_defect", "always_cooperate", normal_form, params=said)
    assert over.answers("move")[0][0, 0].tolist() == [0.5, 0, 0.5]


def test_seats_are_told_by_id_and_not_by_place(play: Play) -> None:
    """Trust: with the ids turned round, the second row is player 1."""
    over = play(
        trust,
        cast=[
            Cohort("x", 1, (ClassicStrategies("best_response"),)),
            Cohort("y", 1, (ClassicStrategies("grim"),)),
        ],
        agents=2,
        rounds=3,
        ids=[1, 0],
    )
    assert actions(over) == [[1, 0], [1, 1], [1, 1]]


def test_a_choice_is_answered_with_an_action(play: Play) -> None:
    def script(env: Environment) -> Script:
        env.rules = rules(play)
        yield Ask("move", Choice("A0", "A1"), {"seat": own(np.array([[1, 2]]))})

    assert play(script, ClassicStrategies("always_defect"), agents=2).answers("move")[
        0
    ].tolist() == [[1, 1]]


def test_nobody_delegates_without_a_mind_for_it(play: Play) -> None:
    def script(env: Environment) -> Script:
        env.rules = rules(play)
        facts = {"mediator": common(np.array([[[1.0, 0.0]]]))}
        yield Ask("move", MixedStrategy("A0", "A1", "delegate"), facts)

    alone = play(script, ClassicStrategies("grim"), agents=2).answers("move")[0]
    assert alone.tolist() == [[[1, 0, 0]] * 2]
    capable = play(script, ClassicStrategies("grim"), MechanismUse(), agents=2).answers("move")[0]
    assert capable.tolist() == [[[0, 0, 1]] * 2]


def test_a_cohort_holds_any_mixture(play: Play) -> None:
    over = play(prisoners_dilemma, ClassicStrategies("any"), agents=2, replicates=500)
    assert set(over.pages[-1].public["strategy"].ravel().tolist()) == set(range(len(STRATEGIES)))
    some = ClassicStrategies(("tit_for_tat", "grim"))
    over = play(prisoners_dilemma, some, agents=2, replicates=500)
    kept = over.pages[-1].public["strategy"].ravel().tolist()
    assert {STRATEGIES[one] for one in kept} == {"tit_for_tat", "grim"}
    assert kept.count(2) == pytest.approx(500, abs=4 * 250**0.5)


@pytest.mark.parametrize(
    ("strategy", "others", "move"),
    [
        ("grim", [0, -1], 0),
        ("tit_for_tat", [-1, -1], 0),
        ("tit_for_tat", [1, -1], 1),
        ("standing", [-1, 0], 0),
        ("best_response", [-1, 0], 1),
        ("fictitious_play", [-1, -1], 1),
    ],
)
def test_who_took_no_part_has_not_defected(
    play: Play, strategy: StrategyName, others: list[int], move: int
) -> None:
    """Of three in a public good some played elsewhere; it teaches no response, either."""

    def script(env: Environment) -> Script:
        env.rules = PublicGood(3, 1.5)
        yield Ask("move", MixedStrategy("A0", "A1"))
        facts = {"action": own(np.zeros((1, 3), int)), "others": own(np.array([[others] * 3]))}
        yield Tell("played", {**facts, "payoff": own(np.ones((1, 3)))})
        yield Ask("move", MixedStrategy("A0", "A1"))

    answered = play(script, ClassicStrategies(strategy), agents=3).answers("move")[1]
    assert answered.argmax(-1).tolist() == [[move] * 3]


# Where partners change: n = 2; the reader, then the co-player, two rounds each, newest first; below
# the co-player's newest round stands the earlier one of whom it met then.
DEPTHS = [1, 2, 1, 1, 2, 1]


def history(play: Play, strategy: StrategyName, **actions: list[int]) -> float:
    """The chance to cooperate of somebody who is shown this."""

    def script(env: Environment) -> Script:
        env.rules = rules(play)
        facts = {
            "past_depth": common(np.array([[DEPTHS]])),
            "past_seat": own(np.ones((1, 2, 6), int)),
            "past_action": own(np.tile(actions["past"], (1, 2, 1))),
            "past_with_action": own(np.tile(actions.get("partners", [0] * 6), (1, 2, 1))),
        }
        yield Ask("move", MixedStrategy("A0", "A1"), facts)

    answered: Array = play(script, ClassicStrategies(strategy), agents=2).answers("move")[0]
    return float(answered[0, 0, 0])


def test_where_partners_change_tit_for_tat_answers_what_its_new_partner_did(play: Play) -> None:
    assert history(play, "tit_for_tat", past=[0, 0, 0, 1, 0, 0]) == 0
    assert history(play, "tit_for_tat", past=[1, 1, 1, 0, 1, 1]) == 1


def test_where_partners_change_two_tats_are_those_of_the_new_partner(play: Play) -> None:
    assert history(play, "tit_for_two_tats", past=[0, 0, 0, 1, 0, 0]) == 1
    assert history(play, "tit_for_two_tats", past=[0, 0, 0, 1, 0, 1]) == 0


def test_where_partners_change_grim_is_provoked_by_any_defection_shown(play: Play) -> None:
    assert history(play, "grim", past=[0] * 6) == 1
    assert history(play, "grim", past=[0, 0, 0, 0, 1, 0]) == 0
    assert history(play, "grim", past=[0] * 6, partners=[0, 0, 1, 0, 0, 0]) == 0


def test_where_partners_change_rounds_without_somebody_provoke_nobody(play: Play) -> None:
    for strategy in ("tit_for_tat", "grim", "own_standing"):
        assert history(play, strategy, past=[0, 0, 0, -1, 0, 0], partners=[-1] * 6) == 1


def test_standing_forgives_who_defected_against_a_bad_partner(play: Play) -> None:
    """The co-player defected last; before, its partner had defected against a good one."""
    assert history(play, "standing", past=[0, 0, 0, 1, 1, 0]) == 1
    assert history(play, "standing", past=[0, 0, 0, 1, 0, 0]) == 0


def test_standing_is_lost_for_good(play: Play) -> None:
    assert history(play, "standing", past=[0, 0, 0, 0, 0, 1]) == 0


def test_own_standing_counts_the_own_defection_too(play: Play) -> None:
    mine = [1, 0, 0, 0, 0, 0]
    assert history(play, "standing", past=mine) == 1
    assert history(play, "own_standing", past=mine) == 0


def versus(
    play: Play,
    one: StrategyName,
    other: StrategyName,
    game: Scenario = prisoners_dilemma,
    **at: Any,
) -> Played:
    cast = [Cohort("x", 1, (ClassicStrategies(one),)), Cohort("y", 1, (ClassicStrategies(other),))]
    return play(game, cast=cast, agents=2, **at)


def bound(
    play: Play,
    strategy: StrategyName,
    skill: Skill,
    payment: float,
    game: Scenario = prisoners_dilemma,
    *,
    form: str = "count",
) -> Played:
    """Four rounds under a contract that pays player 1, or both, so much for A0."""
    names = {
        "count": ["A0", "A1"],
        "seat": ["A0, seat 1", "A1, seat 1", "A0, seat 2", "A1, seat 2"],
    }[form]
    contract = {**dict.fromkeys(names, 0), names[0]: payment}
    designs = {"x": [contract, None], "y": [None, None]}
    minds = ClassicStrategies(strategy), MechanismUse(skill)
    cast = [Cohort("x", 1, minds), Cohort("y", 1, minds)]
    scenario = wrap_scenario(game, contracts, form=form, designs=designs)
    return play(scenario, cast=cast, agents=2, rounds=4)


def actions(over: Played) -> list[list[int]]:
    """Return the actions of replicate 0, by round."""
    return [told[0].tolist() for told in over.told("action")]


def rules(play: Play) -> Any:
    """The rules of the prisoner's dilemma."""
    return play(prisoners_dilemma, ClassicStrategies(), agents=2).game.env.rules
