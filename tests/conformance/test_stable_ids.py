"""Names in run files and in addresses of chance outlive the names of classes and functions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ruamel.yaml import YAML

from society import index
from society.components.village.harvest import Harvest
from society.config.registry import component_title, components, mechanisms, scenarios
from society.engine.action_spaces import (
    Choice,
    Fields,
    Integer,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
)
from society.engine.component import AgentGroup, Component, Question
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.population import Cohort
from society.engine.script import Ask, Script
from society.errors import CastError
from tests.conftest import Play

LISTED: Mapping[str, list[str]] = YAML(typ="safe").load(
    Path(__file__).with_name("stable_ids.yaml").read_text("utf-8")
)
ONLY_ADDED = "stable_ids.yaml only grows: add new ids, and leave those of renamed parts as they are"


# All of ours are listed


def test_every_component_of_ours_states_its_chance_id_and_no_two_the_same() -> None:
    parts = components().values()
    silent = [part.__name__ for part in parts if "chance_id" not in vars(part)]
    assert not silent
    assert sorted(part.chance_id for part in parts) == LISTED["components"], ONLY_ADDED


def chance_ids_of_modules() -> Iterator[str]:
    """List the chance ids of modules that state one themselves, rather than import it."""
    for name in index.modules("scenarios"):
        module = importlib.import_module(name)
        if "\nCHANCE_ID = " in Path(str(module.__file__)).read_text("utf-8"):
            yield module.CHANCE_ID


def test_every_mechanism_of_ours_states_its_chance_id() -> None:
    ids = sorted(spec.chance_id for spec in mechanisms().values())
    assert ids == LISTED["mechanisms"], ONLY_ADDED


def test_every_institution_draws_under_an_id_of_its_own() -> None:
    institutions = {*chance_ids_of_modules()} - {*LISTED["mechanisms"]}
    assert sorted(institutions) == LISTED["institutions"], ONLY_ADDED


def test_every_reply_of_ours_has_a_code_and_sentences_read_like_words() -> None:
    codes = sorted(part.code for part in (Real, Integer, Choice, Neighbour, MixedStrategy, Text))
    assert codes == LISTED["replies"], ONLY_ADDED
    assert Sentence.code == Text.code


# What is renamed has the same luck


class Gambler(Component):
    """Answers everything by chance."""

    chance_id = "gambler"
    answers = ("all", "many")

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        chance = agents.draws.uniform("any")
        half = np.column_stack([chance, 1 - chance])
        if ask.kind == "many":
            return {"mix": half, "words": chance.astype(str).astype(object)}
        low = chance < 0.5
        peer = np.where(low, (agents.agent + 1) % 3, NOBODY)
        return {"amount": chance, "whole": np.rint(9 * chance), "choice": low + 0, "peer": peer}


class Renamed(Gambler):
    """The same gambler under another name."""

    chance_id = "gambler"


class Heir(Gambler):
    """Another gambler, who states no id."""


def asking(*replies: Any) -> Any:
    """A script that asks for everything with these classes of replies."""
    amount, whole, choice, peer, mix, words = replies

    def asks(env: Environment) -> Script:
        for _ in env.rounds():
            env.draws("house").uniform("tie")
            bounds = np.full((env.replicates, 1), 0.7)
            form = {
                "amount": amount(0, bounds),
                "whole": whole(0, 5),
                "choice": choice("yes", "no"),
                "peer": peer("all"),
            }
            yield Ask("all", Fields(form))
            yield Ask("many", Fields({"mix": mix("a", "b"), "words": words(9)}))

    return asks


OURS = (Real, Integer, Choice, Neighbour, MixedStrategy, Text)


def test_a_component_can_be_renamed_and_has_the_same_luck(play: Play) -> None:
    before = play(asking(*OURS), Gambler(), rounds=3, replicates=2)
    assert Renamed.title() == "renamed"
    assert play(asking(*OURS), Renamed(), rounds=3, replicates=2).outcome == before.outcome
    other = play(asking(*OURS), Heir(), rounds=3, replicates=2)
    assert other.outcome.digest != before.outcome.digest


def test_classes_of_replies_can_be_renamed(play: Play) -> None:
    others = [type(f"Other{part.__name__}", (part,), {"code": part.code}) for part in OURS]
    before = play(asking(*OURS), Gambler(), rounds=3, replicates=2)
    assert play(asking(*others), Gambler(), rounds=3, replicates=2).outcome == before.outcome


def test_all_components_of_a_village_can_be_renamed_at_once(play: Play) -> None:
    village = scenarios()["fishing_village"]

    def under_another_name(part: Component) -> Component:
        other = copy(part)
        named = type(f"Other{type(part).__name__}", (type(part),), {"chance_id": part.chance_id})
        object.__setattr__(other, "__class__", named)
        return other

    params = village.params()
    cast = [
        Cohort(one.name, one.count, tuple(under_another_name(part) for part in one.components))
        for one in village.cast(params, 6)
    ]
    before = play(village, agents=6, rounds=5, replicates=3)
    assert play(village, cast=cast, agents=6, rounds=5, replicates=3).outcome == before.outcome


# Where nothing is stated, and where it is stated twice


def test_a_component_that_states_no_id_draws_under_its_title() -> None:
    class NightFisher(Harvest):
        """States nothing."""

    assert (NightFisher.chance_id, NightFisher.title()) == ("night_fisher", "night_fisher")


def test_a_reply_that_states_no_code_has_its_own_name() -> None:
    class Cents(Real):
        """States nothing."""

    assert Cents(0, 9).form() == "cents 0..9"


def test_two_components_of_a_cohort_cannot_draw_the_same(play: Play) -> None:
    with pytest.raises(CastError, match="has 'chance_id gambler' twice, in gambler and renamed"):
        play(asking(*OURS), Gambler(), Renamed())


# What people are shown


def test_people_are_shown_the_current_title() -> None:
    class SeaWolf(Component):
        """Called otherwise once."""

        chance_id = "fisher_king"

    assert component_title("fisher_king") == "sea_wolf"
    assert component_title("harvest") == "harvest"
    assert component_title("of_nobody_any_more") == "of_nobody_any_more"
