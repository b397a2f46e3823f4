"""Theorem 1 and lemma 1 of CoopEval, checked exactly on infinite games.

Strategies are those of the proofs in appendix D of Tewolde et al. 2026. What holds, what holds only
in a version of ours, and what does not is stated here, with the deviation that pays. Thresholds are
found by bisection, to a billionth.
"""

from __future__ import annotations

import numpy as np
import pytest

from society.claims.types import ClaimVerdict
from society.config.registry import reproduction
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims
from society.scenarios.games.two_by_two import MATCHING_PENNIES, PRISONERS_DILEMMA, STAG_HUNT, TRUST
from society.scenarios.mechanisms.action_history import game_weights
from society.scenarios.reproductions.tewolde2026 import theorem as theory
from society.scenarios.reproductions.tewolde2026.agreement_games import (
    contract_deviations,
    dominating_payments,
    game_under_contract,
    mediator_deviations,
)
from society.scenarios.reproductions.tewolde2026.one_shot_deviations import (
    Decisions,
    is_nash,
    subgame_perfect,
)
from society.scenarios.reproductions.tewolde2026.profiles import (
    GAMES,
    HUNTERS,
    from_d,
    grim_trigger,
    norm_in_population,
    profiles,
)
from society.scenarios.reproductions.tewolde2026.trigger_strategies import (
    ATONING,
    OWN,
    STANDING,
    decide_under_repetition,
    forbearance_threshold,
    patience_threshold,
    trigger_norm,
)

GAIN = 1e-6  # points: above rounding
EVERY = pytest.mark.parametrize("name", GAMES)


def most(players: list[Decisions], d: float) -> float:
    """Return the gain of the best of all deviations, in points."""
    return max(float(one.gains(d).max()) for one in players)


# Repetition


@pytest.mark.parametrize(
    ("name", "thresholds"),
    [
        ("prisoner's dilemma", [0.5, 0.5]),
        ("public goods", [0.5, 0.5, 0.5]),
        ("trust", [0, 0.625]),
        ("traveller's dilemma", [0.25, 0.25]),
        ("stag hunt", [0, 0]),
    ],
)
def test_grim_trigger_is_subgame_perfect_from_these_continuation_probabilities_on(
    name: str, thresholds: list[float]
) -> None:
    found = [from_d(subgame_perfect, [one]) for one in grim_trigger(GAMES[name])]
    assert found == pytest.approx(thresholds, abs=1e-8)


def test_values_are_those_of_the_geometric_series() -> None:
    """Together 2 a round; who defects once gets 3, then 1: (1 - d) 3 + d 1 = 1.4 at d = .8."""
    one, _ = grim_trigger(PRISONERS_DILEMMA)
    together, angry = one.values(0.8)
    assert (together, angry) == pytest.approx((2, 1))
    assert one.best(0.8) == pytest.approx([2, 1])
    # Beyond the plan, in points of this round: 3 + 4 x 1 instead of 2 + 4 x 2.
    assert one.gains(0.8)[0] == pytest.approx([0, -3])


def test_above_its_threshold_no_deviation_pays_and_below_it_one_does() -> None:
    for d in np.linspace(0.01, 0.99, 50):
        for name, game in GAMES.items():
            least = max(patience_threshold(game, *profiles(game)))
            assert (most(grim_trigger(game), d) > GAIN) == (d < least), name


def test_in_fifteen_rounds_a_deviation_in_the_last_one_always_pays() -> None:
    """Which is why the theorem is not checked on what is played: nothing follows to be lost."""
    last = game_weights(15, 0.8)[-1]
    assert last == pytest.approx(0.8**14)
    kept, deviated = (PRISONERS_DILEMMA.payoffs[0][own, 0] for own in (0, 1))
    assert last * (deviated - kept) == pytest.approx(0.8**14)


def test_of_matching_pennies_the_theorem_says_nothing() -> None:
    """In equilibrium both get 0, and what one gains the other loses."""
    assert MATCHING_PENNIES.cooperation is None
    assert (MATCHING_PENNIES.payoffs.sum(0) == 0).all()


