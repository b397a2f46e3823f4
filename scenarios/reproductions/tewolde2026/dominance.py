"""CoopEval on dominance: what it settles in the dilemmas, and what mechanisms make of it.

    dominated    strictly: some mixture of other actions pays more whatever the others do (found by
                 a linear programme); weakly: another action never pays less, and somewhere more
    only one     if dropping strictly dominated actions again and again leaves one profile, it is
                 the only Nash equilibrium, and the only correlated one
    leader       commits to a mixture of actions in sight of the others, whose best replies to it
                 follow; of several mixtures the best for the leader (Conitzer and Sandholm 2006)

A mechanism resolves a dilemma if it has an equilibrium in which all get more than in that of the
game, as the paper has it in section 1. After cheap talk an equilibrium of the game is played, so
that where there is only one, talk changes nothing. All is computed from the tables of payoffs.

Source: Tewolde et al. 2026 (CoopEval), sections 2 to 4 and 6, footnote 6 and appendix C.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from society.claims.types import ClaimFinding, outcome_of
from society.engine.rng import Array
from society.optional import require
from society.scenarios.games.game import Game, NormalForm, Profile, number_labels
from society.scenarios.mechanisms.action_history import game_weights
from society.scenarios.reproductions.tewolde2026.agreement_games import (
    dominating_payments,
    game_under_contract,
    game_under_mediator,
    refusal_deviations,
)
from society.scenarios.reproductions.tewolde2026.one_shot_deviations import CLOSE, subgame_perfect
from society.scenarios.reproductions.tewolde2026.profiles import FEW, GAMES, from_d, profiles
from society.scenarios.reproductions.tewolde2026.trigger_strategies import (
    OWN,
    decide_under_repetition,
    decide_under_reputation,
    pure_profile,
)

DILEMMAS = {name: game for name, game in GAMES.items() if name != "stag hunt"}
# Footnote 6: in the second game player 2 pays player 1 five points for its first action.
PLAIN = NormalForm(np.array([[(0, 10), (0, 0)], [(1, 0), (1, 0)]], float), number_labels(2, 2))
PAID = NormalForm(np.array([[(5, 5), (5, -5)], [(1, 0), (1, 0)]], float), number_labels(2, 2))

Actions = tuple[tuple[int, ...], ...]  # of each player
Dominated = Callable[[Game, Actions, int, int], bool]  # among these, of a seat, an action


class Commitment(NamedTuple):
    """A leader's commitment, the others' replies in order of seat, and the points of all."""

    mixture: Array
    replies: Profile
    points: Array


def dominated_strictly(game: Game, left: Actions, seat: int, action: int) -> bool:
    """Tell whether some mixture of a player's other actions pays more than this one."""
    gains = _gains(game, left, seat, action)
    if not len(gains):
        return False
    # The most points, z, that a mixture x gains at least: gains.T @ x >= z.
    found = require("scipy.optimize").linprog(
        [*[0.0] * len(gains), -1.0],
        A_ub=np.hstack([-gains.T, np.ones((gains.shape[1], 1))]),
        b_ub=np.zeros(gains.shape[1]),
        A_eq=[[*[1.0] * len(gains), 0.0]],
        b_eq=[1.0],
        bounds=[*[(0, 1)] * len(gains), (None, None)],
    )
    return bool(-found.fun > CLOSE)


def dominated_weakly(game: Game, left: Actions, seat: int, action: int) -> bool:
    """Tell whether another action never pays less than this one, and somewhere more."""
    gains = _gains(game, left, seat, action)
    return bool(((gains >= -CLOSE).all(1) & (gains > CLOSE).any(1)).any())


def _gains(game: Game, left: Actions, seat: int, action: int) -> Array:
    """Points that other actions pay more, for each profile of the others, (A - 1, profiles)."""
    table = np.moveaxis(game.payoffs[seat][np.ix_(*left)], seat, 0).reshape(len(left[seat]), -1)
    place = left[seat].index(action)
    gains: Array = np.delete(table, place, axis=0) - table[place]
    return gains


def drop_dominated(game: Game, dominated: Dominated) -> list[Actions]:
    """Return the actions that are left at first and after each step, until none is dominated."""
    steps: list[Actions] = [tuple(tuple(range(size)) for size in game.sizes)]
    while True:
        left = steps[-1]
        kept = tuple(
            tuple(one for one in own if not dominated(game, left, seat, one))
            for seat, own in enumerate(left)
        )
        if kept == left:
            return steps
        steps.append(kept)


def only_equilibrium(game: Game) -> Profile | None:
    """Return the only equilibrium, if strict dominance leaves just one profile."""
    left = drop_dominated(game, dominated_strictly)[-1]
    return tuple(own[0] for own in left) if all(len(own) == 1 for own in left) else None


