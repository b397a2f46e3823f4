"""Claims that are written down as data: what is refused, and where; and what judges make of it."""

from __future__ import annotations

import doctest
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from society.claims.types import ClaimVerdict, FactorLevels
from society.config.registry import reproduction, reproductions
from society.engine.rng import Array
from society.errors import ScenarioError
from society.index import experiments
from society.reproduction import claim_samples
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims
from society.reproduction.papers import read_paper
from tests.reproduction.made_up import PAPER

MORE = """
            kind: comparisons
            pairs:
              - name: net > rod
                first: {levels: {gear: net}}
                second: {levels: {gear: rod}}
"""


class Caught(Evidence):
    """Twenty catches by gear."""

    def __init__(self, **means: float) -> None:
        super().__init__({})
        self.means = means

    def levels(self, trial: str) -> Mapping[str, Sequence[object]]:
        return {"gear": tuple(self.means), "model": ("one",)}

    def runs(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        assert (trial, measure) == ("fish", "catch")
        spread = np.linspace(-1, 1, 20) * (1 + 0.01 * ord(str(levels["gear"])[0]) - 1.1)
        return self.means[str(levels["gear"])] + spread


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


class Judge:
    """Verdicts on one claim with this judge."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "claims.yaml"

    def __call__(self, text: str, **means: float) -> ClaimVerdict:
        self.file.write_text(PAPER.lstrip() + text.lstrip("\n"))
        (found,) = judge_claims(read_paper(self.file, "nowhere").rules.claims, Caught(**means))
        return found


def test_a_pair_is_compared_as_the_file_says(judge: Judge) -> None:
    assert judge(MORE, net=5, rod=2).outcome == "reproduced"
    assert judge(MORE, net=2, rod=5).outcome == "not reproduced"
    assert judge(MORE, net=5, rod=2).found.startswith("net > rod: 5 - 2 = 3 [")


@pytest.mark.parametrize(
    ("expect", "outcome"),
    [("not greater", "not reproduced"), ("different", "reproduced"), ("alike", "not reproduced")],
)
def test_what_is_expected_of_a_pair_decides(judge: Judge, expect: str, outcome: str) -> None:
    text = MORE.replace("- name: net > rod", f"- name: net > rod\n                expect: {expect}")
    assert judge(text, net=5, rod=2).outcome == outcome


def test_any_of_several_pairs_may_be_enough(judge: Judge) -> None:
    text = """
            kind: comparisons
            holds: any
            pairs:
              - name: "{gear} > rod"
                each: {gear: [net, hook]}
                first: {levels: {gear: "{gear}"}}
                second: {levels: {gear: rod}}
"""
    assert judge(text, net=5, hook=1, rod=2).outcome == "reproduced"
    assert judge(text.replace("any", "each"), net=5, hook=1, rod=2).outcome == "in part"


def test_a_share_is_held_against_chance(judge: Judge) -> None:
    text = """
            kind: shares
            chance: 0.5
            counts: [[{name: full, sample: {levels: {gear: net}}, is: "> 2", expect: above}]]
"""
    assert judge(text, net=5).outcome == "reproduced"
    assert judge(text, net=2).outcome == "cannot be told"
    assert judge(text, net=0).found.startswith("full: in 0 of 20 runs")


def test_a_mean_stands_within_a_range_and_a_rule_is_kept_by_all_runs(judge: Judge) -> None:
    within = """
            kind: within
            means: [{sample: {levels: {gear: net}}, low: 4, high: 6, words: "nets {mean:.1f}"}]
"""
    assert judge(within, net=5)[3:5] == ("nets 5.0 [4.71, 5.29]", "reproduced")
    assert judge(within, net=7).outcome == "not reproduced"
    assert judge(within, net=5.9).outcome == "cannot be told"
    always = """
            kind: always
            rules: [{sample: {levels: {gear: net}}, at_least: 4, words: "{min:.2f} in {n}"}]
"""
    assert judge(always, net=6)[3:5] == ("5.00 in 20", "reproduced")
    assert judge(always, net=4.5).outcome == "not reproduced"
    either = always.replace("at_least: 4", "at_least: 4, either: true")
    assert judge(either, net=4.5).outcome == "cannot be told"


def test_what_cannot_be_tested_says_why(judge: Judge) -> None:
    found = judge("            {kind: untestable, why: nobody has weighed them}\n")
    assert (found.outcome, found.notes) == ("cannot be told", "nobody has weighed them")


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        (MORE.replace("pairs", "pears"), "13:13", "pears: there is no key 'pears'; did you mean"),
        (MORE.replace("levels", "levles", 1), "15:25", "there is no key 'levles'; did you mean"),
        (MORE.replace("comparisons", "guesses"), "12:13", "guesses"),
        (MORE.replace("- name: net > rod\n", "- part: all\n"), "14:17", "name is missing; add it"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    judge: Judge, text: str, where: str, words: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        judge(text, net=5, rod=2)
    assert f"claims.yaml:{where}" in str(refused.value)
    assert words in str(refused.value)


def test_departures_of_a_group_and_of_a_claim_stand_with_the_verdict(judge: Judge) -> None:
    judge(MORE, net=5, rod=2)
    claim = '          each: {gear: [net]}\n          departures: ["The {gear} is new."]\n'
    text = judge.file.read_text().replace("          said:", f"{claim}          said:")
    text = text.replace("    - sample:", "    - departures: [Fish are ours.]\n      sample:")
    judge.file.write_text(text)
    (found,) = judge_claims(read_paper(judge.file, "nowhere").rules.claims, Caught(net=5, rod=2))
    assert found.departures == ("Fish are ours.", "The net is new.")


def test_every_paper_can_be_read_and_claims_nothing_twice() -> None:
    assert set(reproductions()) == {"dilemmas", "donor", "strategies", "village"}
    for name in reproductions():
        one = reproduction(name)
        for design in filter(None, (one.rules, one.language)):
            assert len({claim.claim + claim.under for claim in design.claims}) == len(design.claims)
            assert {trial.file for trial in design.trials} <= set(experiments())


def test_the_examples_in_docstrings_are_true() -> None:
    assert doctest.testmod(claim_samples).failed == 0


@pytest.mark.parametrize(("name", "page"), [("donor", "donor_game"), ("dilemmas", "normal_form")])
def test_what_stands_in_the_system_message_stands_beside_each_claim_about_models(
    name: str, page: str
) -> None:
    """Both papers have one, of the game or of the form of the answer, and so have we."""
    language = reproduction(name).language
    assert language is not None
    for claim in language.claims:
        (words,) = (one for one in claim.departures if "system prompt" in one)
        assert f"in a system prompt, and so have we ({page}/system.md)" in words


def test_that_parameters_were_searched_for_stands_beside_each_claim_that_they_carry() -> None:
    claims = reproduction("village").rules.claims
    searched = {one.claim[:2] for one in claims if "790 and 1,292" in " ".join(one.departures)}
    assert searched == {
        "1.",
        "1a",
        "1b",
        "1c",
        "2.",
        "2b",
        "2c",
        "2d",
        "2e",
        "3.",
        "3a",
        "4.",
        "4b",
        "4c",
        "Al",
    }
    assert {one.claim[:2] for one in claims} - searched == {"Th", "5.", "6."}  # computed, or untold
