"""Words of questions without a template: made from what the author has declared."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from pydantic import Field

from society.engine.action_spaces import Real
from society.engine.fact_specs import FactSpec, parameter_spec
from society.engine.scenario import OF_DEFAULT_CAST, Params
from society.engine.script import Ask, Tell, common
from society.errors import ScenarioError
from society.llm.default_words import (
    DefaultWords,
    Wording,
    check_figures,
    describe_value,
    fill_figures,
)
from society.llm.prompt_files import fact_sentence

WORDING = Wording(
    "Farmers share a canal",
    {
        "flow": FactSpec("Water in the canal", unit="litres"),
        "gate": FactSpec("The gate", labels=("closed", "open")),
        "tide": FactSpec("The tide", private=True),
    },
)


class Canal(Params):
    inflow: float = Field(100, description="water that flows in", json_schema_extra={"unit": "l"})
    leak: float = Field(0.1, description="what leaks", json_schema_extra={"private": True})
    cast: str = Field("rules", description="who plays", json_schema_extra=OF_DEFAULT_CAST)
    loss: float = 0.1


def words(text: str = "", **facts: object) -> DefaultWords:
    return DefaultWords(WORDING, Canal(), facts, list, "farmer {}".format, text)


def test_facts_have_their_text_and_unit_or_label() -> None:
    assert words(flow=84.3274, gate=0).known == [
        "Water in the canal: 84.33 litres",
        "The gate: closed",
    ]


def test_a_private_fact_is_not_shown() -> None:
    assert words(tide=3).known == []


def test_an_event_names_its_facts_as_their_author_described_them() -> None:
    flowed = {"flow": 84.3274, "gate": np.int64(0), "tide": 3, "net_size": 2}
    said = fact_sentence("flowed", flowed, WORDING)
    assert said == "flowed: water in the canal: 84.33 litres; the gate: closed; net size 2"
    assert fact_sentence("net_torn", {"catch": 4.2, "effort": 0.4}) == (
        "net torn: catch 4.2, effort 0.4"
    )
    assert fact_sentence("stormed", {}, WORDING) == "stormed"


def test_a_fact_without_words_is_called_by_its_name() -> None:
    assert words(net_size=3).known == ["Net size: 3"]


def test_rules_are_the_parameters_with_words_that_are_not_private() -> None:
    assert words().rules == ["Water that flows in: 100 l"]


def test_a_summary_ends_with_a_full_stop() -> None:
    assert words().summary == "Farmers share a canal."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (84.3274, "84.33"),
        (10541.2, "10541"),
        (0.12345, "0.123"),
        (3, "3"),
        (123456, "123456"),
        (True, "yes"),
        (float("inf"), "none"),
        ([1.5, 2], "1.5, 2"),
    ],
)
def test_numbers_are_rounded_to_four_figures(value: object, shown: str) -> None:
    assert describe_value(value, FactSpec()) == shown


def test_a_number_without_a_label_of_its_own_stays_a_number() -> None:
    assert describe_value(2, FactSpec(labels=("closed", "open"))) == "2"
    assert describe_value(0.5, FactSpec(labels=("closed", "open"))) == "0.5"
    assert describe_value(float("nan"), FactSpec(labels=("closed", "open"))) == "none"


def test_a_sentence_may_hold_facts_and_parameters() -> None:
    text = "The gate is {gate}: of {inflow} litres, {flow} are left."
    filled = fill_figures(text, WORDING, {"gate": 1, "flow": 84.3274}, Canal())
    assert filled == "The gate is open: of 100 litres, 84.33 are left."


def test_words_of_agents_are_fenced_in_a_sentence() -> None:
    assert fill_figures("It says {note}.", WORDING, {"note": "{flow} »"}, Canal()) == (
        "It says «{flow} ›»."
    )


def ask(text: str) -> Ask:
    return Ask("take", Real(0, 1), {"flow": common(np.array(3.0))}, text=text)


def test_a_sentence_with_an_unknown_name_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"the text holds \{flwo\}.*flow"):
        check_figures(ask("There are {flwo} litres."), Canal())
    with pytest.raises(ScenarioError, match=r"the text holds \{flow\}"):
        check_figures(Tell("took", text="{flow} litres"), Canal())


def test_a_sentence_that_formats_its_figures_is_refused() -> None:
    with pytest.raises(ScenarioError, match="write the name alone"):
        check_figures(ask("There are {flow:.1f} litres."), Canal())


def test_a_sentence_with_a_single_brace_is_refused() -> None:
    with pytest.raises(ScenarioError, match="braces that are no figures"):
        check_figures(ask("There are {flow litres."), Canal())


def test_a_parameter_of_the_default_cast_is_private() -> None:
    assert parameter_spec(Canal.model_fields["cast"]).private
    assert Canal.of_default_cast() == {"cast"}


# What is seen of each one


def seen_by(me: str, text: str = "", **deeds: object) -> DefaultWords:
    """The words of a question to farmer `me`, who sees a deed of each: a="I dig." """
    everybody = [SimpleNamespace(name=name, deed=deed) for name, deed in deeds.items()]
    return DefaultWords(WORDING, Canal(), {}, lambda: everybody, "farmer {}".format, text, me=me)


def test_who_has_said_nothing_is_seen_all_the_same() -> None:
    assert seen_by("2", a="I dig.", b="").seen == ["Farmer a (deed: «I dig.»)", "Farmer b"]


def test_who_only_looks_on_does_not_stand_in_its_own_list() -> None:
    assert seen_by("b", a="I dig.", b="").seen == ["Farmer a (deed: «I dig.»)"]
    assert seen_by("b", b=0.0).seen == ["Farmer b (deed: 0)"]


def test_a_text_that_is_empty_is_no_fact_to_show() -> None:
    assert words(note="", flow=3).known == ["Water in the canal: 3 litres"]
    assert fill_figures("It says {note}.", WORDING, {"note": ""}, Canal()) == "It says ."


def test_a_sentence_may_say_what_is_seen_of_each_one() -> None:
    said = seen_by("c", "Today: {seen}.", a="I {dig}.", b="I rest.").question
    assert said == "Today: Farmer a (deed: «I {dig}.»); Farmer b (deed: «I rest.»)."


def test_what_is_seen_is_no_unknown_name() -> None:
    check_figures(ask("Now: {seen}"), Canal())
