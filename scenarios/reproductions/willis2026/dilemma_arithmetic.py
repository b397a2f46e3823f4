"""What follows from the rules of the three games alone: bounds, dilemmas, chances of groups.

The most that a common pool gives is looked for in two ways. With few players and rounds all plans
are tried. For more, a value is computed backwards over stocks that are rounded up to a grid: since
more stock is never worse, no plan can give more than that. Payoffs are per round and player.
"""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from society.claims.types import ClaimFinding
from society.engine.rng import Array
from society.sandbox.matches.behaviour import MULTISETS, ROUNDS, behaviour_features
from society.sandbox.stage_games import Bounds, GameName, StageGame, stage_game

from .printed_tables import GAMES, finding

GROUPS = (4, 16, 64, 256)
CLOSE = 1e-9
POPULATION = 512
_GRID = 4000  # stocks
_SMALL = ((2, 7), (3, 5), (4, 4))  # players and rounds of which all plans are tried
_NEAR = 0.02  # of the construction: what rounding to the grid may add


def cooperators(players: int, count: int) -> Array:
    """The first `count` of the players cooperate, (n,) of bool."""
    return np.arange(players) < count


def welfare(game: StageGame, counts: tuple[int, ...]) -> float:
    """The mean payoff if so many cooperate, round by round."""
    stock, total = game.first_stock, 0.0
    for count in counts:
        who = cooperators(game.players, count)
        total += float(game.paid(who, stock).mean())
        stock = game.next_stock(who, stock)
    return total / len(counts)


def enumerated_bounds(name: GameName, players: int, rounds: int) -> Bounds:
    """Try all plans: how many cooperate in each round.

    >>> enumerated_bounds("public_goods", 3, 2)
    Bounds(low=1.0, high=2.0)
    """
    game = stage_game(name, players, rounds, factor=None if name == "common_pool" else 1.5)
    plans = product(range(players + 1), repeat=rounds)
    found = [welfare(game, plan) for plan in plans]
    return Bounds(min(found), max(found))


def pool_ceiling(players: int, rounds: int) -> float:
    """A number that no plan in a common pool exceeds, by values of stocks rounded up."""
    game = stage_game("common_pool", players, rounds)
    stocks = np.linspace(0, game.first_stock or 0, _GRID + 1)
    value = np.zeros(_GRID + 1)
    for _ in range(rounds):
        options = [_option(game, stocks, value, count) for count in range(players + 1)]
        value = np.max(options, axis=0)
    return float(value[-1] / rounds)


def _option(game: StageGame, stocks: Array, value: Array, count: int) -> Array:
    """Value each stock if so many cooperate now, (G,)."""
    who = np.broadcast_to(cooperators(game.players, count), (len(stocks), game.players))
    after = game.next_stock(who, stocks)
    place = np.ceil(after / stocks[-1] * _GRID - CLOSE).astype(np.int64)
    option: Array = game.paid(who, stocks).mean(-1) + value[np.minimum(place, _GRID)]
    return option


def bounds_hold() -> ClaimFinding:
    """Are the bounds those of all plans, and is no plan better in the common pool?"""
    parts = {}
    for name in GAMES:
        for players, rounds in ((3, 3), (4, 3)):
            factor = None if name == "common_pool" else 1.5
            game = stage_game(name, players, rounds, factor=factor)
            found = enumerated_bounds(name, players, rounds)
            words = f"{name}, n = {players}, r = {rounds}: {found.low:.3g} to {found.high:.3g}"
            parts[words] = bool(np.allclose(found, game.bounds(), atol=CLOSE))
    return finding(parts | _pool_parts())


def _pool_parts() -> dict[str, bool]:
    """Hold the bound against all plans of small pools, and a ceiling of larger ones against it."""
    parts = {}
    for players, rounds in _SMALL:
        most = stage_game("common_pool", players, rounds).bounds().high
        found = enumerated_bounds("common_pool", players, rounds).high
        words = f"common_pool, n = {players}, r = {rounds}: best of all plans {found:.4g}"
        parts[words] = abs(found - most) < CLOSE
    for players in GROUPS[:2]:
        most = stage_game("common_pool", players).bounds().high
        ceiling = pool_ceiling(players, 20)
        words = f"common_pool, n = {players}, r = 20: {most:.4g}, no plan above {ceiling:.4g}"
        parts[words] = most <= ceiling + CLOSE and ceiling <= most * (1 + _NEAR)
    return parts


