"""Words about others: reviews for all to read, gossip for those who listen.

    review   whoever met a donor writes a line about it; donors are shown the latest lines about
             their recipient, in place of a trace
    gossip   everybody names one neighbour on the graph `hear` and says good or bad of it; those who
             see the speaker on that graph hear it, and may make of it what they will
Source: ours; Vallinder and Hughes 2024, section 5, ask what reviews would change. Gossip that can
be wrong: Sommerfeld et al. 2007, PNAS 104.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.engine.action_spaces import Choice, Fields, Neighbour, Text
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Script, Tell, own, seen
from society.scenarios.donor.decisions import Done
from society.scenarios.donor.pairing import DonorPairs
from society.text import clean_line

LINE = Text(200)
_CLEAN = np.frompyfunc(clean_line, 1, 1)
_SAYS = Fields({"about": Neighbour("hear"), "verdict": Choice("bad", "good")})
_NOTHING = {"about": NOBODY, "verdict": "good"}


class Reviews:
    """The latest lines about everybody, from the beginning of a game."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._on = env.params.medium == "review"
        self.lines = np.full((*env.present.shape, env.params.trace), "", object)

    def facts(self, pairs: DonorPairs, learns: Array) -> dict[str, Fact]:
        """Return the reviews that donors read of their recipients, (R, N, K), if there are any.

        learns: who is told anything, (R, N).
        """
        if not self._on:
            return {}
        return {"reviews": own(np.where(learns[..., None], pairs.other(self.lines, ""), ""))}

    def written(self, pairs: DonorPairs, done: Done, now: Mapping[str, Fact]) -> Script:
        """Ask those who met a donor for a review; now: common facts of the moment."""
        if not self._on:
            return
        facts = {
            **now,
            "donor": own(pairs.partner_life),
            "share": own(pairs.other(done.share)),
            "received": own(done.received),
            "taken": own(done.taken),
        }
        answer = yield Ask("review", LINE, facts, who=pairs.receives, fallback="")
        # Who gives receives nothing and writes nothing, so that what it reads is about itself.
        line = pairs.other(np.asarray(_CLEAN(answer), object), "")
        yield Tell("reviewed", {"review": own(line)})
        new = np.concatenate([line[..., None], self.lines], axis=2)[..., : self.lines.shape[2]]
        self.lines = np.where((line != "")[..., None], new, self.lines)


def spread_gossip(now: Mapping[str, Fact]) -> Script:
    """Ask everybody to call one neighbour good or bad; now: common facts of the moment."""
    said = yield Ask("gossip", _SAYS, now, fallback=_NOTHING)
    facts = {"about": seen("hear", said["about"]), "good": seen("hear", said["verdict"] == 1)}
    yield Tell("gossiped", facts)
