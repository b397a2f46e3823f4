"""One encounter of the donor game: what can be decided, and what follows from it.

Under stake `share` a donor of r units gives x, 0 <= x <= r, and the recipient gets m x; or, with
punishment, spends x, and the recipient loses 2 x, but at most what it has. Under stake `fixed` a
gift costs c and is worth b, and a punishment costs c and takes 2 c; debts are possible.
Whoever punishes, gives nothing: everywhere, in what is told, in traces, in reviews of rules and in
opinions, its share is 0, and it is the deed that tells it from one who kept.
What all own grows by (m - 1) of what is given under stake `share`, by b - c a gift under `fixed`,
and shrinks by what is spent and destroyed in punishing.
Source: Vallinder and Hughes 2024, arXiv 2412.10270; Nowak and Sigmund 1998, Nature 393.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from society.engine.action_spaces import ActionSpace, Choice, Fields, Real
from society.engine.environment import Environment
from society.engine.observations import read_only
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Script, Tell, own, seen
from society.scenarios.donor.pairing import CHANCE_ID, DonorPairs
from society.scenarios.donor.traces import GAVE, HAD_NOTHING, NONE, PUNISHED, Deeds

DESTROYED = 2  # units that a unit of punishment takes
GIVE, PUNISH = 1, 2  # among keep, give, punish
NOTHING: Mapping[str, Any] = MappingProxyType({"deed": "donate", "amount": 0.0})


class DonorDecision(NamedTuple):
    """Units given, and units spent on punishing; (R, N) each."""

    given: Array
    spent: Array


class Done(NamedTuple):
    """The outcome of a round's decisions; (R, N) each.

    deed: what each donor did, as an index into DEEDS; NONE of the others. share: of what the donor
    owned, 0 where it punished, NaN where it had nothing to give and for all who are no donors.
    received, taken: units, of recipients. gain: of everybody.
    """

    given: Array
    spent: Array
    deed: Array
    share: Array
    received: Array
    taken: Array
    gain: Array

    def deeds(self, pairs: DonorPairs, number: int) -> Deeds:
        """Return the deeds as they are recorded, (R, N) each; number: of the round."""
        when = np.full(self.deed.shape, number)
        return Deeds(self.deed, self.share, self.given + self.spent, pairs.partner_life, when)

    def facts(self, pairs: DonorPairs) -> dict[str, Fact]:
        """Tell all what was done; neighbours on `hear` see who gave whom which share."""
        return {
            "partner": seen("hear", pairs.partner),
            "share": seen("hear", self.share),
            "deed": seen("hear", self.deed),
            "donor": own(pairs.gives),
            "partner_life": own(pairs.partner_life),
            "given": own(self.given),
            "spent": own(self.spent),
            "received": own(self.received),
            "received_share": own(read_only(pairs.other(self.share, np.nan))),
            "taken": own(self.taken),
        }

    def added(self, held: Array) -> Array:
        """Return the units that everybody owns afterwards, (R, N); infinite beyond counting."""
        with np.errstate(over="ignore"):
            return read_only(held + self.gain)


def owned_fact(held: Array) -> Fact:
    """Tell all what they own; NaN where that is beyond counting."""
    beyond = np.isinf(held)
    return own(np.where(beyond, np.nan, held) if beyond.any() else held)


def stays_countable(env: Environment) -> bool:
    """Tell whether no decision can make anybody own more than can be counted, 1e308."""
    p = env.params
    with np.errstate(over="ignore"):
        if p.stake == "fixed":
            most = p.endowment + env.horizon * (p.benefit + p.cost + DESTROYED * p.cost)
        else:
            most = p.endowment * env.agents * np.float64(max(p.multiplier, 1)) ** env.horizon
    return bool(np.isfinite(most))


def end_uncountable(env: Environment, held: Array) -> Script:
    """A replicate in which somebody owns more than can be counted is over."""
    if not stays_countable(env):
        yield Tell("uncountable", ends=np.logical_or.reduce(np.isinf(held), axis=1, keepdims=True))


def decision_space(p: Any, held: Array) -> ActionSpace:
    """The form of a decision for those who own so much, (R, N); p: the parameters of the game."""
    if p.stake == "fixed":
        return Choice("keep", "give", "punish") if p.punishment else Choice("keep", "give")
    if p.punishment:
        return Fields({"deed": Choice("donate", "punish"), "amount": Real(0, held)})
    return Real(0, held)


def ask_decision(
    env: Environment, held: Array, facts: Mapping[str, Fact], who: Array, kind: str = "donate"
) -> Script:
    """Ask those in `who` for a Decision; an answer that cannot be read gives nothing."""
    p = env.params
    fallback: Any = "keep" if p.stake == "fixed" else NOTHING if p.punishment else 0.0
    said = yield Ask(kind, decision_space(p, held), facts, who=who, fallback=fallback)
    if p.stake == "fixed":
        return DonorDecision(p.cost * (said == GIVE), p.cost * (said == PUNISH))
    if p.punishment:
        gives = said["deed"] == 0
        return DonorDecision(said["amount"] * gives, said["amount"] * ~gives)
    return DonorDecision(said, read_only(np.zeros_like(said)))


def settle_encounters(
    env: Environment, pairs: DonorPairs, held: Array, choice: DonorDecision
) -> Done:
    """Carry out decisions, with errors of execution; held: units before, (R, N)."""
    p, (given, spent) = env.params, choice
    if p.execution_error:
        works = env.draws(CHANCE_ID).uniform("slip") >= p.execution_error
        given, spent = given * works, spent * works
    # Only donors decide, so that who meets nobody, or gives itself, gets and loses nothing.
    gift = pairs.other(given)
    if p.stake == "fixed":
        able, share, received = pairs.gives, (given > 0) * 1.0, p.benefit * (gift > 0)
    else:
        able = pairs.gives & (held > 0)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            share, received = given / held, p.multiplier * gift
    deed = np.where(able, GAVE, np.where(pairs.gives, HAD_NOTHING, NONE)).astype(np.int8)
    gain, harm = received - given, spent
    if p.punishment:
        harm = DESTROYED * pairs.other(spent)
        harm = harm if p.stake == "fixed" else np.minimum(harm, held)
        deed[able & (spent > 0)] = PUNISHED
        gain = gain - spent - harm
    return Done(
        given,
        spent,
        read_only(deed),
        read_only(np.where(able, share, np.nan)),
        read_only(received),
        harm,
        gain,
    )
