"""Each rule of selection does what its definition says, by hand and on average."""

from __future__ import annotations

from typing import Any, get_args

import networkx as nx
import numpy as np
import pytest

from society.engine.environment import Environment
from society.engine.graph import NOBODY, Complete, Graph, from_networkx
from society.engine.rng import Array
from society.scenarios.mechanisms.generations.selection import Heirs, Selection, SelectionRule

RULES: tuple[SelectionRule, ...] = get_args(SelectionRule)
MANY = 20_000  # replicates, where shares are compared
NEAR = 0.015  # four standard errors of a share of one half


def heirs(
    fitness: Any,
    rule: SelectionRule,
    *,
    alive: Any = True,
    seed: int = 1,
    replicate_ids: Any = None,
    ids: Any = None,
    graph: Graph | None = None,
    **given: Any,
) -> Heirs:
    """Return survivors and parents among agents of this fitness, (N,) or (R, N)."""
    fitness = np.atleast_2d(np.asarray(fitness, float))
    numbers = np.arange(len(fitness)) if replicate_ids is None else np.asarray(replicate_ids)
    seats = np.arange(fitness.shape[1]) if ids is None else np.asarray(ids)
    graph = graph or Complete(len(numbers), seats)
    env = Environment(
        None,
        seed=seed,
        ids=seats,
        replicate_ids=numbers,
        horizon=1,
        graphs={"advise": graph},
    )
    usual = {"share": 0.5, "elite": 1, "entrants": 2, "strength": 1.0, "overlapping": True}
    there = np.broadcast_to(alive, fitness.shape)
    with np.errstate(all="raise", under="ignore"):
        return Selection(rule, **{**usual, **given})(fitness, there, env)


def often(fitness: list[float], rule: SelectionRule, **given: Any) -> Heirs:
    """Repeat a fitness in many replicates."""
    return heirs(np.tile(fitness, (MANY, 1)), rule, **given)


def shares(parents: Array, agents: int) -> Array:
    """Return the share of all children that each seat is the parent of."""
    born = parents[parents != NOBODY]
    shares: Array = np.bincount(born, minlength=agents) / born.size
    return shares


# The rules, by hand


def test_under_truncation_the_best_half_survives_and_has_the_children() -> None:
    found = often([3, 1, 4, 1, 5, 9], "truncation")
    assert (found.survives == [False, False, True, False, True, True]).all()
    assert (found.parents[:, [2, 4, 5]] == NOBODY).all()
    expected = [0, 0, 1 / 3, 0, 1 / 3, 1 / 3]
    assert shares(found.parents, 6) == pytest.approx(expected, abs=NEAR)


@pytest.mark.parametrize(
    ("agents", "share", "survivors"),
    [(12, 0.5, 6), (5, 0.5, 3), (7, 0.5, 4), (10, 0.3, 3), (100, 0.29, 29), (4, 1, 4)],
)
def test_the_share_of_survivors_is_rounded_and_halves_go_up(
    agents: int, share: float, survivors: int
) -> None:
    found = heirs(np.arange(agents), "truncation", share=share)
    assert found.survives.sum() == survivors


@pytest.mark.parametrize("agents", [1, 2, 10])
def test_at_least_one_survives_truncation(agents: int) -> None:
    found = heirs(np.arange(agents), "truncation", share=0.01)
    assert found.survives.tolist() == [[False] * (agents - 1) + [True]]
    assert found.parents.tolist() == [[agents - 1] * (agents - 1) + [NOBODY]]


def test_in_proportion_the_lowest_has_no_child_and_thrice_as_much_thrice_as_many() -> None:
    found = often([1, 2, 4], "proportional", elite=0)
    assert not found.survives.any()
    assert shares(found.parents, 3) == pytest.approx([0, 1 / 4, 3 / 4], abs=NEAR)


def test_an_elite_survives_proportional_selection() -> None:
    found = heirs([[1, 7, 4, 2]], "proportional", elite=2)
    assert found.survives.tolist() == [[False, True, True, False]]


def test_where_all_are_equal_proportional_selection_is_chance() -> None:
    found = often([-2, -2, -2, -2], "proportional", elite=0)
    assert shares(found.parents, 4) == pytest.approx([1 / 4] * 4, abs=NEAR)


def test_a_tournament_is_won_by_the_best_of_those_drawn() -> None:
    """Of two entrants out of four, drawn with replacement: 7/16, 5/16, 3/16, 1/16."""
    found = often([10, 40, 20, 30], "tournament", elite=0)
    expected = [1 / 16, 7 / 16, 3 / 16, 5 / 16]
    assert shares(found.parents, 4) == pytest.approx(expected, abs=NEAR)
    alone = often([10, 40, 20, 30], "tournament", elite=0, entrants=1)
    assert shares(alone.parents, 4) == pytest.approx([1 / 4] * 4, abs=NEAR)


