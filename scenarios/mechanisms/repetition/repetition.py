"""Several games in a row: a scenario is played from its beginning, as often as one likes.

Of games in matches, as all in normal form are, everybody is shown the actions of those it plays
with, which are the same in each game, but not what they come to. What counts in the end is the mean
over games, weighted by how likely it is that they are played
(society.scenarios.mechanisms.action_history).

Whoever dies in a game, is dead in those that follow. Where a game ends before its horizon, its
agents wait for the next one; what is told meanwhile has no numbers, since nothing happens there.
Source: Axelrod 1984, The Evolution of Cooperation; Tewolde et al. 2026 (CoopEval), section 3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.mechanism import Declared, Play, PlayFunction, intercept, survey
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.engine.script import Fact, Line, Script, Tell
from society.errors import ScenarioError
from society.scenarios.mechanisms.action_history import ActionHistory, Opening, game_weights


class Recess:
    """The agents who wait after a game that would else have ended their replicate.

    waiting: (R, N) of bool, those who took part when their game ended.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self.waiting = np.zeros(env.present.shape, bool)

    def played(self, play: PlayFunction) -> Script:
        """Drive the play; where it ends a replicate, the game is adjourned there."""
        return intercept(play(self._env), line=self._heard)

    def _heard(self, line: Line) -> Line | Script:
        if not isinstance(line, Tell):
            return line
        over: Array = np.logical_or.reduce(self.waiting, axis=1)
        if over.any():
            facts = {name: _blank(fact, over) for name, fact in line.facts.items()}
            line = replace(line, facts=facts)
        return line if line.ends is None else self._adjourned(line)

    def _adjourned(self, tell: Tell) -> Script:
        received = yield replace(tell, ends=None, occurs=tell.ends)
        waits = np.asarray(tell.ends, bool) & self._env.active
        self.waiting = self.waiting | waits
        yield Tell("adjourned", gone=waits)
        return received


def _blank(fact: Fact, over: Array) -> Fact:
    """NaN in replicates whose game is over, (R,), if the fact is of amounts."""
    if fact.values.dtype.kind != "f":
        return fact
    tall = over.reshape(-1, *(1 for _ in range(max(fact.values.ndim - 1, 1))))
    return fact._replace(values=np.where(tall, np.nan, fact.values))


Continuation = Annotated[
    Annotated[float, Field(ge=0, lt=1)] | None,
    Field(description="probability that another game follows; everybody is told"),
]
Window = Annotated[
    Annotated[int, Field(ge=0)] | None,
    Field(description="number of latest games that are shown; none: all"),
]


@mechanism(chance_id="repeated", levels=("game",))
def repetition(
    play: Play,
    *,
    games: Annotated[int, Field(ge=1)] = 2,
    continuation: Continuation = None,
    window: Window = None,
) -> PlayFunction:
    """The scenario is played several times in a row by the same agents.

    games: how often; nobody is told. Everything in the world begins anew; agents remember what they
    do. continuation: by which games are weighted; None: all count the same. window: None shows all
    games. Raises ScenarioError, before the first line, for a play that has generations: nobody
    would descend from those of the game before; for games in matches that are repeated already, or
    have several rounds; and for continuation or window if no actions are told.
    """

    def again(env: Environment) -> Script:
        play(env)  # says now what it misses
        _refuse_generations(play)
        declared = _matches(play, env)
        if declared is None:
            _refuse_past(continuation, window)
        else:
            refuse_rounds(env, "repetition")

        def script() -> Script:
            counted = game_weights(games, continuation)
            past = None if declared is None else ActionHistory(declared, continuation, window)
            for number in env.rounds(games):
                recess = Recess(env)
                game = recess.played(play)
                yield from past.kept(game, counted[number - 1]) if past else game
                yield Tell("gathered", back=recess.waiting, occurs=np.array(True))

        return script()

    return again


def _refuse_generations(play: Play) -> None:
    if "succession" in play.public:
        raise ScenarioError(
            "repetition: what is to be repeated has generations, and they would begin anew in "
            "each game; name `repetition` before `generations`, so that each generation plays "
            "several games, or ask for more generations (count)"
        )


def _matches(play: Play, env: Environment) -> Declared | None:
    """Return what a play in matches that tells actions declares; raises ScenarioError."""
    declared = play.declared
    if declared is None:
        return None
    opening = survey(Opening, play, env, declared)
    opening.refuse_series("repetition")
    return declared if opening.has_actions else None


def _refuse_past(continuation: float | None, window: int | None) -> None:
    for name, given in (("continuation", continuation), ("window", window)):
        if given is not None:
            raise ScenarioError(
                f"repetition: {name} is for games in matches that tell everybody's action, and "
                "this play tells none; leave it out"
            )


def refuse_rounds(env: Environment, mechanism: str) -> None:
    """Raise ScenarioError for a game of several rounds, which would be taken for games."""
    if env.horizon > 1:
        raise ScenarioError(
            f"{mechanism}: a game has {env.horizon} rounds, and what is shown of the past counts "
            "games; take rounds: 1, and as many games as you want"
        )
