"""Nested levels: several villages share a lake, each with a rule of its own below a common one.

Villagers watch and fine within their own village only. What everybody proposes counts twice: for
the rule of all, as before, and for that of its own village. There the median of the caps proposed
is the cap; proposals in words are voted on once more, by the village alone. A villager may land as
much as the lower of the two caps. Rules of a village begin with the second day where policies are
words, as those of all do.
Source: Ostrom 1990, principle 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from society.components.village.voting import caps_of
from society.engine.action_spaces import Choice
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.graph import NOBODY
from society.engine.mechanism import Declared, Play, intercept
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script, Tell, own
from society.errors import ScenarioError
from society.scenarios.village.institutions import median_voter, plurality_winner
from society.scenarios.village.norm_proposals import ballot_options
from society.scenarios.village.principles.village_lines import lay_around, lower_caps, with_facts

CHANCE_ID = "nested_villages"


@mechanism(
    chance_id=CHANCE_ID,
    facts={
        "village": FactSpec("Number of a villager's own village"),
        "home_cap": FactSpec("Largest catch that its own village allows", "fish"),
        "at_home": FactSpec("Whether the vote is on the policy of its own village"),
        "home_policy": FactSpec("Policy of its own village, in words"),
    },
)
def nested_villages(
    play: Play,
    *,
    villages: Annotated[int, Field(ge=2, description="how many share the lake")] = 2,
) -> Play:
    """Several villages share the lake; each has a rule of its own, below the one of all."""

    def nested(env: Environment, whole: Script, _: Declared) -> Script:
        if 2 * villages > env.agents:
            raise ScenarioError(
                f"nested_villages: {env.agents} agents do not make {villages} villages of two and "
                f"more; take at most {env.agents // 2} villages, or more agents"
            )
        return HomeRules(env, villages).around(whole)

    return lay_around(play, "nested_villages", nested)


class HomeRules:
    """The rules of each village; cap, words: (R, N), by villager."""

    def __init__(self, env: Environment, villages: int) -> None:
        self.env, self.villages = env, villages
        by_id = np.argsort(np.argsort(env.ids)) * villages // env.agents
        self.home: Array = np.broadcast_to(by_id, env.present.shape)
        self.cap = np.full(env.present.shape, np.inf)
        self.words = self.proposals = np.full(env.present.shape, "", object)

    def around(self, whole: Script) -> Script:
        """Settle the villages, and play on with the rules of each."""
        yield Tell("settled", {"village": own(self.home + 1)}, groups={"monitor": self.home})
        return (yield from intercept(whole, line=self._line))

    def _line(self, said: Line) -> Line | Script:
        if isinstance(said, Ask) and said.kind in ("effort", "punish", "propose"):
            known = {"village": own(self.home + 1)}
            if "policy" in said.facts:
                known["home_policy"] = own(self.words)
            return with_facts(lower_caps(said, self.cap), **known)
        if isinstance(said, Tell) and "proposal" in said.facts:
            self.proposals = said.facts["proposal"].values
        return self._adopt(said) if isinstance(said, Tell) and said.kind == "adopted" else said

    def _adopt(self, adopted: Tell) -> Script:
        """Choose the rule of each village from what its own villagers have proposed."""
        back = yield adopted
        if self.proposals.dtype == object:
            yield from self._voted(adopted)
        else:
            for ours in self._villages():
                here = ours & self.env.active
                chosen = median_voter(self.proposals, here)
                self.cap = np.where(ours & here.any(1, keepdims=True), chosen, self.cap)
        yield Tell("adopted_at_home", {"home_cap": own(self.cap)})
        return back

    def _villages(self) -> Iterator[Array]:
        """Yield the seats of each village, (R, N)."""
        return (self.home == number for number in range(self.villages))

    def _voted(self, adopted: Tell) -> Script:
        """Vote in each village on what its own villagers have proposed in words."""
        for ours in self._villages():
            options, mine = ballot_options(np.where(ours, self.proposals, ""))
            known = {"policy": adopted.facts["policy"], "at_home": own(ours)}
            vote = yield Ask("vote", Choice(options=options), known, mine != NOBODY, mine)
            tie = self.env.draws(CHANCE_ID, per="replicate").uniform("tie")
            chosen = plurality_winner(options, vote, tie)
            self.words = np.where(ours & chosen.astype(bool), chosen, self.words)
        written = caps_of(self.words)
        self.cap = np.where(np.isnan(written), np.inf, written)
