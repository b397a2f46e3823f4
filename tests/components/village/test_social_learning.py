"""Payoff-biased imitation: whom to copy, and how often."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.components.village.social_learning import SocialLearning
from society.engine.action_spaces import Neighbour
from society.engine.graph import NOBODY, from_networkx
from society.engine.rng import Array
from society.engine.script import seen

if TYPE_CHECKING:
    from tests.components.conftest import Answer

N = 4000


def models(answer: Answer, learning: SocialLearning, payoff: Any, **at: Any) -> Array:
    """Return the seat that each agent copies, (R, N)."""
    copied: Array = answer(
        "imitate", Neighbour("all"), learning, facts={"payoff": seen("all", payoff)}, **at
    )
    return copied


def test_who_never_reconsiders_copies_nobody(answer: Answer) -> None:
    content = SocialLearning(revision=0)
    assert models(answer, content, [[0, 0, 1e9]]).tolist() == [[NOBODY] * 3]


def test_under_strong_selection_the_richer_is_copied_and_the_poorer_never(answer: Answer) -> None:
    eager = SocialLearning(revision=1, selection=1e3)
    assert models(answer, eager, [[1, 2]], agents=2).tolist() == [[1, NOBODY]]


def test_payoffs_however_large_overflow_nothing(answer: Answer) -> None:
    eager = SocialLearning(revision=1, selection=1)
    assert models(answer, eager, [[-1e300, 1e300]], agents=2).tolist() == [[1, NOBODY]]


@pytest.mark.parametrize("advantage", [-2.0, 0.0, 2.0])
def test_copying_follows_the_logit_rule(answer: Answer, advantage: float) -> None:
    """Pr = 1 / (1 + exp(-delta (P_k - P_i))) with delta = 0.5; the peer of two is certain."""
    learning = SocialLearning(revision=1, selection=0.5)
    payoff = np.tile([0.0, advantage], (N, 1))
    copied = models(answer, learning, payoff, agents=2, replicates=N)[:, 0] == 1
    expected = 1 / (1 + math.exp(-0.5 * advantage))
    assert copied.mean() == pytest.approx(expected, abs=4 * 0.5 / N**0.5)


def test_reconsidering_happens_with_chance_q(answer: Answer) -> None:
    learning = SocialLearning(revision=0.3, selection=1e3)
    payoff = np.tile([0.0, 9.0], (N, 1))
    copied = models(answer, learning, payoff, agents=2, replicates=N)[:, 0] == 1
    assert copied.mean() == pytest.approx(0.3, abs=4 * (0.3 * 0.7 / N) ** 0.5)


def test_only_neighbours_are_copied_and_each_equally_often(answer: Answer) -> None:
    """On the star around 0, everybody copies 0, who is the poorest and so copies anybody."""
    learning = SocialLearning(revision=1, selection=0)
    graphs = {"all": from_networkx([nx.star_graph(3)] * N, np.arange(4))}
    copied = models(answer, learning, np.zeros((N, 4)), agents=4, replicates=N, graphs=graphs)
    assert set(copied[:, 1:].ravel().tolist()) == {0, NOBODY}
    by_centre = copied[:, 0][copied[:, 0] != NOBODY]
    counts = np.bincount(by_centre, minlength=4)[1:]
    mean = len(by_centre) / 3
    assert ((counts - mean) ** 2 / mean).sum() < 18.4  # chi-square, 2 degrees, chance 1e-4


def test_the_isolated_copy_nobody(answer: Answer) -> None:
    graphs = {"all": from_networkx([nx.empty_graph(3)], np.arange(3))}
    learning = SocialLearning(revision=1, selection=0)
    assert models(answer, learning, [[1, 2, 3]], graphs=graphs).tolist() == [[NOBODY] * 3]
