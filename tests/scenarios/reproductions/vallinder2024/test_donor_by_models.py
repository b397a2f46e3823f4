"""The recipe of the donor paper: which made-up models make its judges say what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.engine.rng import Array

if TYPE_CHECKING:
    from tests.scenarios.reproductions.vallinder2024.conftest import Condition, Found, OfModels

# Those of the paper, as users name them.
MODELS = (
    "anthropic/claude-3-5-sonnet-20241022",
    "gemini/gemini-1.5-flash-002",
    "openai/gpt-4o-2024-08-06",
)
STEPS = np.arange(10) / 9  # from the first generation to the last
SPREAD = np.linspace(-1, 1, 5)[:, None]  # of five runs

ENDS_RICHER = "Claude 3.5 Sonnet ends richer than Gemini 1.5 Flash, which ends richer than GPT-4o"
IMPROVES = "Only Claude 3.5 Sonnet improves over the generations"
DECLINES = "Every run of GPT-4o declines"
CRASHES = "Several runs of Gemini 1.5 Flash rise, and then crash"
DIFFERS = "Runs of Claude 3.5 Sonnet come to differ"
THRESHOLD = "Below some first donation a society ends in defection"
BEST_RUNS = "Donations of the best runs rise for Claude and Gemini, and fall for GPT-4o"
SELECTS = "Claude's best run selects for generosity, and GPT-4o's does not"
SHARES = "Gemini 1.5 Flash punishes in 14.29 % of encounters, GPT-4o in 1.65 %, Claude in 0.06 %"
UNCHANGED = "Punishment changes little for GPT-4o"
TRACE_1 = "With a trace of 1 cooperation emerges less with Claude 3.5 Sonnet"
NEWBORN = "Newborn agents are more generous than survivors with Claude, less so with GPT-4o"
COMPLEX = "Strategies become more complex, Claude's most"
MORE_RUNS = "With punishment more runs of Claude 3.5 Sonnet improve"


def line(first: float, last: float) -> Array:
    """Five runs that come from one to the other along a line, and differ by some thousandths."""
    mean = first + (last - first) * STEPS
    course: Array = mean + abs(first) * (1 + STEPS) * SPREAD / 1_000
    return course


def claude(condition: Condition) -> Mapping[str, Array]:
    """Three runs succeed, or five with punishment; fewer generous survivors at the end."""
    failing = 0 if condition.get("punishment") else 2
    last = np.where(np.arange(5) < failing, 500, 3_000 + 50 * np.arange(5))[:, None]
    if condition.get("punishment"):
        last = last + 3_000
    if condition.get("variant") == "trace_1":
        last = 700 + 5 * SPREAD
    first = np.where(np.arange(5) < failing, 0.45, 0.52)[:, None] + SPREAD / 100
    selected = np.where(np.arange(10) < 6, 0.1, -0.1) + SPREAD / 100
    return {
        "fitness": 400 + SPREAD + (last - 400) * STEPS,
        "phenotype": first + (0.0435 + SPREAD / 1_000) * np.arange(10),
        "donation": line(0.4, 0.6),  # Table 1, about
        "selection_differential": selected,
        "punished": 0.0006 + SPREAD[:, 0] / 1e5,
        "mutation_bias": 0.1 + SPREAD[:, 0] / 100,
        "first_strategy_words": 40 + SPREAD[:, 0],
        "strategy_words": 100 + 3 * SPREAD[:, 0],
    }


def gemini(condition: Condition) -> Mapping[str, Array]:
    """Two runs rise and crash, and the means of the first and last generation are the same."""
    course = line(200, 200)
    course[:2, 4] = 500
    if condition.get("punishment"):
        course = line(20, 20)
    return {
        "fitness": course,
        "phenotype": line(0.4, 0.4 + 9 * 0.0123),
        "selection_differential": line(0.1, 0.1),
        "punished": 0.1429 + SPREAD[:, 0] / 100,
        "mutation_bias": SPREAD[:, 0] / 100,
        "first_strategy_words": 30 + SPREAD[:, 0],
        "strategy_words": 40 + 3 * SPREAD[:, 0],
    }


def gpt(condition: Condition) -> Mapping[str, Array]:
    """Runs differ more with punishment."""
    apart = 1 + (0.2 * SPREAD if condition.get("punishment") else 0)
    return {
        "fitness": line(40, 15) * apart,
        "phenotype": line(0.2, 0.2 - 9 * 0.0165),
        "donation": line(0.2, 0.06),
        "selection_differential": np.where(np.arange(10) < 2, 0.1, -0.1) + SPREAD / 100,
        "punished": 0.0165 + SPREAD[:, 0] / 1e3,
        "mutation_bias": -0.1 + SPREAD[:, 0] / 100,
        "first_strategy_words": 30 + SPREAD[:, 0],
        "strategy_words": 50 + 3 * SPREAD[:, 0],
    }


def as_published(condition: Condition) -> Mapping[str, Array]:
    sorts = {"claude": claude, "gemini": gemini, "gpt": gpt}
    (played,) = (sort for name, sort in sorts.items() if name in condition["model"])
    return played(condition)


def outcomes(found: Found) -> dict[str, str]:
    return {claim: one.outcome for claim, one in found.items()}


def test_models_that_do_as_the_paper_says_reproduce_all_that_can_be_told(
    of_models: OfModels,
) -> None:
    """As many runs as in Figs 4 and 11 together."""
    found = outcomes(of_models(as_published, MODELS, times=3))
    assert {claim for claim, outcome in found.items() if outcome != "reproduced"} == set()
    assert len(found) == 23


def test_five_runs_of_which_two_fail_do_not_show_an_increase(of_models: OfModels) -> None:
    """As in Fig. 4; the three that succeed come to more than seven times the first generation."""
    found = of_models(as_published, MODELS)[IMPROVES]
    assert found.outcome == "in part"  # that the others do not
    assert found.found.startswith(
        "claude-3.5-sonnet: last > first generation: 1.51e+03 / 400 = 3.77 [0.633,"
    )


def test_models_that_are_all_the_same_show_no_order(of_models: OfModels) -> None:
    found = of_models(gpt, MODELS)
    assert found[ENDS_RICHER].outcome == "not reproduced"
    assert found[IMPROVES].outcome == "in part"  # that the others do not
    assert found[SELECTS].outcome == "in part"


def test_claims_about_models_that_were_not_asked_cannot_be_told(of_models: OfModels) -> None:
    found = of_models(gpt, ("gpt-4o", "gpt-4o-mini"))
    assert found[DECLINES].outcome == "reproduced"
    assert found[ENDS_RICHER].outcome == "cannot be told"
    assert found[ENDS_RICHER].notes == "claude-3.5-sonnet was not asked; name it under --model"


@pytest.mark.parametrize(
    ("models", "note"),
    [
        (("claude-3.5-sonnet", *MODELS[1:]), ""),
        (("openrouter/anthropic/claude-3.5-sonnet", *MODELS[1:]), ""),
        (("claude-3-5-haiku", *MODELS[1:]), "claude-3.5-sonnet was not asked; name it"),
    ],
)
def test_a_model_is_known_by_the_names_that_providers_give_it(
    of_models: OfModels, models: tuple[str, ...], note: str
) -> None:
    assert of_models(as_published, models)[ENDS_RICHER].notes.startswith(note)


def with_values(of_models: OfModels, model: str, times: int = 1, **values: Array) -> Found:
    """Results as published, but for those of one model without punishment and ablation."""

    def played(condition: Condition) -> Mapping[str, Array]:
        usual = condition.get("punishment", False) is False and "variant" not in condition
        others = values if usual and model in condition["model"] else {}
        return {**as_published(condition), **others}

    return of_models(played, MODELS, times)


@pytest.mark.parametrize(
    ("times", "crashes", "outcome", "share"),
    [
        (1, 1, "cannot be told", "in 1 of 5 runs, 20.0% [0.5%, 71.6%]"),
        (8, 0, "not reproduced", "in 0 of 40 runs, 0.0% [0.0%, 8.8%]"),
        (3, 2, "reproduced", "in 6 of 15 runs, 40.0% [16.3%, 67.7%]"),
    ],
)
def test_several_runs_crash_if_they_are_surely_more_than_a_tenth(
    of_models: OfModels, times: int, crashes: int, outcome: str, share: str
) -> None:
    """From 200 up to 500 and down to 200; a run that stays up has not crashed."""
    course = line(200, 200)
    course[:crashes, 4], course[crashes, 4:] = 500, 500
    found = with_values(of_models, "gemini", times, fitness=course)[CRASHES]
    assert found.outcome == outcome
    assert found.found.startswith(f"rise and crash: {share}")


def test_noise_that_seems_to_rise_and_crash_shows_nothing(of_models: OfModels) -> None:
    """The highest of ten generations is twice the first and the last, and so is many another."""
    course = np.tile([100.0, 300, 90, 280, 110, 290, 100, 270, 95, 105], (5, 1))
    found = with_values(of_models, "gemini", times=8, fitness=course)[CRASHES]
    assert found.outcome == "cannot be told"


def test_one_run_that_rises_is_enough_against_every_run_declines(of_models: OfModels) -> None:
    course = line(40, 15)
    course[3] = course[3, ::-1]
    found = with_values(of_models, "gpt", fitness=course)[DECLINES]
    assert found.outcome == "not reproduced"
    assert found.found == (
        "times as much each generation: 0.898, 0.899, 0.899, 1.11, 0.899; by chance in 3.1% of "
        "times"
    )


def test_that_all_of_four_runs_decline_comes_about_by_chance_too_often(of_models: OfModels) -> None:
    found = with_values(of_models, "gpt", fitness=line(40, 15)[:4])[DECLINES]
    assert (found.outcome, found.notes) == ("cannot be told", "more runs would show it")
    assert found.found.endswith("by chance in 6.2% of times")


def test_runs_that_stay_as_far_apart_as_they_were_do_not_come_to_differ(
    of_models: OfModels,
) -> None:
    found = with_values(of_models, "claude", fitness=(400 + 20 * SPREAD) * (1 + 5 * STEPS))
    assert found[DIFFERS].outcome == "cannot be told"


@pytest.mark.parametrize(
    ("second", "times", "outcome", "chance"),
    [
        (0.47, 1, "cannot be told", "10.0%"),
        (0.47, 2, "reproduced", "0.5%"),
        (0.51, 2, "cannot be told", "0.5%"),
    ],
)
def test_a_threshold_parts_the_runs_that_succeed_from_those_that_fail(
    of_models: OfModels, second: float, times: int, outcome: str, chance: str
) -> None:
    """The first two of Claude's runs fail, one of ten pairs of five, or of 210 fours of ten."""
    donation = np.array((0.44, second, 0.50, 0.53, 0.54))[:, None] + 0.01 * np.arange(10)
    found = with_values(of_models, "claude", times=times, phenotype=donation)[THRESHOLD]
    assert found.outcome == outcome
    assert found.found.startswith("succeeded: 50%, ")
    assert f"by chance in {chance} of times" in found.found


