"""Reputation: many play the same game with ever new partners, and see what these did before.

Everybody has its seat in the game for good. Before each game those of each seat are put in an order
by chance, each order equally likely, and the i-th of all seats are a match; so everybody plays once
in each game, may meet somebody again, and may meet its like. Shown are the rounds of the reader and
those of each of its co-players, the latest first, within the last k games: actions and points of
all who were in that match.

    first    nothing else
    higher   and below each round, for each co-player in it, the rounds which that one had played
             before within the same k games, and so on, `depth` levels in all

Weights are those of repetition. Agents are known by their ids alone.
Source: Tewolde et al. 2026 (CoopEval), section 3 and appendix D; Nowak and Sigmund 1998, Nature
393; Ohtsuki and Iwasa 2004, J. Theor. Biol. 231.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.mechanism import Declared, Play, PlayFunction, declared_by, survey
from society.engine.rng import Array
from society.engine.scenario import mechanism
from society.engine.script import Fact, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.games.player_matching import Matches, in_order, match_players, mix_matches
from society.scenarios.mechanisms.action_history import Opening, Past, game_weights
from society.scenarios.mechanisms.repetition.repetition import (
    Continuation,
    Recess,
    Window,
    refuse_rounds,
)

_MOST = 1_000  # rounds that one agent is shown before one question: some 20,000 tokens

CHANCE_ID = "reputed"


class ReputationRound(NamedTuple):
    """One game: seats of co-players, (R, N, n - 1), actions and points, (R, N)."""

    opponents: Array
    action: Array
    points: Array


class ReputationEntry(NamedTuple):
    """A round of somebody: its level, how many games it is back, and whose it is, (R, N)."""

    level: int
    back: int
    whose: Array


class Reputations(Past):
    """The rounds of the latest games, and what of them leads to the reader.

    The matches are those of the environment (`mix_matches`).
    """

    def __init__(
        self,
        env: Environment,
        declared: Declared,
        continuation: float | None,
        window: int | None,
        levels: int,
    ) -> None:
        super().__init__(declared, continuation)
        self._env, self._window, self._levels = env, window, levels
        self._players = _players(declared, env)
        self._rounds: list[ReputationRound] = []  # the latest first

    @property
    def _meetings(self) -> Matches:
        return match_players(self._env, self._players)

    def noted(self, told: Mapping[str, Fact]) -> Mapping[str, Fact]:
        return {**told, "opponents": own(self._meetings.opposite)}

    def add(self, told: Mapping[str, Fact], points: Array) -> None:
        # Copied, since a play may change its own arrays in place.
        latest = ReputationRound(
            self._meetings.opposite, told["action"].values.copy(), points.copy()
        )
        self._rounds = [latest, *self._rounds][: self._window]

    def shown(self) -> dict[str, Fact]:
        opponents = {"opponents": own(self._meetings.opposite)}
        entries = list(self._entries())
        return opponents | self._past(entries) if entries else opponents

    def _entries(self) -> Iterator[ReputationEntry]:
        """The reader's own rounds, then those of its co-players."""
        replicates, agents = self._env.present.shape
        yield from self._before(np.broadcast_to(np.arange(agents), (replicates, agents)), 0, 1)
        for opponent in np.moveaxis(self._meetings.opposite, 2, 0):
            yield from self._before(opponent, 0, 1)

    def _before(self, whose: Array, back: int, level: int) -> Iterator[ReputationEntry]:
        """Yield somebody's rounds from so many games back on; whose: (R, N)."""
        for at in range(back, len(self._rounds)):
            yield ReputationEntry(level, at, whose)
            if level < self._levels:
                for opponent in np.moveaxis(_of(self._rounds[at].opponents, whose), 2, 0):
                    yield from self._before(opponent, at + 1, level + 1)

    def _past(self, entries: list[ReputationEntry]) -> dict[str, Fact]:
        """Return facts about K entries in order, (R, N, K); about co-players (R, N, K (n - 1))."""
        replicates, agents = self._env.present.shape
        rounds = [self._rounds[entry.back] for entry in entries]
        whose = np.stack([entry.whose for entry in entries], axis=2)
        opponents = np.stack(
            [_of(one.opponents, entry.whose) for one, entry in zip(rounds, entries, strict=True)],
            axis=2,
        )

        def at(seats: Array, name: Literal["action", "points"]) -> Fact:
            values = [_of(getattr(one, name), seats[:, :, k]) for k, one in enumerate(rounds)]
            return own(np.stack(values, axis=2).reshape(replicates, agents, -1))

        def of_all(numbers: list[int]) -> Fact:
            return common(np.broadcast_to(numbers, (replicates, 1, len(numbers))))

        return {
            "past_depth": of_all([entry.level for entry in entries]),
            "past_round": of_all([self.games - entry.back for entry in entries]),
            "past_of": own(whose),
            "past_seat": own(_of(self._meetings.seat, whose) + 1),
            "past_action": at(whose, "action"),
            "past_points": at(whose, "points"),
            "past_with": own(opponents.reshape(replicates, agents, -1)),
            "past_with_action": at(opponents, "action"),
            "past_with_points": at(opponents, "points"),
            "past_last": own(_of(self._rounds[0].action, self._meetings.opposite)),
        }


