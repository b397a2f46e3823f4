"""Strikes: what a day brings to workers and their owner, by how many of them work."""

from __future__ import annotations

import numpy as np

from society.engine.fact_specs import FactSpec
from society.engine.rng import Array
from society.engine.scenario import Measure, mean_over
from society.engine.script import Fact, common, own

STRIKE_FACTS = {
    "pay": FactSpec("Wage that the owner names", "coins"),
    "wage": FactSpec("Wage for a day's work", "coins"),
    "standstill": FactSpec("The works on the last day", labels=("running", "standing still")),
    "income": FactSpec("Income of the day", "coins"),
    "striking": FactSpec("Share of the workers who strike", private=True),
}
STRIKE_MEASURES = (
    Measure(
        "striking",
        "share of the workers",
        lambda told, env: told["striking"],
        label="workers on strike",
    ),
    Measure("standstill", "share of the days", lambda told, env: told["standstill"]),
    Measure("wage", "wage / worth of the work", lambda told, env: told["wage"] / env.params.worth),
)


def tell_day(
    worker: Array, works: Array, owner: Array, wage: Array, worth: float, needed: float
) -> dict[str, Fact]:
    """Facts about a day on which those in `works` work, (R, N) of bool, for a wage, (R, 1).

    If fewer than the share `needed` of the workers do, the works stand still: nobody has anything.
    Else each who works has the wage, and the owner what is left over.
    """
    working = mean_over(worker, works)[:, None]
    still = working < needed
    profit = works.sum(1, keepdims=True) * (worth - wage)
    income = np.where(still, 0.0, np.where(works, wage, np.where(owner, profit, 0.0)))
    return {
        "wage": common(wage),
        "standstill": common(still.astype(int)),
        "income": own(income),
        "striking": common(1 - working),
    }
