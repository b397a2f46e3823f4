"""Runs without any effect seldom decide a claim, of any paper and any kind.

Made-up runs differ by noise alone, the same in all conditions: much of it, or runs of two sorts far
apart, so that the few runs of a condition are often all alike. Claims are judged by many draws of
them, and the rate of draws with a wrong verdict is bounded, for each claim and for all of a paper.

What is wrong depends on the claim. Of most, any verdict is. But noise breaks a rule that all runs
shall keep, and then refutes it rightly, as it does what is computed exactly; it has no effect, and
so rightly shows that there is none, or excludes a large one. Left out is what looks at no runs.

Two runs of a condition decide nothing, but for a run that refutes. Left out is there what has more
than two numbers all the same, one for each of several conditions, and what is without chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import pytest

from society.claims.comparisons import ALPHA, Metric, TypeScores
from society.claims.data import Always, Coded, Judge, Variance, Within
from society.claims.types import Claim, FactorLevels
from society.config.registry import reproduction
from society.engine.rng import Array, generator
from society.reproduction.evidence import Evidence, ExperimentResult
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun
from tests.reproduction.made_up import MODELS, MadeUpResult

pytestmark = pytest.mark.thorough

Sort = Literal["noise", "two sorts"]

# What comes about by chance in the runs that judges count, and the values that they compare with.
CHANCES = {"norm_never": 1 / 12, "norm_always": 0.5, "policy_fixed": 0.5}
TAKEN_OVER = ("image_scoring", "neutral", "drift")
CENTRES = {
    "efficiency": 1.0,
    "stock": 0.5,
    "selection_differential": 0.0,
    "mutation_bias": 0.0,
    "survival_time": 40.0,
}
DESIGNS = [(name, minds) for name in MODELS for minds in ("rules", "language")]
DECIDED = frozenset({"reproduced", "not reproduced", "in part"})
SHOWN = frozenset({"reproduced", "in part"})
USUAL = 0.7  # share of runs of the first of two sorts
DRAWS = 40
MOST = 8  # draws of 40 in which one claim is judged wrongly; a rule may err in one of twenty
MOST_OF_ALL = 0.075  # the same for all claims of a paper together, as a share


def drawn(sort: Sort, draws: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers of mean 0 and variance 1."""
    found: Array = draws.normal(size=shape)
    if sort == "two sorts":
        usual = draws.random(shape) < USUAL
        found = np.where(usual, 1 - USUAL, -USUAL) / np.sqrt(USUAL * (1 - USUAL))
    return found


class Noise(MadeUpResult):
    """Runs of which no condition differs from another."""

    def __init__(
        self, trial: str, levels: Mapping[str, Sequence[Any]], runs: int, seed: int, sort: Sort
    ) -> None:
        super().__init__(trial, levels, runs, seed)
        self.sort = sort

    def draw(self, measure: str, condition: Mapping[str, Any], rounds: int) -> Array:
        draws = generator(self.seed, self.address(measure, condition))
        shape = (self.count, rounds)
        if measure == "cause":
            return np.where(draws.random(shape) < USUAL, "starved", "fined")
        if measure in CHANCES or self.trial in TAKEN_OVER:
            chance = CHANCES.get(measure, 1 / 12)
            one: Array = (draws.random(shape) < chance).astype(float)
            return 1 - one if measure == "phenotype" else one
        noise = drawn(self.sort, draws, shape)
        if "fitness" in measure or measure.endswith("resources"):
            found: Array = np.exp(2 * noise)
            return found
        return CENTRES.get(measure, 0.5) + 60 * noise


class NoisyScores(Evidence):
    """Evidence with scores of types that differ by noise alone."""

    def __init__(
        self, results: Mapping[str, Noise], types: Sequence[str], runs: int, seed: int, sort: Sort
    ) -> None:
        super().__init__({name: cast(ExperimentResult, one) for name, one in results.items()})
        self.types, self.count, self.seed, self.sort = types, runs, seed, sort

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        draws = generator(self.seed, f"{trial} {metric} {sorted(map(str, levels.items()))}")
        each = {name: 0.5 + 20 * drawn(self.sort, draws, (self.count,)) for name in self.types}
        return TypeScores(np.mean(list(each.values()), axis=0), each)