def test_under_fermi_the_better_one_is_copied_with_the_logistic_chance() -> None:
    """Of two with payoffs 0 and log 3: 3/4 one way, 1/4 the other."""
    found = often([0, np.log(3)], "fermi")
    copied = found.parents != NOBODY
    assert copied.mean(0) == pytest.approx([3 / 4, 1 / 4], abs=NEAR)
    assert (found.survives == ~copied).all()
    indifferent = often([0, 100], "fermi", strength=0)
    assert (indifferent.parents != NOBODY).mean(0) == pytest.approx([0.5, 0.5], abs=NEAR)


def test_under_fermi_everybody_looks_at_one_of_its_neighbours() -> None:
    ring = from_networkx([nx.cycle_graph(5)] * 200, np.arange(5))
    found = heirs(np.zeros((200, 5)), "fermi", strength=0, graph=ring)
    child, parent = np.nonzero(found.parents != NOBODY)[1], found.parents[found.parents != NOBODY]
    assert set(((parent - child) % 5).tolist()) == {1, 4}


def test_who_has_no_neighbour_stays_as_it_is_under_fermi() -> None:
    lonely = from_networkx([nx.empty_graph(3)], np.arange(3))
    assert heirs([1, 2, 3], "fermi", graph=lonely).survives.all()


def test_under_moran_one_child_takes_the_place_of_one() -> None:
    """Parents in proportion to exp(f), with f = 0, log 2, log 5; places by chance."""
    found = often(list(np.log([1, 2, 5])), "moran")
    assert ((found.parents != NOBODY).sum(1) == 1).all()
    assert (found.survives == (found.parents == NOBODY)).all()
    assert shares(found.parents, 3) == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=NEAR)
    assert (~found.survives).mean(0) == pytest.approx([1 / 3] * 3, abs=NEAR)


def test_a_neutral_moran_parent_is_anybody_also_who_has_no_fitness() -> None:
    found = often([0, np.nan, 700], "moran", strength=0)
    assert shares(found.parents, 3) == pytest.approx([1 / 3] * 3, abs=NEAR)


def test_without_selection_everybody_survives() -> None:
    found = heirs([1, 2, np.nan], "none")
    assert found.survives.all()
    assert (found.parents == NOBODY).all()


# Ties, unknown fitness, the dead


def test_ties_are_broken_by_chance() -> None:
    found = often([5, 5, 5, 5], "truncation")
    assert (found.survives.sum(1) == 2).all()
    assert found.survives.mean(0) == pytest.approx([1 / 2] * 4, abs=NEAR)


def test_an_unknown_fitness_counts_as_the_lowest_but_above_that_of_the_dead() -> None:
    alive = [True, False, True, True]
    found = heirs([np.nan, 9, 3, 1], "truncation", alive=alive, share=0.75)
    assert found.survives.tolist() == [[True, False, True, True]]
    assert heirs([np.nan, 9, 3, 1], "truncation").survives.tolist() == [[False, True, True, False]]


@pytest.mark.parametrize("rule", RULES)
def test_who_has_died_neither_survives_nor_has_children_and_is_replaced(
    rule: SelectionRule,
) -> None:
    alive = np.tile([False, True, True, False, True], (500, 1))
    found = heirs(np.tile([9, 1, 2, 9, 3], (500, 1)), rule, alive=alive)
    assert not found.survives[~alive].any()
    assert np.isin(found.parents[~alive], [1, 2, 4]).all()
    assert (found.survives == (found.parents == NOBODY)).all()


@pytest.mark.parametrize("rule", ["fermi", "none"])
def test_under_rules_that_keep_the_living_the_places_of_the_dead_go_to_anybodys_child(
    rule: SelectionRule,
) -> None:
    found = often([9, 1, 2, 3], rule, alive=[False, True, True, True])
    assert shares(found.parents[:, :1], 4) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=NEAR)


@pytest.mark.parametrize("rule", RULES)
def test_an_extinct_replicate_has_no_heirs_and_the_others_do_not_mind(rule: SelectionRule) -> None:
    fitness, alive = np.arange(12.0).reshape(3, 4), np.array([[True], [False], [True]])
    found = heirs(fitness, rule, alive=alive)
    assert not found.survives[1].any()
    assert (found.parents[1] == NOBODY).all()
    everywhere = heirs(fitness, rule)
    assert found.parents[[0, 2]].tolist() == everywhere.parents[[0, 2]].tolist()


@pytest.mark.parametrize("rule", RULES)
def test_one_survivor_is_the_parent_of_all(rule: SelectionRule) -> None:
    found = heirs([4, 4, 4], rule, alive=[False, True, False])
    assert np.isin(found.parents, [1, NOBODY]).all()
    assert (found.parents[0, [0, 2]] == 1).all()


