"""A battery of recipients: what everybody would give to each of them.

All agents are asked about the same encounters, and nothing comes of it: so a strategy, be it a
rule, a sentence or code, becomes a function from what is known of a recipient to the share that it
is given (a reaction norm), strategies of all generations can be compared, and newborn ones with
those that they were made from, before the same recipients. Donor and recipient own the same, and
each is shown as much as the game ever shows: of a record only what the recipient itself did.
Under stake `fixed` the shares are still those of the list, though there no gift is a part.
Source: ours; Vallinder and Hughes 2024, section 4.1, ask for such a fixed background.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.graph import NOBODY
from society.scenarios.donations import decided
from society.scenarios.traces import GAVE, Deeds, blank
from society.table import Table
from society.talk import Script, Tell, common, own


class Encounter(NamedTuple):
    """A recipient of whom is known which shares were given, its own first, then along the chain."""

    name: str
    shares: tuple[float, ...] = ()


BATTERY = (
    Encounter("stranger"),
    Encounter("gave nothing", (0.0,)),
    Encounter("gave a quarter", (0.25,)),
    Encounter("gave half", (0.5,)),
    Encounter("gave three quarters", (0.75,)),
    Encounter("gave all", (1.0,)),
    Encounter("gave nothing to one who gave nothing", (0.0, 0.0)),
    Encounter("gave nothing to one who gave all", (0.0, 1.0)),
    Encounter("gave all to one who gave nothing", (1.0, 0.0)),
    Encounter("gave all to one who gave all", (1.0, 1.0)),
    Encounter("gave half in a chain of halves", (0.5, 0.5, 0.5)),
)


def supposed(table: Table) -> Script:
    """Ask everybody about the battery; tells `reaction`, the shares given, (R, N, B).

    NaN of those who do not take part.
    """
    p = table.params
    held = np.full(table.present.shape, p.endowment or 1.0)  # a share of nothing is no answer
    worth = p.cost if p.stake == "fixed" else held
    shares = []
    for encounter in BATTERY:
        facts = {
            "generation": common(table.births + 1),
            "round": common(len(encounter.shares) + 1),
            "resources": own(held),
            "recipient": own(np.full(held.shape, NOBODY)),
            "recipient_resources": own(held),
            **deeds(table, encounter).facts(table),
        }
        choice = yield from decided(table, held, facts, table.active, "suppose")
        shares.append(np.where(table.active, choice.given / worth, np.nan))
    names = np.array([[[encounter.name for encounter in BATTERY]]], object)
    reaction = own(np.stack(shares, axis=2))
    yield Tell("supposed", {"encounter": common(names), "reaction": reaction})


def deeds(table: Table, encounter: Encounter) -> Deeds:
    """What is shown of a recipient, who had the endowment when it gave."""
    p, rounds = table.params, len(encounter.shares)
    shown = encounter.shares[: p.trace if p.medium == "trace" else 1]
    length = p.trace if p.medium == "trace" else len(shown)
    known = Deeds.of(blank(table, length))
    for place, share in enumerate(shown):
        known.sort[..., place] = GAVE
        known.share[..., place] = share
        known.units[..., place] = share * (p.cost if p.stake == "fixed" else p.endowment)
        known.when[..., place] = rounds - place
    return known