class Paper(NamedTuple):
    """What is judged of a paper, and the levels of its trials."""

    claims: Sequence[Claim]
    levels: Mapping[str, Mapping[str, Sequence[Any]]]
    types: Sequence[str]

    @property
    def by_runs(self) -> Paper:
        """With claims alone that are told by runs."""
        return self._replace(claims=[one for one in self.claims if told_by_runs(one)])

    def wrong(self, runs: int, seed: int, sort: Sort) -> set[str]:
        """The claims that are judged wrongly by one draw."""
        results = {
            trial: Noise(trial, levels, runs, seed, sort) for trial, levels in self.levels.items()
        }
        evidence = NoisyScores(results, self.types, runs, seed, sort)
        found = zip(self.claims, judge_claims(self.claims, evidence), strict=True)
        return {
            f"{verdict.claim}: {verdict.outcome}"
            for claim, verdict in found
            if verdict.outcome in wrong_outcomes(judge_of(claim), runs)
        }


@cache
def paper(name: str, minds: str) -> Paper:
    models = MODELS[name] if minds == "language" else ()
    run = ReproductionRun(reproduction(name), Path("nowhere"), models)
    return Paper(
        [one for one in run.design.claims if judge_of(one).kind != "computed"],
        {trial: result.experiment.levels for trial, result in run.results.items()},
        models or ("nice", "nasty"),
    )


def judge_of(claim: Claim) -> Judge:
    judge: Judge = claim.judge.args[1].judge  # type: ignore[attr-defined]
    return judge


def told_by_runs(claim: Claim) -> bool:
    """Tell whether no sample has one mean for each of several conditions in place of runs."""
    stated = claim.judge.args[1]  # type: ignore[attr-defined]
    return all('"means":{"' not in one.model_dump_json() for one in (stated.judge, stated.sample))


def wrong_outcomes(judge: Judge, runs: int) -> frozenset[str]:
    """The outcomes that runs without any effect do not justify."""
    if isinstance(judge, Always):
        # Where chance has no part one run is enough, so that a few of noise may keep a bound.
        return frozenset[str]() if judge.exact and runs < 5 else SHOWN
    if isinstance(judge, Coded) and judge.code.startswith("arithmetic."):
        return frozenset({"reproduced"})  # some parts are computed, and hold whatever was played
    if isinstance(judge, Variance) and runs > 2:
        no_effect = judge.published.p >= ALPHA
        return frozenset({"not reproduced"}) if no_effect else SHOWN
    return DECIDED


@pytest.mark.parametrize("sort", ["noise", "two sorts"])
@pytest.mark.parametrize(("name", "minds"), DESIGNS)
def test_two_runs_decide_no_claim(name: str, minds: str, sort: Sort) -> None:
    """Samples that pool conditions have more runs; at most two of five draws decide a claim."""
    one = paper(name, minds).by_runs
    found = Counter[str]()
    for seed in range(5):
        found.update(one.wrong(2, seed, sort))
    assert {claim: count for claim, count in found.items() if count > 2} == {}


@pytest.mark.parametrize(("runs", "sort"), [(8, "noise"), (3, "two sorts")])
@pytest.mark.parametrize(("name", "minds"), DESIGNS)
def test_noise_seldom_decides_a_claim(name: str, minds: str, runs: int, sort: Sort) -> None:
    """At most eight of 40 draws judge a claim wrongly.

    A rule that errs in 5 % of draws fails with a chance of 0.0001 here, and one that errs in 30 %
    with 0.89, for each claim that it judges.
    """
    one = paper(name, minds)
    found = Counter[str]()
    for seed in range(DRAWS):
        found.update(one.wrong(runs, seed, sort))
    assert {claim: count for claim, count in found.items() if count > MOST} == {}
    assert found.total() <= MOST_OF_ALL * DRAWS * len(one.claims)


def ranges() -> list[tuple[float, float]]:
    """All ranges of all papers in which a mean shall be."""
    judges = [judge_of(claim) for name, minds in DESIGNS for claim in paper(name, minds).claims]
    bounds = [bound for one in judges if isinstance(one, Within) for bound in one.means]
    return sorted({(bound.low, bound.high) for bound in bounds})


@pytest.mark.parametrize("runs", [3, 5, 8])
def test_runs_that_are_all_alike_put_no_mean_into_a_range(runs: int) -> None:
    """Seven of ten runs are in the range, and the others so far off that the mean is not.

    Of three runs all are in it in 34 % of draws; at most 5 % may show that the mean is.
    """
    found = ranges()
    assert (45, 50) in found
    for low, high in found:
        usual = max(low, high - 2.5) if np.isfinite(high) else low + 2.5
        far = usual + 40 if np.isinf(low) else usual - 40
        draws = generator(1, f"range {low} {high}")
        samples = np.where(draws.random((400, runs)) < USUAL, usual, far)
        shown = [Evidence({}).estimates([one])[0].within(low, high) for one in samples]
        assert np.mean([one is True for one in shown]) <= ALPHA