# Lemma 1: finite windows


@EVERY
@pytest.mark.parametrize("window", [1, 2, 3])
def test_with_a_window_grim_trigger_is_a_nash_equilibrium(name: str, window: int) -> None:
    assert is_nash(grim_trigger(GAMES[name], window), 0.8)


@EVERY
@pytest.mark.parametrize("window", [1, 2, 3])
def test_and_where_s_star_is_pure_it_is_subgame_perfect_as_well(name: str, window: int) -> None:
    """More than the lemma says: all stick to s*, so that a window never sees anything else."""
    assert subgame_perfect(grim_trigger(GAMES[name], window), 0.8)


def test_where_s_star_is_mixed_a_window_leaves_only_a_nash_equilibrium() -> None:
    """Stag hunt, s* = 60 % A0: two rounds ago A1 was played, and A0 by chance since then.

    Who now plays A0 for sure makes it likelier that all is forgotten.
    """
    forgetting = decide_under_repetition(STAG_HUNT, (0, 0), HUNTERS, window=2)
    assert is_nash(forgetting, 0.8)
    assert not subgame_perfect(forgetting, 0.8)
    newest_right, oldest_wrong = 0b10, (0, 0)
    assert forgetting[0].gains(0.8)[newest_right] == pytest.approx([1.452, -2.179], abs=1e-3)
    assert forgetting[0].gains(0.8)[oldest_wrong] == pytest.approx(0)
    assert subgame_perfect(
        decide_under_repetition(STAG_HUNT, (0, 0), HUNTERS), 0.8
    )  # nothing is forgotten


# Lemma 1: first-order reputation


@EVERY
@pytest.mark.parametrize("window", [None, 1])
def test_under_first_order_reputation_a_trigger_is_a_nash_equilibrium(
    name: str, window: int | None
) -> None:
    assert is_nash(norm_in_population(GAMES[name], trigger_norm(window)), 0.8)


@pytest.mark.parametrize(
    ("name", "threshold"),
    [
        ("prisoner's dilemma", None),
        ("public goods", None),
        ("trust", None),
        ("traveller's dilemma", 0.5),
        ("stag hunt", 0.0),
    ],
)
def test_but_subgame_perfect_it_is_in_two_games_only(name: str, threshold: float | None) -> None:
    found = from_d(subgame_perfect, norm_in_population(GAMES[name], trigger_norm()))
    assert found == (threshold if threshold is None else pytest.approx(threshold, abs=1e-8))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("prisoner's dilemma", [1, 3]),
        ("public goods", [2, 18]),
        ("trust", [1.25, 3.75]),
        ("traveller's dilemma", [0.5, 1.5]),
        ("stag hunt", [0, 0]),
    ],
)
def test_and_among_the_papers_six_of_each_seat_in_stag_hunt_alone(
    name: str, least: list[float]
) -> None:
    """In closed form, with two and six of each seat; 1 or more is never."""
    game = GAMES[name]
    found = [max(forbearance_threshold(game, *profiles(game), count)) for count in (2, 6)]
    assert found == pytest.approx(least)


def test_with_three_of_each_seat_the_closed_form_of_triggers_holds_as_well() -> None:
    """The traveller's dilemma, by enumeration: 0.75."""
    game = GAMES["traveller's dilemma"]
    assert max(forbearance_threshold(game, *profiles(game), 3)) == pytest.approx(0.75)
    players = norm_in_population(game, trigger_norm(), 3)
    assert subgame_perfect(players, 0.75 + 1e-6)
    assert not subgame_perfect(players, 0.75 - 1e-6)


