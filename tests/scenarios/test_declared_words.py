"""Every shipped scenario says once what its facts and answers are, for whoever looks at them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.registry import scenarios
from society.config.run_config import load_config
from society.engine.action_spaces import fields
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import rehearsal_environment, silent_lines
from society.engine.scenario import fact_specs
from society.engine.script import Ask, Tell

# Settings under which all that a scenario can ask or tell is asked or told.
SETTINGS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "fishing_village": ({}, {"vote": "plurality"}),
    "language_village": (
        {"social_learning": True, "caps": "on", "effort_rule": "deterrence"},
        {"condition": "only_social_learning", "meeting": "at_once"},
    ),
    "donor_game": (
        {"punishment": True, "gossip": True, "partners": "rewired", "schedule": "random"},
        {"medium": "review", "probe": False},
        {"probe": True},
        {"probe": True, "punishment": True},
    ),
    "pub_coordination": ({}, {"order": "initiative"}, {"order": "referee"}),
}
# One for each agent, by its id.
OF_ONE = re.compile(r"attempt_\d+")


def societies(name: str) -> Iterator[Society]:
    for parameters in SETTINGS.get(name, ({},)):
        yield build(load_config(name, {"parameters": dict(parameters)}))


def named(society: Society) -> Iterator[str]:
    """Names of all facts and answers of the first rounds."""
    alone = rehearsal_environment(society.environment(np.arange(1)), first_rounds_only=True)
    for line in silent_lines(society.scenario.play, alone):
        if isinstance(line, Ask | Tell):
            yield from line.facts
        if isinstance(line, Ask):
            yield from (
                re.sub(r" \d+$", "", f"{line.kind} {part}".strip()) for part in fields(line.reply)
            )


def declared(society: Society) -> Mapping[str, FactSpec]:
    return fact_specs(society.scenario, society.cast())


@pytest.mark.parametrize("name", scenarios())
def test_every_fact_and_answer_of_a_scenario_has_words(name: str) -> None:
    wordless = {
        each
        for society in societies(name)
        for each in named(society)
        if not (each in declared(society) and declared(society)[each].text)
        and not OF_ONE.fullmatch(each)
    }
    assert wordless == set()


@pytest.mark.parametrize("name", scenarios())
def test_no_words_are_declared_for_what_a_scenario_never_says(name: str) -> None:
    said = {each for society in societies(name) for each in named(society)}
    assert set(next(societies(name)).scenario.facts) - said == set()


def test_what_counts_in_the_same_thing_has_the_same_unit() -> None:
    village, donors = scenarios()["fishing_village"].facts, scenarios()["donor_game"].facts
    assert {village[name].unit for name in ("stock", "catch", "wealth", "cap")} == {"fish"}
    assert {donors[name].unit for name in ("resources", "given", "final")} == {"units"}
    assert {donors[name].unit for name in ("share", "received_share")} == {""}
