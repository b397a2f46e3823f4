"""Minds that use mechanisms: which contracts and mediators they propose, and which they trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.games.classic_strategies import ClassicStrategies, StrategyName
from society.components.games.mechanism_use import (
    MechanismUse,
    Skill,
    binding_contracts,
    sustaining_mediators,
)
from society.engine.population import Cohort
from society.engine.scenario import Scenario, wrap_scenario
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.public_goods import PublicGood, public_goods
from society.scenarios.games.travellers_dilemma import travellers_dilemma
from society.scenarios.games.two_by_two import (
    MATCHING_PENNIES,
    PRISONERS_DILEMMA,
    TRUST,
    prisoners_dilemma,
    stag_hunt,
    trust,
)
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.mediation.mediation import mediation

if TYPE_CHECKING:
    from tests.conftest import Play, Played

THREE = PublicGood(3, 1.5)


@pytest.mark.parametrize(
    ("payments", "binds"),
    [
        ([0, 0], False),  # defecting gains 1
        ([1, 0], True),  # and now nothing
        ([0.999, 0], False),
        ([0, -1], True),  # a fine does as well as a prize
        ([-1, -2], True),  # if all cooperate, what they pay each other comes to nothing
        ([np.nan, np.nan], False),  # there is no contract
    ],
)
def test_a_contract_binds_if_cooperation_is_dominant(payments: list[float], binds: bool) -> None:
    """Prisoner's dilemma; payments for A0 and A1, by the other player."""
    assert binding_contracts(PRISONERS_DILEMMA, np.array([payments])).tolist() == [binds]


@pytest.mark.parametrize(
    ("payments", "binds"),
    [
        ([4, 0, 10, 0], False),  # cooperation is dominant, but pays player 1 4, as before
        ([4, 0, 9.9, 0], False),
        ([5, 0, 10, 0], True),
    ],
)
def test_a_contract_by_seat_must_leave_everybody_more(payments: list[float], binds: bool) -> None:
    """Trust: keeping gains up to 4 and 10; both get 10 if they cooperate, and 4 if not."""
    assert binding_contracts(TRUST, np.array(payments)).tolist() == binds


def test_a_contract_of_three_is_paid_by_both_others() -> None:
    """Keeping a point of which one gets half back gains 1/2."""
    assert binding_contracts(THREE, np.array([[0.5, 0], [0.4, 0]])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("acts", "sustains"),
    [([1, 0], True), ([0, 0], False), ([1, 1], False), ([0, 1], False), ([np.nan] * 2, False)],
)
def test_a_mediator_sustains_cooperation_if_it_punishes(acts: list[float], sustains: bool) -> None:
    """Prisoner's dilemma: what it plays if one, and if both delegate."""
    assert sustaining_mediators(PRISONERS_DILEMMA, np.array([acts])).tolist() == [sustains]


def test_a_mediator_by_seat_is_read_count_by_count() -> None:
    assert sustaining_mediators(TRUST, np.array([[1, 1, 0, 0], [0, 0, 1, 1]])).tolist() == [
        True,
        False,
    ]


def test_of_three_players_two_may_punish_the_third() -> None:
    assert sustaining_mediators(THREE, np.array([[1, 1, 0], [1, 0, 0]])).tolist() == [True, False]


def test_where_nothing_is_cooperation_nothing_is_rational() -> None:
    assert not binding_contracts(MATCHING_PENNIES, np.array([[0.0, 0.0]])).any()
    assert not sustaining_mediators(None, np.array([[1.0, 0.0]])).any()


@pytest.mark.parametrize("form", ["count", "seat"])
@pytest.mark.parametrize("mechanism", [contracts, mediation])
@pytest.mark.parametrize(
    ("game", "payoff"),
    [
        (prisoners_dilemma, [2, 2]),
        (trust, [10, 10]),
        (stag_hunt, [5, 5]),
        (travellers_dilemma, [5, 5]),
        (public_goods, [1.5, 1.5, 1.5]),
    ],
)
def test_capable_defectors_cooperate_under_a_mechanism(
    play: Play, game: Scenario, payoff: list[float], mechanism: Any, form: str
) -> None:
    """As by theorem 1; without one they are left with the equilibrium."""
    skills: list[Skill] = ["capable"] * len(payoff)
    over = negotiated(play, wrap_scenario(game, mechanism, form=form), *skills)
    assert over.told("payoff")[0].tolist() == [payoff]


@pytest.mark.parametrize("mechanism", [contracts, mediation])
def test_the_capable_play_the_equilibrium_if_theirs_is_not_in_force(
    play: Play, mechanism: Any
) -> None:
    """As by theorem 1, whatever their strategy; the other one neither signs nor delegates."""
    over = negotiated(
        play, wrap_scenario(prisoners_dilemma, mechanism), "capable", "stubborn", strategy="grim"
    )
    assert over.told("action")[0].tolist() == [[1, 0]]
    assert over.told("payoff")[0].tolist() == [[3, 0]]


@pytest.mark.parametrize(
    ("mechanism", "weak"), [(contracts, {"A0": 0.5, "A1": 0}), (mediation, {"1": "A0", "2": "A0"})]
)
def test_the_capable_play_the_equilibrium_if_nothing_rational_is_there(
    play: Play, mechanism: Any, weak: dict[str, Any]
) -> None:
    """Nothing was proposed; then, by one of the two, what leaves defection the better choice."""
    for proposed in (None, weak):
        designs = {"1": [proposed, None], "2": [None, None]}
        scenario = wrap_scenario(prisoners_dilemma, mechanism, designs=designs)
        over = negotiated(play, scenario, "capable", "capable", strategy="always_cooperate")
        assert over.told("action")[0].tolist() == [[1, 1]]


