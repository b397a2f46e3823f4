"""A factor that changed no measure at all is named before anything else is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

import pytest

from society.analysis.findings.study_answers import StudyAnswers
from society.analysis.study.design import StudyDesign

from .made_studies import CATCH, SURVIVAL, made_run, made_study

Values = Mapping[str, Sequence[float]]
POOR: Values = {"catch": [1.0, 2.0, 4.0], "survival_time": [9.0, 8.0, 9.0]}
RICH: Values = {"catch": [3.0, 5.0, 4.0], "survival_time": [9.0, 9.0, 9.0]}


def lakes(*values: Values, paired: bool = True) -> StudyDesign:
    """Two levels of growth, and for each one with and without a levy."""
    cells = [(growth, levy) for growth in (0.1, 0.3) for levy in ("none", "some")]
    conditions = [
        (
            made_run(
                own,
                name=f"growth={growth},levy={levy}",
                measures=[CATCH, SURVIVAL],
                factors={"growth": growth, "levy": levy},
            ),
            own,
        )
        for (growth, levy), own in zip(cells, values, strict=True)
    ]
    return made_study(*conditions, random_numbers="common" if paired else "independent")


def first_words(design: StudyDesign) -> str:
    return StudyAnswers(design).findings[0].sentence.partition(":")[0]


def test_a_factor_without_any_effect_is_named_first() -> None:
    found = StudyAnswers(lakes(POOR, POOR, RICH, RICH)).findings[0]
    assert (found.kind, found.basis.n) == ("trouble", 12)
    assert found.sentence == (
        "levy changed no measure: with none and some, both measures are the same in every run. A "
        "treatment that is not wired in looks like that: `society check` looks for it."
    )


@pytest.mark.parametrize(
    "other",
    [
        {**RICH, "survival_time": [9.0, 9.0, 8.0]},
        {**RICH, "catch": [3.0, 4.0, 5.0]},
    ],
    ids=["another measure", "the same values of other runs"],
)
def test_the_least_difference_anywhere_is_an_effect(other: Values) -> None:
    assert first_words(lakes(POOR, POOR, RICH, other)) != "levy changed no measure"


def test_nothing_is_said_where_random_numbers_are_not_shared() -> None:
    design = lakes(POOR, POOR, RICH, RICH, paired=False)
    assert first_words(design) != "levy changed no measure"


def test_nothing_is_said_where_nothing_was_measured() -> None:
    void: Values = {"catch": [nan] * 3, "survival_time": [nan] * 3}
    assert first_words(lakes(void, void, void, void)) != "levy changed no measure"


def test_nothing_is_said_of_a_perturbation_which_is_hoped_to_change_nothing() -> None:
    every = [
        (
            made_run(
                POOR,
                name=f"perturbation={name}",
                measures=[CATCH, SURVIVAL],
                factors={"perturbation": name},
                spec={"scenario": "lake", "perturbation": None if name == "none" else name},
            ),
            POOR,
        )
        for name in ("none", "names")
    ]
    design = made_study(*every, random_numbers="common")
    assert first_words(design) != "perturbation changed no measure"
