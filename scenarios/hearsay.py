"""What agents say about each other: reviews for all to read, gossip for those who listen.

    review   whoever was given a chance to receive writes a line about the donor; donors are shown
             the latest lines about their recipient, in place of a trace
    gossip   everybody names one neighbour on the graph `hear` and says good or bad of it; those who
             see the speaker on that graph hear it, and may make of it what they will
Source: ours; Vallinder and Hughes 2024, section 5, ask what reviews would change. Gossip that can
be wrong: Sommerfeld et al. 2007, PNAS 104.
"""

from __future__ import annotations

import numpy as np

from society.graph import NOBODY
from society.replies import Choice, Form, Peer, Words
from society.scenarios.donations import Done
from society.scenarios.schedules import Pairs
from society.table import Table
from society.talk import Ask, Fact, Script, Tell, own, seen
from society.wording import clean

LINE = Words(200)
_CLEAN = np.frompyfunc(clean, 1, 1)
_SAYS = Form({"about": Peer("hear"), "verdict": Choice("bad", "good")})
_NOTHING = {"about": NOBODY, "verdict": "good"}


class Reviews:
    """The latest lines about everybody, from the beginning of a game."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._on = table.params.medium == "review"
        self.lines = np.full((*table.present.shape, table.params.trace), "", object)

    def facts(self, pairs: Pairs) -> dict[str, Fact]:
        """What donors read about their recipients, if that is how they hear of them."""
        return {"reviews": own(pairs.other(self.lines))} if self._on else {}

    def written(self, pairs: Pairs, done: Done) -> Script:
        """Those who were to receive write about the donors."""
        if not self._on:
            return
        facts = {
            "donor": own(pairs.other(self._table.lives)),
            "share": own(pairs.other(done.share)),
            "received": own(done.received),
            "taken": own(done.taken),
        }
        answer = yield Ask("review", LINE, facts, who=pairs.receives, otherwise="")
        said = np.asarray(_CLEAN(answer), object)
        yield Tell("reviewed", {"review": own(np.where(pairs.gives, pairs.other(said), ""))})
        written = pairs.gives & (pairs.other(said) != "")
        new = np.concatenate([pairs.other(said)[..., None], self.lines[..., :-1]], axis=2)
        self.lines = np.where(written[..., None], new[..., : self.lines.shape[2]], self.lines)


def gossiped(table: Table) -> Script:
    """Everybody says good or bad of one neighbour, to those who see the speaker."""
    said = yield Ask("gossip", _SAYS, otherwise=_NOTHING)
    facts = {"about": seen("hear", said["about"]), "good": seen("hear", said["verdict"] == 1)}
    yield Tell("gossiped", facts)
