"""Generations against population genetics: who takes over, and how fast variety is lost."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, exp, log
from typing import Any

import numpy as np
import pytest

from society.engine.action_spaces import Real
from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.environment import Environment, complete_graphs
from society.engine.game_master import GameMaster
from society.engine.mechanism import public_facts
from society.engine.population import Cohort, Population
from society.engine.rng import Array
from society.engine.scenario import Measure, Params, RoundFacts, Scenario, wrap_scenario
from society.engine.script import Ask, Script, Tell, own
from society.scenarios.mechanisms.generations.generations import generations

pytestmark = pytest.mark.thorough


class Trait(Component):
    """A number that children have from their parent as it is; the first ones are given."""

    answers = ("show",)
    columns = (Column("trait", heritable=True),)

    def __init__(self, first: Callable[[AgentGroup], Array]) -> None:
        self.first = first

    def begin(self, agents: AgentGroup) -> None:
        agents["trait"] = self.first(agents)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        return agents["trait"]


def one_mutant(agents: AgentGroup) -> Array:
    """One of each replicate is 1, the others are 0."""
    return np.where(agents.agent == 0, 1.0, 0.0)


def one_resident(agents: AgentGroup) -> Array:
    """One of each replicate is 0, the others are 1."""
    return np.where(agents.agent == 0, 0.0, 1.0)


def by_chance(agents: AgentGroup) -> Array:
    return agents.draws.uniform("trait")


def all_different(agents: AgentGroup) -> Array:
    return agents.agent.astype(float)


def constant(env: Environment) -> Script:
    """Fitness is the trait, whatever the others do."""
    for _ in env.rounds():
        shown = yield Ask("show", Real())
        yield Tell("shown", {"payoff": own(shown)})


def of_all(told: RoundFacts, env: Environment) -> Array:
    mean: Array = told["fitness"].mean(1)
    return mean


def of_survivors(told: RoundFacts, env: Environment) -> Array:
    mean: Array = told["fitness"].mean(1, where=told["survives"])
    return mean


def variety(told: RoundFacts, env: Environment) -> Array:
    """The chance that two drawn with replacement differ, (R,)."""
    fitness = told["fitness"]
    share: Array = (fitness[:, :, None] != fitness[:, None, :]).mean((1, 2))
    return share


def evolved(
    first: Callable[[AgentGroup], Array],
    of: Callable[[RoundFacts, Environment], Array] = of_all,
    *,
    agents: int,
    count: int,
    replicates: int,
    **rule: Any,
) -> Array:
    """Return a measure of the last generation, (R,)."""
    last = Measure("last", "last generation", of, "last")
    scenario = Scenario("island", constant, cast=lambda p, n: [], measures=(last,))
    scenario = wrap_scenario(scenario, generations, count=count, **rule)
    ids, numbers = np.arange(agents), np.arange(replicates)
    env = Environment(
        Params(),
        seed=1,
        ids=ids,
        replicate_ids=numbers,
        horizon=1,
        graphs=complete_graphs(scenario.relations, replicates, ids),
        facts=public_facts(scenario.play, Params()),
    )
    population = Population([Cohort("everybody", agents, (Trait(first),))], env)
    return GameMaster(scenario, env, population).play().values["last"]


REPLICATES = 2_000


def taken_over(
    agents: int, first: Callable[[AgentGroup], Array] = one_mutant, **given: Any
) -> float:
    """Return the share of replicates in which only those with trait 1 are left in the end."""
    share = evolved(first, agents=agents, replicates=REPLICATES, **given)
    assert np.isin(share, [0, 1]).mean() > 0.995  # the others would have needed longer
    return float(share.mean())


def near(chance: float) -> Any:
    """Match a share of all replicates within four standard errors."""
    return pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / REPLICATES))


def test_a_neutral_mutant_takes_over_with_chance_one_in_n() -> None:
    """Neutral Moran process, N = 10 (Moran 1958, Math. Proc. Camb. Phil. Soc. 54, 60)."""
    assert taken_over(10, count=350, selection="moran", strength=0) == near(1 / 10)


def of_moran(r: float, agents: int) -> float:
    """Fixation of a mutant of relative fitness r (Lieberman, Hauert and Nowak 2005, Nature 433)."""
    return (1 - 1 / r) / (1 - 1 / r**agents)


@pytest.mark.parametrize("r", [1.5, 2])
def test_a_better_mutant_takes_over_as_moran_says(r: float) -> None:
    found = taken_over(6, count=100, selection="moran", strength=log(r))
    assert found == near(of_moran(r, 6))


def test_a_worse_mutant_takes_over_as_moran_says() -> None:
    """Residents are 1, so that they are left where the mutant was lost."""
    found = 1 - taken_over(6, one_resident, count=100, selection="moran", strength=log(1.25))
    assert found == near(of_moran(1 / 1.25, 6))


def fixation_of_all_at_once(agents: int, strength: float) -> float:
    """Fixation of one mutant of payoff 1 among residents of payoff 0, all of whom compare at once.

    Among k mutants each resident becomes one with chance k / (N - 1) / (1 + exp(-s)), and each
    mutant a resident with chance (N - k) / (N - 1) / (1 + exp(s)), independently.
    """

    def binomial(n: int, p: float) -> Array:
        return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])

    step = np.zeros((agents + 1, agents + 1))
    for k in range(agents + 1):
        gained = binomial(agents - k, k / (agents - 1) / (1 + exp(-strength)))
        kept = binomial(k, 1 - (agents - k) / (agents - 1) / (1 + exp(strength)))
        step[k] = np.convolve(gained, kept)
    inner = slice(1, agents)
    chances = np.linalg.solve(np.eye(agents - 1) - step[inner, inner], step[inner, agents])
    return float(chances[0])


@pytest.mark.parametrize("strength", [0, 0.5, 2])
def test_pairwise_comparison_fixes_as_its_markov_chain_says(strength: float) -> None:
    """Fermi rule of Traulsen, Nowak and Pacheco 2006 (Phys. Rev. E 74, 011909), all at once."""
    expected = fixation_of_all_at_once(6, strength)
    assert taken_over(6, count=80, selection="fermi", strength=strength) == near(expected)


def test_without_selection_that_chain_too_fixes_one_in_n() -> None:
    assert fixation_of_all_at_once(6, 0) == pytest.approx(1 / 6, rel=1e-12)


def test_truncation_keeps_the_upper_order_statistics() -> None:
    """Of 12 uniform traits the k-th smallest is k / 13 on average: the upper six 9.5 / 13."""
    kept = evolved(by_chance, of_survivors, agents=12, count=1, replicates=5_000)
    assert kept.mean() == pytest.approx(9.5 / 13, abs=4 * 0.0013)


def test_where_nothing_mutates_the_response_is_the_selection_differential() -> None:
    """Breeder's equation, heritability 1 (Falconer and Mackay 1996, Quantitative Genetics, 11)."""
    children = evolved(by_chance, agents=12, count=2, replicates=5_000)
    assert children.mean() == pytest.approx(9.5 / 13, abs=4 * 0.0014)


def test_variety_is_lost_by_drift_at_the_rate_of_wright_and_fisher() -> None:
    """(1 - 1/N)^t: discrete generations, parents drawn by chance (Wright 1931, Genetics 16, 97)."""
    rule = {"selection": "tournament", "entrants": 1, "elite": 0, "overlapping": False}
    left = evolved(all_different, variety, agents=8, count=6, replicates=5_000, **rule)
    assert left.mean() == pytest.approx((7 / 8) ** 6, abs=4 * 0.0026)
