"""CoopEval's theorem 1 and lemma 1 held against exact computations, and its settings against them.

Rules of judging. Strategies are those of the proofs, games are infinite, and everything is computed
in closed form or by enumeration: nothing is played, and nothing estimated.
    subgame perfect   no deviation taken once pays, whatever has happened before
    Nash              no plan at all is better before the first round
    from d on         the lowest continuation probability for which that is so
The theorem says that cooperation can be had in subgame perfect equilibrium, and its proof names a
strategy for each mechanism. Both are judged: the theorem by any strategy that we know, the proof by
its own. A population is looked at with two agents of each seat, and with six, as in the paper, in
closed form. Numbers of points and probabilities are rounded to three digits.

Source: Tewolde et al. 2026 (CoopEval), sections 4 and 5, appendix D. Ours: the strategies by which
the theorem holds where that of its proof does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from society.claims.comparisons import MATTERS
from society.claims.types import ClaimFinding, VerdictOutcome, outcome_of
from society.scenarios.games.game import Game, Profile
from society.scenarios.games.two_by_two import STAG_HUNT
from society.scenarios.reproductions.tewolde2026.agreement_games import (
    Deviation,
    contract_deviations,
    mediator_deviations,
)
from society.scenarios.reproductions.tewolde2026.one_shot_deviations import (
    CLOSE,
    is_nash,
    subgame_perfect,
)
from society.scenarios.reproductions.tewolde2026.profiles import (
    FEW,
    GAMES,
    HUNTERS,
    from_d,
    grim_trigger,
    norm_in_population,
    profiles,
)
from society.scenarios.reproductions.tewolde2026.trigger_strategies import (
    ATONING,
    OWN,
    STANDING,
    decide_under_repetition,
    forbearance_threshold,
    patience_threshold,
    trigger_norm,
)

CONTINUATION, WINDOW, ROUNDS = 0.8, 3, 15  # of the paper
PAPERS = 6  # agents of each seat


def repetition_thresholds() -> ClaimFinding:
    """Find the least d for grim trigger by game and, where seats differ, by seat."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        found = [from_d(subgame_perfect, [one]) for one in grim_trigger(game)]
        parts.append(None not in found)
        words.append(f"{name} {_worded(*found)}")
    notes = (
        "where two are given, the first is of seat 1; matching pennies has nothing that all "
        "prefer to its equilibrium, and so no claim"
    )
    return ClaimFinding(outcome_of(parts), f"by grim trigger, from d on: {'; '.join(words)}", notes)


def standing_as_printed() -> ClaimFinding:
    """Tell whether the norm as printed is subgame perfect, and what a deviation gains at most."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        players = norm_in_population(game, STANDING)
        parts.append(from_d(subgame_perfect, players) is not None)
        gain = max(float(one.gains(CONTINUATION).max()) for one in players)
        words.append(f"{name} {gain:.3g}")
    notes = (
        "who is bad and meets good co-players is to cooperate while they do not, and stays bad "
        "whatever it does: it gains by not cooperating, whatever d"
    )
    return ClaimFinding(outcome_of(parts), f"the best deviation gains: {'; '.join(words)}", notes)


def standing_by_own() -> ClaimFinding:
    """Find the least d at which the norm with the own label is subgame perfect."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        found = from_d(subgame_perfect, norm_in_population(game, OWN))
        due = max(patience_threshold(game, *profiles(game), FEW))
        parts.append(found is not None and bool(np.isclose(found, due, atol=1e-6)))
        six = max(patience_threshold(game, *profiles(game), PAPERS))
        words.append(f"{name} {_worded(found)}, {six:.3g}")
    notes = (
        "the more agents, the higher: in the worst state nobody is good but those who meet now, "
        "and they seldom meet again"
    )
    whose = "by standing with the own label (ours: the bad play the equilibrium with everybody)"
    found_words = f"{whose}, from d on, with 2 and 6 agents of each seat: {'; '.join(words)}"
    return ClaimFinding(outcome_of(parts), found_words, notes)


def atonement_thresholds() -> ClaimFinding:
    """Find the least d at which the norm that lets the bad atone is subgame perfect."""
    found = {
        name: from_d(subgame_perfect, norm_in_population(game, ATONING))
        for name, game in GAMES.items()
    }
    words = "; ".join(f"{name} {_worded(one)}" for name, one in found.items())
    notes = (
        "this d does not grow with the population; where there is none, the bad gain by not "
        "atoning, or the good by sparing them"
    )
    return ClaimFinding(
        outcome_of(one is not None for one in found.values()), f"from d on: {words}", notes
    )


def mediation_deviations() -> ClaimFinding:
    """Look for a deviation that pays in any stage of a mediator's making and use."""
    outcome, found = _agreeing(mediator_deviations)
    return ClaimFinding(
        outcome, f"by the proof's strategy, whichever mediators are proposed: {found}"
    )


