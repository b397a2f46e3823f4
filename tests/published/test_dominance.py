"""CoopEval on dominance, checked exactly: sections 2 to 4 and 6 of Tewolde et al. 2026.

In trust and in the traveller's dilemma two of its claims do not hold, and the counterexamples stand
here: a leader makes both better off, and no mediator makes it dominant to delegate.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from society.config.registry import reproduction
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims
from society.scenarios.games.game import Game
from society.scenarios.games.two_by_two import (
    MATCHING_PENNIES,
    PRISONERS_DILEMMA,
    STAG_HUNT,
    TRUST,
)
from society.scenarios.reproductions.tewolde2026 import dominance
from society.scenarios.reproductions.tewolde2026.agreement_games import (
    game_under_mediator,
    refusal_deviations,
)
from society.scenarios.reproductions.tewolde2026.dominance import (
    best_commitment,
    dominated_strictly,
    dominated_weakly,
    drop_dominated,
    mediators_that_dominate,
    only_equilibrium,
)
from society.scenarios.reproductions.tewolde2026.profiles import GAMES, profiles

TRAVELLERS = GAMES["traveller's dilemma"]
GOODS = GAMES["public goods"]


# What is left of the games


def test_in_the_prisoners_dilemma_and_public_goods_cooperation_is_dominated_at_once() -> None:
    assert drop_dominated(PRISONERS_DILEMMA, dominated_strictly)[1:] == [((1,), (1,))]
    assert drop_dominated(GOODS, dominated_strictly)[1:] == [((1,), (1,), (1,))]


def test_in_trust_player_1_follows_once_player_2_keeps() -> None:
    assert drop_dominated(TRUST, dominated_strictly) == [
        ((0, 1), (0, 1)),
        ((0, 1), (1,)),
        ((1,), (1,)),
    ]


def test_travellers_undercut_by_one_step_by_step() -> None:
    """Claims of 5, 4 and 3 are weakly dominated, one after another."""
    steps = drop_dominated(TRAVELLERS, dominated_weakly)
    assert [left[0] for left in steps] == [(0, 1, 2, 3), (0, 1, 2), (0, 1), (0,)]


def test_of_the_travellers_claims_the_highest_is_strictly_dominated_by_a_mixture() -> None:
    """Two thirds of 4 and one third of 2 gain 2 / 3, 1, 2 and 1 / 3 on 5."""
    every = ((0, 1, 2, 3),) * 2
    assert [dominated_strictly(TRAVELLERS, every, 0, one) for one in range(4)] == [
        *(False, False, False, True)
    ]
    table = TRAVELLERS.payoffs[0]
    gains = 2 / 3 * table[2] + 1 / 3 * table[0] - table[3]
    assert gains == pytest.approx([2 / 3, 1, 2, 1 / 3])


@pytest.mark.parametrize("name", dominance.DILEMMAS)
def test_each_dilemma_has_one_equilibrium(name: str) -> None:
    assert only_equilibrium(GAMES[name]) == profiles(GAMES[name])[1]


@pytest.mark.parametrize("game", [STAG_HUNT, MATCHING_PENNIES])
def test_games_without_dominance_are_left_as_they_are(game: Game) -> None:
    assert drop_dominated(game, dominated_strictly) == [((0, 1), (0, 1))]
    assert only_equilibrium(game) is None


# Leaders


def test_player_2_of_trust_leads_both_to_more() -> None:
    """Who gives in half of all cases is trusted: 10 or 0 against 6 or 4, 5 for player 1."""
    led = best_commitment(TRUST, 1)
    assert led.mixture == pytest.approx([0.5, 0.5])
    assert led.replies == (0,)
    assert led.points == pytest.approx([5, 15])


def test_and_by_an_action_that_is_seen_both_come_to_cooperate() -> None:
    """Against A0 player 1 gets 10 by trusting, 6 by keeping; player 2 gets 10, and 4 by A1."""
    assert TRUST.best(0, (0, 0)) == [0]
    assert TRUST.best(0, (1, 1)) == [1]
    assert TRUST.payoffs[1][0, 0] > TRUST.payoffs[1][1, 1]


@pytest.mark.parametrize("leader", [0, 1])
def test_a_traveller_who_leads_gets_ten_thirds(leader: int) -> None:
    """By claims of 2, 4 and 5 alike, to which 4 is among the best replies."""
    led = best_commitment(TRAVELLERS, leader)
    assert led.points == pytest.approx([10 / 3, 10 / 3])
    assert led.replies == (2,)


def test_no_commitment_on_a_grid_is_better_for_a_traveller() -> None:
    """All mixtures in twelfths; the other one chooses what is best for the leader of its best."""
    shares = [one for one in product(range(13), repeat=4) if sum(one) == 12]
    best = 0.0
    for share in shares:
        mine, theirs = (np.array(share) @ TRAVELLERS.payoffs[seat] / 12 for seat in (0, 1))
        best = max(best, mine[theirs >= theirs.max() - 1e-9].max())
    assert best == pytest.approx(10 / 3)


@pytest.mark.parametrize(("game", "leader"), [(PRISONERS_DILEMMA, 0), (GOODS, 2), (TRUST, 0)])
def test_elsewhere_a_leader_does_best_by_defecting(game: Game, leader: int) -> None:
    led = best_commitment(game, leader)
    assert led.mixture == pytest.approx([0, 1])
    assert led.points == pytest.approx(game.paid(np.array(profiles(game)[1])))


# Mediators, contracts, and those who refuse them


def test_to_delegate_is_one_more_action() -> None:
    """A mediator that cooperates if both delegate, and defects for one alone."""
    game = game_under_mediator(PRISONERS_DILEMMA, (1, 0))
    assert game.cells[2].tolist() == [[3, 0], [1, 1], [2, 2]]
    assert game.actions[0] == ("A0", "A1", "delegate")


def test_delegating_is_dominant_where_defection_is() -> None:
    assert mediators_that_dominate(PRISONERS_DILEMMA) == [(1, 0)]
    assert mediators_that_dominate(GOODS) == [(1, 1, 0)]


def test_in_trust_no_mediator_knows_what_player_2_does_alone() -> None:
    """Against it player 1 gets 10 by A0 or 6 by A1, and 0 by A0 or 4 by A1."""
    assert mediators_that_dominate(TRUST) == []
    for alone, loss in ((0, 4), (1, 4)):
        game = game_under_mediator(TRUST, (alone, 0))
        losses = game.payoffs[0].max(0) - game.payoffs[0][2]
        assert losses.tolist() == ([0, loss, 0] if alone == 0 else [loss, 0, 0])


def test_and_none_knows_what_a_traveller_claims_alone() -> None:
    assert mediators_that_dominate(TRAVELLERS) == []


@pytest.mark.parametrize("name", GAMES)
def test_if_all_refuse_no_deviation_pays(name: str) -> None:
    target, fallback = profiles(GAMES[name])
    found = list(refusal_deviations(GAMES[name], target, fallback))
    assert max(one.gain for one in found) <= 0
    assert {one.where[:9] for one in found} == {"play unde", "play when"}


def test_but_to_cooperate_without_any_agreement_a_deviation_does() -> None:
    found = refusal_deviations(PRISONERS_DILEMMA, (0, 0), (0, 0))
    assert max(one.gain for one in found if one.where == "play when not all have signed") == 1


# What the reproduction says


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        ("Defection dominates in two dilemmas, and is left by iterated dominance", "reproduced"),
        ("The solutions by dominance are the only Nash equilibria", "reproduced"),
        ("That all defect remains a subgame perfect equilibrium", "reproduced"),
        ("Mechanisms add no points to a game", "reproduced"),
        ("A contract can reach payoffs in equilibrium that the game itself", "reproduced"),
        ("Neither cheap talk nor leadership nor correlation resolves a dilemma", "in part"),
        ("Under a well-made mediator or contract cooperation is weakly dominant", "in part"),
    ],
)
def test_five_of_seven_claims_hold_in_all_games(claim: str, outcome: str) -> None:
    (stated,) = (one for one in reproduction("dilemmas").rules.claims if claim in one.claim)
    (found,) = judge_claims([stated], Evidence({}))
    assert not found.ours
    assert found.outcome == outcome


def test_the_page_names_the_leaders_and_the_mediators() -> None:
    led, designed = dominance.non_examples().found, dominance.dominant_by_design().found
    assert "trust, player 2 by A0 50%, A1 50%: 5, 15 in place of 4, 4" in led
    assert "prisoner's dilemma, player" not in led
    assert "public goods 1 of 8 mediators, trust 0 of 4 mediators" in designed


def test_of_stag_hunt_none_of_what_is_said_of_dilemmas_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dominance, "DILEMMAS", {"stag hunt": STAG_HUNT})
    assert dominance.dominance_solves().outcome == "not reproduced"
    assert dominance.solutions_are_only_equilibria().outcome == "not reproduced"
    assert dominance.non_examples().outcome == "not reproduced"