@pytest.mark.parametrize("rule", ["truncation", "proportional", "tournament"])
def test_of_discrete_generations_nobody_lives_on(rule: SelectionRule) -> None:
    found = heirs(np.arange(8), rule, overlapping=False)
    assert not found.survives.any()
    assert (found.parents != NOBODY).all()
    if rule == "truncation":
        assert (found.parents >= 4).all()


# Elders and descendants


@pytest.mark.parametrize("overlapping", [True, False])
def test_the_best_share_are_elders_whether_they_live_on_or_not(overlapping: bool) -> None:
    found = heirs([3, 1, 4, 1, 5, 9], "truncation", overlapping=overlapping)
    assert found.elders.tolist() == [[False, False, True, False, True, True]]


def test_under_other_rules_whoever_lives_on_is_an_elder() -> None:
    for rule in (rule for rule in RULES if rule != "truncation"):
        found = heirs([[3, 1, 4], [1, 2, 3]], rule)
        assert found.survives.any(1).all()
        assert (found.elders == found.survives).all()


@pytest.mark.parametrize("given", [{"elite": 0}, {"overlapping": False}], ids=str)
@pytest.mark.parametrize("rule", ["proportional", "tournament"])
def test_where_nobody_lives_on_parents_are_elders(rule: SelectionRule, given: Any) -> None:
    found = heirs(np.tile(np.arange(6.0), (30, 1)), rule, **given)
    for elders, parents in zip(found.elders, found.parents, strict=True):
        assert set(np.flatnonzero(elders)) == set(parents)


def test_descendants_are_oneself_and_ones_children() -> None:
    nobody = np.zeros((2, 4), bool)
    survives, parents = nobody.copy(), np.full((2, 4), NOBODY)
    survives[0, [2, 3]], parents[0, [0, 1]], parents[1] = True, 3, 0
    found = Heirs(survives, parents, nobody)
    assert found.descendants.tolist() == [[0, 0, 1, 3], [4, 0, 0, 0]]


@pytest.mark.parametrize("rule", RULES)
def test_there_are_as_many_descendants_as_places(rule: SelectionRule) -> None:
    found = heirs(np.arange(12.0).reshape(3, 4), rule, alive=np.array([[True], [False], [True]]))
    assert found.descendants.sum(1).tolist() == [4, 0, 4]


# Sizes and extremes


@pytest.mark.parametrize("agents", [1, 2])
@pytest.mark.parametrize("rule", RULES)
def test_very_small_populations_have_heirs(rule: SelectionRule, agents: int) -> None:
    found = heirs(np.zeros((50, agents)), rule)
    assert (found.survives == (found.parents == NOBODY)).all()
    assert (found.parents < agents).all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("strength", [0.0, 1e9])
def test_extreme_fitness_overflows_nothing(rule: SelectionRule, strength: float) -> None:
    fitness = [[1e300, -1e300, 0, np.nan], [np.nan] * 4, [1e-300, 0, 0, -1e-300]]
    found = heirs(fitness, rule, strength=strength)
    assert (found.survives == (found.parents == NOBODY)).all()


def test_an_elite_larger_than_the_population_is_all_of_it() -> None:
    assert heirs([1, 2], "proportional", elite=5).survives.all()


# Replicates and seats


def crowd() -> tuple[Array, Array]:
    """Fitness with ties and unknowns, and who is alive, of 40 replicates of 7."""
    rng = np.random.default_rng(5)
    fitness = rng.integers(0, 5, (40, 7)).astype(float)
    fitness[rng.random(fitness.shape) < 0.1] = np.nan
    return fitness, rng.random(fitness.shape) < 0.8


@pytest.mark.parametrize("rule", RULES)
def test_a_batch_of_replicates_equals_each_alone(rule: SelectionRule) -> None:
    fitness, alive = crowd()
    batch = heirs(fitness, rule, alive=alive)
    for number in range(len(fitness)):
        alone = heirs(fitness[number], rule, alive=alive[number], replicate_ids=[number])
        assert alone.survives[0].tolist() == batch.survives[number].tolist()
        assert alone.parents[0].tolist() == batch.parents[number].tolist()


@pytest.mark.parametrize("rule", RULES)
def test_relabelled_rows_have_the_same_heirs(rule: SelectionRule) -> None:
    fitness, alive = crowd()
    ids = np.array([3, 0, 6, 2, 5, 1, 4])
    straight = heirs(fitness, rule, alive=alive)
    turned = heirs(fitness[:, ids], rule, alive=alive[:, ids], ids=ids)
    named = np.where(turned.parents == NOBODY, NOBODY, ids[turned.parents])
    assert turned.survives.tolist() == straight.survives[:, ids].tolist()
    assert named.tolist() == straight.parents[:, ids].tolist()
