"""Pairs of a donor game, and the donor in each.

N agents are parted by chance into halves a_0 .. a_(h-1) and b_0 .. b_(h-1), h = N / 2. Round t
pairs a_i with b_((i + s_t) mod h), and the halves give in turn, a first:

    ordered-once   s = 0 .. h-1, then again so that every ordered pair gives exactly once in N
                   rounds; the two rounds of a pair lie at least h - 1 apart
    no-repeat      s = 0 .. h-1: nobody meets anybody twice, for h rounds at most
    published      s = 0 .. h-1 twice, the second time with the roles of the first exchanged; so
                   with an even h one half gives twice running, and what the other has received
                   meanwhile cannot be passed on; it is what the paper's public notebook plays
    random         other pairs in each round, by chance and only along the graph `meet`; who of a
                   pair gives is chance, too, and those who find nobody sit out

In every second game the roles of all but `random` are exchanged, so that after an even number of
games nobody is favoured by who receives last. After an odd number a half is: equal strategies then
own unequal sums, and selection acts on them. `random` favours nobody beforehand, and chance favours
whom it will, however many games there are.
With strict turns and 12 agents the paper's 12 rounds without a repeated partner cannot be had:
each half gives in every other round, and there are 6 partners.

Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3; that its schedule is infeasible, and
what takes its place, are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from society.engine.environment import Environment
from society.engine.graph import NOBODY, Complete
from society.engine.observations import read_only
from society.engine.rng import Array
from society.errors import ScenarioError

CHANCE_ID = "donor_game"  # of all that the game itself draws
Schedule = Literal["ordered-once", "no-repeat", "published", "random"]


@dataclass(frozen=True, eq=False)
class DonorPairs:
    """One round: the seat of each agent's partner, or NOBODY, and who gives; (R, N) each.

    lives: the number of everybody's own life, (R, N). Arrays are read-only from now on.
    """

    partner: Array
    gives: Array
    lives: Array

    def __post_init__(self) -> None:
        for values in (self.partner, self.gives):
            read_only(values)

    @cached_property
    def receives(self) -> Array:
        """Tell who has a partner that gives, (R, N) of bool."""
        receives: Array = ~self.alone & ~self.gives
        return receives

    @cached_property
    def alone(self) -> Array:
        """Tell who has no partner, (R, N) of bool."""
        alone: Array = self.partner == NOBODY
        return alone

    @cached_property
    def row(self) -> Array:
        """The partner's row where replicates stand below each other, (R, N); NOBODY's is any."""
        replicates, seats = self.partner.shape
        row: Array = np.maximum(self.partner, 0) + np.arange(replicates)[:, None] * seats
        return row

    def other(self, values: Array, nobody: Any = 0) -> Array:
        """Return the partner's value, (R, N, ...); `nobody` where there is no partner."""
        replicates, seats, *entries = values.shape
        # Whole rows of a flat array are taken, which is several times as fast as a look-up along
        # an axis.
        theirs: Array = values.reshape(replicates * seats, *entries).take(self.row, axis=0)
        if self.alone.any():
            theirs[self.alone] = nobody
        return theirs

    @cached_property
    def partner_life(self) -> Array:
        """The number of the partner's life, (R, N), or NOBODY."""
        return read_only(self.other(self.lives, NOBODY))


def refuse_unplayable(env: Environment) -> None:
    """Raise ScenarioError where agents, rounds or the graph do not fit the schedule."""
    schedule = env.params.schedule
    refuse_infeasible(schedule, env.agents, env.horizon)
    if schedule != "random" and not isinstance(env.graph("meet"), Complete):
        raise ScenarioError(
            f"schedule {schedule} pairs everybody with everybody, and the graph meet says "
            "otherwise; take schedule random, or leave that graph out"
        )


def refuse_infeasible(schedule: Schedule, agents: int, rounds: int) -> None:
    """Raise ScenarioError unless so many agents can play so many rounds."""
    if agents < 2 or agents % 2:
        near = "2" if agents < 2 else f"{agents - 1} or {agents + 1}"
        raise ScenarioError(
            f"got {agents} agents, who cannot all be paired; give an even number, as {near}"
        )
    most = {"ordered-once": agents, "published": agents, "no-repeat": agents // 2}.get(schedule)
    if most is None or rounds <= most:
        return
    needed = rounds * 2 if schedule == "no-repeat" else rounds + rounds % 2
    raise ScenarioError(
        f"schedule {schedule} has at most {most} rounds for {agents} agents, as halves give in "
        f"turn, and {rounds} were asked for; take {most} rounds, {needed} agents, or schedule "
        f"{'ordered-once' if schedule == 'no-repeat' and rounds <= agents else 'random'}"
    )


def round_shift(schedule: Schedule, number: int, half: int) -> tuple[int, bool]:
    """s_t of round `number`, from 1 on, and whether the first half gives.

    >>> [round_shift("ordered-once", number, 6)[0] for number in range(1, 13)]
    [0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 0]
    """
    lap, place = divmod(number - 1, half)
    first_gives = number % 2 == 1
    if schedule == "published":
        return place, (place % 2 == 0) ^ (lap == 1)
    if lap and half % 2 == 0:
        # An even number of rotations would give the second lap the turns of the first.
        return (place + 1) % half, first_gives
    return place, first_gives


class Pairing(Protocol):
    """A way to make pairs."""

    def round(self, game: int, number: int) -> DonorPairs:
        """Pair those who take part; games and rounds are counted from 1."""
        ...


def pairing(env: Environment) -> Pairing:
    """Make the pairing for one play by its schedule."""
    return ByChance(env) if env.params.schedule == "random" else Rotations(env)


class Rotations:
    """Two halves that are turned against each other: who sits where is drawn for each play."""

    def __init__(self, env: Environment) -> None:
        self._env, self._schedule = env, env.params.schedule
        place = env.draws(CHANCE_ID).uniform("half")
        self._order = np.argsort(place, axis=1, kind="stable")
        self._rank = np.argsort(self._order, axis=1)  # of each seat in its order
        self._row = np.arange(env.replicates)[:, None] * env.agents

    def round(self, game: int, number: int) -> DonorPairs:
        half, ranks = self._env.agents // 2, np.arange(self._env.agents)
        turn, first_gives = round_shift(self._schedule, number, half)
        met = np.where(ranks < half, half + (ranks + turn) % half, (ranks - half - turn) % half)
        partner = self._order.reshape(-1).take(met.take(self._rank) + self._row)
        gives = (self._rank < half) == (first_gives ^ (game % 2 == 0))
        if not self._env.complete:
            active = self._env.active
            partner = np.where(active & np.take_along_axis(active, partner, 1), partner, NOBODY)
            gives &= partner != NOBODY
        return DonorPairs(partner, gives, self._env.lives)


class ByChance:
    """Neighbours on the graph `meet`, matched anew in each round."""

    def __init__(self, env: Environment) -> None:
        self._env, self._draws = env, env.draws(CHANCE_ID)

    def round(self, game: int, number: int) -> DonorPairs:
        meet = self._draws.uniform("meet")
        partner = self._env.graph("meet").matched(meet, self._env.active)
        pairs = DonorPairs(partner, partner != NOBODY, self._env.lives)
        role = self._draws.uniform("role")
        return replace(pairs, gives=pairs.gives & (role < pairs.other(role)))
