"""A sample is described by its mean and interval, or by its values where these are few."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.findings.descriptions import mean_finding
from society.analysis.findings.wording import Quantity
from society.analysis.statistics.value_scale import ValueScale
from society.engine.rng import Array

SURVIVAL = Quantity("survival time", "rounds")


def said(values: Array, censored: int = 0, horizon: int = 0) -> str:
    return mean_finding(SURVIVAL, values, censored, horizon).sentence


def test_a_mean_has_its_interval_and_the_digits_that_it_deserves() -> None:
    assert said(np.tile([40.0, 60.0], 10)) == (
        "Survival time averaged 50.0 rounds (95 % interval 45.2 to 54.8; 20 runs)."
    )
    assert said(1000 * np.tile([40.0, 60.0], 10)) == (
        "Survival time averaged 50,000 rounds (95 % interval 45,198 to 54,802; 20 runs)."
    )


def test_runs_whose_time_was_cut_off_are_counted() -> None:
    assert said(np.tile([40.0, 60.0], 10), 10, 60) == (
        "Survival time averaged 50.0 of 60 rounds (95 % interval 45.2 to 54.8; 20 runs, where "
        "each of the 10 in which it had not come counts as 60)."
    )


def test_what_never_varies_has_no_interval() -> None:
    assert said(np.full(20, 60.0)) == "Survival time was 60 rounds in all 20 runs."


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([52.0], "52 rounds in 1 run"),
        ([52.0, 61.0, 49.5], "52, 61 and 49.5 rounds in 3 runs"),
    ],
)
def test_few_runs_are_listed_without_an_interval(values: list[float], words: str) -> None:
    finding = mean_finding(SURVIVAL, np.array(values))
    assert finding.sentence == (
        f"Survival time was {words}: too few for an interval, and nothing is concluded."
    )
    assert finding.basis.interval is None


def test_what_was_never_measured_is_said() -> None:
    assert said(np.full(4, np.nan)) == "Survival time was measured in no run."


def test_what_multiplies_has_a_geometric_mean() -> None:
    values = np.exp(np.tile([1.0, 3.0], 10))
    words = mean_finding(Quantity("wealth", "coins", ValueScale("log")), values).sentence
    assert words.startswith("Wealth averaged a geometric mean of 7.4 coins (95 % interval 4.6 to ")


@pytest.mark.parametrize(
    ("unit", "short"),
    [
        ("rounds", "rounds"),
        ("points, mean over players", "points"),
        ("share of players", "%"),
        ("mean, last generation", ""),
        ("catch / maximum sustainable yield", ""),
    ],
)
def test_a_unit_stands_behind_numbers_if_it_is_one_word(unit: str, short: str) -> None:
    assert Quantity.of("stock", unit, ValueScale("linear")).unit == short
