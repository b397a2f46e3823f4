"""Classic strategies for games in normal form, alone or over and over.

    always_cooperate, always_defect     whatever happens
    tit_for_tat                         cooperates first, then if all co-players did so last time
    suspicious_tit_for_tat              the same, but defects first
    generous_tit_for_tat                the same, and forgives with chance `generosity`
    tit_for_two_tats                    cooperates unless somebody defected in each of the last two
    grim                                until anybody, itself included, has once defected
    standing                            defects if a co-player has lost its standing
    own_standing                        the same, but also if it has lost its own
    win_stay_lose_shift                 repeats what paid more than equilibrium does, else changes
    random                              both with chance 1/2
    best_response                       to what the co-players did last
    fictitious_play                     to all that they did so far, each profile as often as it was

To cooperate is to play one's part of `rules.cooperation`; anything else provokes. To defect is to
play one's part of `rules.equilibrium` or, where that is not known, any other action, all equally
likely. Where partners change, the reciprocal ones of these (tit_for_tat to own_standing) go by what
is shown of the past (society.components.games.observed_history); else by what they remember, and
those of standing are like grim. In a game without cooperation all but the last two play the
equilibrium, or mix evenly if it is not known. Best responses start with the equilibrium, or under a
contract in force with a response to it; of several, they take the first
(society.components.games.best_responses). Who took no part in a game has neither cooperated nor
defected in it. Minds for contracts and mediators may put these above their strategy
(society.components.games.mechanism_use). The default `generosity` is the most that does not invite
defection if payoffs are 5, 3, 1 and 0, as Axelrod's, and is the same in all games: for 3, 2, 1 and
0 that would be 1/2, and most games have no such number. Sources: Axelrod 1984, The Evolution of
Cooperation; Nowak and Sigmund 1992, Nature 355 (generous) and 1993, Nature 364 (win-stay,
lose-shift); Friedman 1971, Rev. Econ. Stud. 38 (grim); Brown 1951 (fictitious play).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from society.engine.action_spaces import Choice, MixedStrategy
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.parameters import Share
from society.engine.rng import Array

from .best_responses import best_response, update_responses
from .mechanism_use import guidance
from .observed_history import observed_moves
from .payoff_helpers import (
    action_chances,
    by_seat,
    cooperative_actions,
    equilibrium_payoffs,
    of_others,
)

StrategyName = Literal[
    "always_cooperate",
    "always_defect",
    "tit_for_tat",
    "suspicious_tit_for_tat",
    "generous_tit_for_tat",
    "tit_for_two_tats",
    "grim",
    "standing",
    "own_standing",
    "win_stay_lose_shift",
    "random",
    "best_response",
    "fictitious_play",
]
STRATEGIES: tuple[StrategyName, ...] = get_args(StrategyName)
BEST_RESPONSE, FICTITIOUS_PLAY = map(STRATEGIES.index, ("best_response", "fictitious_play"))
SITUATIONS = 256
FRESH = 254  # nothing has happened, and that was well


class SeenPast(NamedTuple):
    """The memory of a player, of bool; each is a bit of the column `situation`, the first one low.

    begun: it has played. kind: no co-player defected last time; kind_before: nor the time before.
    clean: nobody ever did. standing, own_standing: as in society.components.games.observed_history.
    own: it did not defect itself. won: it was paid more than in equilibrium.
    """

    begun: Array
    kind: Array
    kind_before: Array
    clean: Array
    standing: Array
    own_standing: Array
    own: Array
    won: Array


BITS = [np.int16(1 << bit) for bit in range(len(SeenPast._fields))]
BEGUN, KIND, KIND_BEFORE, CLEAN, STANDING, OWN_STANDING, OWN, WON = BITS
RULES: Mapping[StrategyName, Callable[[SeenPast, float], Array | float]] = {
    "always_cooperate": lambda past, generosity: 1.0,
    "always_defect": lambda past, generosity: 0.0,
    "tit_for_tat": lambda past, generosity: past.kind,
    "suspicious_tit_for_tat": lambda past, generosity: past.begun & past.kind,
    "generous_tit_for_tat": lambda past, generosity: np.where(past.kind, 1.0, generosity),
    "tit_for_two_tats": lambda past, generosity: past.kind | past.kind_before,
    "grim": lambda past, generosity: past.clean,
    "standing": lambda past, generosity: past.standing,
    "own_standing": lambda past, generosity: past.own_standing,
    "win_stay_lose_shift": lambda past, generosity: past.own == past.won,
    "random": lambda past, generosity: 0.5,
    "best_response": lambda past, generosity: 0.0,
    "fictitious_play": lambda past, generosity: 0.0,
}


@dataclass(frozen=True)
class ClassicStrategies(Component):
    """A classic strategy, which children inherit; of several, or any: each equally likely."""

    strategy: StrategyName | Literal["any"] | tuple[StrategyName, ...] = "any"
    generosity: Share = 1 / 3

    chance_id = "moves"
    at_birth = ("strategy", "generosity")
    answers = ("move",)
    notices = ("played",)
    columns = (
        Column(
            "strategy",
            np.int8,
            public=True,
            heritable=True,
            labels=STRATEGIES,
            text="Classic strategy",
        ),
        Column("situation", np.int16),
        Column("forgives"),
        Column("response", np.int16),
        Column("would_pay", object),
        Column("games", np.int32),
    )

    def begin(self, agents: AgentGroup) -> None:
        self._choose(agents)
        agents["forgives"] = self.generosity
        agents["situation"], agents["response"] = FRESH, -1

    def adapt(self, before: ClassicStrategies, agents: AgentGroup) -> None:
        if self.strategy != before.strategy:
            self._choose(agents)
        agents["forgives"] = self.generosity

    def _choose(self, agents: AgentGroup) -> None:
        these = strategy_indices(self.strategy)
        agents["strategy"] = these[agents.draws.integers("strategy", len(these))]

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        entry = remembered_situation(ask, agents) * np.intp(len(STRATEGIES)) + agents["strategy"]
        chance = cooperation_chance(0.0).take(entry)
        chance += forgiveness().take(entry) * agents["forgives"]
        mix = mixed_strategies(ask, agents, chance)
        return sample_actions(mix, agents) if isinstance(ask.reply, Choice) else mix

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["situation"] = update_memory(tell, agents)
        if plays_best_responses(agents).any():
            agents["would_pay"], agents["games"], agents["response"] = update_best_responses(
                tell, agents
            )


def strategy_indices(said: str | tuple[str, ...]) -> Array:
    """Return the indices of the strategies that are meant."""
    names = STRATEGIES if said == "any" else (said,) if isinstance(said, str) else said
    return np.array([STRATEGIES.index(name) for name in names], np.int8)


@lru_cache(maxsize=64)
def cooperation_chance(generosity: float) -> Array:
    """The chance to cooperate, by what is remembered, then by strategy, flat."""
    memory = np.arange(SITUATIONS)
    past = _decoded(memory)
    chances = [np.broadcast_to(rule(past, generosity), SITUATIONS) for rule in RULES.values()]
    return np.stack(chances, axis=1).astype(float).reshape(-1)


@cache
def forgiveness() -> Array:
    """Return what a generosity of 1 adds to the chance to cooperate, in the same order, 0 or 1."""
    return cooperation_chance(1.0) - cooperation_chance(0.0)


def mixed_strategies(ask: Question, agents: AgentGroup, chance: Array) -> Array:
    """Mixed strategies, (M, K), of who cooperates with a chance, unless it knows better.

    Best responders do as soon as they have something to respond to, and minds for mechanisms where
    a contract or a mediator tells them what to do (to delegate is the last action).
    """
    width, guided, responds = _width(ask), guidance(ask, agents), plays_best_responses(agents)
    if guided is not None:
        chance = np.where(guided.cooperates, 1.0, np.where(guided.resigns, 0.0, chance))
        responds &= ~(guided.cooperates | guided.resigns)
    mix = np.empty((len(agents), width))
    # Action by action, since numpy is slow along short axes.
    for action, (base, more) in enumerate(action_chances(agents.rules, width)):
        mix[:, action] = chance * by_seat(more, agents) + by_seat(base, agents)
    if responds.any():
        response = best_response(ask, agents, responds)
        responds &= response >= 0
        mix[responds] = np.eye(width)[np.minimum(response[responds], width - 1)]
    if guided is not None:
        mix[guided.delegates] = np.eye(width)[-1]
    return mix


def sample_actions(mix: Array, agents: AgentGroup) -> Array:
    """An action each, as an index, (M,)."""
    below = np.cumsum(mix, axis=1)[:, :-1]
    chosen: Array = (agents.draws.uniform("action")[:, None] >= below).sum(1)
    return chosen


def update_memory(tell: News, agents: AgentGroup) -> Array:
    """The column `situation` after a game."""
    rules, old = agents.rules, agents["situation"]
    own, kind = np.ones(len(agents), bool), np.ones(len(agents), bool)
    if rules.cooperation is not None:
        own = tell.facts["action"] == by_seat(cooperative_actions(rules), agents)
        others = tell.facts["others"]
        for other, wanted in enumerate(of_others(rules)):
            did = others[:, other]
            kind &= (did == by_seat(wanted, agents)) | (did < 0)
    won = tell.facts["payoff"] > by_seat(equilibrium_payoffs(rules), agents)
    clean = own & kind & (old & CLEAN > 0)
    memory: Array = BEGUN + KIND * kind + OWN * own + WON * won
    memory += (old & KIND) * (KIND_BEFORE // KIND) + (CLEAN | STANDING | OWN_STANDING) * clean
    return memory


def remembered_situation(ask: Question, agents: AgentGroup) -> Array:
    """The column `situation`; where partners change, with what is shown of their past."""
    memory = agents["situation"]
    if "past_depth" not in ask.facts or agents.rules.cooperation is None:
        return memory
    return _coded(_decoded(memory)._replace(**observed_moves(ask.facts, agents.rules)._asdict()))


def plays_best_responses(agents: AgentGroup) -> Array:
    """Tell who plays best responses, (M,) of bool."""
    responds: Array = agents["strategy"] >= BEST_RESPONSE
    return responds


def update_best_responses(tell: News, agents: AgentGroup) -> tuple[Array, Array, Array]:
    """The columns `would_pay`, `games` and `response` after a game."""
    return update_responses(
        tell, agents, plays_best_responses(agents), agents["strategy"] == FICTITIOUS_PLAY
    )


def _coded(past: SeenPast) -> Array:
    """One number for what is remembered."""
    code: Array = np.sum([part * bit for part, bit in zip(past, BITS, strict=True)], axis=0)
    return code


def _decoded(memory: Array) -> SeenPast:
    return SeenPast(*(memory & bit > 0 for bit in BITS))


def _width(ask: Question) -> int:
    if isinstance(ask.reply, Choice):
        return int(ask.reply.options.shape[1])
    assert isinstance(ask.reply, MixedStrategy)
    return ask.reply.width
