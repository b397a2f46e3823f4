"""The service of a mediator in a play: it counts those who delegate, and moves for them.

In a game in normal form, to delegate is an action more of everybody's mixed strategy. It is drawn
first; of the other actions those who do not delegate keep their chances, so that all is as if one
action had been drawn from the whole strategy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from society.engine.action_spaces import MixedStrategy, Real
from society.engine.environment import Environment
from society.engine.mechanism import intercept
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Line, Script, Tell, own
from society.scenarios.games.game import REPAIRS
from society.scenarios.games.player_matching import Matches
from society.scenarios.mechanisms.agreements.approval_voting import (
    BALLOT,
    YES,
    Elected,
    match_fact,
    spread_to_players,
)
from society.scenarios.mechanisms.agreements.proposals import Ground
from society.scenarios.mechanisms.mediation.plans import Plans

CHANCE_ID = "mediated"
DELEGATE = "delegate"


class Mediator(ABC):
    """A mediator in each match, and what it does in a play.

    gaps: whether there may be matches without one.
    """

    def __init__(
        self,
        env: Environment,
        matches: Matches,
        ground: Ground,
        sense: Plans,
        won: Elected,
        *,
        gaps: bool = False,
    ) -> None:
        self.env, self.matches, self.ground, self._sense = env, matches, ground, sense
        self.gaps, self.serves = gaps, spread_to_players(matches, won.exists)
        # Where there is none nobody delegates to it; a number stands there all the same.
        self._plan = np.nan_to_num(won.design)
        self._asked = {
            **sense.blueprint.described(ground),
            "mediator": match_fact(matches, won.design),
            "mediator_proposer": match_fact(matches, won.proposer),
        }
        self._elected = won.told(matches, "mediator")
        self._told: Mapping[str, Fact] = {}

    def serving(self, script: Script) -> Script:
        """Drive a play."""
        return intercept(script, line=self._heard)

    def _heard(self, line: Line) -> Line | Script:
        """Questions say who mediates; it moves for those who delegate."""
        if isinstance(line, Ask):
            known = replace(line, facts={**line.facts, **self._asked})
            return self.moved(known) if line.kind == self.ground.declared.move else known
        if isinstance(line, Tell) and line.kind == self.ground.declared.told:
            return replace(line, facts={**line.facts, **self._told})
        return line

    @abstractmethod
    def moved(self, ask: Ask) -> Script:
        """Answer a question for moves."""

    def done(self, delegate: Array, asked: Array) -> Array:
        """Return the mediator's action for all, (R, N), given who delegates, (R, N) of bool."""
        those, of = self.matches.gathered(delegate), self.matches.gathered(asked)
        self._told = {
            **self._elected,
            "mediator_asked": own(asked),
            "mediator_delegated": own(delegate),
            "mediator_count": own(spread_to_players(self.matches, those.sum(-1))),
            "mediator_most": own(spread_to_players(self.matches, of.sum(-1))),
        }
        return self.matches.spread(self._sense.done(self._plan, those, of))


class ActionMediator(Mediator):
    """A mediator in a game in normal form."""

    _ready: Mapping[tuple[str, ...], Array] | None = None  # answers to questions that are to come

    def moved(self, ask: Ask) -> Script:
        """Seats with different actions are asked one after the other, and all before any moves."""
        assert isinstance(ask.reply, MixedStrategy), "looked at before"
        ready = dict((yield from self._resolved(ask)) if self._ready is None else self._ready)
        answer = ready.pop(ask.reply.actions)
        self._ready = ready or None
        return answer

    def _resolved(self, ask: Ask) -> Script:
        """Return the strategies that are played, (R, N, K), by the actions of a seat."""
        mixes = {}
        for labels, who in self._groups():
            mixes[labels] = yield from self._mixed(ask, labels, who)
        chance = self.env.draws(CHANCE_ID).uniform(DELEGATE)
        delegate = np.any([chance < mix[..., -1] for mix in mixes.values()], axis=0)
        action = self.done(delegate, self.serves & self.env.active)
        return {labels: resolve_delegation(mix, delegate, action) for labels, mix in mixes.items()}

    def _groups(self) -> Iterator[tuple[tuple[str, ...], Array | None]]:
        """Labels of actions, and who has these, (R, N) of bool; None: everybody."""
        actions = self.env.rules.actions
        for labels in dict.fromkeys(actions):
            alike = np.array([one == labels for one in actions])
            yield labels, None if alike.all() else alike[self.matches.seat]

    def _mixed(self, ask: Ask, labels: tuple[str, ...], who: Array | None) -> Script:
        """Mixed strategies over actions and delegating, (R, N, K + 1)."""
        even = np.full(len(labels), 1 / len(labels))
        fallback = self.ground.fallback(self.env, np.append(even, 0.0))
        wide = replace(ask, reply=MixedStrategy(*labels, DELEGATE), who=who, fallback=fallback)
        if not self.gaps:
            return (yield wide)
        mix = yield replace(wide, who=self.serves if who is None else self.serves & who)
        alone = ~self.serves if who is None else ~self.serves & who
        fallback = self.ground.fallback(self.env, even)
        bare = yield replace(ask, reply=MixedStrategy(*labels), who=alone, fallback=fallback)
        return mix + np.pad(bare, ((0, 0), (0, 0), (0, 1)))  # nobody is asked both


class Amounts(Mediator):
    """A mediator where the move is an amount: all are asked beforehand who delegates."""

    def moved(self, ask: Ask) -> Script:
        reply = ask.reply
        assert isinstance(reply, Real), "looked at before"
        movers = np.ones(self.env.present.shape, bool) if ask.who is None else ask.who
        asked = movers & self.env.active & self.serves
        delegate = (yield Ask(DELEGATE, BALLOT, ask.facts, asked, "no", REPAIRS)) == YES
        share = self.done(delegate, asked)
        moves = yield replace(ask, who=movers & ~delegate)
        return np.where(delegate, reply.low + share * (reply.high - reply.low), moves)


def resolve_delegation(mix: Array, delegate: Array, action: Array) -> Array:
    """Settle mixed strategies once it is known who delegates: (R, N, K + 1) -> (R, N, K).

    Delegates play what the mediator says; the others what they would if they could not delegate.

    >>> mix = np.array([[[0.3, 0.1, 0.6], [0.3, 0.1, 0.6]]])
    >>> resolve_delegation(mix, np.array([[True, False]]), np.array([[1, 1]])).round(2).tolist()
    [[[0.0, 1.0], [0.75, 0.25]]]
    """
    rest = mix[..., :-1]
    total = rest.sum(-1, keepdims=True)
    free = np.divide(rest, total, out=np.zeros_like(rest), where=total > 0)
    bound = action[..., None] == np.arange(rest.shape[-1])
    remaining: Array = np.where(delegate[..., None], bound, free)
    return remaining
