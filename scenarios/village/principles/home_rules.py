"""The rules of villages that share a lake: what each has chosen, below the rule of all."""

import numpy as np

from society.components.village.voting import caps_of
from society.engine.environment import Environment
from society.engine.mechanism import intercept
from society.engine.rng import Array
from society.engine.script import Ask, Line, Script, Tell, own
from society.scenarios.village.institutions import median_in_groups
from society.scenarios.village.norm_proposals import vote_in_groups
from society.scenarios.village.principles.village_lines import lower_caps, with_facts


class HomeRules:
    """The rules of each village; cap, words: (R, N), by villager."""

    def __init__(self, env: Environment, villages: int) -> None:
        self.env = env
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
            known = {
                "policy": adopted.facts["policy"],
                "village": own(self.home + 1),
                "home_policy": own(self.words),
            }
            draws = self.env.draws("nested_villages", "replicate")
            voted = vote_in_groups(self.home, self.proposals, self.words, known, draws)
            self.words = yield from voted
            written = caps_of(self.words)
            self.cap = np.where(np.isnan(written), np.inf, written)
        else:
            self.cap = median_in_groups(self.env, self.home, self.proposals, self.cap)
        yield Tell("adopted_at_home", {"home_cap": own(self.cap)})
        return back
