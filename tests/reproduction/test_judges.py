"""Judges of claims, each held against a few numbers that can be checked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from society.claims.comparisons import Metric, TypeScores
from society.claims.data import DesignData, Judge, SampleSpec
from society.claims.types import ClaimFinding, FactorLevels, InsufficientEvidence
from society.engine.rng import Array, generator
from society.reproduction.evidence import Evidence
from society.reproduction.judges import ClaimPanel, Stated

LUCK = np.tile([-1.0, 1.0], 10)


class Given(Evidence):
    """Runs by the village that they are of, or by their measure; scores by type."""

    def __init__(self, samples: dict[str, Any]) -> None:
        super().__init__({})
        self.samples = {name: np.asarray(one, float) for name, one in samples.items()}

    def runs(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        return self.samples[str(levels.get("village", measure))]

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        return TypeScores(np.mean(list(self.samples.values()), axis=0), self.samples)


def judged(judge: dict[str, Any], **samples: Any) -> ClaimFinding:
    read: Judge = TypeAdapter[Judge](Judge).validate_python(judge)
    stated = Stated("1", "Fig. 1", read, SampleSpec(trial="lake"), {})
    panel = ClaimPanel(DesignData(trials=(), claims=()), "nowhere")
    return panel.finding(stated, Given(samples))


def of(village: str) -> dict[str, Any]:
    return {"levels": {"village": village}}


def every_run(rule: dict[str, Any], runs: list[float], **more: Any) -> str:
    rules = [{"sample": {"measure": "kept"}, "words": "", **rule}]
    return judged({"kind": "always", "rules": rules, **more}, kept=runs).outcome


@pytest.mark.parametrize(
    ("runs", "outcome"),
    [
        ([1, 1, 0], "not reproduced"),
        ([0], "not reproduced"),
        ([1, 1, 1, 1], "cannot be told"),
        ([1, 1, 1, 1, 1], "reproduced"),
        ([1, 1, 1, 1, 1, np.nan], "cannot be told"),
        ([np.nan, 0], "not reproduced"),
    ],
)
def test_one_run_refutes_what_is_claimed_of_every_run_and_five_show_it(
    runs: list[float], outcome: str
) -> None:
    assert every_run({"exactly": 1}, runs) == outcome


@pytest.mark.parametrize(
    ("runs", "outcome"),
    [([1, 1, 0, 0, 0], "cannot be told"), ([0] * 4, "cannot be told"), ([0] * 5, "not reproduced")],
)
def test_runs_that_leave_a_claim_open_refute_it_only_together(
    runs: list[float], outcome: str
) -> None:
    assert every_run({"exactly": 1, "either": True}, runs) == outcome


def test_one_run_is_enough_where_chance_has_no_part() -> None:
    assert every_run({"near": 1}, [1], exact="no draw changes anything") == "reproduced"


def test_runs_that_are_all_alike_show_nothing_of_their_mean() -> None:
    """Three runs that last 50 rounds, where runs may last 50 or 10."""
    means = [{"sample": {"measure": "survival"}, "words": "{mean:.0f}"}]
    low, high = ({"kind": "within", "means": [{**means[0], **one}]} for one in RANGES)
    for judge in (low, high):
        found = judged(judge, survival=[50, 50, 50])
        assert found.outcome == "cannot be told"
        assert found.found == "50 (all 3 values are 50; without spread their mean has no interval)"
    assert judged(high, survival=[49, 49.5, 50]).outcome == "reproduced"
    assert judged(low, survival=[49, 49.5, 50]).outcome == "not reproduced"


RANGES: tuple[dict[str, float], ...] = ({"low": 25, "high": 35}, {"low": 45, "high": 55})


def test_single_means_are_in_their_range_by_intervals_for_all_of_them() -> None:
    """-1 to 1 in 20 runs: an interval of 0.48 to either side alone, and of 0.57 beside another."""
    bound = {"words": "", "low": -0.5, "high": 0.5}
    judge = {
        "kind": "within",
        "means": [{**bound, "sample": {"measure": name}} for name in ("one", "other")],
    }
    assert judged(judge, one=LUCK, other=LUCK).outcome == "reproduced"
    assert judged(judge, one=LUCK, other=LUCK + 0.3).outcome == "cannot be told"


def test_all_comparisons_of_a_claim_are_corrected_together_whatever_their_tests() -> None:
    """Both p are 0.033 alone, and 0.065 beside each other."""
    pair = {"name": "paired", "first": of("one"), "second": {"constant": 0}}
    other = {"name": "apart", "test": "independent", "first": of("one"), "second": of("other")}
    samples = {"one": LUCK + 0.5287, "other": np.append(LUCK, -LUCK) * 1e-6}
    alone = [
        judged({"kind": "comparisons", "pairs": [one]}, **samples).found for one in (pair, other)
    ]
    assert [one.endswith("p = 0.033") for one in alone] == [True, True], alone
    both = judged({"kind": "comparisons", "pairs": [pair, other]}, **samples)
    assert both.outcome == "cannot be told"
    assert both.found.count("p = 0.065") == 2


def test_all_shares_of_a_claim_are_corrected_together_whatever_their_blocks() -> None:
    count = {"sample": {"measure": "heads"}, "is": "== 1", "expect": "above"}
    one, other = {**count, "name": "one"}, {**count, "name": "other"}
    judge = {"kind": "shares", "chance": 0.5}
    heads = np.arange(20) < 15  # p = 0.041 alone
    assert judged({**judge, "counts": [[one]]}, heads=heads).outcome == "reproduced"
    for counts in ([[one, other]], [[one], [other]]):
        assert judged({**judge, "counts": counts}, heads=heads).outcome == "cannot be told"


def test_a_type_is_compared_with_the_mean_of_all_run_by_run() -> None:
    """Ann always has 0.3 more than Bob, and both have good and bad runs together."""
    good = np.array([0.0, 10.0, 5.0])
    noise = np.array([0.0, 0.01, -0.01])
    pair = {
        "name": "ann > mean of all",
        "first": {"scores": "mean", "type": "ann"},
        "second": {"scores": "mean"},
    }
    judge = {"kind": "comparisons", "test": "independent", "pairs": [pair]}
    found = judged(judge, ann=good + 3 + noise, bob=good)
    assert found.outcome == "reproduced"
    assert found.found == "ann > mean of all: 8 - 6.5 = 1.5 [1.49, 1.51], p < 0.001"


def test_a_part_is_not_compared_with_a_whole_that_holds_it_as_if_they_were_apart() -> None:
    pair = {
        "name": "one, both",
        "first": of("one"),
        "second": {"together": [of("one"), of("other")]},
    }
    with pytest.raises(InsufficientEvidence, match="both have runs in common; compare a part with"):
        judged(
            {"kind": "comparisons", "test": "independent", "pairs": [pair]}, one=LUCK, other=LUCK
        )


@pytest.mark.thorough
def test_several_means_at_the_end_of_their_range_seldom_seem_to_be_within() -> None:
    """Sixteen means of five runs each: some part holds in less than one of ten draws."""
    names = [f"mean{number}" for number in range(16)]
    judge = {
        "kind": "within",
        "means": [{"sample": {"measure": name}, "low": 0, "words": ""} for name in names],
    }
    outcomes = []
    for draw in range(200):
        runs = generator(draw, "judges").normal(size=(16, 5))
        outcomes.append(judged(judge, **dict(zip(names, runs, strict=True))).outcome)
    assert np.mean([one != "cannot be told" for one in outcomes]) < 0.1
