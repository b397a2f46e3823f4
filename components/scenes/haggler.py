"""A buyer or seller who gives way step by step, from a first price to its limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.action_spaces import Real
from society.engine.component import AgentGroup, Component, Question
from society.engine.rng import Array


@dataclass(frozen=True)
class Haggler(Component):
    """Gives way in equal steps: price = limit + s markup (1 - t / patience), at least the limit.

    s is 1 for a seller and -1 for a buyer, t counts the offers before, and the limit is what the
    good is worth to it. markup: in coins, with which it opens. patience: offers until it is at its
    limit. It says its price in plain words, too. A rule of ours.
    """

    markup: Annotated[float, Field(ge=0)] = 8.0
    patience: Annotated[int, Field(ge=1)] = 4

    chance_id = "haggler"
    answers = ("act", "offer")

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        sells = ask.facts["sells"].astype(bool)
        left = np.maximum(1 - (ask.facts["bout"] - 1) / self.patience, 0)
        way = np.where(sells, 1, -1) * self.markup * left
        price = np.maximum(np.round(ask.facts["worth"] + way, 2), 0)
        if isinstance(ask.reply, Real):
            return np.asarray(np.minimum(price, ask.reply.high))
        verbs = np.where(sells, "I ask for", "I would give")
        said = [f"{verb} {one:g} coins." for verb, one in zip(verbs, price.tolist(), strict=True)]
        return np.array(said, object)