def test_runs_that_all_succeed_show_no_threshold(of_models: OfModels) -> None:
    found = with_values(of_models, "claude", fitness=line(400, 3_000))[THRESHOLD]
    assert found.outcome == "cannot be told"
    assert found.notes == "runs of one sort alone show no threshold"


def test_donations_are_judged_by_all_runs_and_the_best_one_stands_beside(
    of_models: OfModels,
) -> None:
    """The last of Claude's runs rises by 9 points a generation, the others fall by 1."""
    donation = np.full((5, 1), 0.5) - (0.01 + SPREAD / 1_000) * np.arange(10)
    donation[4] = 0.1 + 0.09 * np.arange(10)
    found = with_values(of_models, "claude", phenotype=donation)[BEST_RUNS]
    assert found.outcome == "in part"
    assert found.notes.endswith(
        "best runs: claude-3.5-sonnet +9.00, gemini-1.5-flash +1.23, gpt-4o -1.65"
    )


def test_as_many_generations_for_generosity_as_against_it_show_no_selection(
    of_models: OfModels,
) -> None:
    half = np.where(np.arange(10) < 5, 0.1, -0.1) + SPREAD
    for model in ("claude", "gpt"):
        found = with_values(of_models, model, selection_differential=half)[SELECTS]
        assert found.outcome == "in part"
        assert "not shown: 1 of 2" in found.notes


