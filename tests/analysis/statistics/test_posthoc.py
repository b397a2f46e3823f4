"""Many comparisons: two conditions share a letter if, and only if, they do not differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multicomp import pairwise_tukeyhsd
from statsmodels.stats.multitest import multipletests

from society.analysis.statistics import (
    NotEstimable,
    anova,
    compact_letters,
    correct_p_values,
    tukey,
    tukey_after,
)
from society.analysis.statistics.posthoc import Correction
from society.engine.rng import Array, generator

pytestmark = pytest.mark.filterwarnings("error")
NAN = math.nan
STATSMODELS: dict[Correction, str] = {
    "holm": "holm",
    "benjamini-hochberg": "fdr_bh",
    "bonferroni": "bonferroni",
}

GROUPS = {
    name: generator(5, name).normal(mean, 4, runs)
    for name, mean, runs in (("gpt", 20, 10), ("qwen", 12, 8), ("llama", 11, 10), ("r1", 30, 9))
}


@st.composite
def differences(draw: st.DrawFn) -> Array:
    """Pairs of up to seven groups that differ, at random, also such as no test would find."""
    count = draw(st.integers(1, 7))
    differ = np.zeros((count, count), bool)
    for pair in combinations(range(count), 2):
        differ[pair] = differ[pair[::-1]] = draw(st.booleans())
    return differ


def test_three_groups_by_hand() -> None:
    """The highest differs from the lowest alone."""
    differ = np.zeros((3, 3), bool)
    differ[0, 2] = differ[2, 0] = True
    assert compact_letters(differ) == ("a", "ab", "b")


def test_groups_that_all_differ_have_a_letter_each_and_others_share_one() -> None:
    assert compact_letters(~np.eye(4, dtype=bool)) == ("a", "b", "c", "d")
    assert compact_letters(np.zeros((4, 4), bool)) == ("a", "a", "a", "a")


@given(differ=differences())
def test_two_share_a_letter_if_and_only_if_they_do_not_differ(differ: Array) -> None:
    letters = compact_letters(differ)
    for i, j in combinations(range(len(differ)), 2):
        assert (not set(letters[i]) & set(letters[j])) == differ[i, j]


@given(differ=differences())
def test_letters_are_few_and_come_in_the_order_of_the_groups(differ: Array) -> None:
    letters = compact_letters(differ)
    first_seen = list(dict.fromkeys("".join(letters)))
    assert first_seen == sorted(first_seen)
    assert "a" in letters[0]
    bearers = {
        letter: {k for k, own in enumerate(letters) if letter in own} for letter in first_seen
    }
    # No letter says less than another one.
    assert not any(
        one <= other for one in bearers.values() for other in bearers.values() if one is not other
    )


def test_more_groups_than_letters_are_too_many() -> None:
    with pytest.raises(NotEstimable, match="53 letters would be needed to tell 53 groups apart"):
        compact_letters(~np.eye(53, dtype=bool))


def test_all_pairs_as_both_libraries_compare_them() -> None:
    found = tukey(GROUPS, level=0.9)
    library = stats.tukey_hsd(*GROUPS.values())
    limits = library.confidence_interval(0.9)
    pairs = list(combinations(range(4), 2))
    assert [pair.p for pair in found.pairs] == pytest.approx(
        [library.pvalue[p] for p in pairs], abs=1e-8
    )
    assert [pair.interval.low for pair in found.pairs] == pytest.approx(
        [limits.low[p] for p in pairs], abs=1e-8
    )
    other = pairwise_tukeyhsd(
        np.concatenate(list(GROUPS.values())),
        np.repeat(np.arange(4), [len(values) for values in GROUPS.values()]),
        alpha=0.1,
    )
    assert [-pair.difference for pair in found.pairs] == pytest.approx(other.meandiffs.tolist())
    assert found.df == 37 - 4


def test_letters_are_those_of_the_level_that_is_asked_for() -> None:
    """Of two groups p is that of Student's test, .052: they differ at a level of .9."""
    close = {"low": [1, 2, 3, 4], "high": [3, 4, 5, 6]}
    assert tukey(close).pairs[0].p == pytest.approx(stats.ttest_ind(*close.values()).pvalue)
    assert set(tukey(close).letters.values()) == {"a"}
    assert tukey(close, level=0.9).letters == {"high": "a", "low": "b"}


