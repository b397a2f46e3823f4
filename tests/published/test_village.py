"""The fishing village against the claims of its paper and against an independent implementation.

Paper: Gupta et al. 2026 (AAMAS), section 4.1, Figs 2, 3, 4 and 12. The paper gives no numbers that
could be compared (it leaves most parameters open), only orderings. Numbers are mean survival times
in rounds. Those given to `agrees` are of two independent implementations of our completed model
(400 runs a condition, 1,000 for the subsistence preset): a mean agrees if it lies within 3 combined
standard errors, where theirs is taken as ours at so many runs. Those given to `shown` stand in the
README. An ordering holds if its paired difference, replicates sharing their luck, exceeds 3
standard errors. A condition has 1,000 runs unless a test says otherwise; the seed is always 11.

The paper's table and text differ in who fines more, the selfish or altruists (`punishers`). This
touches populations of altruists and selfish alone (claims 3 and 4), not the general one (1 and 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.rng import Array

pytestmark = [
    pytest.mark.xdist_group("published village"),
    pytest.mark.thorough,
]  # they share their conditions

FINES = (2, 6, 10, 14, 18)
GROWTH = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
POPULATIONS = ("altruist", "mixed", "selfish")


@cache
def _survival(scenario: str, runs: int, changes: tuple[tuple[str, Any], ...]) -> Array:
    spec = load_config(scenario, {"parameters": dict(changes), "replicates": runs, "seed": 11})
    return build(spec).gamemaster().play().values["survival_time"]


def survival(runs: int = 1_000, **changes: Any) -> Array:
    """Survival time of each run in the default preset."""
    return _survival("fishing_village", runs, tuple(sorted(changes.items())))


def subsisting(**changes: Any) -> Array:
    """Survival time of each run in the subsistence preset."""
    return _survival("fishing_village_subsistence", 1_000, tuple(sorted(changes.items())))


def standard_error(values: Array) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def exceeds(longer: Array, shorter: Array) -> bool:
    """Check whether the paired difference is more than 3 standard errors above zero."""
    difference = longer - shorter
    return bool(difference.mean() > 3 * standard_error(difference))


def agrees(values: Array, published: float, runs: int = 400, rounding: float = 0.05) -> bool:
    """Check whether the mean lies within 3 combined standard errors of the published one."""
    ours = standard_error(values)
    combined = ours * math.sqrt(1 + len(values) / runs)
    return bool(abs(values.mean() - published) <= 3 * combined + rounding)


def shown(values: Array, figure: int) -> bool:
    """Check whether a figure of the README is right: 3 standard errors, and its rounding."""
    return bool(abs(values.mean() - figure) <= 3 * standard_error(values) + 0.5)


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


def test_claim_1_at_the_fine_of_the_other_claims() -> None:
    """A fine of 10, as the README has it."""
    assert shown(survival(fine=10), 60)
    assert shown(survival(fine=10, punish_until=15), 49)
    assert shown(survival(fine=10, punish_until=0), 38)


@pytest.mark.parametrize("fine", [10, 14])
def test_claim_1_the_lake_is_emptier_five_rounds_after_punishment_has_ended(fine: float) -> None:
    """Fig. 2: the first 15 of 20 rounds are the same in both."""

    def stock(**changes: Any) -> Array:
        given = {"parameters": {"fine": fine, **changes}, "replicates": 1_000, "seed": 11}
        spec = load_config("fishing_village", given | {"rounds": 20})
        return build(spec).gamemaster().play().values["stock"]

    assert exceeds(stock(), stock(punish_until=15))


def test_claim_1_is_reversed_in_the_subsistence_preset() -> None:
    """Where efforts do not yield to fines, a fine only hastens the first death."""
    on, shock, off = subsisting(), subsisting(punish_until=15), subsisting(punish_until=0)
    assert exceeds(off, shock)
    assert exceeds(shock, on)
    assert shown(on, 28)
    assert shown(shock, 37)
    assert shown(off, 53)


@pytest.mark.parametrize(
    ("growth", "gain"), list(zip(GROWTH, (4, 8, 15, 26, 24, 28, 16), strict=True))
)
def test_claim_2_stronger_fines_prolong_survival(growth: float, gain: float) -> None:
    """Fig. 3: survival under a fine of 18 against a fine of 2, 400 runs."""
    strong, weak = survival(400, growth=growth, fine=18), survival(400, growth=growth, fine=2)
    assert exceeds(strong, weak)
    assert agrees(strong - weak, gain, rounding=0.5)


def test_claim_2_most_steps_of_the_fine_prolong_survival_but_not_all() -> None:
    """Fig. 3: "generally, not strictly linear"; 400 runs a condition.

    Of 28 steps, 25 to 27 rise (89 to 96 %, seeds 1 to 6): 10 to 14 and 14 to 18 may fall at r = .8,
    and 14 to 18 at r = .7, where the curve is flat. It is 25 or 26 if conditions do not share their
    luck. The independent implementations saw 62 to 88 % rise, over steps of the fine that we do not
    know; smaller steps let more of them fall by chance.
    """
    means = np.array([[survival(400, growth=r, fine=b).mean() for b in FINES] for r in GROWTH])
    rising = np.diff(means, axis=1) > 0
    assert rising[:5].all()  # up to r = .6
    assert 0.8 < rising.mean() < 1


def test_claim_2_ends_at_a_fine_of_14_in_the_richest_lake() -> None:
    """At r = .8 the step from 14 to 18 shortens survival, by a round or two; 6,000 runs."""
    strong, strongest = (survival(6_000, growth=0.8, fine=fine) for fine in (14, 18))
    assert exceeds(strong, strongest)
    assert shown(strong, 88)
    assert shown(strongest, 86)


def test_claim_2_at_the_growth_of_the_other_claims() -> None:
    """r = 0.6."""
    for fine, figure in zip(FINES, (39, 50, 60, 63, 65), strict=True):
        assert shown(survival(fine=fine), figure)


def test_claim_2_is_reversed_in_the_subsistence_preset() -> None:
    """r = 0.6: every step of the fine shortens survival."""
    survived = [subsisting(fine=fine) for fine in FINES]
    assert all(exceeds(weak, strong) for weak, strong in pairwise(survived))
    for values, figure in zip(survived, (46, 36, 28, 21, 15), strict=True):
        assert shown(values, figure)


@pytest.mark.parametrize("growth", [0.2, 0.8])
def test_claim_2_is_reversed_in_poor_and_rich_subsistence_lakes(growth: float) -> None:
    assert exceeds(subsisting(growth=growth, fine=2), subsisting(growth=growth, fine=18))


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
        for population in POPULATIONS
    }
    assert exceeds(harsh["altruist"], harsh["mixed"])
    assert exceeds(harsh["mixed"], harsh["selfish"])
    assert agrees(harsh["altruist"], altruist)
    assert agrees(harsh["mixed"], mixed)
    assert agrees(harsh["selfish"], selfish)


@pytest.mark.parametrize("punishers", ["table", "text"])
def test_claim_3_holds_in_the_subsistence_preset(punishers: str) -> None:
    """Figs 4 and 12, r = 0.2; the numbers are those of the text's reading."""
    altruist, mixed, selfish = (
        subsisting(growth=0.2, population=name, punishers=punishers) for name in POPULATIONS
    )
    assert exceeds(altruist, mixed)
    assert exceeds(mixed, selfish)
    if punishers == "text":
        assert agrees(altruist, 21.9, runs=1_000)
        assert agrees(mixed, 19.6, runs=1_000)
        assert agrees(selfish, 15.7, runs=1_000)