def contract_stages(*, mended: bool = False) -> ClaimFinding:
    """Do likewise for contracts; mended: with an equilibrium under whatever all have signed."""
    outcome, found = _agreeing(partial(contract_deviations, mended=mended))
    whose = "the proof's strategy"
    notes = "any other contract is like these: nobody brings one into force alone"
    if mended:
        whose += " (ours: with an equilibrium of the new game if all have signed another contract)"
    else:
        notes = (
            "once all have signed another contract, the equilibrium of the game is none of theirs"
        )
    return ClaimFinding(outcome, f"by {whose}, with five contracts to propose: {found}", notes)


def _agreeing(
    stages: Callable[[Game, Profile, Profile], Iterable[Deviation]],
) -> tuple[VerdictOutcome, str]:
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        found = list(stages(game, *profiles(game)))
        best = max(found, key=lambda one: one.gain)
        parts.append(best.gain <= CLOSE)
        pays = "none pays" if parts[-1] else f"{best.gain:.3g} is gained in: {best.where}"
        words.append(f"{name}, {len(found):,} deviations: {pays}")
    return outcome_of(parts), "; ".join(words)


def trigger_thresholds() -> ClaimFinding:
    """Find the least d for trigger strategies: windows of 1 to 3, then reputation."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        windows = [from_d(is_nash, grim_trigger(game, window)) for window in (1, 2, WINDOW)]
        firsts = [
            from_d(is_nash, norm_in_population(game, trigger_norm(window))) for window in (None, 1)
        ]
        parts.append(None not in [*windows, *firsts])
        words.append(f"{name} {_worded(*windows, *firsts)}")
    notes = "the same d for windows of 1, 2 and 3 and for reputation with all rounds or the last"
    return ClaimFinding(outcome_of(parts), f"from d on: {'; '.join(words)}", notes)


def only_nash() -> ClaimFinding:
    """Find the games in which a deviation pays after some history."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        first = from_d(subgame_perfect, norm_in_population(game, trigger_norm()))
        windows = [from_d(subgame_perfect, grim_trigger(game, k)) for k in (1, 2, WINDOW)]
        six = max(forbearance_threshold(game, *profiles(game), PAPERS))
        parts += [first is None, six >= 1, None in windows]
        among = _worded(first, six if six < 1 else None)
        words.append(f"{name}: reputation {among}, windows {_worded(*windows)}")
    hunt = decide_under_repetition(STAG_HUNT, (0, 0), HUNTERS, WINDOW)
    gain = max(float(one.gains(CONTINUATION).max()) for one in hunt)
    parts.append(gain > CLOSE)
    notes = (
        "under reputation the only good players of all gain by not cooperating, the more agents "
        "the likelier, since they must meet again at once; a window forgets, but where all stick "
        "to an equilibrium in pure strategies it never sees anything else, and no deviation pays; "
        f"in stag hunt with its mixed equilibrium {gain:.3g} is gained by playing A0 until all is "
        "forgotten"
    )
    return ClaimFinding(
        outcome_of(parts),
        "subgame perfect from d on, under reputation with 2 and 6 agents of each seat: "
        f"{'; '.join(words)}",
        notes,
    )


def enough_at_paper_d() -> ClaimFinding:
    """Test 0.8 for a Nash equilibrium, with a window of 3 and under reputation.

    Comfortably: a probability that is lower by what MATTERS does as well.
    """
    comfortable = CONTINUATION * (1 - MATTERS)
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        least = from_d(is_nash, grim_trigger(game, WINDOW))
        parts.append(least is not None and least <= comfortable)
        parts.append(is_nash(norm_in_population(game, trigger_norm()), comfortable))
        words.append(f"{name} {_worded(least)}")
    found = f"Nash under repetition from d on: {'; '.join(words)}"
    notes = f"comfortably: at d = {comfortable:.2f} as well, where reputation is looked at"
    return ClaimFinding(outcome_of(parts), found, notes)


def enough_in_subgames() -> ClaimFinding:
    """Test 0.8 for standing with the own label, among as many as in the paper."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        least = max(patience_threshold(game, *profiles(game), PAPERS))
        parts.append(least < CONTINUATION)
        words.append(f"{name} {least:.3g}")
    return ClaimFinding(outcome_of(parts), f"from d on: {'; '.join(words)}")


def cut_off() -> ClaimFinding:
    """Weigh the tail, which counts with the last round that is played."""
    tail = CONTINUATION**ROUNDS
    return ClaimFinding(
        outcome_of([tail <= 0.042]),
        f"{tail:.1%}, d to the power of 15",
        "so the paper's bound holds, and is not the tightest",
    )


def _worded(*found: float | None) -> str:
    """Write down values, each once; None is never."""
    words = ["never" if one is None else f"{round(one, 6):.3g}" for one in found]
    return ", ".join(dict.fromkeys(words))
