"""What a scenario becomes in a mechanism that brings something along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from society.engine.environment import Environment
from society.engine.mechanism import Play, PlayFunction, intercept
from society.engine.rng import Array
from society.engine.scenario import (
    Conclusion,
    DisplaySpec,
    Finding,
    Measure,
    MechanismPostAnalysis,
    Params,
    PostAnalysis,
    RoundFacts,
    Scenario,
    mean_over,
    mechanism,
    wrap_scenario,
)
from society.engine.script import Script, Tell, common
from society.errors import ArgumentError, ScenarioError


def fair(env: Environment) -> Script:
    for _ in env.rounds():
        yield Tell("sold", {"price": common(3.0)})


def price(told: RoundFacts, env: Environment) -> Array:
    prices: Array = told["price"]
    return prices


def doubled(told: RoundFacts, env: Environment) -> Array:
    return 2 * price(told, env)


def found(name: str) -> Conclusion:
    return lambda after: [Finding(name, "coins", np.zeros(1))]


FAIR = Scenario(
    "fair",
    fair,
    cast=lambda p, n: [],
    measures=(Measure("price", "coins", price), Measure("sold", "coins", price)),
    relations=("haggle",),
    display=DisplaySpec(columns=("price",), quotes={"cry": "cries"}, levels=("day",)),
)


class Stalls(Params):
    stalls: int = 4
    motto: str = "fair"


def test_a_display_keeps_numbers_in_place_of_parameters_and_functions() -> None:
    shown = DisplaySpec(
        reference={"half": lambda p: p.stalls / 2, "all": "stalls", "told": "price"},
        links={"cheat": "cheated"},
        amounts={"cheat": "stalls"},
    )
    kept = shown.resolved(Stalls())
    assert kept.reference == {"half": 2.0, "all": 4.0, "told": "price"}
    assert kept.amounts == {"cheat": 4.0}


def test_a_reference_that_is_no_number_is_refused() -> None:
    shown = DisplaySpec(reference={"motto": "motto"})
    with pytest.raises(ScenarioError) as refused:
        shown.resolved(Stalls())
    assert str(refused.value) == (
        "the reference 'motto' of the display 'motto' is 'fair'; it must be a finite number"
    )


def test_better_is_more_or_less() -> None:
    with pytest.raises(ArgumentError, match="of a display; write 'more' or 'less'"):
        DisplaySpec(better={"price": "up"})  # type: ignore[dict-item]


@mechanism(
    measures=(Measure("revenue", "coins of the year", doubled),),
    relations=("haggle", "visit"),
    levels=("year",),
    columns=("price", "harvest"),
    quotes={"song": "sings"},
)
def yearly(play: Play, *, count: int = 2) -> PlayFunction:
    """The fair comes every year."""

    def years(env: Environment) -> Script:
        for _ in env.rounds(count):
            yield from intercept(play(env))

    return years


@mechanism(levels=("week",))
def weekly(play: Play) -> Play:
    """The fair comes every week."""
    return play


@mechanism
def plain(play: Play) -> Play:
    """Brings nothing."""
    return play


def test_measures_relations_and_words_are_added_to_those_of_the_scenario() -> None:
    whole = wrap_scenario(FAIR, yearly)
    assert [(measure.name, measure.unit) for measure in whole.measures] == [
        ("price", "coins"),
        ("sold", "coins"),
        ("revenue", "coins of the year"),
    ]
    assert whole.relations == ("haggle", "visit")
    assert whole.display.columns == ("price", "harvest")
    assert whole.display.quotes == {"cry": "cries", "song": "sings"}
    assert whole.name == "fair"


def test_levels_of_rounds_come_around_those_of_the_scenario() -> None:
    assert wrap_scenario(FAIR, yearly).display.levels == ("year", "day")
    assert wrap_scenario(wrap_scenario(FAIR, weekly), yearly).display.levels == (
        "year",
        "week",
        "day",
    )


def test_a_measure_of_the_scenario_is_not_overwritten() -> None:
    """A summary has one value for a name."""
    said = "yearly measures revenue, and so does fair in plain in yearly; give measures of your own"
    with pytest.raises(ScenarioError, match=said):
        wrap_scenario(wrap_scenario(wrap_scenario(FAIR, plain), yearly), yearly)


def test_the_mechanisms_are_named_from_the_inside() -> None:
    whole = wrap_scenario(wrap_scenario(FAIR, plain), yearly, count=3)
    assert whole.mechanisms == ("plain", "yearly")


def test_a_mechanism_that_brings_nothing_changes_the_play_alone() -> None:
    whole = wrap_scenario(FAIR, plain)
    assert (whole.measures, whole.relations, whole.display) == (
        FAIR.measures,
        FAIR.relations,
        FAIR.display,
    )


def in_circles(
    play: Play, types: int, params: Any, *, own: Mapping[str, Any]
) -> np.ndarray[Any, Any]:
    return np.arange(types * own["circles"]).reshape(-1, 1) % types


@mechanism(seating=in_circles)
def circled(play: Play, *, circles: int) -> Play:
    """Each type of agent sits alone, so many times."""
    return play


def test_a_mechanism_may_say_who_sits_where() -> None:
    whole = wrap_scenario(FAIR, circled, circles=2)
    assert FAIR.seats is None
    assert whole.seats is not None
    assert whole.seats(3, None).tolist() == [[0], [1], [2], [0], [1], [2]]


def test_nothing_stands_around_who_says_who_sits_where() -> None:
    with pytest.raises(ScenarioError, match=r"plain stands around circled, .*; name circled last"):
        wrap_scenario(wrap_scenario(FAIR, circled, circles=2), plain)


def test_its_parameters_reach_the_mechanism() -> None:
    table = Environment(None, seed=1, ids=np.arange(1), replicate_ids=np.arange(1), horizon=2)
    assert len(list(wrap_scenario(FAIR, yearly, count=3).play(table))) == 6


def of_mechanism(after: PostAnalysis, *, own: Mapping[str, Any]) -> Iterable[Finding]:
    yield Finding(f"added by {own['who']}", "", np.zeros(1))


def findings(own: Conclusion | None, added: MechanismPostAnalysis | None) -> list[str] | None:
    """Names of what is found at the end of a scenario in a mechanism; None if nobody looks."""
    wrap = mechanism(lambda play, *, who: play, post_analysis=added)
    post_analysis = wrap_scenario(replace(FAIR, post_analysis=own), wrap, who="me").post_analysis
    nothing: Any = None
    return None if post_analysis is None else [finding.name for finding in post_analysis(nothing)]


def test_scenario_and_mechanism_both_say_what_they_find_at_the_end() -> None:
    assert findings(None, None) is None
    assert findings(found("own"), None) == ["own"]
    assert findings(None, of_mechanism) == ["added by me"]
    assert findings(found("own"), of_mechanism) == ["own", "added by me"]


def test_a_mean_over_some_leaves_out_the_others_and_that_over_nobody_is_not_known() -> None:
    some = np.array([[True, True, False], [False, False, False]])
    means = mean_over(some, np.array([[1.0, 2.0, np.nan], [4.0, 5.0, 6.0]]))
    np.testing.assert_array_equal(means, [1.5, np.nan])