def test_one_more_run_that_improves_is_no_more_runs(of_models: OfModels) -> None:
    """Of five each; by Fisher's test it would take four more."""

    def played(condition: Condition) -> Mapping[str, Array]:
        rising = 1 if condition.get("punishment") else 0
        last = np.where(np.arange(5) < rising, 3_000, 500)[:, None]
        return {**as_published(condition), "fitness": 400 + (last - 400) * STEPS}

    found = of_models(played, MODELS)[MORE_RUNS]
    assert found.outcome == "cannot be told"
    assert found.found == "share of runs: with > without: 0.2 - 0 = 0.2 [-0.264, 0.624], p = 1.000"
    assert found.notes == "not shown: 1 of 1; 1 of 5 with, 0 of 5 without"


def test_newborn_agents_that_give_as_those_before_them_are_not_shown_to_give_more(
    of_models: OfModels,
) -> None:
    found = with_values(of_models, "claude", mutation_bias=SPREAD[:, 0])[NEWBORN]
    assert found.outcome == "cannot be told"


def test_strategies_that_grow_no_longer_than_those_of_others_are_not_most_complex(
    of_models: OfModels,
) -> None:
    found = with_values(
        of_models,
        "claude",
        first_strategy_words=40 + SPREAD[:, 0],
        strategy_words=45 + 3 * SPREAD[:, 0],
    )[COMPLEX]
    assert (found.outcome, found.notes) == ("in part", "reversed: 2 of 5")


def test_shares_of_punished_encounters_are_as_many_as_in_the_paper_within_a_factor_of_two(
    of_models: OfModels,
) -> None:
    def played(condition: Condition) -> Mapping[str, Array]:
        usual = as_published(condition)
        return {**usual, "punished": 3 * usual["punished"]}

    found = of_models(played, MODELS)[SHARES]
    assert found.outcome == "in part"
    assert found.notes == "reversed: 3 of 8"


def test_punishment_that_makes_a_tenth_of_difference_is_not_little(of_models: OfModels) -> None:
    assert (
        with_values(of_models, "gpt", fitness=line(50, 25))[UNCHANGED].outcome == "not reproduced"
    )


def test_cooperation_that_emerges_as_much_with_a_shorter_trace_is_no_less(
    of_models: OfModels,
) -> None:
    found = with_values(of_models, "claude", fitness=line(400, 700))[TRACE_1]
    assert found.outcome == "not reproduced"
    assert found.found.startswith("times as much with a trace of 3 > with 1: 1.75 / 1.75 = 1 [")
