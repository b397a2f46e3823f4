"""What raters have said, read from the run in which they said it, and what it says about others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.coding.codes import (
    Agreed,
    Codes,
    RaterAgreement,
    agreement,
    findings,
    merge_codes,
    read_codes,
    reliability_doubts,
)
from society.analysis.coding.texts import TextPlace
from society.analysis.statistics.agreement import Agreement
from society.config.build import build
from society.config.run_config import load_config
from society.errors import InputError
from society.runs.runfile import Level, Writer, manifest_of, open_run_file
from society.scenarios.coding.rubric import Criterion

NAN, ZERO = float("nan"), np.zeros((1, 1))
TEXTS = ["Fish less.", "Fish more.", "Sing."]
DEMAND = Criterion(
    name="demand", question="What is asked for?", labels={"spare": "less", "use": "more"}
)
FORCE = Criterion(
    name="force",
    question="How firmly?",
    labels={"wish": "as a hope", "duty": "as a demand", "law": "without exception"},
    scale="ordinal",
)
ANN = {
    "demand": {"Fish less.": "spare", "Fish more.": "use"},
    "force": {"Fish less.": "law", "Fish more.": "wish", "Sing.": "duty"},
}
BOB = {"demand": {"Fish less.": "spare", "Fish more.": "spare", "Sing.": "use"}}

Rated = Callable[..., Codes]


def codes_in(file: Path, name: str, changes: dict[str, Any], level: Level = "full") -> Codes:
    """Read the codes of a run that is played into a file."""
    setup = build(load_config(name, changes))
    with Writer(file, manifest_of(setup, level)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    with open_run_file(file) as run:
        return read_codes(run)


@pytest.fixture
def rated(tmp_path: Path) -> Rated:
    """`rated(ANN, BOB)` are the codes of ann and bob, who have rated three texts in a run."""

    def kept(*people: Any, count: int = 1, replicates: int = 3) -> Codes:
        cohorts = [
            {"name": name, "count": count, "components": [{"human_coder": {"codes": codes}}]}
            for name, codes in zip(("ann", "bob"), people, strict=False)
        ]
        criteria = [DEMAND.model_dump(), FORCE.model_dump()]
        parameters = {"criteria": criteria, "texts": TEXTS}
        changes = {"cohorts": cohorts, "parameters": parameters, "replicates": replicates}
        return codes_in(tmp_path / "coding.run", "norm_coding", changes)

    return kept


def given(codes: Codes, criterion: str) -> list[Any]:
    """Return the codes that were given; None where there is none."""
    rows = codes.given[criterion].tolist()
    return [[None if np.isnan(code) else code for code in row] for row in rows]


# Codes in a run file


def test_codes_are_indices_of_labels_by_text_and_rater(rated: Rated) -> None:
    codes = rated(ANN, BOB)
    assert codes.raters == ("ann", "bob")
    assert codes.texts == ("Fish less.", "Fish more.", "Sing.")
    assert given(codes, "demand") == [[0, 0], [1, 0], [None, 1]]
    assert given(codes, "force") == [[2, None], [0, None], [1, None]]


def test_the_labels_of_a_criterion_keep_their_order_in_the_file(rated: Rated) -> None:
    assert [list(criterion.labels) for criterion in rated(ANN).criteria] == [
        ["spare", "use"],
        ["wish", "duty", "law"],
    ]


def test_a_text_that_is_rated_again_stands_there_again(rated: Rated) -> None:
    codes = rated(ANN, replicates=4)
    assert codes.texts == ("Fish less.", "Fish more.", "Sing.", "Fish less.")
    assert given(codes, "demand") == [[0], [1], [None], [0]]


def test_raters_of_one_cohort_are_told_apart_by_number(rated: Rated) -> None:
    assert rated(ANN, BOB, count=2).raters == ("ann 1", "ann 2", "bob 1", "bob 2")


def test_another_scenario_has_no_codes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a run of fishing_village, not of norm_coding"):
        codes_in(tmp_path / "a.run", "fishing_village", {"rounds": 1})


def test_a_summary_has_no_codes(tmp_path: Path) -> None:
    cohorts = [{"name": "ann", "count": 1, "components": ["human_coder"]}]
    with pytest.raises(InputError, match="keeps nothing of what was said; record it in full"):
        codes_in(tmp_path / "a.run", "norm_coding", {"cohorts": cohorts}, "summary")


def test_criteria_that_a_run_has_not_come_to_are_no_part(tmp_path: Path, rated: Rated) -> None:
    """A run that was stopped after its first round."""
    whole = tmp_path / "coding.run"
    rated(ANN, BOB)
    with open_run_file(whole) as run, Writer(tmp_path / "cut.run", run.manifest) as writer:
        for page in run.pages():
            if page.number < 2:
                writer.page(page)
    with open_run_file(tmp_path / "cut.run") as run:
        codes = read_codes(run)
    assert [criterion.name for criterion in codes.criteria] == ["demand"]
    assert list(codes.given) == ["demand"]


# Raters who work apart


def test_codes_of_raters_who_work_apart_stand_beside_each_other(rated: Rated) -> None:
    two = rated(ANN, BOB)
    more = replace(two, raters=("cy", "dan"))
    both = merge_codes([two, more])
    assert both.raters == ("ann", "bob", "cy", "dan")
    assert both.texts == ("Fish less.", "Fish more.", "Sing.")
    assert given(both, "demand") == [[0, 0, 0, 0], [1, 0, 1, 0], [None, 1, None, 1]]
    assert [criterion.name for criterion in both.criteria] == ["demand", "force"]


def test_what_a_rater_has_not_been_asked_about_is_uncoded_by_it() -> None:
    ann = Codes((DEMAND,), ("ann",), ("a", "b", "a"), {"demand": np.array([[0.0], [1], [1]])})
    bob = Codes((DEMAND,), ("bob",), ("c", "a"), {"demand": np.array([[1.0], [0]])})
    both = merge_codes([ann, bob])
    assert both.texts == ("a", "b", "a", "c"), "a was rated again by ann"
    assert given(both, "demand") == [[0, 0], [1, None], [1, None], [None, 1]]


def test_criteria_that_one_rater_has_not_come_to_are_no_part() -> None:
    done = Codes((DEMAND, FORCE), ("ann",), ("a",), {"demand": ZERO, "force": ZERO})
    begun = Codes((DEMAND,), ("bob",), ("a",), {"demand": ZERO})
    assert merge_codes([done, begun]).criteria == merge_codes([begun, done]).criteria == (DEMAND,)


def test_codes_by_different_rubrics_do_not_go_together() -> None:
    """The same labels in another order: a code is the place of a label."""
    turned = DEMAND.model_copy(update={"labels": dict(reversed(DEMAND.labels.items()))})
    ann = Codes((DEMAND,), ("ann",), ("a",), {"demand": ZERO})
    bob = Codes((turned,), ("bob",), ("a",), {"demand": ZERO})
    with pytest.raises(InputError, match="ann and bob have coded by different rubrics; remove"):
        merge_codes([ann, bob])


# Agreement


def pair(criterion: Criterion, ann: Sequence[float], bob: Sequence[float]) -> RaterAgreement:
    """The agreement of two raters on one criterion."""
    given = {criterion.name: np.array([ann, bob], float).T}
    texts = tuple(map(str, range(len(ann))))
    (found,) = agreement(Codes((criterion,), ("ann", "bob"), texts, given))
    return found


def value(agreed: Agreed) -> float:
    assert isinstance(agreed, Agreement)
    return agreed.value


def test_agreement_is_held_against_chance() -> None:
    """3 of 4 pairs are the same; by chance (2 3 + 2 1) / (4 4) for kappa, where each deals its own.

    For alpha, where both deal from 5 codes of one label and 3 of the other: (5 4 + 3 2) / (8 7).
    """
    found = pair(DEMAND, [0, 0, 1, 1], [0, 0, 1, 0])
    assert value(found.same) == 3 / 4
    assert value(found.kappas["ann", "bob"]) == pytest.approx((3 / 4 - 8 / 16) / (1 - 8 / 16))
    assert value(found.alpha) == pytest.approx((3 / 4 - 26 / 56) / (1 - 26 / 56))


@pytest.mark.thorough
def test_on_an_ordinal_criterion_neighbours_disagree_less() -> None:
    near, far = pair(FORCE, [0, 1, 2, 2], [0, 1, 2, 1]), pair(FORCE, [0, 1, 2, 2], [0, 1, 2, 0])
    assert value(near.same) == value(far.same) == 3 / 4
    assert value(near.alpha) > value(far.alpha)
    assert value(near.kappas["ann", "bob"]) > value(far.kappas["ann", "bob"])


def test_what_one_of_two_leaves_uncoded_tells_nothing_of_agreement() -> None:
    found = pair(DEMAND, [0, 1, NAN, 1], [0, 1, 1, NAN]).alpha
    assert isinstance(found, Agreement)
    assert (found.value, found.texts, found.dropped) == (1, 2, 2)


def test_where_agreement_cannot_be_told_there_is_a_word_for_it() -> None:
    found = pair(DEMAND, [0, 0, 0], [0, 0, 0])
    assert value(found.same) == 1
    assert str(found.alpha).startswith("all codes of 3 texts are the same")
    assert str(found.kappas["ann", "bob"]).startswith("all codes of 3 texts are the same")
    assert str(pair(DEMAND, [0, NAN], [NAN, 1]).same).startswith("0 of 2 texts have two codes")


def test_criteria_are_named_on_which_nobody_can_tell_how_far_raters_agree() -> None:
    """Bob codes force never, and both call everything spare."""
    codes = coded([[0, 0]] * 3, [[0, NAN], [1, NAN], [2, NAN]])
    demand, force = reliability_doubts(codes)
    words = (
        "the agreement of raters on demand cannot be estimated: all codes of 3 texts are the same"
    )
    assert demand.startswith(words)
    assert force.startswith(
        "the agreement of raters on force cannot be estimated: 0 of 3 texts have two"
    )
    assert list(reliability_doubts(coded([[0, 0], [1, 0], [1, 1]], [[0, 1], [1, 0], [2, 2]]))) == []


def test_each_pair_of_raters_has_a_kappa() -> None:
    given = {"demand": np.array([[0, 0, 1], [1, 1, 0]], float)}
    (found,) = agreement(Codes((DEMAND,), ("ann", "bob", "cy"), ("a", "b"), given))
    kappas = {pair: value(agreed) for pair, agreed in found.kappas.items()}
    assert kappas == {("ann", "bob"): 1, ("ann", "cy"): -1, ("bob", "cy"): -1}


# Codes as measures


def coded(demand: Sequence[Sequence[float]], force: Sequence[Sequence[float]]) -> Codes:
    """Codes of three texts by two raters."""
    both = {"demand": np.array(demand), "force": np.array(force)}
    return Codes((DEMAND, FORCE), ("ann", "bob"), tuple(TEXTS), both)


def at(*places: tuple[str, int]) -> tuple[TextPlace, ...]:
    return tuple(TextPlace(condition, replicate, 0, 1) for condition, replicate in places)


CODES = coded([[0, 0], [1, 0], [NAN, NAN]], [[0, 1], [2, 2], [2, NAN]])
HELD = {
    "Fish less.": at(("a", 0), ("a", 1)),
    "Fish more.": at(("a", 1), ("b", 0)),
    "Sing.": at(("a", 2), ("b", 0)),
}


def values(condition: str, name: str, codes: Codes = CODES) -> Any:
    found = findings(codes, HELD, {"a": 4, "b": 1})[condition]
    return next(finding.values.tolist() for finding in found if finding.name == name)


def test_the_share_of_a_label_is_its_part_of_all_codes_of_a_replicate() -> None:
    """Replicate 1 of a holds two texts, with the codes 0 0 and 1 0."""
    assert values("a", "coded_demand_spare")[:2] == [1, 3 / 4]
    assert values("a", "coded_demand_use")[:2] == [0, 1 / 4]


def test_without_a_code_there_is_no_share() -> None:
    """Nobody has coded the one text of replicate 2, and replicate 3 has none."""
    assert np.isnan(values("a", "coded_demand_spare")[2:]).all()
    assert np.isnan(values("a", "coded_force")[3:]).all()


def test_how_many_codes_a_replicate_has_stands_beside_its_shares() -> None:
    """Two raters code both texts of replicate 1, neither the demand of the text of replicate 2."""
    assert values("a", "coded_demand_codes") == [2, 4, 0, 0]
    assert values("b", "coded_force_codes") == [3]


def test_what_is_uncoded_does_not_count() -> None:
    """b holds two texts: with the codes 1 0 and none, and with the codes 2 2 and 2."""
    assert values("b", "coded_demand_use") == [1 / 2]
    assert values("b", "coded_force_law") == [1]


def test_the_mean_rank_of_an_ordinal_criterion_goes_from_0_to_1() -> None:
    """The codes of replicate 1 of a are 0 1 and 2 2 of 0 to 2."""
    assert values("a", "coded_force")[:3] == [1 / 4, (0 + 1 + 2 + 2) / 4 / 2, 1]


def test_measures_have_the_names_of_the_criteria_and_a_unit_each() -> None:
    found = findings(CODES, HELD, {"a": 4, "b": 1})["b"]
    assert {finding.name: finding.unit for finding in found} == {
        "coded_demand_codes": "codes, demand",
        "coded_demand_spare": "share of codes, demand",
        "coded_demand_use": "share of codes, demand",
        "coded_force_codes": "codes, force",
        "coded_force_wish": "share of codes, force",
        "coded_force_duty": "share of codes, force",
        "coded_force_law": "share of codes, force",
        "coded_force": "mean rank, 0 = wish, 1 = law",
    }


def test_texts_that_were_rated_again_count_with_both_ratings() -> None:
    again = Codes((DEMAND,), ("ann",), ("Sing.", "Sing."), {"demand": np.array([[0.0], [1.0]])})
    assert values("b", "coded_demand_use", again) == [1 / 2]


def test_texts_that_nobody_was_asked_about_do_not_count() -> None:
    some = Codes((DEMAND,), ("ann",), ("Fish less.",), {"demand": np.array([[1.0]])})
    assert values("a", "coded_demand_use", some)[:2] == [1, 1]