def test_two_good_players_among_bad_ones_do_not_cooperate_for_long() -> None:
    """Agents 0 and 2 are good, 1 and 3 are bad, and the good ones meet.

    They meet again with chance 1 / 2, and never after they have not: cooperation is worth
    1 + (1 - d) / (1 - d / 2) = 4 / 3 at d = .8, defection (1 - d) 3 + d = 1.4.
    """
    one = norm_in_population(PRISONERS_DILEMMA, trigger_norm())[0]
    good_meet = 2 * 0b0101  # of two matchings the first, in which 0 meets 2
    assert one.plan[good_meet].tolist() == [1, 0]
    assert one.gains(0.8)[good_meet] == pytest.approx([0, (1.4 - 4 / 3) / (1 - 0.8)])


# Higher-order reputation


@pytest.mark.parametrize(
    ("name", "gain"),
    [
        ("prisoner's dilemma", 1),
        ("public goods", 0.5),
        ("trust", 4),
        ("traveller's dilemma", 2),
        ("stag hunt", 3),
    ],
)
def test_standing_as_printed_is_not_subgame_perfect(name: str, gain: float) -> None:
    """Who is bad is to play its part of a with good co-players, while they play theirs of s*.

    It stays bad whatever it does, and gains by playing its part of s*, whatever d.
    """
    players = norm_in_population(GAMES[name], STANDING)
    assert [most(players, d) for d in (0.5, 0.8, 0.99)] == pytest.approx([gain] * 3)


@EVERY
def test_but_a_nash_equilibrium_it_is(name: str) -> None:
    assert is_nash(norm_in_population(GAMES[name], STANDING), 0.8)


@pytest.mark.parametrize(
    ("name", "two", "six"),
    [
        ("prisoner's dilemma", 2 / 3, 6 / 7),
        ("public goods", 0.8, 36 / 37),
        ("trust", 10 / 13, 10 / 11),
        ("traveller's dilemma", 0.4, 2 / 3),
        ("stag hunt", 0, 0),
    ],
)
def test_with_the_own_label_it_is_subgame_perfect_but_the_more_agents_the_later(
    name: str, two: float, six: float
) -> None:
    """Two agents of each seat by enumeration of all labels and matchings, six in closed form.

    The paper, with six and d = .8, calls that comfortably sufficient.
    """
    game = GAMES[name]
    assert from_d(subgame_perfect, norm_in_population(game, OWN)) == pytest.approx(two, abs=1e-8)
    assert max(patience_threshold(game, *profiles(game), 2)) == pytest.approx(two)
    assert max(patience_threshold(game, *profiles(game), 6)) == pytest.approx(six)


def test_the_closed_form_holds_for_three_agents_of_each_seat_as_well() -> None:
    """64 labels of six agents and six matchings: 0.75."""
    least = max(patience_threshold(PRISONERS_DILEMMA, (0, 0), (1, 1), 3))
    assert least == pytest.approx(0.75)
    players = norm_in_population(PRISONERS_DILEMMA, OWN, 3)
    assert subgame_perfect(players, least + 1e-6)
    assert not subgame_perfect(players, least - 1e-6)


def test_if_the_bad_may_atone_the_prisoners_dilemma_needs_no_more_than_under_repetition() -> None:
    for count in (2, 3):
        players = norm_in_population(PRISONERS_DILEMMA, ATONING, count)
        assert subgame_perfect(players, 0.5 + 1e-6)
        assert not subgame_perfect(players, 0.5 - 1e-6)


def test_in_trust_nobody_punishes_who_atones() -> None:
    """Good player 1 gets 10 from a bad player 2 who gives, and 6 by keeping."""
    assert from_d(subgame_perfect, norm_in_population(TRUST, ATONING)) is None


# Mediation and contracts


@EVERY
def test_no_deviation_from_using_the_mediator_pays(name: str) -> None:
    game = GAMES[name]
    found = list(mediator_deviations(game, *profiles(game)))
    assert max(one.gain for one in found) <= 0
    assert {one.where.split()[0] for one in found} == {"propose", "vote", "play"}


def test_all_mediators_may_be_proposed() -> None:
    """Two players: 4 mediators, 16 pairs of proposals, 4 ballots each, and 3 moves under each."""
    found = list(mediator_deviations(PRISONERS_DILEMMA, (0, 0), (1, 1)))
    assert len(found) == 2 * (4 + 16 * 4 + 4 * 3)


