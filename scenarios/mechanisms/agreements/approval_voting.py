"""Approval voting: everybody says yes or no to every proposal, the own one included.

Of the proposals with most approvals one wins by chance, each equally likely; even without any
approval one wins, since whoever does not want it has other ways to say so. There is a vote in each
match, among those who play it. Proposals are numbered by the seats of those who make them, from 1.
Source: Brams and Fishburn 1978, American Political Science Review 72; Tewolde et al. 2026
(CoopEval), section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from society.engine.action_spaces import Choice, Fields
from society.engine.environment import Environment
from society.engine.mechanism import Play
from society.engine.rng import Array
from society.engine.script import Ask, Fact, Script, common, own
from society.scenarios.games.game import REPAIRS
from society.scenarios.games.player_matching import Matches, match_players
from society.scenarios.mechanisms.agreements.proposals import (
    Blueprint,
    Ground,
    Stage,
    TypeDesigns,
    designed_apart,
    designs_by_seat,
    survey_play,
)

CHANCE_ID = "approval"
BALLOT = Choice("no", "yes")
YES = 1


class DesignMeaning(Protocol):
    """The meaning of a design's numbers."""

    @property
    def blueprint(self) -> Blueprint:
        """The form of such a design."""
        ...


M = TypeVar("M", bound=DesignMeaning)


class Elected(NamedTuple):
    """The winner of the vote in each match.

    design: (R, M, K), NaN where nothing was proposed. proposer: (R, M), the seat counted from 1; 0:
    nobody. approvals: (R, M). unanimous: (R, M) of bool, all who play approved of it.
    """

    design: Array
    proposer: Array
    approvals: Array
    unanimous: Array

    @property
    def exists(self) -> Array:
        """The matches in which anything was proposed, (R, M) of bool."""
        exists: Array = self.proposer > 0
        return exists

    def told(self, matches: Matches, noun: str) -> dict[str, Fact]:
        """Return the facts that are told with payoffs."""
        told = {
            f"{noun}_proposer": self.proposer,
            f"{noun}_approvals": self.approvals,
            f"{noun}_unanimous": self.unanimous,
        }
        return {name: own(spread_to_players(matches, values)) for name, values in told.items()}


def spread_to_players(matches: Matches, values: Array) -> Array:
    """Spread a value of each match to its players: (R, M, ...) -> (R, N, ...)."""
    return matches.spread(np.repeat(values[:, :, None], matches.players, axis=2))


def match_fact(matches: Matches, values: Array) -> Fact:
    """Make a fact that all players of a match know, from (R, M, ...)."""
    return common(values) if matches.count == 1 else own(spread_to_players(matches, values))


def play_under_agreement(
    play: Play,
    env: Environment,
    mechanism: str,
    meaning: Callable[[Ground], M],
    designs: TypeDesigns | None,
    stage: Stage,
    under: Callable[[Script, Ground, M, Elected], Script],
) -> Script:
    """Let those who play elect a design before the first round, and play under it.

    meaning: of designs for this play. under: drives the play once a design was elected. Raises
    ScenarioError for a play without matches that last, and for designs that do not fit.
    """
    inner = play(env)  # says now what it misses
    ground = survey_play(play, env, mechanism)
    sense = meaning(ground)
    blueprint, given = sense.blueprint, None
    if designs is not None:
        given = designs_by_seat(designs, blueprint, env, ground.players, mechanism)
    if stage == "design":
        return designed_apart(env, ground, blueprint)

    def script() -> Script:
        matches, drafts = match_players(env, ground.players), given
        if drafts is None:
            drafts = yield from blueprint.asked(env, ground, matches)
        known = {**ground.terms, **blueprint.described(ground)}
        spoilt = ground.fallback(env, None)
        won = yield from elect(env, matches, blueprint.noun, drafts, known, spoilt)
        return (yield from under(inner, ground, sense, won))

    return script()


def elect(
    env: Environment,
    matches: Matches,
    noun: str,
    drafts: Array,
    known: Mapping[str, Fact],
    fallback: Any,
) -> Script:
    """Hold the vote among everybody's drafts, (R, N, K); returns Elected.

    noun: what is voted on. known: facts for all who vote. fallback: for a vote that cannot be
    read; None: it approves of nothing.
    """
    designs, voting = matches.gathered(drafts), matches.gathered(env.active)
    offered: Array = ~np.isnan(designs).any(-1) & voting
    facts = {
        "seat": own(matches.seat + 1),
        **known,
        f"{noun}_proposals": match_fact(matches, designs),
        f"{noun}_offered": match_fact(matches, offered),
    }
    ballots = Fields({f"proposal {number}": BALLOT for number in range(1, matches.players + 1)})
    spoilt = dict.fromkeys(ballots.fields, "no") if fallback is None else fallback
    who = spread_to_players(matches, np.logical_or.reduce(offered, axis=-1))
    said = yield Ask(f"approve_{noun}s", ballots, facts, who, spoilt, REPAIRS)
    chance = matches.gathered(env.draws(CHANCE_ID).uniform(noun))[:, :, 0]
    # By proposal, one after the other: all votes at once would be (R, N, n).
    votes = [(matches.gathered(said[name]) == YES).sum(-1) for name in ballots.fields]
    return _winner(designs, offered, np.stack(votes, axis=-1), chance, voting.sum(-1))


def _winner(
    designs: Array, offered: Array, approvals: Array, chance: Array, voters: Array
) -> Elected:
    most = np.where(offered, approvals, -1).max(-1, keepdims=True)
    tied: Array = offered & (approvals == most)
    kth = np.floor(chance * tied.sum(-1)) + 1
    winner: Array = np.argmax(np.cumsum(tied, axis=-1) == kth[..., None], axis=-1)
    exists = np.logical_or.reduce(offered, axis=-1)
    first = winner[..., None]
    design = np.take_along_axis(designs, first[..., None], axis=2)[:, :, 0]
    won = np.take_along_axis(approvals, first, axis=-1)[..., 0]
    return Elected(
        np.where(exists[..., None], design, np.nan),
        np.where(exists, winner + 1, 0),
        np.where(exists, won, 0),
        exists & (won == voters),
    )