def are_dilemmas() -> ClaimFinding:
    """Does defection pay more in one round, whatever others do, and cooperation of all in all?"""
    parts = {}
    for name in GAMES:
        for players in GROUPS:
            game = stage_game(name, players)
            gains = [_gain(game, others) for others in range(players)]
            tempting = sum(gain > 0 for gain in gains)
            words = f"{name}, n = {players}: defection pays in {tempting} of {players} cases"
            # In collective risk it does not for whoever's contribution is the one that is missing.
            parts[words] = tempting == players - (name == "collective_risk")
            every = [welfare(game, (count,) * game.rounds) for count in (0, players)]
            parts[
                f"{name}, n = {players}: all defect {every[0]:.3g}, all cooperate {every[1]:.3g}"
            ] = every[1] > every[0]
    return finding(parts)


def _gain(game: StageGame, others: int) -> float:
    """The gain of one who defects in one round while so many others cooperate."""
    stock = game.first_stock
    defects = game.paid(cooperators(game.players, others), stock)[-1]
    cooperates = game.paid(cooperators(game.players, others + 1), stock)[others]
    return float(defects - cooperates)


def defection_depletes() -> ClaimFinding:
    """Is the stock gone for good after one round in which all defect?"""
    parts = {}
    for players in GROUPS:
        game = stage_game("common_pool", players)
        left = game.next_stock(cooperators(players, 0), game.first_stock)
        parts[f"n = {players}: {float(left):g} is left"] = float(left) == 0
    return finding(parts)


def half_is_best() -> ClaimFinding:
    """Is welfare in collective risk highest if exactly half cooperate, and lower with more?"""
    parts = {}
    for players in GROUPS:
        game = stage_game("collective_risk", players)
        means = [welfare(game, (count,)) for count in range(players + 1)]
        best = int(np.argmax(means))
        falls = bool((np.diff(means[best:]) < 0).all())
        words = f"n = {players}: best with {best}, {means[best]:.3g}, all cooperate {means[-1]:.3g}"
        parts[words] = best == players // 2 and falls
    return finding(parts)


def contributions_count_less() -> ClaimFinding:
    """Does one contribution change the payoff of each other player less in larger groups?"""
    parts = {}
    for name in ("public_goods", "common_pool"):
        shares = [_effect(stage_game(name, players)) for players in GROUPS]
        words = ", ".join(f"{share:.3g}" for share in shares)
        parts[f"{name}, n = 4, 16, 64, 256: {words}"] = bool((np.diff(shares) < 0).all())
    return finding(parts)


def _effect(game: StageGame) -> float:
    """The gain of another player by one more cooperator, in the common pool in the next round."""
    half = game.players // 2
    if game.first_stock is None:
        paid = [game.paid(cooperators(game.players, half + more))[0] for more in (0, 1)]
    else:
        stocks = [
            game.next_stock(cooperators(game.players, half + more), game.first_stock)
            for more in (0, 1)
        ]
        paid = [game.paid(cooperators(game.players, half), stock)[0] for stock in stocks]
    return float(paid[1] - paid[0])


def examples_of_prompt() -> ClaimFinding:
    """Do the three examples of the game prompt follow from its formula (n = 6, k = 2)?"""
    game = stage_game("public_goods", 6, 1)
    paid = {count: game.paid(cooperators(6, count)) for count in (0, 3, 6)}
    return finding(
        {
            f"all defect: {paid[0][0]:g}": bool((paid[0] == 1).all()),
            f"all cooperate: {paid[6][0]:g}": bool((paid[6] == 2).all()),
            f"three cooperate: {paid[3][0]:g} and {paid[3][-1]:g}": bool(
                (paid[3] == [1, 1, 1, 2, 2, 2]).all()
            ),
        }
    )


def features_count() -> ClaimFinding:
    """Are there 961 contexts of four players and five rounds, of which 4 in the second round?"""
    contexts = len(behaviour_features(np.zeros((len(MULTISETS), 1, ROUNDS))))
    second = comb(2 + 2, 3)  # multisets of three among two moves
    return finding({f"{contexts} contexts": contexts == 961, f"{second} after one": second == 4})


def pool_has_most_to_gain() -> ClaimFinding:
    """Do groups that cooperate gain most over groups that defect in the common pool?"""
    parts = {}
    for players in (4, 64):
        gains = {}
        for name in GAMES:
            game = stage_game(name, players)
            worst, best = (welfare(game, (count,) * game.rounds) for count in (0, players))
            gains[name] = best - worst
        words = ", ".join(f"{name} {gain:.3g}" for name, gain in gains.items())
        parts[f"n = {players}: {words}"] = max(gains, key=lambda one: gains[one]) == "common_pool"
    return finding(parts)


def small_groups_are_pure() -> ClaimFinding:
    """Are groups of 4 likelier to be all collective than groups of 64, from half of each?"""
    half = POPULATION // 2
    chances = [comb(half, size) / comb(POPULATION, size) for size in (4, 64)]
    words = f"n = 4: {chances[0]:.2g}, n = 64: {chances[1]:.2g}"
    return finding({words: chances[0] > chances[1]})
