"""Deviation ratings: games by hand, what no game may break, and two ways to one result."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from society.analysis.metagame import Rule, dev_ranks, deviation_ratings
from society.engine.rng import Array, generator
from society.errors import InputError, SocietyError

PRISONERS = np.array([[2.0, 0.0], [3.0, 1.0]])  # cooperators, defectors
ONE_GOOD_MEETING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
PAYOFFS = st.integers(-3, 3).map(float)
RULES: st.SearchStrategy[Rule] = st.sampled_from(["strict", "tight"])
SQUARE = st.integers(2, 4).flatmap(lambda types: arrays(float, (types,) * 2, elements=PAYOFFS))


def alike(scores: Array) -> Array:
    """A tensor of three seats in which the order of the co-players makes no difference."""
    symmetric: Array = scores + scores.swapaxes(1, 2)
    return symmetric


CUBE = arrays(float, (3, 3, 3), elements=PAYOFFS).map(alike)


def test_cooperators_are_rated_with_what_they_lose_and_defectors_with_nothing() -> None:
    """Among defectors alone, who changes to cooperate gets 0 in place of 1."""
    assert_array_equal(deviation_ratings(PRISONERS), [-1, 0])


def test_rock_paper_and_scissors_are_equally_good() -> None:
    cycle = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    assert_allclose(deviation_ratings(cycle), [0, 0, 0], atol=1e-12)


def test_a_convention_is_left_at_a_loss_in_half_of_the_cases() -> None:
    """Two ways to meet, each used half of the time: a player of fixed type misses one in two."""
    assert_allclose(deviation_ratings(np.eye(2)), [-0.5, -0.5])


def test_strict_ratings_have_one_answer_where_tight_ones_hang_on_the_order_of_types() -> None:
    """Who meets another A scores 1: leaving that costs 1, but a solver may start elsewhere."""
    turned = ONE_GOOD_MEETING[::-1, ::-1]
    assert_array_equal(deviation_ratings(ONE_GOOD_MEETING), [0, -1, -1])
    assert_array_equal(deviation_ratings(turned), [-1, -1, 0])
    either = {tuple(deviation_ratings(ONE_GOOD_MEETING, rule="tight"))}
    either.add(tuple(deviation_ratings(turned, rule="tight")[::-1]))
    assert either <= {(0, -1, -1), (0, 0, 0)}


@given(tensor=SQUARE, cloned=st.integers(0, 1))
def test_a_clone_is_rated_as_its_original_and_changes_no_other(tensor: Array, cloned: int) -> None:
    types = [*range(len(tensor)), cloned]
    with_clone = deviation_ratings(tensor[np.ix_(types, types)])
    assert_allclose(with_clone, deviation_ratings(tensor)[types], atol=1e-8)


@pytest.mark.thorough
@given(tensor=CUBE)
def test_clones_change_nothing_with_three_seats(tensor: Array) -> None:
    types = [0, 1, 2, 2]
    with_clone = deviation_ratings(tensor[np.ix_(types, types, types)])
    assert_allclose(with_clone, deviation_ratings(tensor)[types], atol=1e-8)


@given(tensor=SQUARE, lead=st.sampled_from([0.0, 0.25, 2.0]), rule=RULES)
def test_a_type_that_always_scores_more_is_rated_higher_by_as_much_at_least(
    tensor: Array, lead: float, rule: Rule
) -> None:
    """Type 0 scores `lead` more than type 1 against everybody, and 1 more still against itself."""
    tensor[0] = tensor[1] + lead
    tensor[0, 0] += 1
    better, worse, *_ = deviation_ratings(tensor, rule=rule)
    assert better - worse >= lead - 1e-8


@given(
    tensor=SQUARE, scale=st.sampled_from([0.01, 1.0, 1e6]), gifts=arrays(float, 4, elements=PAYOFFS)
)
def test_ratings_are_in_units_of_payoff_and_blind_to_gifts_of_co_players(
    tensor: Array, scale: float, gifts: Array
) -> None:
    """What type j gives to whomever it meets is gained by no change of one's own type."""
    given_more = scale * (tensor + gifts[: len(tensor)])
    ratings = scale * deviation_ratings(tensor)
    assert_allclose(deviation_ratings(given_more), ratings, atol=1e-8 * scale)


