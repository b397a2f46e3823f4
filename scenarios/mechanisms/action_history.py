"""The history of repeated games, and the part of it that players are shown.

Of T games, t = 0, 1, ..., T - 1, the t-th weighs

    w_t = (1 - d) d^t   for t < T - 1       w_{T-1} = d^(T-1)

where d is the chance that another game follows: what would come after the last one is as that was.
Without such a chance all weigh 1 / T. The weights sum to 1.
Source: Tewolde et al. 2026 (CoopEval), section 3; that the rest weighs on the last game is read off
the public code of that study.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from society.engine.mechanism import Declared, intercept
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Line, Script, Tell, common, own
from society.errors import ScenarioError


def game_weights(games: int, continuation: float | None) -> Array:
    """Return the weight of each game, (T,).

    >>> game_weights(3, 0.8).round(2).tolist(), game_weights(4, None).tolist()
    ([0.2, 0.16, 0.64], [0.25, 0.25, 0.25, 0.25])
    """
    if continuation is None:
        return np.full(games, 1 / games)
    # Powers of Python's floats: numpy's own differ in their last bit between processors.
    powers = np.array([continuation**game for game in range(games)])
    weights: Array = (1 - continuation) * powers
    weights[-1] = powers[-1]
    return weights


class Opening:
    """The first round of a play, as it is rehearsed: what is asked, and what is told of it."""

    def __init__(self, lines: Iterator[Line], declared: Declared) -> None:
        self.asked: set[str] = set()  # names of the facts of the first move
        self.told: set[str] = set()  # and of the first tell of payoffs
        for line in lines:
            if isinstance(line, Ask) and line.kind == declared.move:
                self.asked = self.asked or set(line.facts)
            if isinstance(line, Tell) and line.kind == declared.told:
                self.told = set(line.facts)
                return

    @property
    def has_actions(self) -> bool:
        """Tell whether all actions are told, one's own and those of co-players."""
        return {"action", "others", "weight"} <= self.told

    def refuse_series(self, mechanism: str) -> None:
        """Raise ScenarioError if the games are repeated already."""
        if "games_played" in self.asked:
            inner = "reputation" if "opponents" in self.asked else "repetition"
            raise ScenarioError(
                f"{mechanism} stands around {inner}, and both show what happened in earlier games; "
                "name one of them, with as many games as you want"
            )


class Past(ABC):
    """Games that were played, told to those who go on playing.

    continuation: the chance that another game follows, as everybody is told; None: nothing is said.
    """

    def __init__(self, declared: Declared, continuation: float | None) -> None:
        self.declared = declared
        self.games = 0  # that were played
        self._said = {} if continuation is None else {"continuation": common(continuation)}

    @abstractmethod
    def shown(self) -> dict[str, Fact]:
        """Return the facts that everybody is shown before it answers."""

    @abstractmethod
    def add(self, told: Mapping[str, Fact], points: Array) -> None:
        """A game was played; points: (R, N), with all that mechanisms have added."""

    def noted(self, told: Mapping[str, Fact]) -> Mapping[str, Fact]:
        """Return the facts told of a game, with additions of this kind of past."""
        return told

    def kept(self, script: Script, weight: float) -> Script:
        """Drive a game, which counts so much."""

        def line(said: Line) -> Line:
            if isinstance(said, Ask):
                played = {"games_played": common(self.games), **self._said}
                return replace(said, facts={**said.facts, **played, **self.shown()})
            if self._tells(said):
                assert isinstance(said, Tell)
                counted = common(said.facts["weight"].values * weight)
                return replace(said, facts={**self.noted(said.facts), "weight": counted})
            return said

        def answer(line: Line, received: Any) -> Any:
            if self._tells(line):
                assert isinstance(line, Tell)
                paid = line.facts[self.declared.payoff].values
                self.add(line.facts, paid if received is None else paid + received)
                self.games += 1
            return received

        return intercept(script, line=line, answer=answer)

    def _tells(self, line: Line) -> bool:
        return isinstance(line, Tell) and line.kind == self.declared.told


class ActionHistory(Past):
    """The actions in a match, in the latest `window` games; None: in all of them."""

    def __init__(self, declared: Declared, continuation: float | None, window: int | None) -> None:
        super().__init__(declared, continuation)
        self._window = window
        self._own: Array | None = None
        self._others: Array | None = None

    def shown(self) -> dict[str, Fact]:
        if self._own is None or self._others is None:
            return {}
        replicates, agents, entries = self._own.shape
        number = np.broadcast_to(self.games - np.arange(entries), (replicates, 1, entries))
        return {
            "past_round": common(number),
            "past_own": own(self._own),
            "past_others": own(self._others.reshape(replicates, agents, -1)),
        }

    def add(self, told: Mapping[str, Fact], points: Array) -> None:
        if self._window == 0:
            return
        self._own = self._longer(told["action"].values[..., None], self._own)
        self._others = self._longer(told["others"].values[:, :, None], self._others)

    def _longer(self, new: Array, old: Array | None) -> Array:
        """The latest games first, along the third axis."""
        if old is None or self._window == 1:
            return new.copy()  # a play may change its own arrays in place
        kept = old if self._window is None else old[:, :, : self._window - 1]
        return np.concatenate([new, kept], axis=2)