def test_letters_begin_with_the_highest_mean() -> None:
    found = tukey(GROUPS)
    assert list(found.means) == ["r1", "gpt", "qwen", "llama"]
    assert found.letters == {"r1": "a", "gpt": "b", "qwen": "c", "llama": "c"}


def test_another_factor_in_a_group_is_part_of_its_error() -> None:
    """Models at 0, 4, 8 in two lakes 30 apart, of variance 9 in each cell of ten runs."""
    own = 3 * stats.zscore(generator(5, "lakes").normal(size=(6, 10)), axis=-1, ddof=1)
    values = (own + np.array([[0, 4, 8, 30, 34, 38]]).T).ravel()
    model, lake = [name for name in "xyzxyz" for _ in range(10)], ["harsh"] * 30 + ["rich"] * 30
    alike = {name: values[np.array(model) == name] for name in "xyz"}
    assert set(tukey(alike).letters.values()) == {"a"}
    after = tukey_after(anova(values, {"model": model, "lake": lake}), "model")
    assert (after.letters, after.df) == ({"z": "a", "y": "b", "x": "c"}, 54)
    reach = stats.studentized_range.ppf(0.95, 3, 54) * 3 / 20**0.5
    assert after.pairs[0].interval == pytest.approx((-4 - reach, -4 + reach, 0.95))


@pytest.mark.parametrize(
    ("lake", "model", "blocks"),
    [
        ("hhhhhrrrrrrr", "sttttsssstts", None),  # cells of 1 to 5 runs
        ("hhhhhhrrrrrr", "ssstttsssttt", [0, 1, 2] * 4),
    ],
)
def test_two_levels_differ_as_far_as_their_factor_has_an_effect(
    lake: str, model: str, blocks: list[int] | None
) -> None:
    """Of two levels Tukey's p is that of F, of marginal means and with the same error."""
    values = generator(6, "two levels").normal(size=12)
    found = anova(values, {"lake": lake, "model": model}, blocks)
    assert tukey_after(found, "lake").pairs[0].p == pytest.approx(found["lake"].p, abs=1e-9)


def test_replicates_without_a_value_are_counted() -> None:
    found = tukey({"a": [1, 2, NAN], "b": [3, 5, 4]})
    assert (found.n, found.dropped, found.df) == ({"a": 2, "b": 3}, 1, 3)


def test_three_tests_corrected_by_hand() -> None:
    assert correct_p_values([0.01, 0.04, 0.03], "bonferroni").tolist() == pytest.approx(
        [0.03, 0.12, 0.09]
    )
    assert correct_p_values([0.01, 0.04, 0.03], "holm").tolist() == pytest.approx(
        [0.03, 0.06, 0.06]
    )
    found = correct_p_values([0.01, 0.04, 0.03], "benjamini-hochberg").tolist()
    assert found == pytest.approx([0.03, 0.04, 0.04])
    assert correct_p_values([]).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from(sorted(STATSMODELS)))
def test_corrections_agree_with_those_of_statsmodels(
    p_values: list[float], method: Correction
) -> None:
    theirs = multipletests(p_values, method=STATSMODELS[method])[1]
    assert correct_p_values(p_values, method) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: tukey({"a": [1, 2]}), "1 group to compare"),
        (lambda: tukey({"a": [1, 2], "b": [3]}), "b: 1 of at least 2 values"),
        (lambda: tukey({"a": [1, 1], "b": [3, 3]}), "the same value in all 2 groups"),
        (lambda: correct_p_values([0.1, NAN]), "1 of 2 p values are missing"),
    ],
)
def test_what_cannot_be_compared_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        question()
