"""Herders on one pasture add animals as long as these pay (Gordon 1954)."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from society import Ask, Cohort, Column, Component, DisplaySpec, FactSpec, Integer, Measure
from society import Params, Tell, common, own, scenario


class Pasture(Params):
    fee: float = Field(0.0, ge=0, description="Fee an animal and year, given back to all alike")
    upkeep: float = Field(0.3, ge=0, description="Cost of keeping an animal for a year")


@dataclass(frozen=True)
class Herder(Component):
    """Buys an animal if the last year's animals paid, else sells one; some years it sits out."""

    answers, notices = ("graze",), ("grazed",)
    columns = (Column("herd", public=True, text="Animals that it keeps"),)

    def begin(self, agents):
        agents["herd"] = 5.0

    def answer(self, ask, agents):
        return agents["herd"]

    def notice(self, tell, agents):
        step = np.sign(tell.facts["profit"]) * (agents.draws.uniform("decides") < 0.5)
        agents["herd"] = np.clip(agents["herd"] + step, 0, 50)


def mean_income(told, env):
    return told["income"].mean(1)[:, None]


MEASURES = (
    Measure("grass", "share of the most", lambda told, env: told["grass"], fold="last"),
    Measure("income", "a herder and year", mean_income, fold="last"),
)
FACTS = {
    "grass": FactSpec("Grass, as a share of the most there can be"),
    "profit": FactSpec("What one more animal earns"),
    "income": FactSpec("Income of the year"),
}
SHOWN = DisplaySpec(columns=("income",), better={"grass": "more", "income": "more"}, noun="herder")


def herders(params, count):
    return [Cohort("herder", count, (Herder(),))]


@scenario(
    params=Pasture,
    cast=herders,
    measures=MEASURES,
    facts=FACTS,
    display=SHOWN,
    agents=10,
    rounds=150,
)
def pasture(env):
    """Herders choose how many animals to keep on a pasture that they share."""
    grass = np.ones((env.replicates, 1))
    for _ in env.rounds():
        animals = yield Ask("graze", Integer(0, 50), {"grass": common(grass)}, fallback=0)
        herd = animals.sum(1, keepdims=True)
        profit = grass - env.params.upkeep - env.params.fee  # of an animal
        income = animals * profit + env.params.fee * herd / env.agents
        grass = np.clip(grass + 0.5 * grass * (1 - grass) - 0.002 * herd * grass, 0.01, 1)
        facts = {"grass": common(grass), "income": own(income), "profit": common(profit)}
        yield Tell("grazed", facts)
