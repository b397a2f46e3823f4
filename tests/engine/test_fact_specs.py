"""Words, units and labels are declared once, and put together by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from society.engine.component import Column, Component
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort
from society.engine.scenario import fact_specs, mechanism, scenario, wrap_scenario
from society.engine.script import Script


class Gatekeeper(Component):
    """Keeps a gate."""

    columns = (
        Column("gate", np.int8, public=True, labels=("closed", "open"), text="Gate of the keeper"),
        Column("toll", public=True, unit="coins"),
        Column("mood", unit="smiles"),
    )


CAST = [Cohort("keeper", 1, (Gatekeeper(),))]


@scenario(
    cast=lambda params, agents: CAST,
    facts={"gate": FactSpec("Gate to the fields"), "flow": FactSpec("Water", unit="litres")},
)
def canal(env: Environment) -> Script:
    """A canal."""
    yield from ()


@mechanism(facts={"flow": FactSpec("Something"), "fee": FactSpec("Fee", unit="coins")})
def taxed(play: Any) -> Any:
    """A tax."""
    return play


def test_the_words_of_a_scenario_are_completed_by_those_of_its_public_columns() -> None:
    assert fact_specs(canal, CAST) == {
        "gate": FactSpec("Gate to the fields", labels=("closed", "open")),
        "toll": FactSpec(unit="coins"),
        "flow": FactSpec("Water", unit="litres"),
    }


def test_a_mechanism_adds_words_and_the_scenario_s_own_outweigh_them() -> None:
    facts = wrap_scenario(canal, taxed).facts
    assert facts["flow"] == FactSpec("Water", unit="litres")
    assert facts["fee"] == FactSpec("Fee", unit="coins")


def test_numbers_without_a_label_stay_and_missing_ones_stay_missing() -> None:
    gate = FactSpec(labels=("closed", "open"))
    values = np.array([[0, 1, 2], [np.nan, 0.5, -1]])
    assert gate.labelled(values).tolist() == [["closed", "open", "2"], [None, "0.5", "-1"]]
    assert gate.labelled(np.array([True, False])).tolist() == ["open", "closed"]
