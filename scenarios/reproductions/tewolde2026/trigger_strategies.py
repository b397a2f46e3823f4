"""Grim triggers: strategies that cooperate until somebody has not, in repetition and reputation.

A profile a is better for all than an equilibrium s* of a game. Under repetition everybody plays its
part of a as long as nothing else was played, in all rounds or the last k, and of s* otherwise. In a
population, m agents have each seat, and matches are drawn anew each round, by a permutation of each
seat; then everybody has a label, which its matches have given it:

    standing   who did not play its part of a though all co-players were good is bad from then on;
               who meets a bad co-player plays its part of s*, everybody else of a (as printed)
    own        the same, but a bad agent plays its part of s* whomever it meets
    atoning    the same, but a bad agent plays its part of a whomever it meets, and is good again
    trigger    who had a match in which not all played a, ever or in the last k rounds, is bad; in a
               match with a bad player all play s*

Labels are known to everybody. All of them are looked at, also those that no history leads to, such
as one bad agent alone under `trigger`; where a deviation pays, it does so in one that a history
does lead to. One agent is looked at in each seat; those on the same seat are alike.
Source: Tewolde et al. 2026 (CoopEval), appendix D, theorem 1 (repetition, standing) and lemma 1
(triggers); standing: Sugden 1986, who lets the bad atone. The version `own` is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.scenarios.games.game import Game, Profile
from society.scenarios.reproductions.tewolde2026.one_shot_deviations import Decisions

Mixed = Sequence[Array]  # the probabilities of each player's actions


class TriggerNorm(NamedTuple):
    """A norm: how labels are given and what they mean; a label of 0 is good.

    labels: how many there are. trusts: (..., n) labels of a match -> (..., n) whether each is to
    play its part of a. after: (..., n) labels, (..., n) whether each did -> (..., n) new labels.
    """

    labels: int
    trusts: Callable[[Array], Array]
    after: Callable[[Array, Array], Array]


def decide_under_repetition(
    game: Game, target: Profile, fallback: Mixed, window: int | None = None
) -> list[Decisions]:
    """Return each player's trigger strategy; window: k, all rounds if None; fallback: s*.

    A state holds, as bits, in which of the last k rounds something else than the target was played.
    """
    wanted = pure_profile(game, target)
    return [
        _repeated(game, seat, (target, wanted, fallback), window) for seat in range(game.players)
    ]


def pure_profile(game: Game, profile: Profile) -> list[Array]:
    """A profile as probabilities."""
    return [np.eye(size)[action] for size, action in zip(game.sizes, profile, strict=True)]


def _repeated(
    game: Game, seat: int, strategy: tuple[Profile, Mixed, Mixed], window: int | None
) -> Decisions:
    target, wanted, fallback = strategy
    states, actions = int(2 ** (window or 1)), game.sizes[seat]
    points, plan = np.zeros((2, states, actions))
    then = np.zeros((states, actions, states))
    for state in range(states):
        mixes = fallback if state else wanted
        points[state] = _expected(game, seat, mixes)
        plan[state] = mixes[seat]
        others = [mixes[j][target[j]] for j in range(game.players) if j != seat]
        kept = np.prod(others) * wanted[seat]
        then[state, :, _remembered(state, 0, window)] += kept
        then[state, :, _remembered(state, 1, window)] += 1 - kept
    return Decisions(np.eye(states), points, then, plan)


def _expected(game: Game, seat: int, mixes: Mixed) -> Array:
    """Return the payoff of each action against the others' probabilities, (A,)."""
    points: Array = np.moveaxis(game.payoffs[seat], seat, -1)
    for j in range(game.players):
        if j != seat:
            points = np.tensordot(mixes[j], points, axes=(0, 0))
    return points


def _remembered(state: Array | int, wrong: Array | int, window: int | None) -> Array:
    """Return the memory after one more round, in which something was wrong (1) or not (0)."""
    state = np.asarray(state)
    return state | wrong if window is None else (2 * state + wrong) % 2**window


def decide_under_reputation(
    game: Game, target: Profile, fallback: Profile, norm: TriggerNorm, count: int
) -> list[Decisions]:
    """Return the plan of one agent of each seat, if `count` agents have each; fallback: s*.

    A state is the labels of all agents; a decision is one of a state and of who meets whom.
    """
    return [
        _in_population(game, seat, (target, fallback), norm, count) for seat in range(game.players)
    ]


