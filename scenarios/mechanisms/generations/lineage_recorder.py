"""Record the parents of each life in a society of generations, and the strategy that it follows.

Newborn agents have the heritable traits of their parent; where strategies are words, they devise
their own, after those of all elders whom they see on the graph `advise` and their fitness, or after
that of their parent. Who is an elder, says society.scenarios.mechanisms.generations.selection: in
the paper, whoever lives on. Whoever says nothing that can be read follows its parent's strategy, or
none in the first generation.
Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3; the graph and the parent are ours.

How lives succeed each other, as agents are told it in words (prompts/generations/).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from society.engine.action_spaces import Sentence
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.script import HERITABLE, Ask, Fact, Inherit, Script, Tell, common, own, seen
from society.scenarios.mechanisms.generations.selection import Heirs, Selection

Strategies = Literal["none", "advice", "parent"]
SelectHeirs = Callable[[Array, Array, Environment], Heirs]  # from fitness, and who is alive
STRATEGY = Sentence(1500, opening="My strategy will be")


@dataclass
class LineageRecorder:
    """Lives, their parents and their strategies; (R, N) each."""

    env: Environment
    strategies: Strategies
    scores: Array = field(init=False)
    survives: Array = field(init=False)
    elders: Array = field(init=False)
    parents: Array = field(init=False)
    strategy: Array = field(init=False)

    def __post_init__(self) -> None:
        shape = self.env.present.shape
        self.scores = np.full(shape, np.nan)
        self.survives = self.elders = np.zeros(shape, bool)
        self.parents, self.strategy = np.full(shape, NOBODY), np.full(shape, "", object)

    def begun(self, number: int) -> Script:
        """The children of the last generation are born; survivors go on."""
        env, parent, lives = self.env, self.parents, self.env.lives
        newborn = ~self.survives & env.running
        if number > 1:
            yield Inherit("born", parent, HERITABLE, newborn)
        facts = {
            "generation": common(number),
            "life": own(env.lives),
            "parent": own(_of_parent(parent, lives, NOBODY)),
            "newborn": own(newborn),
        }
        yield Tell("descended", facts, back=~env.present & env.running)
        if self.strategies != "none":
            yield from self._devised(number, newborn)

    def _devised(self, number: int, newborn: Array) -> Script:
        """Newborn agents are asked for a strategy, all are told their own."""
        theirs = _of_parent(self.parents, self.strategy, "")
        facts = {"generation": common(number)} | self._advice(theirs)
        said = yield Ask("devise", STRATEGY, facts, newborn, theirs)
        new = np.where(said == "", theirs, said)
        self.strategy = np.where(newborn, new, self.strategy)
        yield Tell("devised", {"strategy": own(self.strategy)})

    def _advice(self, theirs: Array) -> dict[str, Fact]:
        """Return the strategies, and the success of each, that newborn agents hear of."""
        if self.strategies == "parent":
            score = _of_parent(self.parents, self.scores, np.nan)
            return {"strategy": own(theirs), "score": own(score)}
        return {
            "elder": seen("advise", self.elders),
            "strategy": seen("advise", np.where(self.elders, self.strategy, "")),
            "score": seen("advise", np.where(self.elders, self.scores, np.nan)),
        }

    def selected(
        self, fitness: Array, phenotype: Array, waiting: Array, rule: SelectHeirs
    ) -> Script:
        """Select survivors by fitness; waiting: who would take part if the game went on.

        The dead are told of, too, with what they came to: means over survivors would flatter.
        """
        env = self.env
        alive = env.running & (env.present | waiting)
        heirs = rule(fitness, alive, env)
        self.scores, self.survives, self.parents, self.elders = fitness, *heirs
        facts = {
            "fitness": own(fitness),
            "phenotype": own(phenotype),
            "alive": own(alive),
            "survives": own(heirs.survives),
            "descendants": own(heirs.descendants),
        }
        yield Tell("selected", facts)
        yield Tell("extinct", ends=np.logical_not(alive.any(1, keepdims=True)))


def _of_parent(parents: Array, values: Array, nobody: float | str) -> Array:
    """Return the value of everybody's parent, (R, N); `nobody` for those without one."""
    theirs: Array = np.take_along_axis(values, np.where(parents == NOBODY, 0, parents), 1)
    theirs[parents == NOBODY] = nobody
    return theirs


class Succession(NamedTuple):
    """A rule that selects survivors and parents.

    fitness: the fact that selection looks at. fold: what becomes of its tellings in a generation,
    "mean", "sum" or "last".
    """

    selection: Selection
    fitness: str
    fold: str
