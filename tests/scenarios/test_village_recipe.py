"""The recipe of the village paper: which survival times make its judges say what.

All runs here are made up; numbers of real ones stand in tests/published/test_village.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from society.catalogue import reproduction
from society.claims import Design, Levels, Verdict, judged
from society.draws import Array, generator
from society.lab.reproduction.attempt import Attempt
from society.lab.reproduction.results import Result, Results

VILLAGE = reproduction("village")

# Those of the paper, as users name them.
MODELS = (
    "anthropic/claude-sonnet-4-20250514",
    "deepseek/deepseek-r1",
    "openai/gpt-4o",
    "openai/gpt-4o-mini",
    "groq/llama-3.3-70b-instruct",
    "qwen3-32b",
)


Lasting = Callable[[Mapping[str, Any]], float]


@pytest.fixture(autouse=True)
def _no_cleaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """statsmodels collects garbage before each correction, which takes more time than all else."""
    monkeypatch.setattr("gc.collect", lambda: 0)


class MadeUp:
    """The results of an experiment that nobody has played: ten runs a condition.

    lasting: mean survival time by the levels of a condition; runs differ from it by some rounds.
    Over-use is 0.1 with fines and 0.3 without, in every round.
    """

    def __init__(self, lasting: Lasting, levels: Mapping[str, Sequence[Any]]) -> None:
        self.experiment = SimpleNamespace(levels=levels)
        draws = generator(1, "made up")
        self.conditions = [
            dict(zip(levels, chosen, strict=True)) for chosen in product(*levels.values())
        ]
        self.values = [lasting(one) + draws.normal(0, 3, 10) for one in self.conditions]

    def runs(self, name: str, levels: Levels) -> Array:
        return np.concatenate([values for _, values in self._chosen(levels)])

    def courses(self, name: str, levels: Levels) -> Array:
        fined = 0.1 if levels["punishment"] == "always" else 0.3
        return np.tile(fined + self.runs(name, levels)[:, None] / 1_000, 100)

    def labels(self, factor: str, levels: Levels) -> list[object]:
        return [condition[factor] for condition, values in self._chosen(levels) for _ in values]

    def _chosen(self, levels: Levels) -> Iterator[tuple[dict[str, Any], Array]]:
        for condition, values in zip(self.conditions, self.values, strict=True):
            if all(condition[name] == level for name, level in levels.items()):
                yield condition, values


def verdicts(design: Design | None, played: Mapping[str, MadeUp]) -> dict[str, Verdict]:
    """By claim."""
    assert design is not None
    results = Results({name: cast(Result, one) for name, one in played.items()})
    return {verdict.claim: verdict for verdict in judged(design.claims(), results)}


def of_rules(lasting: Lasting) -> dict[str, Verdict]:
    """Verdicts about rules, if villages lasted so long under both sets of parameters."""
    planned = Attempt(VILLAGE, Path("nowhere")).results
    played = {name: MadeUp(lasting, one.experiment.levels) for name, one in planned.items()}
    return verdicts(VILLAGE.rules, played)


def as_the_paper_says(condition: Mapping[str, Any]) -> float:
    """Rounds."""
    if "punishment" in condition:
        return float({"always": 60, "until_15": 49, "never": 38}[condition["punishment"]])
    if "fine" in condition:
        most = 1 - abs(condition["growth"] - 0.5)  # fines matter most in the middle lake
        return float(20 + 10 * most * np.sqrt(condition["fine"]))
    order = {"altruist": 20.0, "mixed": 40.0, "selfish": 30.0}
    harsh = {"altruist": 30.0, "mixed": 20.0, "selfish": 10.0}
    return (harsh if condition.get("lake") == "harsh" else order)[condition["population"]]


RULES = (
    "1. Fines sustain the village",
    "1b. Cooperation fades once fines have ended",
    "2. Stronger fines prolong survival",
    "2b. The effect of fines is not strictly linear",
    "2c. Fines and growth interact, and not along a line",
    "3. In a harsh lake altruists last longest",
    "4. In a rich lake mixed villages last longest, altruists shortest",
    "4b. In a rich lake altruists die of under-harvesting",
    "All of section 4.1 in one society",
)


def test_villages_that_last_as_the_paper_says_reproduce_all_that_can_be_told() -> None:
    found = of_rules(as_the_paper_says)
    told = [claim for claim, verdict in found.items() if verdict.outcome == "reproduced"]
    untold = {claim: one for claim, one in found.items() if one.outcome == "cannot be told"}
    assert dict.fromkeys(claim.partition(" (")[0] for claim in told) == dict.fromkeys(RULES)
    assert [claim[:2] for claim in untold] == ["5.", "6."]
    assert len(told) + len(untold) == len(found) == 23


def test_villages_that_last_the_other_way_round_are_reversed() -> None:
    found = of_rules(lambda condition: 100 - as_the_paper_says(condition))
    fines = found["1. Fines sustain the village (default parameters)"]
    assert (fines.outcome, fines.notes) == ("not reproduced", "reversed: 4 of 4")
    assert re.match(r"fine 10: always > until_15: 38\.8 - 50\.9 = -12\.1 \[", fines.found)
    assert found["All of section 4.1 in one society"].found.startswith(
        "default, table: 0 of 19 orderings hold"
    )


def test_a_claim_half_of_which_holds_is_reproduced_in_part() -> None:
    """As in the default set: mixed villages outlast the selfish, and altruists outlast both."""

    def lasting(condition: Mapping[str, Any]) -> float:
        return 100.0 if condition.get("population") == "altruist" else as_the_paper_says(condition)

    found = of_rules(lasting)
    rich = found[
        "4. In a rich lake mixed villages last longest, altruists shortest "
        "(default parameters, selfish fine more)"
    ]
    assert (rich.outcome, rich.notes) == ("in part", "reversed: 1 of 2")
    assert found["All of section 4.1 in one society"].outcome == "not reproduced"
    assert found["All of section 4.1 in one society"].found.startswith(
        "default, table: 18 of 19 orderings hold"
    )


def test_fines_that_change_nothing_prolong_nothing_and_are_not_bent() -> None:
    found = of_rules(lambda condition: 30.0)
    claims = [claim for claim in found if claim.startswith("2")]
    assert {found[claim].outcome for claim in claims} == {"not reproduced"}
    assert "of 104 steps of the fine raise the mean" in found[claims[0]].notes


@cache
def told(lasting: Lasting, models: tuple[str, ...] = MODELS) -> dict[str, Verdict]:
    """Verdicts about language models, by claim, if they lasted so long."""
    usual = {
        "model": models,
        "lake": ("harsh", "rich"),
        "population": ("altruist", "mixed", "selfish"),
    }
    conditions = ("only_social_learning", "only_group_decision", "neither")
    played = {
        "models": MadeUp(lasting, usual),
        "ablations": MadeUp(lasting, {"condition": conditions, **usual}),
    }
    return verdicts(VILLAGE.language, played)


def as_published(condition: Mapping[str, Any]) -> float:
    """Rounds, made up such that larger models, group decision and deepseek-r1 do well."""
    model = str(condition["model"])
    larger = any(name in model for name in ("sonnet", "r1", "gpt-4o")) and "mini" not in model
    if condition.get("condition", "full") == "neither":
        return 12.0
    if condition.get("condition") == "only_group_decision":
        slow = model.endswith("gpt-4o")
        return (15.0 if slow else 30.0) + (10 if condition["population"] == "selfish" else 0)
    if condition["lake"] == "harsh":
        return (28.0 if condition["population"] == "altruist" else 20.0) if larger else 18.0
    if "r1" in model:
        return 47.0
    return 29.0 if larger or condition["population"] == "selfish" else 20.0


@pytest.mark.parametrize(
    "claim",
    [
        "In the harsh lake survival differs between models",
        "In the harsh lake survival differs with this share otherwise in each model",
        "In the rich lake survival differs between models",
        "Which models differ in the rich lake",
        "In the harsh lake larger models last longer with altruists than with selfish villagers",
        "In the harsh lake smaller models collapse earlier than larger ones",
        "In the rich lake smaller models last longer with selfish villagers",
        "In the rich lake claude-sonnet-4 and gpt-4o end near round 30, deepseek-r1 near round 50",
        "Without imitation and common policy societies last shortest",
        "Under group decision alone selfish villages last longest",
        "Under group decision alone gpt-4o falls behind other models",
    ],
)
def test_models_that_behave_as_the_paper_says_reproduce_it(claim: str) -> None:
    assert told(as_published)[claim].outcome == "reproduced"


def test_models_that_all_do_the_same_reproduce_nothing_but_the_absence_of_effects() -> None:
    found = told(lambda condition: 30.0)
    reproduced = [claim for claim, verdict in found.items() if verdict.outcome == "reproduced"]
    assert reproduced == [
        "In the harsh lake no sign that survival differs with the share of altruists",
        "In the rich lake no sign that survival differs with this share otherwise in each model",
    ]
    assert found[reproduced[0]].notes == "what is not significant may still be there"


def test_the_analysis_of_variance_has_the_degrees_of_freedom_of_its_design() -> None:
    """Six models, three populations, ten runs: 180 in each lake."""
    found = told(as_published)["In the rich lake survival differs between models"]
    assert found.found.startswith("model: F(5, 162) = ")
    assert found.said == "F(6, 189) = 13.61, p < 0.001, eta squared 0.28"


def test_with_one_model_populations_alone_are_compared() -> None:
    found = told(as_published, ("openai/gpt-4o",))
    populations = found["In the rich lake survival differs with the share of altruists"]
    assert populations.found.startswith("population: F(2, 27) = ")
    models = found["In the rich lake survival differs between models"]
    assert models.outcome == "cannot be told"
    assert models.notes == "one model was asked; differences between models need two"


def test_claims_about_named_models_cannot_be_told_of_others() -> None:
    found = told(as_published, ("lab/one-r1", "lab/two-sonnet"))
    for claim, name in (
        ("Which models differ in the rich lake", "deepseek-r1"),
        ("In the harsh lake smaller models collapse earlier than larger ones", "claude-sonnet-4"),
        ("Under group decision alone gpt-4o falls behind other models", "gpt-4o"),
    ):
        assert found[claim].outcome == "cannot be told"
        assert found[claim].notes == f"{name} was not asked; name it under --model"


def test_letters_are_told_though_the_claim_is_about_other_models() -> None:
    found = told(as_published, ("lab/one-r1", "lab/two-sonnet"))
    words = found["Which models differ in the rich lake"].found
    assert re.fullmatch(r"lab/one-r1 4\d\.\d \(a\); lab/two-sonnet 2\d\.\d \(b\)", words)


@pytest.mark.parametrize(
    ("claim", "t"),
    [
        ("Without imitation and common policy societies last shortest", "t(898) = -"),
        ("Under group decision alone selfish villages last longest", "t(238) = "),
        ("Under group decision alone gpt-4o falls behind other models", "t(178) = -"),
    ],
)
def test_the_papers_tests_come_back_with_its_design(claim: str, t: str) -> None:
    """Three models: 180 runs against all 720, 60 against all 180; 60 against the other 120."""
    found = told(as_published, ("deepseek-r1", "gpt-4o", "qwen3-32b"))[claim]
    assert t in found.said
    assert t in found.found


def test_a_part_is_held_against_the_rest_and_the_papers_form_is_marked() -> None:
    found = told(as_published, ("deepseek-r1", "gpt-4o", "qwen3-32b"))
    words = found["Without imitation and common policy societies last shortest"].found
    ours, theirs = words.split("; the paper's form, part against whole, which is no valid test: ")
    assert ours.startswith("the others > neither: ")
    assert theirs.startswith("t(898) = -")