def best_commitment(game: Game, leader: int) -> Commitment:
    """Return the commitment that is best for a leader; the others' replies are pure actions."""
    others = [seat for seat in range(game.players) if seat != leader]
    tables = [np.moveaxis(table, leader, -1) for table in game.payoffs]  # the leader's action last
    found = list[Commitment]()
    for replies in product(*(range(game.sizes[seat]) for seat in others)):
        # Nobody gains by another reply: as many inequalities, linear in the mixture.
        gains = [
            tables[seat][(*replies[:place], other, *replies[place + 1 :])] - tables[seat][replies]
            for place, seat in enumerate(others)
            for other in range(game.sizes[seat])
        ]
        best = require("scipy.optimize").linprog(
            -tables[leader][replies],
            A_ub=np.array(gains),
            b_ub=np.zeros(len(gains)),
            A_eq=np.ones((1, game.sizes[leader])),
            b_eq=[1.0],
        )
        if best.success:
            points = np.array([table[replies] @ best.x for table in tables])
            found.append(Commitment(best.x, replies, points))
    return max(found, key=lambda one: float(one.points[leader]))


def mediators_that_dominate(game: Game) -> list[tuple[int, ...]]:
    """Return the mediators who cooperate if all delegate, and to whom each best delegates.

    However the others play: to delegate weakly dominates whatever else a player may do.
    """
    target, _ = profiles(game)
    designs = product(range(min(game.sizes)), repeat=game.players)
    return [
        design
        for design in designs
        if (*[design[-1]] * game.players,) == target and _delegating_dominates(game, design)
    ]


def _delegating_dominates(game: Game, design: Sequence[int]) -> bool:
    active = game_under_mediator(game, design)
    every: Actions = tuple(tuple(range(size)) for size in active.sizes)
    return all(
        ((gains <= CLOSE).all(1) & (gains < -CLOSE).any(1)).all()
        for seat in range(game.players)
        for gains in [_gains(active, every, seat, game.sizes[seat])]
    )


def dominance_solves() -> ClaimFinding:
    """Drop dominated actions: strictly and at once in two dilemmas, step by step in the others."""
    parts, words = list[bool | None](), list[str]()
    for name, game in DILEMMAS.items():
        weakly = name == "traveller's dilemma"
        steps = drop_dominated(game, dominated_weakly if weakly else dominated_strictly)
        at_once = name in {"prisoner's dilemma", "public goods"}
        solved = steps[-1] == tuple((action,) for action in profiles(game)[1])
        parts.append(solved and (len(steps) == 2) == at_once)
        left = ", then ".join(_listed(game, one) for one in steps[1:])
        words.append(f"{name}, {'weakly' if weakly else 'strictly'}: {left}")
    return ClaimFinding(outcome_of(parts), f"what is left: {'; '.join(words)}")


def solutions_are_only_equilibria() -> ClaimFinding:
    """Look for the only equilibrium of each dilemma, mixed and correlated ones included."""
    found = {name: only_equilibrium(game) for name, game in DILEMMAS.items()}
    parts = [one == profiles(DILEMMAS[name])[1] for name, one in found.items()]
    notes = (
        "in the traveller's dilemma by mixtures: no single action strictly dominates another; "
        "correlated equilibria are counted in, of which the paper does not speak"
    )
    words = ", ".join(name for name, held in zip(found, parts, strict=True) if held)
    return ClaimFinding(outcome_of(parts), f"one profile is left in: {words}", notes)


