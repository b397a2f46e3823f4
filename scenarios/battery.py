"""A battery of recipients: what everybody would give to each of them.

All agents are asked about the same encounters, and nothing comes of it: so a strategy, be it a
rule, a sentence or code, becomes a function from what is known of a recipient to the share that it
is given (a reaction norm), strategies of all generations can be compared, and newborn ones with
those that they were made from, before the same recipients. Donor and recipient own the same.
Source: ours; Vallinder and Hughes 2024, section 4.1, ask for such a fixed background.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.graph import NOBODY
from society.scenarios.donations import decided
from society.scenarios.traces import GAVE, Deeds
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
    """Ask everybody about the battery; tells `reaction`, the shares given, (R, N, B)."""
    p = table.params
    shares = []
    for encounter in BATTERY:
        held = np.full(table.present.shape, max(p.endowment, 1.0))
        facts = {
            "generation": common(table.births + 1),
            "round": common(len(encounter.shares) + 1),
            "resources": own(held),
            "recipient": own(np.full(held.shape, NOBODY)),
            "recipient_resources": own(held),
        }
        facts |= deeds(table, encounter).facts(table)
        choice = yield from decided(p, held, facts, table.active, "suppose")
        worth = p.cost if p.stake == "fixed" else held
        shares.append(np.divide(choice.given, worth, out=np.zeros_like(held), where=worth != 0))
    yield Tell("supposed", {"reaction": own(np.stack(shares, axis=2))})


def deeds(table: Table, encounter: Encounter) -> Deeds:
    """What is shown of a recipient: as much of it as the game ever shows."""
    length = table.params.trace if table.params.medium == "trace" else 0
    blank = Deeds.none((*table.present.shape, length))
    count = min(length, len(encounter.shares))
    sort, share, when = blank.sort.copy(), blank.share.copy(), blank.when.copy()
    sort[..., :count] = GAVE
    share[..., :count] = encounter.shares[:count]
    when[..., :count] = np.arange(len(encounter.shares), len(encounter.shares) - count, -1)
    return blank._replace(sort=sort, share=share, when=when)
