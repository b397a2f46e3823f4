"""Partner choice: whom one agrees to meet, and whom one never meets again.

    given     partners are as the schedule has them
    agreed    both are shown what is known of the other and who of them may give; if one refuses,
              nobody gives
    rewired   a refusal also cuts the edge of the graph `meet` between the two, for the rest of the
              game, and whoever refused makes a new one to somebody by chance
So who is refused by all is ostracised: it neither gives nor receives, and under `rewired` has
nobody left to meet, unless chance makes somebody seek it who does not know it.
Source: the option is ours, after Santos, Pacheco and Lenaerts 2006, PLoS Comput. Biol. 2, where
the new neighbour is one of the old neighbour's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.graph import NOBODY, AgentRows, Complete
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Script, Tell, own
from society.scenarios.donor.pairing import DonorPairs

CHANCE_ID = "accepted"
Partners = Literal["given", "agreed", "rewired"]


def choose_partners(env: Environment, pairs: DonorPairs, facts: Mapping[str, Fact]) -> Script:
    """The pairs that agree, and who is in a pair of which one refused, (R, N) of bool."""
    rule = env.params.partners
    if rule == "given":
        return pairs, np.zeros_like(pairs.gives)
    facts = {**facts, "gives": own(pairs.gives)}
    reply = Choice("refuse", "accept")
    answer = yield Ask("accept", reply, facts, who=~pairs.alone, fallback="accept")
    refuses = ~pairs.alone & (answer == 0)
    apart = refuses | pairs.other(refuses, False)
    if rule == "rewired":
        # From both ends, since a graph may have edges in one direction only.
        cuts = {"meet": np.where(apart, pairs.partner, NOBODY)}
        joins = {"meet": np.where(refuses, _sought(env, pairs), NOBODY)}
        yield Tell("refused", {"refuses": own(refuses)}, cuts=cuts, joins=joins)
    partner = np.where(apart, NOBODY, pairs.partner)
    return replace(pairs, partner=partner, gives=pairs.gives & ~apart), apart


def _sought(env: Environment, pairs: DonorPairs) -> Array:
    """Draw somebody for everybody, (R, N); NOBODY if it is the partner or a neighbour."""
    node = np.arange(env.present.size)
    rows = AgentRows(*np.divmod(node, env.agents), node)
    uniform = env.draws(CHANCE_ID).uniform("whom").reshape(-1)
    anybody = Complete(env.replicates, env.ids).drawn(uniform, rows, env.active)
    known = anybody == pairs.partner.reshape(-1)
    known |= env.graph("meet").connects(node, np.maximum(anybody, 0))
    return np.where(known, NOBODY, anybody).reshape(pairs.partner.shape)
