"""Partner choice: whom one agrees to meet, and whom one never meets again.

    given     partners are as the schedule has them
    agreed    both are shown what is known of the other and may refuse; then nobody gives
    rewired   whoever refuses also cuts the edge of the graph `meet` between the two, for the rest
              of the game, and makes a new one to somebody by chance
So who is refused by all is ostracised: it meets nobody any more.
Source: the option is ours; rewiring as in Santos, Pacheco and Lenaerts 2006, PLoS Comput. Biol. 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from society.draws import Array
from society.graph import NOBODY, Rows
from society.replies import Choice
from society.scenarios.schedules import Pairs
from society.table import Table
from society.talk import Ask, Fact, Script, Tell, own

Partners = Literal["given", "agreed", "rewired"]


def accepted(table: Table, pairs: Pairs, facts: Mapping[str, Fact]) -> Script:
    """The pairs that agree, and who is in a pair of which one refused, (R, N) of bool."""
    rule, paired = table.params.partners, pairs.partner != NOBODY
    if rule == "given":
        return pairs, np.zeros_like(paired)
    answer = yield Ask("accept", Choice("refuse", "accept"), facts, who=paired, otherwise="accept")
    refuses = paired & (answer == 0)
    apart = refuses | (paired & pairs.other(refuses))
    if rule == "rewired":
        cuts = {"meet": np.where(refuses, pairs.partner, NOBODY)}
        yield Tell("refused", {"refuses": own(refuses)}, cuts=cuts, joins=_joins(table, refuses))
    return Pairs(np.where(apart, NOBODY, pairs.partner), pairs.gives & ~apart), apart


def _joins(table: Table, refuses: Array) -> dict[str, Array]:
    """A new neighbour by chance for those who refused, unless it is one already."""
    seats = table.agents
    other = table.draws("accepted").integers("whom", seats - 1)
    other = other + (other >= np.arange(seats))
    node = np.arange(other.size)
    rows = Rows(*np.divmod(node, seats), node)
    known = table.graph("meet").connects(rows.node, other.reshape(-1)).reshape(other.shape)
    fresh = refuses & ~known & np.take_along_axis(table.active, other, 1)
    return {"meet": np.where(fresh, other, NOBODY)}
