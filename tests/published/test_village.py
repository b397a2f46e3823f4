"""The fishing village against the claims of its paper and against an independent implementation.

Paper: Gupta et al. 2026 (AAMAS), section 4.1, Figs 2, 3, 4 and 12. The paper gives no numbers that
could be compared (it leaves most parameters open), only orderings. The numbers below are mean
survival times in rounds of two independent implementations of our completed model (400 runs a
condition, 1,000 for the subsistence preset). A mean agrees if it lies within 3 combined standard
errors, where theirs is taken as ours at so many runs; an ordering holds if its paired difference,
replicates sharing their luck, exceeds 3 standard errors.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from society.draws import Array
from society.scenario_file import load
from society.spec import prepared


@cache
def _survival(scenario: str, runs: int, changes: tuple[tuple[str, Any], ...]) -> Array:
    spec = load(scenario, {"parameters": dict(changes), "replicates": runs, "seed": 11})
    return prepared(spec).gamemaster().play().values["survival_time"]


def survival(**changes: Any) -> Array:
    """Survival time of each of 400 runs in the default preset."""
    return _survival("fishing_village", 400, tuple(sorted(changes.items())))


def subsisting(**changes: Any) -> Array:
    """Survival time of each of 2,000 runs in the subsistence preset, altruists fining more."""
    given = {"punishers": "text", **changes}
    return _survival("fishing_village_subsistence", 2_000, tuple(sorted(given.items())))


def standard_error(values: Array) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def exceeds(longer: Array, shorter: Array) -> bool:
    """Whether the paired difference is more than 3 standard errors above zero."""
    difference = longer - shorter
    return bool(difference.mean() > 3 * standard_error(difference))


def agrees(values: Array, published: float, runs: int = 400, rounding: float = 0.05) -> bool:
    """Whether the mean lies within 3 combined standard errors of the published one."""
    ours = standard_error(values)
    combined = ours * math.sqrt(1 + len(values) / runs)
    return bool(abs(values.mean() - published) <= 3 * combined + rounding)


@pytest.mark.parametrize(
    ("fine", "always", "until_15", "never"), [(10, 59.9, 48.9, 38.9), (14, 64.0, 51.5, 37.7)]
)
def test_claim_1_cooperation_fades_once_punishment_is_switched_off(
    fine: float, always: float, until_15: float, never: float
) -> None:
    """Fig. 2: fines on, switched off after round 15, and never on."""
    on = survival(fine=fine)
    shock = survival(fine=fine, punish_until=15)
    off = survival(fine=fine, punish_until=0)
    assert exceeds(on, shock)
    assert exceeds(shock, off)
    assert agrees(on, always)
    assert agrees(shock, until_15)
    assert agrees(off, never)


@pytest.mark.parametrize(
    ("growth", "gain"),
    [(0.2, 4), (0.3, 8), (0.4, 15), (0.5, 26), (0.6, 24), (0.7, 28), (0.8, 16)],
)
def test_claim_2_stronger_fines_prolong_survival_at_moderate_growth(
    growth: float, gain: float
) -> None:
    """Fig. 3: survival under a fine of 18 against a fine of 2."""
    strong, weak = survival(growth=growth, fine=18), survival(growth=growth, fine=2)
    assert exceeds(strong, weak)
    assert agrees(strong - weak, gain, rounding=0.5)


def test_claim_2_the_effect_is_general_but_not_strict() -> None:
    """Fig. 3: most steps of the fine lengthen survival, not all ("not strictly linear")."""
    fines = (2, 6, 10, 14, 18)
    means = np.array([[survival(growth=r, fine=b).mean() for b in fines] for r in (0.4, 0.5, 0.6)])
    rising = (np.diff(means, axis=1) > 0).mean()
    assert 0.5 < rising <= 1


@pytest.mark.parametrize(
    ("punishers", "altruist", "mixed", "selfish"),
    [("table", 30.7, 13.4, 11.7), ("text", 30.9, 13.5, 11.4)],
)
def test_claim_3_altruists_last_longest_in_a_harsh_lake(
    punishers: str, altruist: float, mixed: float, selfish: float
) -> None:
    """Figs 4 and 12, r = 0.2."""
    harsh = {
        population: survival(growth=0.2, population=population, punishers=punishers)
        for population in ("altruist", "mixed", "selfish")
    }
    assert exceeds(harsh["altruist"], harsh["mixed"])
    assert exceeds(harsh["mixed"], harsh["selfish"])
    assert agrees(harsh["altruist"], altruist)
    assert agrees(harsh["mixed"], mixed)
    assert agrees(harsh["selfish"], selfish)


def test_claim_4_half_of_it_holds_in_the_default_preset() -> None:
    """Figs 4 and 12, r = 0.6: mixed outlive selfish, but altruists do not starve: they last."""
    rich = {
        population: survival(growth=0.6, population=population)
        for population in ("altruist", "mixed", "selfish")
    }
    assert exceeds(rich["mixed"], rich["selfish"])
    assert rich["altruist"].mean() > 99
    assert agrees(rich["mixed"], 31.1)
    assert agrees(rich["selfish"], 29.1)


@pytest.mark.xfail(strict=True, reason="altruists outlive everybody in the default preset")
def test_claim_4_the_selfish_outlive_altruists_in_a_rich_lake_by_default() -> None:
    """Figs 4 and 12, r = 0.6: does not reproduce, and no single set of parameters gave all four."""
    assert exceeds(
        survival(growth=0.6, population="selfish"), survival(growth=0.6, population="altruist")
    )


def test_claim_4_holds_in_the_subsistence_preset_under_the_reading_of_the_text() -> None:
    """Figs 4 and 12: mixed > selfish > altruists at r = 0.6; the order of claim 3 at r = 0.2."""
    populations = ("altruist", "mixed", "selfish")
    rich = {name: subsisting(growth=0.6, population=name) for name in populations}
    assert exceeds(rich["mixed"], rich["selfish"])
    assert exceeds(rich["selfish"], rich["altruist"])
    assert agrees(rich["altruist"], 39.8, runs=1_000)
    assert agrees(rich["mixed"], 50.8, runs=1_000)
    assert agrees(rich["selfish"], 47.4, runs=1_000)
    harsh = {name: subsisting(growth=0.2, population=name) for name in populations}
    assert exceeds(harsh["altruist"], harsh["mixed"])
    assert exceeds(harsh["mixed"], harsh["selfish"])
    assert agrees(harsh["altruist"], 21.9, runs=1_000)
    assert agrees(harsh["mixed"], 19.6, runs=1_000)
    assert agrees(harsh["selfish"], 15.7, runs=1_000)


def test_claim_4_rests_on_altruists_fining_each_other() -> None:
    """Without fines (beta = 0) altruists overtake the selfish in the subsistence preset, too."""
    altruist, selfish = (
        subsisting(growth=0.6, population=name, fine=0) for name in ("altruist", "selfish")
    )
    assert exceeds(altruist, selfish)
    assert agrees(altruist, 54.3, runs=1_000)
    assert agrees(selfish, 47.8, runs=1_000)
