"""Programs share an API that drops all requests of a second in which there are too many."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from society import Ask, Cohort, Column, Component, FactSpec, Integer, Measure, Params, Tell
from society import common, own, scenario


class Api(Params):
    limit: int = Field(20, ge=1, description="Requests a second that the server answers")
    patience: float = Field(
        1.0, ge=0, le=1, description="Share of a dropped second's requests sent next"
    )


@dataclass(frozen=True)
class ApiClient(Component):
    """Sends one more request a second while it is answered, and fewer after a drop (AIMD)."""

    patience: float = 1.0
    answers, notices = ("send",), ("served",)
    columns = (Column("window", public=True, text="Requests that it sends a second"),)

    def begin(self, agents):
        agents["window"] = 1 + np.floor(4 * agents.draws.uniform("start"))

    def answer(self, ask, agents):
        return agents["window"]

    def notice(self, tell, agents):
        fewer = np.maximum(np.floor(self.patience * agents["window"]), 1)
        more = np.minimum(agents["window"] + 1, 20)
        agents["window"] = np.where(tell.facts["dropped"], fewer, more)


SERVED = Measure(
    "served",
    "share of the limit",
    lambda told, env: told["served"].sum(1)[:, None] / env.params.limit,
)
FACTS = {
    "served": FactSpec("Requests that were answered"),
    "dropped": FactSpec("Whether requests were dropped", labels=("no", "yes")),
}


def clients(params, count):
    return [Cohort("client", count, (ApiClient(params.patience),))]


@scenario(params=Api, cast=clients, measures=(SERVED,), facts=FACTS, agents=5, rounds=100)
def rate_limit(env):
    """Programs send requests to a server that drops all of a second in which there are too many."""
    for _ in env.rounds():
        sent = yield Ask("send", Integer(0, 20), fallback=0)
        dropped = sent.sum(1, keepdims=True) > env.params.limit
        yield Tell(
            "served", {"served": own(np.where(dropped, 0, sent)), "dropped": common(dropped)}
        )