@EVERY
def test_no_deviation_from_using_the_contract_pays_if_others_are_kept_to_as_well(name: str) -> None:
    game = GAMES[name]
    found = list(contract_deviations(game, *profiles(game), mended=True))
    assert max(one.gain for one in found) <= 0
    assert {one.where.split()[0] for one in found} == {"propose", "vote", "sign", "play"}


def test_as_printed_a_deviation_pays_after_all_have_signed_another_contract() -> None:
    """Twice the contract pays 8 for A0; all are to play A1, for 1, and A0 alone comes to 8."""
    pays = [one for one in contract_deviations(PRISONERS_DILEMMA, (0, 0), (1, 1)) if one.gain > 0]
    assert [(one.where, one.player, one.gain) for one in pays] == [
        ("play when all have signed [8.0, 0.0]", player, 7) for player in (0, 1)
    ]


def test_a_contract_makes_cooperation_dominant_and_moves_nothing_where_all_cooperate() -> None:
    """The range of payoffs is 3, so that 4 is paid for A0 by the other player."""
    design = dominating_payments(PRISONERS_DILEMMA, (0, 0))
    assert design.tolist() == [4, 0]
    game = game_under_contract(PRISONERS_DILEMMA, design)
    assert game.cells[0, 0].tolist() == [2, 2]
    assert game.cells[0, 1].tolist() == [4, -1]
    assert list(game.equilibria()) == [(0, 0)]


def test_transfers_of_three_players_sum_to_zero() -> None:
    """Example of the study: payments of 2 and -3 at (A0, A0, A1) come to 2.5, 2.5 and -5."""
    game = GAMES["public goods"]
    moved = game_under_contract(game, np.array([2.0, -3.0])).cells - game.paid(
        np.moveaxis(np.indices(game.sizes), 0, -1)
    )
    assert moved[0, 0, 1] == pytest.approx([2.5, 2.5, -5.0])
    assert moved.sum(-1) == pytest.approx(np.zeros((2, 2, 2)))


# What the reproduction says


def verdict(claim: str, under: str = "") -> ClaimVerdict:
    """Return the verdict on one claim; nothing is played for it."""
    (one,) = (
        one
        for one in reproduction("dilemmas").rules.claims
        if (one.claim, one.under) == (claim, under)
    )
    (found,) = judge_claims([one], Evidence({}))
    return found


@pytest.mark.parametrize(
    ("mechanism", "of_proof"),
    [
        ("repetition", "reproduced"),
        ("higher-order reputation", "not reproduced"),
        ("mediation", "reproduced"),
        ("contracts", "not reproduced"),
    ],
)
def test_the_theorem_holds_under_every_mechanism_but_two_strategies_of_its_proof_do_not(
    mechanism: str, of_proof: str
) -> None:
    under = f"under {mechanism}"
    holds = verdict("Cooperation can be had in subgame perfect equilibrium", under)
    proof = verdict("The strategy of its proof is subgame perfect as printed", under)
    assert (holds.outcome, proof.outcome) == ("reproduced", of_proof)
    assert not holds.ours
    assert ("ours" in holds.found) == (of_proof == "not reproduced")


def test_settings_suffice_for_nash_and_in_some_games_for_subgames() -> None:
    settings = "A window of 3 and a continuation probability of 0.8 comfortably sustain cooperation"
    in_subgames = verdict("Among six agents of each seat 0.8 sustains cooperation in subgames, too")
    assert verdict(settings).outcome == "reproduced"
    assert (in_subgames.outcome, in_subgames.ours) == ("in part", True)


def test_the_tail_weighs_three_and_a_half_percent() -> None:
    """At most 4.2 %, says the paper."""
    assert theory.cut_off()[:3] == (
        "reproduced",
        "3.5%, d to the power of 15",
        "so the paper's bound holds, and is not the tightest",
    )
