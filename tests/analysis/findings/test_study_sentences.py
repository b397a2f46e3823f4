"""Each sentence about a study against the numbers that it is made from, and no more than these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from society.analysis.findings.contest_findings import cooperation_finding
from society.analysis.findings.descriptions import describe_condition, describe_single
from society.analysis.findings.generation_findings import (
    counts_generations,
    evolves,
    generation_findings,
    round_findings,
)
from society.analysis.findings.statements import StudyFinding
from society.analysis.findings.study_answers import StudyAnswers
from society.analysis.findings.troubles import trouble_findings
from society.analysis.study import ConditionRun
from society.analysis.study.design import StudyDesign
from society.engine.calls import Usage
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec
from society.runs.runfile import Status

from .made_studies import CATCH, COOPERATION, SURVIVAL, lake, made_run, made_study

UNUSED = math.nan


def said(design: StudyDesign) -> list[str]:
    return [one.sentence for one in StudyAnswers(design).findings]


# Cooperation in matches


def rates(*samples: Sequence[float]) -> list[str]:
    conditions = [
        (
            made_run(own, name=f"fine={fine}", measures=[COOPERATION], factors={"fine": fine}),
            own,
        )
        for fine, own in enumerate({"cooperation": sample} for sample in samples)
    ]
    return [one.sentence for one in cooperation_finding(made_study(*conditions))]


def test_cooperation_in_matches_is_a_mean_over_matches_without_an_interval() -> None:
    assert rates([0.2, 0.4, 0.9]) == [
        "Cooperation averaged 50 % of moves (mean over 3 matches, which differ by who plays: no "
        "interval)."
    ]
    assert rates([0.25]) == ["Cooperation averaged 25 % of moves (mean over 1 match: no interval)."]


def test_cooperation_is_told_by_condition_and_matches_without_a_value_are_left_out() -> None:
    assert rates([0.2, UNUSED], [1.0, 1.0], [UNUSED, UNUSED]) == [
        "Cooperation averaged 20 % of moves with fine = 0 and 100 % of moves with fine = 1 (mean "
        "over 3 matches, which differ by who plays: no interval)."
    ]
    (sentence,) = rates(*[[0.5]] * 6)
    assert "with fine = 3 and 2 more in the tables (mean over 6 matches" in sentence


def test_nothing_is_said_of_cooperation_that_was_not_measured() -> None:
    assert rates([UNUSED, UNUSED]) == []
    assert list(cooperation_finding(lake({"catch": [1.0]}))) == []


# One run, and the runs of one condition


def test_a_single_run_is_told_by_its_values_and_claims_nothing_of_others() -> None:
    measures = [SURVIVAL, CATCH, COOPERATION]
    values = {"survival_time": [12.0], "catch": [2.5], "cooperation": [UNUSED]}
    (finding,) = describe_single(lake(values, measures=measures))
    assert finding.sentence == (
        "Of its measures: catch 2.50. This is one run: how others would go, it cannot tell."
    )
    assert (finding.kind, finding.basis.interval) == ("description", None)
    assert list(describe_single(lake({"catch": [UNUSED]}))) == []


def condition(values: Mapping[str, Sequence[float]], **more: Any) -> list[str]:
    return [one.sentence for one in describe_condition(lake(values, **more), 0)]


def test_a_time_has_its_mean_its_median_and_the_share_that_never_came_to_it() -> None:
    times = [10.0] * 6 + [20.0] * 6 + [60.0] * 4
    ended = ["fished_out"] * 12 + [""] * 4
    words = condition(
        {"survival_time": times},
        measures=[SURVIVAL],
        causes=[ended],
        censored={"survival_time": [not cause for cause in ended]},
    )
    assert words == [
        "Survival time averaged 26 of 60 rounds (95 % interval 15 to 37; 16 runs, where each of "
        "the 4 in which it had not come counts as 60).",
        "Half of the runs had ended by round 20 (95 % interval 10 to 20); 4 of 16 never ended "
        "before the last round (10 to 49 %).",
    ]


def test_a_time_that_waits_for_something_else_than_the_end_names_it() -> None:
    words = condition(
        {"survival_time": [10.0] * 4 + [12.0] * 4},
        measures=[SURVIVAL],
        causes=[[""] * 8],
        censored={"survival_time": [False] * 8},
    )
    assert words[1:] == [
        "Survival time: half of the runs had come to it by round 10 (95 % interval 10 or later)."
    ]


def test_a_time_that_is_the_same_in_all_runs_is_said_once() -> None:
    words = condition(
        {"survival_time": [10.0] * 8},
        measures=[SURVIVAL],
        causes=[["fished_out"] * 8],
        censored={"survival_time": [False] * 8},
    )
    assert words == ["Survival time was 10 rounds in all 8 runs."]


def test_a_time_that_never_came_is_told_by_the_share_of_runs() -> None:
    words = condition(
        {"survival_time": [60.0] * 8},
        measures=[SURVIVAL],
        causes=[[""] * 8],
        censored={"survival_time": [True] * 8},
    )
    assert words == ["All 8 runs lasted all 60 rounds (95 % interval of their share: 68 to 100 %)."]


def test_few_runs_of_a_time_are_listed_and_have_no_median() -> None:
    words = condition(
        {"survival_time": [10.0, 60.0]},
        measures=[SURVIVAL],
        causes=[["fished_out", ""]],
        censored={"survival_time": [False, True]},
    )
    assert words == [
        "Survival time was 10 and 60 rounds in 2 runs: too few for an interval, and nothing is "
        "concluded."
    ]


def test_other_measures_have_intervals_only_from_five_runs_on() -> None:
    names = "abcdef"
    measures = [{"name": name, "unit": "points", "fold": "mean"} for name in names]
    many = {name: list(10.0 * place + np.arange(6)) for place, name in enumerate(names)}
    outcome, others = condition(many, measures=measures)
    assert outcome.startswith("A averaged 2.5 points (95 % interval ")
    assert others == (
        "B averaged 12.5 points (10.5 to 14.5), c 22.5 points (20.5 to 24.5), d 32.5 points (30.5 "
        "to 34.5) and e 42.5 points (40.5 to 44.5) (95 % intervals). 1 more measure below."
    )
    few = {name: values[:3] for name, values in many.items() if name in "ab"}
    _, others = condition(few, measures=measures[:2])
    assert others == "B averaged 11 points (3 runs: too few for intervals)."


def test_measures_of_which_only_some_have_intervals_say_which() -> None:
    measures = [{"name": name, "unit": "points", "fold": "mean"} for name in "abcd"]
    values = {
        "a": list(np.arange(6.0)),
        "b": list(np.arange(6.0)),
        "c": [3.0] * 6,
        "d": [1.0, 2.0, UNUSED, UNUSED, UNUSED, UNUSED],
    }
    _, others = condition(values, measures=measures)
    assert others == (
        "B averaged 2.5 points (0.5 to 4.5), c 3 points and d 1.50 points (95 % intervals "
        "where 5 runs or more differ)."
    )


# Comparisons


def conditions(*samples: Sequence[float], **more: Any) -> StudyDesign:
    """Conditions of one factor, fine = 0, 1, ..., with these catches."""
    every = []
    for fine, sample in enumerate(samples):
        own = {"catch": sample}
        every.append((made_run(own, name=f"fine={fine}", factors={"fine": fine}, **more), own))
    return made_study(*every, random_numbers="independent")


def spread(mean: float, n: int = 10) -> list[float]:
    return [*(mean + np.linspace(-1, 1, n))]


def test_an_effect_is_the_title_of_the_page_and_no_effect_is_said_as_what_is_possible() -> None:
    found = StudyAnswers(conditions(spread(5), spread(9)))
    assert [one.kind for one in found.findings] == ["effect"]
    assert found.title == "Lake: catch was higher with fine = 1"
    (sentence,) = said(conditions(spread(5), spread(5.1)))
    assert "cannot be told apart" in sentence
    assert "no difference" not in sentence


def test_conditions_with_the_same_value_in_all_runs_are_not_tested() -> None:
    (finding,) = StudyAnswers(conditions([5.0] * 8, [5.0] * 8)).findings
    assert finding.kind == "description"
    assert finding.basis.p is None


def test_conditions_without_any_measure_are_counted() -> None:
    runs: list[tuple[ConditionRun, dict[str, list[float]]]] = [
        (made_run({"x": [1.0]}, name=f"fine={fine}", measures=[], factors={"fine": fine}), {})
        for fine in (0, 1)
    ]
    assert said(made_study(*runs)) == ["2 conditions without any measure: nothing can be compared."]


def test_times_that_were_cut_off_are_counted_over_all_conditions() -> None:
    every = []
    for fine, times in enumerate(([10.0, 60.0, 60.0], [60.0, 60.0, 60.0])):
        own = {"survival_time": times}
        run = made_run(own, name=f"f={fine}", measures=[SURVIVAL], factors={"f": fine})
        every.append((run, own))
    flags = [False, True, True, True, True, True]
    design = made_study(*every, censored={"survival_time": flags}, random_numbers="common")
    assert said(design)[-1] == (
        "In 5 of 6 runs survival time had not ended by the last round, which counts as "
        "their time: true means are no lower than these."
    )


# Questionnaires


def test_measures_without_a_value_in_the_last_round_are_named_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = {"survival_time": [60.0] * 10, "catch": spread(3), "cooperation": spread(4)}
    measures = [SURVIVAL, CATCH | {"fold": "last"}, COOPERATION | {"fold": "last"}]
    flags = {"survival_time": [True] * 10}
    design = made_study((made_run(own, measures=measures), own), censored=flags)
    earlier = {"survival_time": 0, "catch": 10, "cooperation": 10}
    monkeypatch.setattr(design, "earlier", earlier.__getitem__)
    assert said(design)[-1] == (
        "In all 10 runs the last round has no value of catch and cooperation, as where nobody is "
        "there any more: what counts is the last round that has one."
    )


def asked(*samples: Sequence[float], conditions: int = 2, **more: Any) -> list[StudyFinding]:
    """Findings on the scales of a questionnaire: before and at the end, run by run."""
    names = ("trust_before", "trust_end", "hope_before", "hope_end")[: len(samples)]
    measures = [{"name": name, "unit": "points", "fold": "mean"} for name in names]
    every = []
    for place in range(conditions):
        own = {name: each[place::conditions] for name, each in zip(names, samples, strict=True)}
        run = made_run(own, name=f"f={place}", measures=measures, factors={"f": place})
        every.append((run, own))
    found = StudyAnswers(made_study(*every, **more)).findings
    return [one for one in found if one.sentence.startswith("On the scale")]


def test_a_scale_that_changed_in_most_runs_has_changed() -> None:
    steps = np.array([1.0, 1.2, 0.8, 1.1, 0.9, 1.0])
    (finding,) = asked([2.0] * 6, [*(2 + steps)])
    assert finding.kind == "effect"
    assert finding.sentence == (
        "On the scale trust, answers went from 2.00 before to 3.00 at the end, a change of 1.00 "
        "(95 % interval 0.85 to 1.15; paired t test, 6 runs, p < .001)."
    )


def test_whether_a_scale_changed_cannot_be_told_where_it_went_both_ways() -> None:
    (finding,) = asked([2.0] * 6, [1.0, 3.0, 2.5, 1.5, 2.2, 1.9])
    assert finding.kind == "no effect"
    assert "; whether that is a change cannot be told: " in finding.sentence


def test_p_values_of_several_scales_are_adjusted_for_all_of_them() -> None:
    steps = np.array([1.0, 1.2, 0.8, 1.1, 0.9, 0.2])
    (alone,) = asked([2.0] * 6, [*(2 + steps)])
    both = asked([2.0] * 6, [*(2 + steps)], [2.0] * 6, [*(2 + steps)])
    assert [one.basis.p for one in both] == [pytest.approx(2 * (alone.basis.p or 0))] * 2


def test_few_runs_do_not_tell_whether_a_scale_changed() -> None:
    (finding,) = asked([2.0] * 4, [3.0, 3.2, 2.8, 3.1])
    assert (finding.kind, finding.basis.p) == ("description", None)
    assert finding.sentence == (
        "On the scale trust, answers went from 2.00 before to 3.02 at the end (4 runs: too few to "
        "conclude anything)."
    )


def test_a_scale_that_changed_by_the_same_in_all_runs_is_not_tested() -> None:
    (finding,) = asked([2.0] * 6, [3.0] * 6)
    assert finding.kind == "description"
    assert finding.sentence.endswith("to 3.00 at the end (6 runs: all changed by the same).")


def test_a_run_without_answers_at_the_end_does_not_count_before_either() -> None:
    """In the second condition all have died; those of the first have not changed."""
    before, end = [2.0, 4.0] * 6, [2.1, np.nan, 1.9, np.nan] * 3
    (finding,) = asked(before, end, random_numbers="common")
    assert finding.sentence.startswith(
        "On the scale trust, answers went from 2.00 before to 2.00 at the end"
    )
    assert finding.kind == "no effect"


def test_few_replicates_of_several_conditions_are_called_so() -> None:
    (finding,) = asked([2.0] * 8, [3.0, 3.2, 2.8, 3.1] * 2, random_numbers="common")
    assert "(4 replicates: too few to conclude anything)" in finding.sentence


def test_runs_that_share_random_numbers_count_once_for_a_scale() -> None:
    """Ten runs of two conditions with the same luck are five observations."""
    steps = np.repeat([1.0, 1.2, 0.8, 1.1, 0.9], 2)
    (paired,) = asked([2.0] * 10, [*(2 + steps)], random_numbers="common")
    (alone,) = asked([2.0] * 10, [*(2 + steps)], random_numbers="independent")
    assert (paired.basis.n, alone.basis.n) == (5, 10)
    assert "paired t test, 5 replicates, averaged over conditions, p < .001" in paired.sentence
    assert paired.basis.p
    assert alone.basis.p
    assert paired.basis.p > alone.basis.p


def test_nothing_is_said_of_a_scale_that_nobody_answered_twice() -> None:
    assert asked([UNUSED] * 6, [3.0] * 6) == []


# Troubles


def test_what_failed_is_not_finished_or_was_not_played_is_named_first() -> None:
    own = {"catch": spread(5)}
    states: list[tuple[str, Status]] = [("a", "finished"), ("b", "paused"), ("c", "interrupted")]
    runs = [
        (made_run(own, name=name, status=status, factors={"fine": place}), own)
        for place, (name, status) in enumerate(states)
    ]
    failures = {"d": "the lake has leaked"}
    design = made_study(*runs, failures=failures, missing=("d", "e", "f", "g", "h"))
    assert [(one.kind, one.sentence) for one in trouble_findings(design.study)] == [
        ("trouble", "1 of 8 conditions failed (d)."),
        (
            "trouble",
            "2 of 8 conditions are not finished: what they have so far is described, and not "
            "tested (b and c).",
        ),
        ("trouble", "4 of 8 conditions are not played (e, f, g and 1 more)."),
    ]
    assert StudyAnswers(design).findings[0].kind == "trouble"
    assert not any(one.kind == "effect" for one in StudyAnswers(design).findings)


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        (
            Usage("p", "fish", "m", calls=120, repairs=15, cut=4, shortened=1, fallbacks=7),
            "7 % of the answers of language models were fallbacks (7 of 100 could not be read).",
        ),
        (
            Usage("p", "fish", "m", calls=5000, fallbacks=1),
            "less than 0.1 % of the answers of language models were fallbacks (1 of 5,000 could "
            "not be read).",
        ),
        (Usage("p", "fish", "m", calls=100), None),
        (Usage("program", "fish", "", calls=100, fallbacks=7), None),
    ],
)
def test_answers_that_could_not_be_read_are_counted(usage: Usage, words: str | None) -> None:
    sentences = [one.sentence for one in trouble_findings(
        lake({"catch": [1.0]}, ledger=(usage,)).study)]  # fmt: skip
    assert sentences == ([words] if words else [])


# Generations


LIFE = DisplaySpec(levels=("generation", "round"), endings={"died_out": "all had died out"})
EVOLVING = [{"name": "fitness", "unit": "", "fold": "last"}]


def evolving(fitness: Array, causes: Sequence[str] = ()) -> StudyDesign:
    """A run for each row of fitness, whose generations have two rounds each, (R, G)."""
    runs, generations = fitness.shape
    rounds = np.full((runs, 2 * generations), np.nan)
    rounds[:, 1::2] = fitness
    values = {"fitness": fitness[:, -1].tolist()}
    own = made_run(values, measures=EVOLVING, stage=LIFE, rounds=2 * generations)
    return made_study((own, values), causes=[causes or [""] * runs], by_round={"fitness": rounds})


def test_generations_are_compared_from_the_first_to_the_last() -> None:
    first, last = np.linspace(10, 11, 8), np.linspace(19, 21, 8)[::-1]
    design = evolving(np.stack([first, last - 1, last], axis=1))
    assert evolves(design)
    (finding,) = generation_findings(design)
    assert finding.kind == "effect"
    assert finding.sentence.startswith(
        "Fitness rose from 10.50 in generation 1 to 20.00 in generation 3, by 9.5 (95 % interval "
    )


def test_lines_of_generations_that_ended_early_are_counted_and_not_compared() -> None:
    values = np.stack([np.full(6, 10.0), [9.0, 8.0, 7.5, 7.0, np.nan, np.nan]], axis=1)
    causes = [""] * 4 + ["died_out"] * 2
    compared, ended = generation_findings(evolving(values, causes))
    assert compared.basis.n == 4
    assert compared.kind == "description"
    assert ended.sentence == "2 of 6 lines of generations ended before the last generation."


# Rounds that are generations, as where programs evolve


PROGRAMS = DisplaySpec(levels=("generation",), endings={"dominated": "one gene had won"})
STATES = [
    {"name": "cooperation", "unit": "share of rounds", "fold": "last"},
    {"name": "dominated", "unit": "whether one gene has won", "fold": "last"},
    {"name": "failures", "unit": "calls", "fold": "total"},
]


def evolved(*conditions: Array) -> list[str]:
    """Sentences on the cooperation of runs by generation, (R, T) for each condition."""
    made = []
    for place, cooperation in enumerate(conditions):
        zeros = [0.0] * len(cooperation)
        own = {"cooperation": cooperation[:, -1].tolist(), "dominated": zeros, "failures": zeros}
        factors = {"players": place} if len(conditions) > 1 else {}
        run = made_run(
            own,
            name=f"players={place}",
            factors=factors,
            stage=PROGRAMS,
            rounds=cooperation.shape[1],
            measures=STATES,
        )
        made.append((run, own))
    flat = np.concatenate([each.ravel() for each in conditions])
    by_round = {"cooperation": flat, "dominated": 0 * flat, "failures": 0 * flat}
    design = made_study(*made, by_round=by_round)
    assert counts_generations(design)
    assert not evolves(design)
    return [one.sentence for one in round_findings(design)]


def rising(runs: int = 8, by: float = 0.43) -> Array:
    """Runs of 50 generations, of which cooperation begins at some 31 %."""
    first = 0.31 + np.linspace(-0.05, 0.05, runs)
    last = first + by + np.linspace(0.03, -0.03, runs)
    return np.linspace(first, last, 50, axis=1)


def test_what_programs_do_is_told_from_the_first_generation_to_the_last() -> None:
    assert evolved(rising()) == [
        "Cooperation rose from 31.0 % in generation 1 to 74.0 % in generation 50, by 43.0 "
        "percentage points (95 % interval 41.2 to 44.8; paired t test, 8 runs, p < .001)."
    ]


def test_programs_that_went_both_ways_are_not_said_to_have_changed() -> None:
    both = np.concatenate([rising(4, by=0.02), rising(4, by=-0.02)])
    (sentence,) = evolved(both)
    assert sentence.startswith("Whether cooperation changed cannot be told: from 31.0 % in ")


@pytest.mark.parametrize(("runs", "words"), [(1, "1 run"), (4, "mean of 4 runs")])
def test_few_runs_of_programs_are_described(runs: int, words: str) -> None:
    (sentence,) = evolved(rising(runs))
    assert sentence.endswith(f"({words}: too few to conclude anything).")
    assert " rose " not in sentence


def test_programs_that_never_changed_are_not_tested() -> None:
    (sentence,) = evolved(np.full((8, 50), 0.5))
    assert sentence.endswith("(all 8 runs changed by the same).")


def test_runs_that_ended_early_count_with_their_own_last_generation() -> None:
    values = rising()
    values[:2, 20:] = np.nan
    (sentence,) = evolved(values)
    assert "in the last generation of each run (20 to 50), by " in sentence
    assert "paired t test, 8 runs" in sentence


def test_runs_that_ended_with_their_first_generation_are_left_out_and_counted() -> None:
    values = rising()
    values[:2, 1:] = np.nan
    (sentence,) = evolved(values)
    assert "paired t test, 6 runs" in sentence
    assert sentence.endswith(" 2 runs ended with generation 1 and are left out.")
    values[2:, 1:] = np.nan
    assert evolved(values) == []


def test_conditions_of_programs_that_are_left_out_are_counted() -> None:
    *told, last = evolved(*[rising()] * 6)
    assert len(told) == 4
    assert last == "2 more conditions with generations: see the figures."


def test_conditions_of_programs_are_named() -> None:
    found = evolved(rising(), rising(by=0.001))
    assert [" with players = 0 rose " in found[0], "with players = 1 changed" in found[1]] == [
        True,
        True,
    ]


def test_a_single_generation_is_no_course() -> None:
    assert not evolves(evolving(np.full((6, 1), 10.0)))
