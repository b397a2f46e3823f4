"""Classic strategies for games in normal form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from society.agent import Column, Component, Members, News, Question
from society.replies import Mix

Strategy = Literal["always_cooperate", "always_defect", "tit_for_tat", "random"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(frozen=True)
class Moves(Component):
    """A classic strategy; any: by chance."""

    strategy: Strategy | Literal["any"] = "any"

    answers = ("move",)
    notices = ("played",)
    columns = (
        Column("strategy", np.int8, public=True, heritable=True, labels=STRATEGIES),
        Column("provoked", bool),
    )

    def begin(self, me: Members) -> None:
        any_one = me.draws.integers("strategy", len(STRATEGIES))
        me["strategy"] = any_one if self.strategy == "any" else STRATEGIES.index(self.strategy)

    def answer(self, ask: Question, me: Members) -> Any:
        chance = np.choose(me["strategy"], [1.0, 0.0, ~me["provoked"] * 1.0, 0.5])
        assert isinstance(ask.reply, Mix)
        mix = np.zeros((len(me), ask.reply.width))
        mix[:, 0], mix[:, 1] = chance, 1 - chance
        return mix

    def notice(self, tell: News, me: Members) -> None:
        me["provoked"] = (tell.facts["others"] != 0).any(1)
