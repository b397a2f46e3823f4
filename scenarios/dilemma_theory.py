"""CoopEval's theorem 1 and lemma 1 held against exact computations, and its settings against them.

Rules of judging. Strategies are those of the proofs, games are infinite, and everything is computed
in closed form or by enumeration: nothing is played, and nothing estimated.
    subgame perfect   no deviation taken once pays, whatever has happened before
    Nash              no plan at all is better before the first round
    from d on         the lowest continuation probability for which that is so
A population is looked at with two agents of each seat, and with six, as in the paper, in closed
form. Numbers of points and probabilities are rounded to three digits.

Source: Tewolde et al. 2026 (CoopEval), sections 4 and 5, appendix D. Versions, where what is
printed does not hold, are ours and are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from society.claims import Claim, Finding, outcome_of
from society.scenarios.dilemma_agreements import Deviation, contract, mediation
from society.scenarios.dilemma_deviations import CLOSE, nash, subgame_perfect
from society.scenarios.dilemma_profiles import (
    FEW,
    GAMES,
    HUNTERS,
    from_d,
    population,
    profiles,
    repeated,
)
from society.scenarios.dilemma_triggers import (
    ATONING,
    OWN,
    STANDING,
    patience,
    repetition,
    trigger,
)
from society.scenarios.dilemmas import STAG_HUNT
from society.scenarios.games import Game, Profile

CONTINUATION, WINDOW, ROUNDS = 0.8, 3, 15  # of the paper
PAPERS = 6  # agents of each seat


def claims() -> Iterator[Claim]:
    """The theorem, the lemma, then the settings."""
    theorem = "Theorem 1, appendix D"
    yield Claim(
        "Grim trigger under repetition is subgame perfect",
        theorem,
        "From a continuation probability on that is high enough.",
        lambda evidence: repeating(),
    )
    yield Claim(
        "Standing under higher-order reputation is subgame perfect",
        theorem,
        "From a continuation probability on that is high enough; play depends on the labels of "
        "co-players.",
        lambda evidence: standing(),
        "as printed",
    )
    yield Claim(
        "Standing under higher-order reputation is subgame perfect",
        "Ours, as theorem 1",
        "Not claimed: who is bad itself plays the equilibrium, whomever it meets.",
        lambda evidence: mended_standing(),
        "with the own label",
        ours=True,
    )
    yield Claim(
        "Standing under higher-order reputation is subgame perfect",
        "Ours, after Sugden 1986",
        "Not claimed: who is bad cooperates with everybody, and is good again once it has.",
        lambda evidence: atoning(),
        "if the bad may atone",
        ours=True,
    )
    yield Claim(
        "Mediation needs no repetition for cooperation in subgame perfect equilibrium",
        theorem,
        "All propose, approve and use a mediator that cooperates only if all delegate.",
        lambda evidence: agreeing(mediation),
    )
    yield Claim(
        "Contracts need no repetition for cooperation in subgame perfect equilibrium",
        theorem,
        "All propose, approve and sign a contract under which cooperation dominates; else they "
        "play the equilibrium of the game.",
        lambda evidence: agreeing(contract),
        "as printed",
    )
    yield Claim(
        "Contracts need no repetition for cooperation in subgame perfect equilibrium",
        "Ours, as theorem 1",
        "Not claimed: if all have signed another contract, they play an equilibrium under it.",
        lambda evidence: agreeing(partial(contract, mended=True)),
        "with an equilibrium under any contract",
        ours=True,
    )
    yield Claim(
        "With finite windows, and under first-order reputation, grim trigger is a Nash equilibrium",
        "Lemma 1, appendix D",
        "For a window and a continuation probability that are large enough.",
        lambda evidence: triggering(),
    )
    yield Claim(
        "There grim trigger is no subgame perfect equilibrium",
        "Ours, on lemma 1",
        "Not claimed; the paper shows no more than Nash.",
        lambda evidence: only_nash(),
        ours=True,
    )
    settings = "A window of 3 and a continuation probability of 0.8 comfortably sustain cooperation"
    yield Claim(
        settings,
        "Section 5",
        "In all games, under repetition and reputation.",
        lambda evidence: comfortable(1),
        "in Nash equilibrium",
    )
    yield Claim(
        settings,
        "Section 5",
        "In all games, under repetition and reputation.",
        lambda evidence: comfortable(PAPERS),
        "in subgames, by standing with the own label, among six agents of each seat",
    )
    yield Claim(
        "What is not played beyond round 15 is worth at most 4.2% of the range of payoffs",
        "Section 5",
        "With weights that end with the fifteenth round.",
        lambda evidence: cut_off(),
    )


def repeating() -> Finding:
    """From which d on, by game and, where they differ, by seat."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        found = [from_d(subgame_perfect, [one]) for one in repeated(game)]
        parts.append(None not in found)
        words.append(f"{name} {_worded(*found)}")
    notes = (
        "where two are given, the first is of seat 1; matching pennies has nothing that all "
        "prefer to its equilibrium, and so no claim"
    )
    return Finding(outcome_of(parts), f"from d on: {'; '.join(words)}", notes)