@pytest.mark.parametrize(("punishers", "mixed", "selfish"), [("table", 32, 28), ("text", 32, 27)])
def test_claim_4_does_not_hold_in_the_default_preset(
    punishers: str, mixed: int, selfish: int
) -> None:
    """Figs 4 and 12, r = 0.6: altruists do not starve, but outlast both others.

    So neither half of it holds: mixed villages outlive the selfish, but are not best of all.
    """
    rich = {
        population: survival(growth=0.6, population=population, punishers=punishers)
        for population in POPULATIONS
    }
    assert exceeds(rich["mixed"], rich["selfish"])
    assert exceeds(rich["altruist"], rich["mixed"])
    assert exceeds(rich["altruist"], rich["selfish"])
    assert rich["altruist"].mean() > 99.5
    assert shown(rich["mixed"], mixed)
    assert shown(rich["selfish"], selfish)
    if punishers == "table":
        assert agrees(rich["mixed"], 31.1)
        assert agrees(rich["selfish"], 29.1)


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="altruists outlive everybody in the default preset",
)
@pytest.mark.parametrize("punishers", ["table", "text"])
def test_claim_4_the_selfish_outlive_altruists_in_a_rich_lake_by_default(punishers: str) -> None:
    """Figs 4 and 12, r = 0.6: does not reproduce, and no single set of parameters gave all four."""
    altruist, selfish = (
        survival(growth=0.6, population=name, punishers=punishers)
        for name in ("altruist", "selfish")
    )
    assert exceeds(selfish, altruist)


