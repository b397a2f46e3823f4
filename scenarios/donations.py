"""One encounter of the donor game: what can be decided, and what follows from it.

Under stake `share` a donor of r units gives x, 0 <= x <= r, and the recipient gets m x; or, with
punishment, spends x, and the recipient loses 2 x, but at most what it has. Under stake `fixed` a
gift costs c and is worth b, and a punishment costs c and takes 2 c; debts are possible.
Resources in = resources out + (m - 1) gifts - (1 + 2) punishments, as far as there was to take.
Source: Vallinder and Hughes 2024, arXiv 2412.10270; Nowak and Sigmund 1998, Nature 393.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.draws import Array
from society.graph import NOBODY
from society.replies import Amount, Choice, Form, Reply
from society.scenarios.schedules import Pairs
from society.scenarios.traces import GAVE, HAD_NOTHING, PUNISHED, Deeds
from society.table import Table
from society.talk import Ask, Fact, Script, own, seen

if TYPE_CHECKING:
    from society.scenarios.donor_game import DonorGame

DESTROYED = 2  # units that a unit of punishment takes
NOTHING: Mapping[str, Any] = MappingProxyType({"deed": "donate", "amount": 0.0})


class Decision(NamedTuple):
    """Units given, and units spent on punishing; (R, N) each."""

    given: Array
    spent: Array


class Done(NamedTuple):
    """What came of the decisions of a round; (R, N) each.

    share: of what the donor owned, 0 where it punished, NaN where it had nothing to give and for
    all who are no donors. received, taken: units, of recipients. gain: of everybody.
    """

    given: Array
    spent: Array
    share: Array
    received: Array
    taken: Array
    gain: Array

    def deeds(self, pairs: Pairs, number: int) -> Deeds:
        """As entries of a trace, (R, N, 1)."""
        gave = np.where(np.isnan(self.share), HAD_NOTHING, GAVE)
        sort = np.where(self.spent > 0, PUNISHED, gave).astype(np.int8)
        share = np.where(sort == GAVE, self.share, np.nan)
        units = self.given + self.spent
        when = np.full(sort.shape, number)
        return Deeds(*(part[..., None] for part in (sort, share, units, pairs.partner, when)))

    def facts(self, table: Table, pairs: Pairs) -> dict[str, Fact]:
        """As everybody is told; neighbours on `hear` see who gave which share to whom."""
        return {
            "partner": seen("hear", pairs.partner),
            "share": seen("hear", self.share),
            "donor": own(pairs.gives),
            "partner_life": own(
                np.where(pairs.partner == NOBODY, NOBODY, pairs.other(table.lives))
            ),
            "given": own(self.given),
            "spent": own(self.spent),
            "received": own(self.received),
            "taken": own(self.taken),
        }


def reply(p: DonorGame, held: Array) -> Reply:
    """The form of a decision for somebody who owns so much."""
    if p.stake == "fixed":
        return Choice("keep", "give", "punish") if p.punishment else Choice("keep", "give")
    if p.punishment:
        return Form({"deed": Choice("donate", "punish"), "amount": Amount(0, held)})
    return Amount(0, held)


def decided(
    p: DonorGame, held: Array, facts: Mapping[str, Fact], who: Array, kind: str = "donate"
) -> Script:
    """What those in `who` do; an answer that cannot be read gives nothing."""
    otherwise: Any = "keep" if p.stake == "fixed" else NOTHING if p.punishment else 0.0
    said = yield Ask(kind, reply(p, held), facts, who=who, otherwise=otherwise)
    if p.stake == "fixed":
        return Decision(p.cost * (said == 1), p.cost * (said == 2))
    if p.punishment:
        gives = said["deed"] == 0
        return Decision(said["amount"] * gives, said["amount"] * ~gives)
    return Decision(said, np.zeros_like(said))


def settled(table: Table, pairs: Pairs, held: Array, choice: Decision) -> Done:
    """What comes of it, with errors of execution; held: units before, (R, N)."""
    p, (given, spent) = table.params, choice
    if p.execution_error:
        works = table.draws("donor_game").uniform("slip") >= p.execution_error
        given, spent = given * works, spent * works
    harm = np.where(pairs.receives, DESTROYED * pairs.other(spent), 0.0)
    if p.stake == "fixed":
        share = np.where(pairs.gives, (given > 0) * 1.0, np.nan)
        worth = p.benefit * (pairs.other(given) > 0)
    else:
        able = pairs.gives & (held > 0)
        share = np.divide(given, held, out=np.full(held.shape, np.nan), where=able)
        worth, harm = p.multiplier * pairs.other(given), np.minimum(harm, held)
    received = np.where(pairs.receives, worth, 0.0)
    return Done(given, spent, share, received, harm, received - given - spent - harm)