def standing() -> Finding:
    """Whether the norm as printed is subgame perfect, and what the best deviation gains."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        players = population(game, STANDING)
        parts.append(from_d(subgame_perfect, players) is not None)
        gain = max(float(one.gains(CONTINUATION).max()) for one in players)
        words.append(f"{name} {gain:.3g}")
    notes = (
        "who is bad and meets good co-players is to cooperate while they do not, and stays bad "
        "whatever it does: it gains by not cooperating, whatever d"
    )
    return Finding(outcome_of(parts), f"the best deviation gains: {'; '.join(words)}", notes)


def mended_standing() -> Finding:
    """From which d on the norm with the own label is subgame perfect."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        found = from_d(subgame_perfect, population(game, OWN))
        due = max(patience(game, *profiles(game), FEW))
        parts.append(found is not None and bool(np.isclose(found, due, atol=1e-6)))
        six = max(patience(game, *profiles(game), PAPERS))
        words.append(f"{name} {_worded(found)}, {six:.3g}")
    notes = (
        "the more agents, the higher: in the worst state nobody is good but those who meet now, "
        "and they seldom meet again"
    )
    found_words = f"from d on, with 2 and 6 agents of each seat: {'; '.join(words)}"
    return Finding(outcome_of(parts), found_words, notes)


def atoning() -> Finding:
    """From which d on the norm that lets the bad atone is subgame perfect."""
    found = {
        name: from_d(subgame_perfect, population(game, ATONING)) for name, game in GAMES.items()
    }
    words = "; ".join(f"{name} {_worded(one)}" for name, one in found.items())
    notes = (
        "this d does not grow with the population; where there is none, the bad gain by not "
        "atoning, or the good by sparing them"
    )
    return Finding(
        outcome_of(one is not None for one in found.values()), f"from d on: {words}", notes
    )


def agreeing(stages: Callable[[Game, Profile, Profile], Iterable[Deviation]]) -> Finding:
    """Whether any deviation in any stage of a design's making and use pays."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        found = list(stages(game, *profiles(game)))
        best = max(found, key=lambda one: one.gain)
        parts.append(best.gain <= CLOSE)
        pays = "none pays" if parts[-1] else f"{best.gain:.3g} is gained in: {best.where}"
        words.append(f"{name}, {len(found):,} deviations: {pays}")
    return Finding(outcome_of(parts), "; ".join(words))


def triggering() -> Finding:
    """From which d on triggers are Nash equilibria: windows of 1 to 3, then reputation."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        windows = [from_d(nash, repeated(game, window)) for window in (1, 2, WINDOW)]
        firsts = [from_d(nash, population(game, trigger(window))) for window in (None, 1)]
        parts.append(None not in [*windows, *firsts])
        words.append(f"{name} {_worded(*windows, *firsts)}")
    notes = "the same d for windows of 1, 2 and 3 and for reputation with all rounds or the last"
    return Finding(outcome_of(parts), f"from d on: {'; '.join(words)}", notes)


def only_nash() -> Finding:
    """Where a deviation pays after some history, and where none does."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        first = from_d(subgame_perfect, population(game, trigger()))
        windows = [from_d(subgame_perfect, repeated(game, k)) for k in (1, 2, WINDOW)]
        parts += [first is None, None in windows]
        words.append(f"{name}: reputation {_worded(first)}, windows {_worded(*windows)}")
    hunt = repetition(STAG_HUNT, (0, 0), HUNTERS, WINDOW)
    gain = max(float(one.gains(CONTINUATION).max()) for one in hunt)
    parts.append(gain > CLOSE)
    notes = (
        "under reputation two good players among bad ones gain by not cooperating, since they "
        "seldom meet again; a window forgets, but where all stick to an equilibrium in pure "
        "strategies it never sees anything else, and no deviation pays; in stag hunt with its "
        f"mixed equilibrium {gain:.3g} is gained by playing A0 until all is forgotten"
    )
    return Finding(outcome_of(parts), f"subgame perfect from d on: {'; '.join(words)}", notes)


def comfortable(count: int) -> Finding:
    """Whether 0.8 is enough, with so many agents of each seat; one: in repetition, and on path."""
    parts, words = list[bool | None](), list[str]()
    for name, game in GAMES.items():
        least = max(patience(game, *profiles(game), count))
        parts.append(least < CONTINUATION)
        words.append(f"{name} {least:.3g}")
    return Finding(outcome_of(parts), f"from d on: {'; '.join(words)}")


def cut_off() -> Finding:
    """What the tail weighs, which stands on the last round that is played."""
    tail = CONTINUATION**ROUNDS
    return Finding(
        outcome_of([tail <= 0.042]),
        f"{tail:.1%}, d to the power of 15",
        "so the paper's bound holds, and is not the tightest",
    )


def _worded(*found: float | None) -> str:
    """Those that differ."""
    words = ["never" if one is None else f"{round(one, 6):.3g}" for one in found]
    return ", ".join(dict.fromkeys(words))