def test_claim_4_holds_in_the_subsistence_preset_under_the_reading_of_the_text() -> None:
    """Figs 4 and 12: mixed > selfish > altruists at r = 0.6, where altruists fine more."""
    altruist, mixed, selfish = (
        subsisting(growth=0.6, population=name, punishers="text") for name in POPULATIONS
    )
    assert exceeds(mixed, selfish)
    assert exceeds(selfish, altruist)
    assert agrees(altruist, 39.8, runs=1_000)
    assert agrees(mixed, 50.8, runs=1_000)
    assert agrees(selfish, 47.4, runs=1_000)


def test_claim_4_half_of_it_holds_in_the_subsistence_preset_under_the_table() -> None:
    """r = 0.6, where the selfish fine more: mixed outlive both, which hardly differ."""
    altruist, mixed, selfish = (
        subsisting(growth=0.6, population=name, punishers="table") for name in POPULATIONS
    )
    assert exceeds(mixed, selfish)
    assert exceeds(mixed, altruist)
    assert not exceeds(selfish, altruist)
    assert shown(altruist, 47)
    assert shown(mixed, 54)
    assert shown(selfish, 48)


def test_claim_4_rests_on_altruists_fining_each_other() -> None:
    """Without fines (beta = 0) altruists overtake the selfish in the subsistence preset, too."""
    altruist, selfish = (
        subsisting(growth=0.6, population=name, fine=0) for name in ("altruist", "selfish")
    )
    assert exceeds(altruist, selfish)
    assert agrees(altruist, 54.3, runs=1_000)
    assert agrees(selfish, 47.8, runs=1_000)
    assert shown(altruist, 55)
    assert shown(selfish, 49)


@pytest.mark.parametrize(
    ("preset", "given", "figures"),
    [
        (survival, {"growth": 0.2, "punishers": "table"}, (31, 13, 12)),
        (survival, {"growth": 0.2, "punishers": "text"}, (31, 13, 11)),
        (subsisting, {"growth": 0.2, "punishers": "text"}, (22, 20, 16)),
        (subsisting, {"growth": 0.6, "punishers": "text"}, (40, 51, 48)),
    ],
)
def test_the_figures_of_the_readme_for_altruists_mixed_and_selfish(
    preset: Callable[..., Array], given: dict[str, Any], figures: tuple[int, ...]
) -> None:
    for population, figure in zip(POPULATIONS, figures, strict=True):
        assert shown(preset(population=population, **given), figure)
