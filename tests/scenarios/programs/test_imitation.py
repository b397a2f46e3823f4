"""Rules by which users of programs imitate each other, against what theory expects of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.errors import ScenarioError
from society.scenarios.mechanisms.generations.selection import Heirs, children
from society.scenarios.programs.imitation import Imitation, inverse, lottery


def rule(**given: Any) -> Imitation:
    usual = {
        "rule": "proportional",
        "elite": 0,
        "beta": 1.0,
        "learning": "all",
        "replacement": True,
        "switching_cost": 0.0,
        "chance_id": "test",
    }
    return Imitation(**{**usual, **given})


def select(fitness: Any, model: Any = 0, *, replicates: int = 1, **given: Any) -> Heirs:
    """Select among users with this fitness, in many replicates at once."""
    values = np.tile(np.array(fitness, float), (replicates, 1))
    env = Environment(
        None, seed=1, ids=np.arange(values.shape[1]), replicate_ids=np.arange(replicates), horizon=1
    )
    return rule(**given)(values, np.broadcast_to(model, values.shape), env)


def frequencies(parents: Array, seats: int) -> list[float]:
    """How often each seat is a parent."""
    counts = np.bincount(parents[parents != NOBODY], minlength=seats)
    shares: list[float] = (counts / parents.size).tolist()
    return shares


def test_parents_are_drawn_in_proportion_to_raw_fitness() -> None:
    heirs = select([1, 2, 3, 4], replicates=20_000)
    assert frequencies(heirs.parents, 4) == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=0.005)


def test_the_elite_keep_what_they_have_and_are_parents_of_others() -> None:
    heirs = select([1, 5, 4, 2], elite=2, replicates=5_000)
    assert heirs.survives[0].tolist() == [False, True, True, False]
    assert (heirs.parents[:, 1:3] == NOBODY).all()
    drawn = heirs.parents[:, [0, 3]]
    assert frequencies(drawn, 4) == pytest.approx([1 / 12, 5 / 12, 4 / 12, 2 / 12], abs=0.015)


def test_nobody_with_negative_fitness_has_a_child() -> None:
    assert set(select([-1, 2, 0], replicates=200).parents.flat) == {1}


def test_without_any_fitness_all_are_equally_likely() -> None:
    heirs = select([0, 0, 0, 0], replicates=20_000)
    assert frequencies(heirs.parents, 4) == pytest.approx([0.25] * 4, abs=0.006)


def test_who_learns_from_others_is_never_its_own_parent() -> None:
    heirs = select([1, 2, 3, 4], learning="others", replicates=20_000)
    assert (heirs.parents != np.arange(4)).all()
    first = heirs.parents[:, 0]  # draws among 2, 3 and 4
    assert frequencies(first, 4) == pytest.approx([0, 2 / 9, 3 / 9, 4 / 9], abs=0.01)


def test_the_only_one_with_fitness_learns_from_any_other() -> None:
    heirs = select([0, 3, 0], learning="others", replicates=300)
    assert (heirs.parents[:, [0, 2]] == 1).all()
    assert set(heirs.parents[:, 1].tolist()) == {0, 2}


def test_without_replacement_nobody_has_two_children() -> None:
    heirs = select([1, 2, 3, 4, 0], elite=2, replacement=False, replicates=500)
    assert children(heirs.parents).max() == 1
    assert (heirs.parents != NOBODY).sum(1).tolist() == [3] * 500


def test_a_model_that_costs_more_to_change_to_has_fewer_children_elsewhere() -> None:
    """Fitness 3 of the other model counts as 1: one in two takes it over, not three in four."""
    heirs = select([1, 3], np.array([0, 1]), switching_cost=2.0, replicates=20_000)
    assert (heirs.parents[:, 0] == 1).mean() == pytest.approx(1 / 2, abs=0.01)
    assert (heirs.parents[:, 1] == 1).mean() == pytest.approx(1, abs=0.01)  # 1 - 2 is below 0


@pytest.mark.parametrize(("ahead", "chance"), [(0.0, 0.5), (1.0, 0.7311), (-2.0, 0.1192)])
def test_fermi_users_copy_with_the_logistic_probability(ahead: float, chance: float) -> None:
    """1 / (1 + exp(-beta (f_other - f_own))), beta = 1."""
    assert rule(rule="fermi").chance(np.array(ahead)) == pytest.approx(chance, abs=5e-5)
    heirs = select([0, ahead], rule="fermi", learning="others", replicates=20_000)
    assert (~heirs.survives[:, 0]).mean() == pytest.approx(chance, abs=0.012)


def test_proportional_imitators_copy_with_the_difference_as_probability() -> None:
    heirs = select([0.2, 0.5], rule="proportional_imitation", learning="others", replicates=20_000)
    assert (~heirs.survives[:, 0]).mean() == pytest.approx(0.3, abs=0.012)
    assert heirs.survives[:, 1].all()


@pytest.mark.parametrize("learning", ["all", "others"])
def test_in_pairs_without_replacement_everybody_is_looked_at_once(learning: str) -> None:
    given = {"rule": "fermi", "learning": learning, "replacement": False, "beta": 0.0}
    heirs = select(np.zeros(7), replicates=200, **given)
    assert children(heirs.parents).max() == 1


def test_pairs_look_at_every_other_user_equally_often() -> None:
    heirs = select([0, 0, 0, 0], rule="fermi", learning="others", replicates=20_000)
    copied = heirs.parents[:, 0]
    assert frequencies(copied, 4) == pytest.approx([0, 1 / 6, 1 / 6, 1 / 6], abs=0.01)


def test_a_lottery_does_not_look_at_who_sits_where() -> None:
    weight, uniform = np.array([[1.0, 2.0, 3.0]]), np.array([[0.1, 0.4, 0.9]])
    order, shift = np.array([[2, 0, 1]]), np.array([1, 2, 0])
    straight = lottery(weight, order, uniform, others=False)
    moved = inverse(shift[None])[0]  # seat s is taken by who sat on shift[s]
    shuffled = lottery(weight[:, shift], moved[order], uniform[:, shift], others=False)
    assert shift[shuffled].tolist() == straight[:, shift].tolist()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"elite": 4}, "elite: 4 of 4 users leaves nobody who learns; take fewer than 4"),
        ({"learning": "others", "replacement": False}, "change one of the two"),
        ({"switching_cost": 1.0, "replacement": False}, "not defined under rule: proportional"),
    ],
)
def test_rules_that_contradict_themselves_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        rule(**given).refuse_contradictions(4)
