"""Whom to name for the failure of a village, and when to name nobody.

The way of a villager is the highest effort that it put in of its own accord: before it first took
over the ways of somebody else. One villager is named if all of this holds:
    stands out    its way is at least STANDS_OUT times the highest way of any other
    strikes       somebody else died as it failed, or the lake collapsed
    without it    with all others on their own, fined as they were, the village would have lived to
                  its horizon: where villagers imitate, if all of them had taken over the highest
                  way among them; else each with its own
    its way       where villagers imitate: had all taken over its way, the village would have failed
Villages are played on with the lake's own growth; after the failure everybody goes on with its last
effort, and pays as much a round for being fined, and for fining, as it has on average. That a
village would have failed is told of villages without fines.

Where a fork has changed the village in its course, each round has its own rules. A name does not
clear the change: both may have been needed. So it is told, beside the name, whether the village
would have failed under the earlier rules, too: had all gone on as they did later, and as until
then, taking over the ways of then from each other as they later did.

Ours. How often the rule names a planted culprit, and how often somebody in villages without one, is
measured in tests/benchmarks/post_mortems.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.scenarios.village.lake import Lake, maximum_yield
from society.scenarios.village.village_course import VillageCourse, lives

STANDS_OUT = 1.4


class VillageRules(Lake, Protocol):
    """Parameters of a lake and of how villagers imitate, as fishing_village describes them."""

    @property
    def social_learning(self) -> bool: ...
    @property
    def revision(self) -> float: ...
    @property
    def selection(self) -> float: ...
    @property
    def payoff(self) -> str: ...


class Blame(NamedTuple):
    """Who is named, and what speaks for or against it.

    seat: the villager whose way is the highest. way, next: its way, and the highest of the others.
    share: of all that was taken above the sustainable share, by it and those who had taken over its
    ways. followers: how many of the others had, at the end. The flags are those of the rule;
    fails_unchanged: whether the village would have failed without what was changed, too.
    """

    seat: int
    way: float
    next: float
    share: float
    followers: int
    stands_out: bool
    strikes_others: bool
    lives_without: bool
    fails_like_it: bool
    fails_unchanged: bool = True

    @property
    def named(self) -> bool:
        """Whether the villager is named as the cause."""
        of_it = self.lives_without and self.fails_like_it
        return self.stands_out and self.strikes_others and of_it


def find_blame(
    rules: Sequence[VillageRules], course: VillageCourse, changed: Sequence[int] = ()
) -> Blame:
    """Look for the one villager without whom a village that has failed would have lived.

    rules: the parameters of each round to the horizon. changed: after which rounds an experimenter
    changed something.
    """
    horizon = len(rules)
    imitates = bool((course.model != NOBODY).any())
    way = own_ways(course)
    seat = int(way.argmax())
    others = np.arange(course.villagers) != seat
    beside = float(way[others].max(initial=0))
    share, followers = _share(rules, course, seat)
    everybody, alone = np.ones((1, course.villagers), bool), others[None]
    dead = {one for seats in course.dead.values() for one in seats}
    at_worst = np.full(course.villagers, beside) if imitates else way
    as_it_did = np.full((1, horizon, course.villagers), way[seat])
    return Blame(
        seat,
        float(way[seat]),
        beside,
        share,
        followers,
        bool(way[seat] >= STANDS_OUT * beside),
        course.collapsed or bool(dead - {seat}),
        bool(lives(rules, np.tile(at_worst, (1, horizon, 1)), alone, _lost(rules, course))[0]),
        not imitates or not lives(rules, as_it_did, everybody)[0],
        all(_fails_without(rules, course, after) for after in changed),
    )


def _fails_without(rules: Sequence[VillageRules], course: VillageCourse, after: int) -> bool:
    """Tell whether a village would have failed without what was changed after a round.

    A change may alter how villagers fish. So it has to fail with their later efforts, and with
    those that they had come to by then. What came before the first round was never otherwise.
    """
    if not after:
        return True
    horizon = len(rules)
    unchanged = [*rules[:after], *[rules[after - 1]] * (horizon - after)]
    of_then = course.effort[:after]
    if _imitation(rules[after - 1]) == _imitation(rules[after]):
        of_then = _spread(course, after)
    ways = np.stack([_went_on(course.effort, horizon), _went_on(of_then, horizon)])
    return not lives(unchanged, ways, np.ones((2, course.villagers), bool)).any()


def _imitation(p: VillageRules) -> tuple[bool, float, float, str]:
    """Return what decides how ways spread from villager to villager."""
    return p.social_learning, p.revision, p.selection, p.payoff


def _spread(course: VillageCourse, after: int) -> Array:
    """Return efforts had nobody changed its own after a round, but taken over others', (T, N)."""
    last = after - 1
    of_then = course.effort[last][sources(course, last)]
    return np.concatenate([course.effort[:last], of_then])


def _lost(rules: Sequence[Lake], course: VillageCourse) -> Array:
    """Return what fines have cost each villager, by being fined and by fining, to the horizon."""
    eaten = np.array([p.consumption for p in rules[: course.rounds]])[:, None]
    lost = np.maximum(course.catch - eaten - np.diff(course.wealth, axis=0), 0)
    more = np.tile(lost.mean(0), (len(rules) - course.rounds, 1))
    return np.concatenate([lost, more])


def own_ways(course: VillageCourse) -> Array:
    """Return the highest effort of each villager before it first imitated anybody, (N,)."""
    imitated = np.logical_or.accumulate(course.model != NOBODY, axis=0)
    # What is taken over in the night counts from the next round on.
    accord = ~np.vstack([np.zeros((1, course.villagers), bool), imitated[:-1]])
    way: Array = np.where(accord, course.effort, 0).max(0)
    # A threat of fines may hold an effort down; the habit beneath it can be imitated.
    return np.fmax(way, course.habit) if imitated.any() else way


def sources(course: VillageCourse, first: int = 0) -> Array:
    """Return by whose way each villager went in each round, by seat, (T - first, N).

    first: rounds that are over before all go by their own ways.
    """
    models = course.model[first:]
    line, found = np.arange(course.villagers), np.empty(models.shape, int)
    for number, model in enumerate(models):
        found[number] = line
        line = np.where(model == NOBODY, line, line[model])
    return found


def _share(rules: Sequence[Lake], course: VillageCourse, seat: int) -> tuple[float, int]:
    """Return the share of what was taken in excess by a villager's way, and how many follow it."""
    sustainable = sustainable_shares(rules, course)
    excess = np.maximum(course.catch - sustainable[:, None], 0)
    follows = sources(course) == seat
    total = float(excess.sum())
    share = float((excess * follows).sum()) / total if total > 0 else 0.0
    return share, int(follows[-1].sum() - follows[-1, seat])


def sustainable_shares(rules: Sequence[Lake], course: VillageCourse) -> Array:
    """Return the sustainable share of each round that is over, fish a head, (T,)."""
    by_round = [maximum_yield(p) for p in rules[: course.rounds]]
    shares: Array = np.array(by_round) / course.villagers
    return shares


def _went_on(effort: Array, horizon: int) -> Array:
    """Continue efforts with the last ones, to the horizon; (T, N) -> (horizon, N)."""
    more = max(horizon - len(effort), 0)
    return np.concatenate([effort, np.repeat(effort[-1:], more, axis=0)])
