"""A market for used cars whose quality only sellers know (Akerlof 1970)."""

import numpy as np
from pydantic import Field

from society import Ask, Choice, Cohort, Column, Component, FactSpec, Measure, Params, Real, Tell
from society import common, own, scenario


class LemonMarket(Params):
    premium: float = Field(
        1.5, ge=1, description="Worth of a car to a buyer, times that to its seller"
    )
    inspected: float = Field(
        0.0, ge=0, le=1, description="Share of cars that are inspected and priced by quality"
    )


class Seller(Component):
    """Sells if the price is above what its car is worth to it."""

    answers = ("sell",)

    def answer(self, ask, agents):
        return ask.facts["price"] > ask.facts["quality"]


class Dealer(Component):
    """Offers what cars were worth to buyers that were sold without inspection in the last round."""

    answers, notices = ("offer",), ("traded",)
    columns = (Column("belief", public=True, text="Worth that it expects of a car"),)

    def begin(self, agents):
        agents["belief"] = 0.75

    def answer(self, ask, agents):
        return agents["belief"]

    def notice(self, tell, agents):
        agents["belief"] = tell.facts["worth"]


def traders(params, count):
    return [Cohort("dealer", 1, (Dealer(),)), Cohort("seller", count - 1, (Seller(),))]


TRADED = Measure(
    "traded", "share of cars", lambda told, env: told["sold"][:, 1:].mean(1)[:, None], fold="last"
)
FACTS = {
    "price": FactSpec("Price that is offered"),
    "quality": FactSpec("Worth of the car to its owner"),
    "sold": FactSpec("Whether the car was sold"),
    "worth": FactSpec("Mean worth of cars sold unseen"),
}


@scenario(params=LemonMarket, cast=traders, agents=101, rounds=20, measures=(TRADED,), facts=FACTS)
def lemons(env):
    """Sellers know what their cars are worth, and a dealer knows what it has bought before."""
    draws, sellers = env.draws("cars"), env.ids[None] > 0
    for _ in env.rounds():
        quality, seen = draws.uniform("quality"), draws.uniform("inspection") < env.params.inspected
        offer = yield Ask("offer", Real(0, 2), who=~sellers, fallback=0)
        unseen_price = np.where(sellers, 0, offer).sum(1, keepdims=True)
        price = np.where(seen, env.params.premium * quality, unseen_price)
        facts = {"price": own(price), "quality": own(quality)}
        sold = yield Ask("sell", Choice("keep", "sell"), facts, who=sellers, fallback="keep")
        unseen = (sold == 1) & ~seen & sellers
        worth = env.params.premium * (unseen * quality).sum(1) / np.maximum(unseen.sum(1), 1)
        yield Tell("traded", {"sold": own(sold == 1), "worth": common(worth[:, None])})
