"""Claims of a paper: when one is reproduced, in part, not at all, or cannot be told."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from society.claims import comparisons, types
from society.claims.comparisons import Comparison, Odds
from society.claims.data import Judge
from society.claims.types import (
    HOW,
    Claim,
    ClaimFinding,
    InsufficientEvidence,
    VerdictOutcome,
    all_hold,
    any_holds,
    find_model,
    order_finding,
    outcome_of,
)
from society.config.registry import reproduction, reproductions
from society.errors import CatalogueError
from society.index import experiments
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims

LONGER = Comparison("altruist > mixed", (30.0, 20.0), 10.0, 8.0, 12.0, "paired", 9.8, 99, 0.001)
UNCLEAR = Comparison("mixed > selfish", (20.0, 19.0), 1.0, -1.0, 3.0, "paired", 1.0, 99, 0.32)
SHORTER = Comparison("mixed > selfish", (20.0, 30.0), -10.0, -12.0, -8.0, "paired", -9.8, 99, 0.001)
UNTESTED = Comparison("mixed > selfish", untestable="all 100 pairs differ by 0")


def named(name: str, *models: str) -> object:
    return find_model(models, name)


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        ([True, True], "reproduced"),
        ([True, False], "in part"),
        ([True, None], "in part"),
        ([False, None], "not reproduced"),
        ([None, None], "cannot be told"),
        ([], "cannot be told"),
    ],
)
def test_the_outcome_of_a_claim_with_several_parts(
    parts: list[bool | None], outcome: VerdictOutcome
) -> None:
    assert outcome_of(parts) == outcome


def test_an_ordering_holds_if_its_difference_is_above_zero_and_sure() -> None:
    held = [one.holds for one in (LONGER, UNCLEAR, SHORTER, UNTESTED)]
    assert held == [True, None, False, None]


def test_an_ordering_without_power_is_not_shown_and_no_failure() -> None:
    """A gain of 3 in 19 rounds may be there: three runs cannot tell."""
    assert order_finding([UNCLEAR]).outcome == "cannot be told"
    assert order_finding([UNCLEAR]).notes == "not shown: 1 of 1"
    assert order_finding([LONGER, UNCLEAR]).outcome == "in part"


@pytest.mark.parametrize(("high", "holds"), [(1.8, False), (1.95, None), (2.0, None)])
def test_an_ordering_fails_if_its_interval_excludes_what_matters(
    high: float, holds: bool | None
) -> None:
    """A tenth of the 19 rounds that it is compared with: 1.9."""
    assert UNCLEAR._replace(high=high).holds is holds


@pytest.mark.parametrize(
    ("low", "high", "differs"), [(-1.8, 1.8, False), (-2.0, 1.8, None), (-1.8, 2.0, None)]
)
def test_two_means_are_as_good_as_the_same_if_both_ends_exclude_what_matters(
    low: float, high: float, differs: bool | None
) -> None:
    assert UNCLEAR._replace(low=low, high=high).differs is differs
    assert SHORTER.differs is True


def test_a_difference_that_is_sure_but_below_a_tenth_decides_no_ordering() -> None:
    """105 against 100, surely by 4.68 to 5.44, in thousands of runs."""
    more = Comparison("one > other", (105.0, 100.0), 5.0, 4.68, 5.44, "paired", p=0.0001)
    less = Comparison("other > one", (100.0, 105.0), -5.0, -5.44, -4.68, "paired", p=0.0001)
    assert (more.holds, less.holds) == (None, False)
    assert order_finding([more])[:3] == (
        "cannot be told",
        "one > other: 105 - 100 = 5 [4.68, 5.44], p < 0.001, less than 10%",
        "less than 10%: 1 of 1",
    )


def test_a_difference_that_is_sure_but_below_a_tenth_is_one_between_means_that_are_alike() -> None:
    tiny = UNCLEAR._replace(difference=0.02, low=0.01, high=0.03, p=0.0001)
    none = tiny._replace(low=-0.01, p=0.3)
    assert (tiny.differs, tiny.alike) == (None, True)
    assert (none.differs, none.alike, none.holds) == (False, True, False)
    assert (LONGER.differs, LONGER.alike) == (True, False)
    assert (UNCLEAR.differs, UNCLEAR.alike) == (None, None)


def share(hits: int, n: int, chance: float) -> Odds:
    (found,) = Evidence({}).chances({"heads": np.arange(n) < hits}, chance)
    return found


def test_a_share_may_be_above_or_below_any_chance() -> None:
    """A tenth more than 0.95 is more than all runs: a tenth of the rest, 0.005, counts there."""
    assert (share(1000, 1000, 0.95).above, share(1000, 1000, 0.95).below) == (True, False)
    assert (share(0, 1000, 0.05).below, share(0, 1000, 0.05).above) == (True, False)
    assert (share(95, 100, 0.95).above, share(95, 100, 0.95).below) == (None, None)


@pytest.mark.parametrize("hits", range(0, 101, 5))
@pytest.mark.parametrize("chance", [0.05, 0.3, 0.5, 0.95])
def test_a_share_of_runs_is_judged_as_the_share_of_all_others(hits: int, chance: float) -> None:
    one, other = share(hits, 100, chance), share(100 - hits, 100, 1 - chance)
    assert (one.above, one.below) == (other.below, other.above)


def test_a_share_that_is_surely_above_chance_by_next_to_nothing_decides_nothing() -> None:
    """51 % of a million runs, where 55 % would count."""
    found = share(510_000, 1_000_000, 0.5)
    assert (found.above, found.below) == (None, False)
    assert str(found).endswith("by chance 50.0%, p < 0.001, less than 10%")


def test_a_statement_holds_by_all_or_by_any_of_its_parts() -> None:
    parts: list[list[bool | None]] = [[True, True], [True, None], [False, None], [False], []]
    assert [all_hold(each) for each in parts] == [True, None, False, False, None]
    assert [any_holds(each) for each in parts] == [True, True, None, False, None]


def test_an_ordering_that_is_surely_the_other_way_round_is_called_reversed() -> None:
    assert [one.reversed for one in (LONGER, UNCLEAR, SHORTER, UNTESTED)] == [
        False,
        False,
        True,
        False,
    ]
    assert order_finding([LONGER, SHORTER])[:3] == (
        "in part",
        "altruist > mixed: 30 - 20 = 10 [8, 12], p = 0.001; "
        "mixed > selfish: 20 - 30 = -10 [-12, -8], p = 0.001",
        "reversed: 1 of 2",
    )


def test_what_could_not_be_tested_says_why_in_place_of_numbers() -> None:
    assert str(UNTESTED) == "mixed > selfish: all 100 pairs differ by 0"
    assert UNTESTED.statistic == "all 100 pairs differ by 0"
    assert order_finding([UNTESTED]).outcome == "cannot be told"


def test_a_judge_who_cannot_tell_leaves_the_other_claims_alone() -> None:
    def silent(evidence: Evidence) -> ClaimFinding:
        raise InsufficientEvidence("nothing was played")

    found = judge_claims(
        [
            Claim("Fines help", "Fig. 2", "They do.", silent),
            Claim(
                "Fines hurt", "Fig. 3", "They do.", lambda evidence: ClaimFinding("in part", "some")
            ),
        ],
        Evidence({}),
    )
    assert [(one.claim, one.outcome, one.found, one.notes) for one in found] == [
        ("Fines help", "cannot be told", "", "nothing was played"),
        ("Fines hurt", "in part", "some", ""),
    ]


def test_a_model_is_known_with_its_provider_and_the_date_of_its_release() -> None:
    models = ("openrouter/openai/gpt-4o-mini", "azure/GPT-4o-2024-08-06", "deepseek-r1")
    assert named("gpt-4o", *models) == "azure/GPT-4o-2024-08-06"
    assert named("gpt-4o-mini", *models) == "openrouter/openai/gpt-4o-mini"
    assert named("llama-3.3-70b", "groq/Llama-3.3-70B-Instruct") == "groq/Llama-3.3-70B-Instruct"


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("claude-sonnet-4", "bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0"),
        ("claude-sonnet-4", "anthropic.claude-sonnet-4-20250514-v1:0"),
        ("llama-3.3-70b", "groq/llama-3.3-70b-versatile"),
        ("qwen3-32b", "openrouter/qwen/qwen3-32b:free"),
        ("gemini-3-flash", "gemini/gemini-3-flash-preview"),
    ],
)
def test_a_model_is_known_by_the_names_that_providers_give_it(name: str, model: str) -> None:
    assert named(name, model) == model


def test_a_claim_under_several_parameters_is_told_from_the_others_and_known_as_the_same() -> None:
    def silent(evidence: Evidence) -> ClaimFinding:
        raise InsufficientEvidence("nothing was played")

    claims = [
        Claim("Fines help", "Fig. 2", "They do.", silent, "default parameters"),
        Claim("Fines help", "Fig. 2", "They do.", silent, "other parameters", ours=True),
    ]
    found = list(judge_claims(claims, Evidence({})))
    assert [one.claim for one in found] == [
        "Fines help (default parameters)",
        "Fines help (other parameters)",
    ]
    assert [(one.bare, one.ours) for one in found] == [("Fines help", False), ("Fines help", True)]


@pytest.mark.parametrize(
    "other", ["gpt-4o-mini", "gpt-4", "claude-gpt-4o", "gpt-4o-5", "openai.gpt-4o-mini"]
)
def test_another_model_of_a_similar_name_is_not_taken_for_it(other: str) -> None:
    with pytest.raises(InsufficientEvidence, match="gpt-4o was not asked; name it under --model"):
        named("gpt-4o", other)


def test_reproductions_are_found_by_name_and_name_experiments_that_are_there() -> None:
    assert "village" in reproductions()
    for one in reproductions().values():
        for design in [one.rules, *([one.language] if one.language else [])]:
            assert {trial.file for trial in design.trials} <= set(experiments())
            assert len({trial.name for trial in design.trials}) == len(design.trials)


def test_a_paper_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(CatalogueError, match="no reproduction 'vilage'; did you mean 'village'"):
        reproduction("vilage")


def test_the_examples_in_its_docstrings_are_true() -> None:
    for module in (types, comparisons):
        assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("openai/gpt-5-2", "gpt-5.2"),
    ],
)
def test_a_version_is_written_with_points_or_dashes(model: str, name: str) -> None:
    assert find_model([model], name) == model


def test_another_model_of_the_family_is_not_the_one_that_was_meant() -> None:
    with pytest.raises(InsufficientEvidence, match="gpt-4o was not asked"):
        find_model(["openai/gpt-4o-mini", "openai/gpt-4.1"], "gpt-4o")


def test_the_page_of_verdict_rules_says_what_reproductions_print() -> None:
    page = Path(__file__).parents[2].joinpath("docs/verdict-rules.md").read_text("utf-8")
    _, *sections = page.split("\n## ")
    told = {
        name: " ".join(text.split()) for name, _, text in (one.partition("\n") for one in sections)
    }
    kinds = told.pop("Which judge applies")
    assert told == HOW
    judges = get_args(get_args(Judge)[0])
    named = [kind for one in judges for kind in get_args(one.model_fields["kind"].annotation)]
    assert [kind for kind in named if f"`{kind}`" not in kinds] == []