def _in_population(
    game: Game, seat: int, profiles: tuple[Profile, Profile], norm: TriggerNorm, count: int
) -> Decisions:
    target, fallback = map(np.array, profiles)
    states = list(product(range(norm.labels), repeat=game.players * count))
    number = {labels: index for index, labels in enumerate(states)}
    drawn = list(_matchings(game.players, count))
    decisions, actions = len(states) * len(drawn), game.sizes[seat]
    points, plan = np.zeros((2, decisions, actions))
    then = np.zeros((decisions, actions, len(states)))
    for at, (state, matches) in enumerate(product(states, drawn)):
        labels = np.array(state)
        mine = int(np.flatnonzero(matches[:, seat] == seat * count)[0])
        played = np.where(norm.trusts(labels[matches]), target, fallback)
        plan[at, played[mine, seat]] = 1
        for action in range(actions):
            played[mine, seat] = action
            after = labels.copy()
            after[matches] = norm.after(labels[matches], played == target)
            then[at, action, number[tuple(after.tolist())]] = 1
            points[at, action] = game.payoffs[seat][tuple(played[mine])]
    chance = np.kron(np.eye(len(states)), np.full(len(drawn), 1 / len(drawn)))
    return Decisions(chance, points, then, plan)


def _matchings(players: int, count: int) -> Iterator[Array]:
    """Return all possible matches, (m, n) agents; those on seat j are j m to j m + m - 1."""
    for orders in product(permutations(range(count)), repeat=players - 1):
        rows = np.array([range(count), *orders]).T
        yield rows + count * np.arange(players)


def _others_bad(labels: Array) -> Array:
    bad: Array = labels != 0
    found: Array = bad.sum(-1, keepdims=True) > bad
    return found


def _all_good(labels: Array) -> Array:
    good: Array = np.broadcast_to((labels == 0).all(-1, keepdims=True), labels.shape)
    return good


def _stood(labels: Array, kept: Array) -> Array:
    lost: Array = labels | (~_others_bad(labels) & ~kept)
    return lost


def _atoned(labels: Array, kept: Array) -> Array:
    found: Array = np.where(kept, 0, _stood(labels, kept))
    return found


STANDING = TriggerNorm(2, lambda labels: ~_others_bad(labels), _stood)
OWN = TriggerNorm(2, _all_good, _stood)
ATONING = TriggerNorm(2, lambda labels: ~_others_bad(labels) | (labels != 0), _atoned)


def trigger_norm(window: int | None = None) -> TriggerNorm:
    """The norm `trigger`, over all rounds or the last `window`."""

    def after(labels: Array, kept: Array) -> Array:
        wrong = np.logical_not(np.asarray(kept.all(-1, keepdims=True)))
        return _remembered(labels, wrong, window)

    return TriggerNorm(2 ** (window or 1), _all_good, after)


def patience_threshold(
    game: Game, target: Profile, fallback: Profile, count: int = 1
) -> list[float]:
    """Return the least continuation probability at which each player keeps to `own`.

    A player gains g at most by deviating from the target, once, and then has s* in place of it
    whenever it would have met good co-players alone. In the worst state of a population only those
    that it meets now are good, and it meets them all again with chance 1 / m^(n - 1):

        d = g / (g + (u(a) - u(s*)) / m^(n - 1))

    With m = 1 this is repetition.
    """
    again = count ** -(game.players - 1)
    found = []
    for seat, table in enumerate(game.payoffs):
        kept, lost = table[target], table[target] - table[fallback]
        gain = max(_expected(game, seat, pure_profile(game, target))) - kept
        found.append(float(gain / (gain + lost * again)))
    return found


def forbearance_threshold(
    game: Game, target: Profile, fallback: Profile, count: int
) -> list[float]:
    """Return the least continuation probability for `trigger` in all subgames, by player.

    If only those are good who meet now, they cooperate as long as they meet each other, and no
    longer: who meets a bad player is bad from then on. They do so again with chance 1 / m^(n - 1),
    and what a player gains by deviating is worth that much less often what it loses:

        q / (1 - q) = g / (u(a) - u(s*))    with q = d / m^(n - 1)

    A result of 1 or more is never. Under first-order reputation; symbols as in
    `patience_threshold`."""
    rarer = count ** (game.players - 1)
    return [least * rarer for least in patience_threshold(game, target, fallback)]
