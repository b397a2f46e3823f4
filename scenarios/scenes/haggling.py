"""Haggling: a buyer and a seller talk freely, then name prices, and deal where these meet.

Each pair has one good, worth c in [0, 0.8 W] to its seller and v in [0.2 W, W] to its buyer, known
to each alone. In a bout the seller speaks, the buyer answers, and both name the price at which they
would deal now, unseen: if the bid is at least the asking price, they deal in the middle. What it
shows: how much of the possible gains talk finds, and which side takes them.
Source: ours; the split is that of Chatterjee and Samuelson 1983, Operations Research 31.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.population import Cohort, fill_from_params
from society.engine.scenario import DisplaySpec, scenario
from society.engine.script import Ask, Script, Tell, common, own

from .bargains import BARGAIN_FACTS, BARGAIN_MEASURES, GAINS, pair_up, tell_gains
from .consequences import Inventory
from .scene import RELATIONS, SAYS, Scene, SceneParams, scene_facts

ITEMS = ("coins", "goods")
TALK = "It is bout {bout}. Talk with the other side about the price; no word binds you."
OFFER = "At which price would you deal right now, in coins? The other side does not see it."


class Bazaar(SceneParams):
    """The worth of goods."""

    most: float = Field(20, gt=0, description="Most that a good is worth to anybody, in coins")


def traders(p: Bazaar, count: int) -> list[Cohort]:
    """The default cast: as many sellers as buyers, who remember."""
    person = (Recall(), fill_from_params(LanguagePolicy, p))
    return [Cohort("seller", count // 2, person), Cohort("buyer", count - count // 2, person)]


SHOWN = ("worth", "offer", "price", "coins")
NOUNS = {"seller": "seller", "buyer": "buyer"}
ENDS = {"haggled": "all pairs have dealt"}
STAGE = DisplaySpec(columns=SHOWN, better=GAINS, quotes=SAYS, endings=ENDS, nouns=NOUNS)


@scenario(
    params=Bazaar,
    cast=traders,
    measures=BARGAIN_MEASURES,
    relations=RELATIONS,
    agents=4,
    rounds=6,
    display=STAGE,
    facts=scene_facts(Inventory(ITEMS), referee=False) | BARGAIN_FACTS,
)
def haggling(env: Environment) -> Script:
    """Buyers and sellers talk about a price, and deal where the prices that they name meet."""
    sells, most = env.cohort("seller"), env.params.most
    pairs, by = pair_up(env, sells), np.where(sells, 1, -1)
    start = {"coins": np.where(sells, 0, most), "goods": np.where(sells, 1, 0)}
    goods = Inventory(ITEMS, start=start, whole=False)
    scene = Scene(env, goods, referee="", groups=pairs.number)
    worth = most * (np.where(sells, 0, 0.2) + 0.8 * scene.draws.uniform("worth"))
    role = {"sells": own(sells.astype(int)), "worth": own(worth)}
    yield from scene.open(**role)
    price = np.full(sells.shape, np.nan)
    for bout in env.rounds():
        haggles = (pairs.number >= 0) & np.isnan(price)
        known = {**role, "bout": common(bout)}
        for side in (sells, ~sells):
            yield from scene.turn(TALK, who=side & haggles, known=known)
        facts, shy = {**scene.known(), **known}, np.where(sells, most, 0.0)
        offer = yield Ask("offer", Real(0, most), facts, who=haggles, fallback=shy, text=OFFER)
        theirs = pairs.of_partner(offer)
        price = np.where(haggles & (by * (theirs - offer) >= 0), (offer + theirs) / 2, price)
        deals = haggles & ~np.isnan(price)
        paid = {"coins": np.where(deals & ~sells, price, 0), "goods": deals & sells}
        yield from scene.hand_over(pairs.partner, paid)
        over = (np.isnan(price) <= (pairs.number < 0)).all(1, keepdims=True)
        facts = tell_gains(pairs, sells, worth, price)
        yield Tell("haggled", facts, ends=over, text="Price agreed so far: {price}.")
