"""Who scored most among types, who is last, and whether that is sure."""

from __future__ import annotations

import numpy as np

from society.analysis.crossplay.rankings import Ranking
from society.analysis.findings.contest_findings import rank_types


def said(types: list[str], runs: list[list[float]]) -> list[str]:
    return [one.sentence for one in rank_types(types, np.array(runs))]


def test_types_are_ranked_and_equal_repetitions_make_the_first_place_sure() -> None:
    assert said(["saint", "rogue", "mirror"], [[1.5, 1.2, 2.0]] * 3) == [
        "mirror scored highest, 2.00, then saint 1.50, rogue lowest, 1.20 (mean over matches and "
        "seats; 3 types).",
        "The first place is sure: all 3 repetitions of all matches went the same way.",
    ]


def test_a_tie_for_the_first_place_is_a_tie() -> None:
    (sentence,) = said(["grim", "mirror", "rogue"], [[2.0, 2.0, 1.0]])
    assert sentence.startswith("grim and mirror tied for the highest score, 2.00, rogue lowest")


def test_scores_that_differ_by_little_have_another_decimal() -> None:
    (sentence, _) = said(["grim", "mirror"], [[2.004, 2.001]])
    assert "grim scored highest, 2.004, mirror lowest, 2.001" in sentence


def test_those_who_tie_for_the_last_place_are_named_together() -> None:
    (sentence, _) = said(["grim", "mirror", "rogue"], [[2.0, 1.0, 1.0]])
    assert sentence == (
        "grim scored highest, 2.00, mirror and rogue lowest, 1.00 (mean over matches and seats; 3 "
        "types)."
    )


def test_a_type_that_runs_do_not_tell_apart_is_named_though_another_stands_between() -> None:
    """The second type is behind in every run; the third one varies."""
    first = np.array([3.0, 3.1, 2.9, 3.0, 3.05, 2.95])
    wide = first + np.array([1.0, -1.4, 1.2, -1.5, 1.1, -1.6])
    runs = np.stack([first, first - [0.1, 0.11, 0.1, 0.09, 0.1, 0.1], wide], axis=1)
    ranking = Ranking.of(runs)
    assert (list(ranking.order), list(ranking.leaders)) == ([0, 1, 2], [0, 2])
    assert ranking.claim(["a", "b", "c"]) == (
        "a has the highest mean, but runs do not tell a and c apart"
    )
    _, sentence = said(["a", "b", "c"], runs.tolist())
    assert "a cannot be told apart from c over 6 repetitions" in sentence


def test_fewer_than_five_runs_that_differ_tell_no_types_apart() -> None:
    runs = np.array([[3.0, 1.0], [3.1, 1.0], [2.9, 1.1]])
    assert Ranking.of(runs).claim(["a", "b"]) == "Runs do not tell the types apart"


def test_matches_that_were_played_once_do_not_tell_how_sure_it_is() -> None:
    _, sentence = said(["grim", "rogue"], [[2.0, 1.0]])
    assert sentence == ("How sure the first place is cannot be told: all matches were played once.")


def test_over_repetitions_the_first_is_compared_with_all_others() -> None:
    draws = np.random.default_rng(0)
    runs = np.array([3.0, 2.99, 1.0]) + draws.normal(scale=0.2, size=(20, 3))
    first, sentence = rank_types(["a", "b", "c"], runs)
    assert first.kind == "description"
    assert sentence.kind == "no effect"
    assert "The first place is not sure: " in sentence.sentence
    assert "over 20 repetitions of all matches (paired t tests, corrected for 2 comparisons)" in (
        sentence.sentence
    )
    runs[:, 0] += 1
    assert [one.kind for one in rank_types(["a", "b", "c"], runs)][1] == "effect"


def test_a_type_that_never_played_has_no_place() -> None:
    sentence = said(["a", "b", "c"], [[2.0, 1.0, np.nan]])[0]
    assert "2 types" in sentence
    assert said(["a", "b"], [[2.0, np.nan]]) == []
