"""The reporting summary: each item against the runs and tables that it is read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from society.analysis.study.design import StudyDesign
from society.engine.calls import Usage
from society.report.methods import DescribedStudy
from society.report.model_settings import ModelUse
from society.report.reporting_summary import reporting_summary
from society.report.tables import Table, TableColumn
from society.runs.structure import RoundStructure
from society.terminal.labels import describe_extents
from tests.analysis.findings.made_studies import CATCH, SURVIVAL, made_run, made_study

MODEL = ModelUse("gpt", "gpt", "a host", "lean", {}, (), 100, 1, 1, None, "2026-11-27", "")


def items(
    design: StudyDesign, *tables: Table, models: Sequence[ModelUse] = (), **more: Any
) -> dict[str, str]:
    """The words of each item of the summary of one study."""
    described = DescribedStudy("", design.study, tables)
    (summary,) = reporting_summary([described], models, **more)
    names, words = (column.cells for column in summary.columns)
    return dict(zip(map(str, names), map(str, words), strict=True))


def lakes(*counts: int, causes: Sequence[Sequence[str]] = (), **more: Any) -> StudyDesign:
    """A study with a condition of so many runs for each count."""
    every = []
    for fine, count in enumerate(counts):
        own = {"catch": [float(place) for place in range(count)]}
        factors = {"fine": fine} if len(counts) > 1 else {}
        every.append((made_run(own, name=f"fine={fine}", factors=factors, **more), own))
    luck = "common" if len(counts) > 1 else None
    return made_study(*every, causes=causes, random_numbers=luck)


def p_table(name: str, heading: str, p: float | None) -> Table:
    return Table(name, "A test", [TableColumn(heading, [p], "p")])


def test_a_study_says_what_was_varied_measured_and_how_often() -> None:
    said = items(lakes(20, 20))
    assert said["Scenario"] == "lake"
    assert said["Varied"] == "fine: 0, 1"
    assert said["Outcome"] == "Catch, the first measure of the scenario."
    assert said["n"] == "20 runs a condition, 40 in all in 2 conditions"
    assert said["Random numbers"] == "Common to all conditions: replicate r is a block."
    assert said["Seeds"] == "7"


@pytest.mark.parametrize(
    ("counts", "n"),
    [
        ((1,), "1 run a condition, 1 in all in 1 condition"),
        ((1, 5), "1 to 5 runs a condition, 6 in all in 2 conditions"),
    ],
)
def test_single_runs_and_unequal_conditions_are_counted_as_they_are(
    counts: tuple[int, ...], n: str
) -> None:
    said = items(lakes(*counts))
    assert said["n"] == n


def test_a_single_condition_varies_nothing_and_has_no_luck_in_common() -> None:
    said = items(lakes(5))
    assert said["Varied"] == "Nothing: one condition."
    assert "Random numbers" not in said


def test_the_rule_by_which_runs_stop_names_the_rounds_and_what_ended_them() -> None:
    ended = items(lakes(2, 1, causes=[["fished_out", ""], [""]]))["Stopping rule"]
    assert ended.endswith("A run ended after 60 rounds, or as soon as the lake was empty.")
    assert items(lakes(2))["Stopping rule"].endswith("A run ended after 60 rounds.")


def test_a_correction_is_named_only_where_a_table_has_its_results() -> None:
    none = items(lakes(5))
    assert none["Corrected for several tests"] == "Nothing."
    assert "No hypothesis was tested." in none["Not done"]
    untested = items(lakes(5), p_table("findings", "p", None))
    assert untested["Corrected for several tests"] == "Nothing."
    assert "No hypothesis was tested." in untested["Not done"]
    tested = items(lakes(5), p_table("findings", "p", 0.01), p_table("contrasts", "p (Holm)", 0.2))
    assert tested["Corrected for several tests"] == (
        "P values of contrasts by Holm's method, over all contrasts of a table; p values in "
        "sentences by Holm's method, over all tests of a family."
    )
    assert "No hypothesis was tested." not in tested["Not done"]


def test_corrections_that_judges_of_claims_made_count_as_tests() -> None:
    said = items(lakes(5), corrections=["claims by Holm's method"])
    assert said["Corrected for several tests"] == "Claims by Holm's method."
    assert "No hypothesis was tested." not in said["Not done"]


def test_unreadable_answers_are_those_of_language_models_and_repeats_are_no_answers() -> None:
    ledger = (
        Usage("p", "fish", "gpt", calls=120, repairs=15, cut=4, shortened=1, fallbacks=7),
        Usage("program", "fish", "", calls=500, fallbacks=9, unasked=3),
    )
    said = items(lakes(5, ledger=ledger), models=[MODEL])
    assert said["Unreadable answers"] == (
        "7 of 100 answers of language models were settled by the fallback of their question."
    )
    assert "No language model was asked." not in said["Not done"]
    assert "No text was coded by raters." in said["Not done"]


def test_without_a_model_no_answer_is_counted() -> None:
    said = items(lakes(5))
    assert "Unreadable answers" not in said
    assert said["Language models"] == "None was asked."
    assert "No language model was asked." in said["Not done"]


def test_several_studies_have_a_row_each_and_share_the_other_items() -> None:
    times = {"survival_time": [10.0, 60.0]}
    other = made_study(
        (made_run(times, measures=[SURVIVAL], seed=8, horizon=100), times),
        censored={"survival_time": [False, True]},
    )
    studies = [
        DescribedStudy(title, design.study, ())
        for title, design in (("One", lakes(20, 20)), ("Two", other))
    ]
    experiments, summary = reporting_summary(studies, [])
    columns = {column.heading: column.cells for column in experiments.columns}
    assert columns["experiment"] == ("One", "Two")
    assert columns["varied"] == ("fine: 0, 1", "nothing")
    assert columns["outcome"] == ("catch", "survival time")
    assert columns["rounds at most"] == ("60 rounds", "100 rounds")
    assert columns["random numbers"] == ("common", "–")
    items_said = list(summary.columns[0].cells)
    assert "Varied" not in items_said
    assert dict(zip(items_said, summary.columns[1].cells, strict=True))["Seeds"] == "7, 8"


# The extents that it names


def extents(*horizons: int, levels: tuple[str, ...] = ("round",), **more: Any) -> str:
    stage = made_run({"x": [1.0]}).manifest.stage
    stage = type(stage)(levels=levels)
    every = [
        made_run({"x": [1.0]}, measures=[CATCH], horizon=one, stage=stage, **more).manifest
        for one in horizons
    ]
    return describe_extents(every)


@pytest.mark.parametrize(
    ("horizons", "words"),
    [
        ((1,), "1 round"),
        ((100, 100), "100 rounds"),
        ((2, 50, 100), "2 rounds or 50 rounds or 100 rounds"),
        ((2, 50, 1000, 100), "2 to 1,000 rounds"),
    ],
)
def test_planned_rounds_are_listed_as_long_as_they_are_few(
    horizons: tuple[int, ...], words: str
) -> None:
    assert extents(*horizons) == words


def test_rounds_with_a_name_of_their_own_keep_it() -> None:
    assert extents(3, levels=("day",)) == "3 days"
    assert extents(2, 3, 4, 5, levels=("day",)) == "2 to 5 days"


def test_rounds_within_generations_are_counted_level_by_level() -> None:
    nested = RoundStructure(250, (10, 1, 25))
    words = extents(250, levels=("generation", "game", "round"), extent=nested)
    assert words == "10 generations of 25 rounds"
