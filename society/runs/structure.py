"""The structure of nested rounds, found by entering every loop of rounds once, without agents.

A script may open rounds within rounds (generation, game, round), and its horizon says how many only
one of these loops has. Since lines do not depend on answers, the first round of each tells how many
there are, and whether anything is said in it beside what its inner rounds hold.

Also the normal form of a game in the run file, so that it can be studied without its script.

A play that describes its game (`rules` of society.engine.mechanism.Play) says who can do
what, who gets what in each profile, which profile is cooperation and which the equilibrium.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from pydantic import BaseModel, ConfigDict

from society.engine.environment import Environment
from society.engine.mechanism import PlayFunction, rehearsal_environment, silent_lines
from society.engine.rng import Array
from society.engine.script import Ask


class RoundStructure(NamedTuple):
    """The planned numbers of rounds, if nothing ends the run early and loops keep their length.

    rounds: the total, and so the number of the last one. sizes: by level, from the outermost.
    """

    rounds: int
    sizes: tuple[int, ...]


class _Opened(NamedTuple):
    """A round: its sizes by level, and the kinds of lines in it."""

    sizes: tuple[int, ...]
    said: list[str]


def round_structure(play: PlayFunction, env: Environment) -> RoundStructure:
    """Find the structure of the rounds of a play at this table."""
    alone = rehearsal_environment(env, first_rounds_only=True)
    opened: list[_Opened] = []
    for line in silent_lines(play, alone):
        opened += [_Opened(one.sizes, []) for one in alone.newly_opened()]
        if opened and not (isinstance(line, Ask) and line.aside):
            opened[-1].said.append(line.kind)
    opened += [_Opened(one.sizes, []) for one in alone.newly_opened()]
    end = _Opened((), [])
    # Rounds that only hold others are none of their own: so counts the game master.
    counted = [
        one.sizes
        for one, after in pairwise([*opened, end])
        if one.said or len(after.sizes) <= len(one.sizes)
    ]
    return RoundStructure(sum(map(prod, counted)), max(counted, key=len, default=()))


_MOST = 20_000  # payoffs; a larger table is left out


@runtime_checkable
class Rules(Protocol):
    """The game that a play describes; society.scenarios.games.game has one such class."""

    @property
    def actions(self) -> tuple[tuple[str, ...], ...]: ...

    @property
    def cooperation(self) -> tuple[int, ...] | None: ...

    @property
    def equilibrium(self) -> tuple[int, ...] | None: ...

    def paid(self, profile: Array) -> Array: ...


class GameNote(BaseModel):
    """A game of n players, player j of whom has A_j actions.

    actions: labels, by seat. payoffs: of each player in turn, in each profile, the action of the
    last player changing fastest; empty if there are too many. cooperation: the profile in which all
    cooperate; cooperative, equilibrial: the payoffs there, and in equilibrium. None where the game
    names no such profile.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    actions: tuple[tuple[str, ...], ...]
    payoffs: tuple[float, ...] = ()
    cooperation: tuple[int, ...] | None = None
    cooperative: tuple[float, ...] | None = None
    equilibrial: tuple[float, ...] | None = None

    @property
    def players(self) -> int:
        return len(self.actions)

    @property
    def table(self) -> Array | None:
        """The payoffs, (n, A_1, ..., A_n); None if they were left out."""
        sizes = [len(labels) for labels in self.actions]
        return np.array(self.payoffs).reshape(self.players, *sizes) if self.payoffs else None

    @property
    def symmetric(self) -> bool:
        """True if players who swap seats swap payoffs; False if payoffs are not known."""
        table = self.table
        if table is None or len(set(self.actions)) > 1:
            return False
        neighbours = zip(range(self.players - 1), range(1, self.players), strict=True)
        for one, other in neighbours:
            places = [*range(self.players)]
            places[one], places[other] = other, one
            turned = table[places].swapaxes(one + 1, other + 1)
            if not np.allclose(turned, table):
                return False
        return True

    @classmethod
    def of(cls, rules: Rules) -> GameNote:
        """Make the note of a game."""
        sizes = [len(labels) for labels in rules.actions]
        payoffs: tuple[float, ...] = ()
        if len(sizes) * prod(sizes) <= _MOST:
            profiles = np.moveaxis(np.indices(sizes), 0, -1)
            payoffs = tuple(np.moveaxis(rules.paid(profiles), -1, 0).ravel().tolist())
        return cls(
            actions=rules.actions,
            payoffs=payoffs,
            cooperation=rules.cooperation,
            cooperative=_paid(rules, rules.cooperation),
            equilibrial=_paid(rules, rules.equilibrium),
        )


def _paid(rules: Rules, profile: tuple[int, ...] | None) -> tuple[float, ...] | None:
    return None if profile is None else tuple(rules.paid(np.array(profile)).tolist())


def rules_of(env: Environment) -> GameNote | None:
    """Return the game that is played at a table, if its play describes one."""
    rules = env.rules
    return GameNote.of(rules) if isinstance(rules, Rules) else None