def _of(values: Array, whose: Array) -> Array:
    """Look up others' values: (R, N, ...) of values at (R, N, ...) of seats."""
    replicate = np.arange(len(values)).reshape(-1, *(1 for _ in range(whose.ndim - 1)))
    taken: Array = values[replicate, whose]
    return taken


def shuffle_matches(env: Environment, matches: Matches) -> Matches:
    """Shuffle the players of each seat, (R, M), for the next meeting."""
    uniform = matches.gathered(env.draws(CHANCE_ID).uniform("order"))
    order = np.argsort(uniform, axis=1, kind="stable")
    return Matches(np.take_along_axis(matches.rows, order, axis=1))


def entries_of(games: int, players: int, levels: int) -> int:
    """Count the rounds of one player that are shown, of so many games, with all below them.

    >>> [entries_of(3, 2, levels) for levels in (1, 2, 3)], entries_of(3, 3, 3)
    ([3, 6, 7], 13)
    """
    shown = [0] * (games + 1)  # of so many games
    for _ in range(min(levels, games)):
        shown = [0, *accumulate(1 + (players - 1) * earlier for earlier in shown[:-1])]
    return shown[games]


@mechanism(chance_id=CHANCE_ID, levels=("game",), rematching=True)
def reputation(
    play: Play,
    *,
    games: Annotated[int, Field(ge=1)] = 15,
    continuation: Continuation = 0.8,
    window: Window = 3,
    order: Annotated[
        Literal["first", "higher"],
        Field(description="first: co-players' past is shown; higher: also their co-players'"),
    ] = "first",
    depth: Annotated[
        int, Field(ge=1, description="number of levels shown, under order higher")
    ] = 3,
) -> PlayFunction:
    """Players meet new co-players in each game, and see what these did before.

    games, continuation, window: as in `repetition`. Raises ScenarioError, before the first line,
    for a play without matches or actions, for a single match, for games that are repeated already,
    and for more rounds to be shown than anybody could read.
    """
    levels = depth if order == "higher" else 1

    def among(env: Environment) -> Script:
        declared = _matches(play, env)
        first = in_order(env, _players(declared, env))
        _refuse_one(first)
        earlier = games - 1 if window is None else min(window, games - 1)
        _refuse_long(earlier, first.players, levels)

        def script() -> Script:
            counted = game_weights(games, continuation)
            past = Reputations(env, declared, continuation, window, levels)
            for number in env.rounds(games):
                mix_matches(env, shuffle_matches(env, first))
                recess = Recess(env)
                yield from past.kept(recess.played(play), counted[number - 1])
                yield Tell("gathered", back=recess.waiting)

        return script()

    return among


def _matches(play: Play, env: Environment) -> Declared:
    """Return the declaration of a play in matches; raises ScenarioError for any other one."""
    declared = declared_by(play, "reputation")
    play(env)  # says now what it misses
    if declared.players is None:
        raise ScenarioError(
            "reputation: all who are there play together, so that nobody could meet anybody else; "
            "take a game in matches, or `repetition`"
        )
    if "succession" in play.public:
        raise ScenarioError(
            "reputation: what is played has generations, and they would begin anew in each game; "
            "name `reputation` before `generations`"
        )
    refuse_rounds(env, "reputation")
    opening = survey(Opening, play, env, declared)
    opening.refuse_series("reputation")
    if not opening.has_actions:
        raise ScenarioError(
            "reputation: the play tells no actions that could be shown; games in normal form do "
            "(the donor game shows a past of its own: see its parameters medium, trace and known)"
        )
    return declared


def _players(declared: Declared, env: Environment) -> int:
    assert declared.players is not None, "looked at before"
    return declared.players(env.params)


def _refuse_one(matches: Matches) -> None:
    if matches.players == 1:
        raise ScenarioError("reputation: this game has one player, and nobody meets anybody in it")
    if matches.count == 1:
        raise ScenarioError(
            f"reputation: {matches.players} agents are one match, and have nobody else to meet; "
            f"take {2 * matches.players} agents, or any other multiple of {matches.players}, or "
            "`repetition`"
        )


def _refuse_long(games: int, players: int, levels: int) -> None:
    shown = players * entries_of(games, players, levels)
    if shown > _MOST:
        raise ScenarioError(
            f"reputation: everybody would be shown {shown:,} rounds before it answers, and at most "
            f"{_MOST:,} are; take a smaller window or depth, or order: first"
        )