def defection_remains() -> ClaimFinding:
    """Look for a deviation that pays where all defect, and refuse what is proposed."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        target, fallback = profiles(game)
        repeated = decide_under_repetition(game, fallback, pure_profile(game, fallback))
        matched = decide_under_reputation(game, fallback, fallback, OWN, FEW)
        lowest = [from_d(subgame_perfect, one) for one in (repeated, matched)]
        refused = list(refusal_deviations(game, target, fallback))
        best = max(one.gain for one in refused)
        parts += [*(one == 0 for one in lowest), best <= CLOSE]
        ds = ", ".join("never" if one is None else f"{one:.3g}" for one in lowest)
        words.append(f"{name} {ds}; the best of {len(refused):,} deviations gains {best:.3g}")
    found = "under repetition and reputation from d on, and if all designs are refused"
    return ClaimFinding(outcome_of(parts), f"{found}: {'; '.join(words)}")


def contracts_reach_further() -> ClaimFinding:
    """Compare the equilibria of the game of footnote 6 and of that under its contract."""
    points = list[Array]()
    for game in (PLAIN, PAID):
        left = drop_dominated(game, dominated_strictly)[-1]
        (paid,) = np.unique(game.paid(np.array(list(product(*left)))), axis=0)  # always the same
        points.append(paid)
    most = float(PLAIN.payoffs[0].max())
    parts = [bool((points[1] > points[0]).all()), bool(points[1][0] > most)]
    parts.append(bool((PLAIN.payoffs.sum(0) == PAID.payoffs.sum(0)).all()))  # payments, no more
    words = [", ".join(f"{one:g}" for one in both) for both in points]
    found = f"every equilibrium pays {words[0]} without and {words[1]} with the contract"
    return ClaimFinding(outcome_of(parts), f"{found}; player 1 had {most:g} at most")


def mechanisms_add_nothing() -> ClaimFinding:
    """Sum what all get: under contracts, by mediators, and over rounds."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        cells = np.moveaxis(game.payoffs, 0, -1)
        sums = cells.sum(-1)
        contracts = [np.array(one) for one in product(range(-2, 3), repeat=min(game.sizes))]
        moved = [game_under_contract(game, one).cells.sum(-1) for one in contracts]
        parts.append(bool(np.allclose(moved, sums, atol=CLOSE)))
        known = {tuple(one) for one in cells.reshape(-1, game.players).tolist()}
        mediators = list(product(range(min(game.sizes)), repeat=game.players))
        parts.append(
            all(
                {tuple(one) for one in under.cells.reshape(-1, game.players).tolist()} == known
                for under in (game_under_mediator(game, one) for one in mediators)
            )
        )
        words.append(f"{name} {len(contracts):,} and {len(mediators)}")
    parts.append(bool(np.isclose(game_weights(15, 0.8).sum(), 1, atol=CLOSE)))
    found = f"contracts of -2 to 2 points an action, and mediators: {'; '.join(words)}"
    notes = (
        "contracts move points, mediators come to outcomes of the game, and weights of rounds sum "
        "to one; who neither signs nor delegates plays the game as it is, as their rules have it"
    )
    return ClaimFinding(outcome_of(parts), found, notes)


def non_examples() -> ClaimFinding:
    """Look for an equilibrium that is better for all, with talk, a device or a leader."""
    parts, alone, led = list[bool | None](), list[str](), list[str]()
    for name, game in DILEMMAS.items():
        fallback = profiles(game)[1]
        parts += [only_equilibrium(game) == fallback] * 2  # cheap talk, correlation
        alone += [name] if parts[-1] else []
        usual = game.paid(np.array(fallback))
        found = [best_commitment(game, leader) for leader in range(game.players)]
        better = [bool((one.points > usual + CLOSE).all()) for one in found]
        parts.append(not any(better))
        led += [
            f"{name}, player {leader + 1} by {_committed(found[leader], usual)}"
            for leader in np.flatnonzero(better)
        ]
    words = (
        "talk and correlation leave defection as the only equilibrium, correlated ones included, "
        f"in: {', '.join(alone)}; a leader makes all better off in: {'; '.join(led) or 'none'}"
    )
    notes = (
        "where it pays to lead, some player has no dominant action; points are those of the best "
        "commitment for the leader, to which the others are indifferent and reply as it wishes"
    )
    return ClaimFinding(outcome_of(parts), words, notes)


def dominant_by_design() -> ClaimFinding:
    """Look at all mediators, and at the contract of the proof, for dominant cooperation."""
    parts, words, stepwise = list[bool | None](), list[str](), list[str]()
    for name, game in DILEMMAS.items():
        target, fallback = profiles(game)
        signed = game_under_contract(game, dominating_payments(game, target))
        left = drop_dominated(signed, dominated_strictly)
        found = mediators_that_dominate(game)
        parts += [bool(found), left[1:] == [tuple((action,) for action in target)]]
        words.append(f"{name} {len(found)} of {min(game.sizes) ** game.players} mediators")
        of_proof = (*[fallback[0]] * (game.players - 1), target[0])
        rest = drop_dominated(game_under_mediator(game, of_proof), dominated_weakly)[-1]
        stepwise += [name] if rest == tuple((size,) for size in game.sizes) else []
    found_words = (
        f"delegating dominates under: {', '.join(words)}; under the contract of the proof "
        f"cooperation does in {sum(one is True for one in parts[1::2])} of {len(DILEMMAS)}"
    )
    notes = (
        "where no mediator does it, the best action against a co-player who does not delegate "
        "depends on that one's action, which no mediator sees; under the mediator of the proof, if "
        f"dominated actions are dropped step by step, delegating is left in: {', '.join(stepwise)}"
    )
    return ClaimFinding(outcome_of(parts), found_words, notes)


def _committed(led: Commitment, usual: Array) -> str:
    mixture = ", ".join(f"A{at} {chance:.0%}" for at, chance in enumerate(led.mixture) if chance)
    points, before = (", ".join(f"{one:.3g}" for one in paid) for paid in (led.points, usual))
    return f"{mixture}: {points} in place of {before}"


def _listed(game: Game, left: Actions) -> str:
    labels = [
        " or ".join(game.actions[seat][action] for action in own) for seat, own in enumerate(left)
    ]
    return f"({', '.join(labels)})"