@given(tensor=SQUARE)
def test_no_distribution_of_a_grid_makes_the_sorted_gains_smaller(tensor: Array) -> None:
    """The definition by brute force: one distribution reaches them, and no other goes below."""
    ratings, gains = deviation_ratings(tensor), gains_by_hand(tensor)
    reached = linprog(
        np.zeros(gains.shape[1]),
        A_eq=np.vstack([gains, np.ones(gains.shape[1])]),
        b_eq=np.append(ratings, 1),
    )
    assert reached.status == 0
    best = np.sort(ratings)[::-1]
    for mixed in grid(gains.shape[1]):
        differences = np.sort(gains @ mixed)[::-1] - best
        first = differences[np.abs(differences) > 1e-7][:1]
        assert (first > 0).all()


def gains_by_hand(tensor: Array) -> Array:
    """Gains of changing to s, where i and j meet and either may change; (K, K * K)."""
    types = range(len(tensor))
    return np.array(
        [
            [
                (tensor[s, j] - tensor[i, j] + tensor[s, i] - tensor[j, i]) / 2
                for i in types
                for j in types
            ]
            for s in types
        ]
    )


def grid(outcomes: int) -> Array:
    """Each outcome alone, and all pairs of outcomes in three mixtures."""
    alone = np.eye(outcomes)
    pairs = [alone * share + one * (1 - share) for one in alone for share in (0.25, 0.5, 0.75)]
    return np.vstack([alone, *pairs])


@pytest.mark.thorough
@given(tensor=CUBE)
def test_ratings_by_seat_of_alike_seats_are_those_of_compositions(tensor: Array) -> None:
    """27 seatings and 9 rows give what 10 compositions and 3 rows give."""
    seats = np.stack([tensor, tensor.swapaxes(0, 1), np.moveaxis(tensor, 0, 2)])
    assert_allclose(
        deviation_ratings(seats, by_seat=True), [deviation_ratings(tensor)] * 3, atol=1e-8
    )


def test_a_type_may_be_good_at_one_seat_only() -> None:
    """At seat 1 A scores 1 more, at seat 2 B scores 2 more, whoever sits opposite."""
    seats = np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 2.0], [0.0, 2.0]]])
    assert_array_equal(deviation_ratings(seats, by_seat=True), [[0, -1], [-2, 0]])


def test_a_game_in_which_nothing_matters_rates_all_alike() -> None:
    assert_array_equal(deviation_ratings(np.full((3, 3), 7.0)), [0, 0, 0])
    assert_array_equal(deviation_ratings(np.array([[5.0]])), [0])


def test_ranks_take_ratings_that_agree_to_ten_decimals_as_ties() -> None:
    assert_array_equal(dev_ranks(np.array([1e-11, -0.5, 0.0, -1.0])), [1.5, 3, 1.5, 4])
    assert_array_equal(dev_ranks(np.array([[0.0, -1.0], [-1.0, 0.0]])), [[1, 2], [2, 1]])


@pytest.mark.parametrize("seed", range(6))
def test_a_payoff_of_a_million_does_not_keep_the_others_from_being_rated(seed: int) -> None:
    """Payments as large as that are what models propose; two of forty such games had no ratings."""
    tensor = generator(seed, "large payoffs").normal(size=(5, 5)).round(2)
    tensor[seed % 5, (seed + 2) % 5] = 1e6
    assert deviation_ratings(tensor).max() < 1e-3, "in equilibrium nobody gains by deviating"


def test_where_rounding_leaves_no_answer_it_is_said_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing = SimpleNamespace(x=None, message="infeasible")
    monkeypatch.setattr("scipy.optimize.linprog", lambda *_, **__: nothing)
    with pytest.raises(SocietyError, match="infeasible; leave out types with payoffs that are"):
        deviation_ratings(PRISONERS)


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(InputError, match="one axis a seat"):
        deviation_ratings(np.zeros((2, 3)))
