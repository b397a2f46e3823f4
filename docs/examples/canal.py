"""Farmers along a canal: whoever lies further up takes first."""

import numpy as np
from pydantic import Field

from society import Ask, Cohort, Component, DisplaySpec, FactSpec, Measure, Params, Real, Tell
from society import common, own, scenario


class CanalParams(Params):
    inflow: float = Field(40, gt=0, description="Water that enters the canal each week, in units")
    gates: bool = Field(
        False, description="Whether gates let everybody have an equal share at most"
    )


class Farmer(Component):
    """Wants from 4 to 12 units of water, as its fields dry."""

    answers = ("take",)

    def answer(self, ask, agents):
        return np.minimum(4 + 8 * agents.draws.uniform("drought"), ask.reply.high)


def upper_minus_lower(told, env):
    """Mean harvest of the upper half of the canal less that of the lower half."""
    upper = env.ids < env.agents // 2
    harvest = told["harvest"]
    return (harvest[:, upper].mean(1) - harvest[:, ~upper].mean(1))[:, None]


MEASURES = (
    Measure(
        "harvest", "sacks a farmer and week", lambda told, env: told["harvest"].mean(1)[:, None]
    ),
    Measure("upper_minus_lower", "sacks a farmer and week", upper_minus_lower),
)
FACTS = {
    "water": FactSpec("Water that reached the fields", unit="units"),
    "harvest": FactSpec("Harvest", unit="sacks"),
    "inflow": FactSpec("Water in the canal", unit="units"),
}


def farmers(params, count):
    return [Cohort("farmer", count, (Farmer(),))]


SHOWN = DisplaySpec(columns=("water", "harvest"), noun="farmer")


@scenario(
    params=CanalParams,
    cast=farmers,
    measures=MEASURES,
    facts=FACTS,
    display=SHOWN,
    agents=8,
    rounds=20,
)
def canal(env):
    """Farmers take water from a canal, each from what those further up have left."""
    downstream, share = np.argsort(env.ids), env.params.inflow / env.agents
    for _ in env.rounds():
        most = share if env.params.gates else env.params.inflow
        facts = {"inflow": common(env.params.inflow)}
        wanted = yield Ask("take", Real(0, most), facts, fallback=0)
        flows = np.minimum(wanted[:, downstream].cumsum(1), env.params.inflow)
        water = np.empty_like(wanted)
        water[:, downstream] = np.diff(flows, prepend=0)
        yield Tell("watered", {"water": own(water), "harvest": own(np.sqrt(water))})
