"""A scenario as a user writes it: 40 lines with declared words, and no template."""

import numpy as np
from pydantic import Field

from society import Ask, Cohort, DisplaySpec, Environment, FactSpec, Params, Real, Script, Tell

from society import common, own, scenario, seen  # isort: skip
from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall


class Canal(Params):
    inflow: float = Field(100, description="Inflow a week", json_schema_extra={"unit": "litres"})
    loss: float = Field(0.1, description="Share of the water that seeps away each week")


FACTS = {
    "flow": FactSpec("Water in the canal now", unit="litres"),
    "gate": FactSpec("The gate to the upper fields", labels=("closed", "open")),
    "taken": FactSpec("Water taken last week", unit="litres"),
}
SHOWN = DisplaySpec(columns=("taken",), noun="farmer")
HOW_MUCH = "There are {flow} litres in the canal. How many litres do you take this week?"


def farmers(params: Canal, count: int) -> list[Cohort]:
    return [Cohort("farmer", count, (Recall(), LanguagePolicy()))]


@scenario(params=Canal, cast=farmers, relations=("see",), agents=3, facts=FACTS, display=SHOWN)
def canal(env: Environment) -> Script:
    """Farmers along a canal share its water, and what is left over flows on to the next week."""
    flow, taken = np.full((env.replicates, 1), env.params.inflow), np.zeros(env.present.shape)
    for week in env.rounds():
        facts = {"flow": common(flow), "gate": common(week % 2), "taken": seen("see", taken)}
        taken = yield Ask("take", Real(0, flow / env.agents), facts, fallback=0, text=HOW_MUCH)
        flow = (flow - taken.sum(1, keepdims=True)) * (1 - env.params.loss) + env.params.inflow
        yield Tell("watered", {"taken": own(taken)}, text="You took {taken} litres.")