def test_the_capable_follow_their_own_strategy_where_no_mechanism_stands(play: Play) -> None:
    over = negotiated(play, prisoners_dilemma, "capable", "capable", strategy="grim")
    assert over.told("action")[0].tolist() == [[0, 0]]


def test_the_capable_follow_their_own_strategy_where_no_equilibrium_is_known(play: Play) -> None:
    said = {"payoffs": MATCHING_PENNIES.cells.tolist(), "cooperation": [0, 0]}
    scenario = wrap_scenario(normal_form, contracts)
    minds: list[Skill] = ["capable", "stubborn"]
    over = negotiated(play, scenario, *minds, strategy="always_cooperate", params=said)
    assert over.told("action")[0].tolist() == [[0, 0]]


@pytest.mark.parametrize("mechanism", [contracts, mediation])
def test_the_naive_follow_their_own_strategy_where_nothing_was_proposed(
    play: Play, mechanism: Any
) -> None:
    """Above all, they do not delegate to nobody."""
    designs = {"1": [None, None], "2": [None, None]}
    scenario = wrap_scenario(prisoners_dilemma, mechanism, designs=designs)
    over = negotiated(play, scenario, "naive", "naive", strategy="always_cooperate")
    assert over.answers("move")[-1].tolist() == [[[1, 0]] * 2]


def test_of_too_many_to_list_all_payoffs_only_mediators_are_judged(play: Play) -> None:
    """Sixteen in a public good have 16 x 2^16 payoffs, above the limit of a million."""
    many = PublicGood(16, 1.5)
    assert not binding_contracts(many, np.array([[10.0, 0.0]])).any()
    assert sustaining_mediators(many, np.array([[1] * 15 + [0], [1] * 16])).tolist() == [
        True,
        False,
    ]
    for mechanism, payoff in ((contracts, 1.0), (mediation, 1.5)):
        skills: list[Skill] = ["capable"] * 16
        scenario = wrap_scenario(public_goods, mechanism)
        over = negotiated(play, scenario, *skills, params={"players": 16})
        assert over.told("payoff")[0].tolist() == [[payoff] * 16]


@pytest.mark.parametrize("mechanism", [contracts, mediation])
def test_one_stubborn_mind_brings_a_mechanism_down(play: Play, mechanism: Any) -> None:
    over = negotiated(play, wrap_scenario(prisoners_dilemma, mechanism), "capable", "stubborn")
    assert over.told("payoff")[0].tolist() == [[1, 1]]


def test_the_capable_profit_from_those_who_sign_and_do_not_mind(play: Play) -> None:
    """The naive one defects and pays 2, one more than there was to gain, to the other one."""
    designs = {"1": [{"A0": 2, "A1": 0}, None], "2": [None, None]}
    scenario = wrap_scenario(prisoners_dilemma, contracts, designs=designs)
    over = negotiated(play, scenario, "capable", "naive")
    assert over.told("action")[0].tolist() == [[0, 1]]
    assert over.told("payoff")[0].tolist() == [[0 + 2, 3 - 2]]


def test_a_contract_pays_the_largest_gain_and_a_margin(play: Play) -> None:
    """By defecting one gains 1 in the prisoner's dilemma, 10 in trust."""
    for game, most in ((prisoners_dilemma, 1), (trust, 10)):
        over = negotiated(play, wrap_scenario(game, contracts), "capable", "capable", margin=0.5)
        assert over.answers("design_contract", "A0")[0].tolist() == [[most + 0.5] * 2]
        assert over.answers("design_contract", "A1")[0].tolist() == [[0, 0]]


def test_a_contract_stays_within_its_bound(play: Play) -> None:
    over = negotiated(play, wrap_scenario(trust, contracts, bound=3.0), "capable", "capable")
    assert over.answers("design_contract", "A0")[0].tolist() == [[3, 3]]
    assert over.told("payoff")[0].tolist() == [[4, 4]]


def test_the_naive_propose_anything_and_go_along_with_everything(play: Play) -> None:
    scenario = wrap_scenario(prisoners_dilemma, contracts)
    over = negotiated(play, scenario, "naive", "naive", replicates=400)
    proposed = over.answers("design_contract", "A0")[0]
    assert abs(proposed.mean()) < 4 * 3 / 3**0.5 / 800**0.5  # uniform on -3 to 3
    assert over.answers("sign_contract")[0].all()
    assert over.answers("approve_contracts", "proposal 1")[0].all()


def test_any_skill_is_as_likely(play: Play) -> None:
    parts = ClassicStrategies("grim"), MechanismUse("any")
    over = play(prisoners_dilemma, *parts, agents=2, replicates=3000)
    count = np.bincount(over.pages[-1].public["skill"].ravel(), minlength=3)
    assert count == pytest.approx([2000] * 3, abs=4 * (6000 * 2 / 9) ** 0.5)


def negotiated(
    play: Play,
    scenario: Scenario,
    *skills: Skill,
    margin: float = 1.0,
    strategy: StrategyName = "always_defect",
    **at: Any,
) -> Played:
    """Players of one strategy with these skills, a seat each."""
    cast = [
        Cohort(f"{seat}", 1, (ClassicStrategies(strategy), MechanismUse(skill, margin)))
        for seat, skill in enumerate(skills, 1)
    ]
    return play(scenario, cast=cast, agents=len(skills), **at)
