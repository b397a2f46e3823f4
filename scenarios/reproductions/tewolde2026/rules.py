"""Classic minds in CoopEval's experiment: what mechanisms and selection come to with them.

The paper claims nothing of rules, and so all is ours. Six types move and agree as classic
strategies do (see the experiments); in a single game those that begin with cooperation cooperate.
One of them, `theorem`, plays the strategies of theorem 1. It and all others that are capable of
designs play the equilibrium where they could agree and have not, as its proof has it.

Rules of judging; luck is only in who meets whom, in what naive minds propose, which is the same in
all repetitions of a game, and in ties of votes; and so there is no test, but what is true in every
repetition. Payoffs are 0 in equilibrium and 1 where all cooperate.
    theorem      where all play the strategies of theorem 1, efficiency is 1 to a billionth
    cooperation  after selection the average payoff is at least 0.9 in every repetition; it is not
                 if in none
    defection    it is at most 0.1 in every repetition
    reputation   mean payoff under repetition against both reputations, Welch's test
Selection is replicator dynamics from equal shares of types, as in the paper.

Source: the experiment: Tewolde et al. 2026 (CoopEval), sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims.types import Claim, Evidence, Finding, ordered, outcome_of
from society.draws import Array
from society.scenarios.reproductions.tewolde2026.cells import (
    CONTRACT,
    DILEMMAS,
    FIRST,
    HIGHER,
    MEDIATION,
    NONE,
    REPETITION,
    Cells,
)

CELLS = Cells("classic")
THEOREM, SETTINGS = "theorem", "settings"  # the experiments, beside those of all cells
COOPERATIVE, UNCOOPERATIVE = 0.9, 0.1  # payoffs on average
CLOSE = 1e-9
WHY = {
    NONE: "in the traveller's dilemma equal shares of these six types rest: no type undercuts by "
    "one, and to claim least pays as much as to claim most if one in three does",
    CONTRACT: "types that sign what is rational play the equilibrium with whoever refuses to",
}


def claims() -> Iterator[Claim]:
    """What is played of theory, then what selection makes of it."""
    yield Claim(
        "Played, the strategies of theorem 1 come to what they promise",
        "Ours, as theorem 1",
        "All cooperate, and none is paid more than by the game.",
        _promised,
        ours=True,
    )
    yield Claim(
        "Without a mechanism selection leads to defection",
        "Ours, as section 6",
        "As among the paper's models, of which the nicer ones vanish.",
        lambda evidence: _selected(evidence, NONE),
        ours=True,
    )
    for mechanism in (REPETITION, MEDIATION, CONTRACT):
        yield _of_selection(mechanism)
    yield Claim(
        "Under repetition selection leads to cooperation with other settings, too",
        "Ours, as the ablations",
        "Continuation probabilities of 0.7 and 0.9, windows of 2 and 4.",
        _set_otherwise,
        ours=True,
    )
    yield Claim(
        "Reputation pays less than repetition",
        "Ours, as Table 2",
        "As among the paper's models.",
        _repute,
        ours=True,
    )


def _of_selection(mechanism: str) -> Claim:
    return Claim(
        "Selection leads to cooperation",
        "Ours, as section 6",
        "As among the paper's models, which come to 90% to 100%.",
        lambda evidence: _selected(evidence, mechanism),
        f"under {mechanism}",
        ours=True,
    )


def _promised(evidence: Evidence) -> Finding:
    levels = evidence.levels(THEOREM)
    parts, words = list[bool | None](), list[str]()
    for mechanism in levels["mechanism"]:
        found = evidence.runs(THEOREM, "efficiency", {"mechanism": mechanism})
        parts.append(bool((np.abs(found - 1) <= CLOSE).all()))
        words.append(f"{mechanism} {found.min():.3g} or more in {len(found)} games")
    return Finding(outcome_of(parts), f"efficiency: {'; '.join(words)}")


def _selected(evidence: Evidence, mechanism: str) -> Finding:
    parts, words = list[bool | None](), list[str]()
    for game in DILEMMAS:
        before, after = (
            CELLS.fared(evidence, metric, game, mechanism).average for metric in ("mean", "fitness")
        )
        parts.append(_always(after <= UNCOOPERATIVE if mechanism == NONE else after >= COOPERATIVE))
        words.append(f"{game} {_worded(before)} to {_worded(after)}")
    found = f"mean payoff of equal shares to that after selection: {'; '.join(words)}"
    return Finding(outcome_of(parts), found, WHY.get(mechanism, ""))


def _set_otherwise(evidence: Evidence) -> Finding:
    levels = evidence.levels(SETTINGS)
    parts, words = list[bool | None](), list[str]()
    for setting in levels["setting"]:
        found = [
            evidence.fared(SETTINGS, "fitness", {"game": game, "setting": setting}).average
            for game in levels["game"]
        ]
        parts += [_always(one >= COOPERATIVE) for one in found]
        words.append(f"{setting} {min(one.min() for one in found):.3g} or more")
    notes = "classic minds remember on their own, so that windows change nothing with them"
    return Finding(outcome_of(parts), f"after selection: {'; '.join(words)}", notes)


def _repute(evidence: Evidence) -> Finding:
    repeated = CELLS.over_dilemmas(evidence, "mean", REPETITION).average
    pairs = {
        f"{REPETITION} > {name}": (repeated, CELLS.over_dilemmas(evidence, "mean", name).average)
        for name in (FIRST, HIGHER)
    }
    notes = (
        "types go by what co-players did last, which both reputations tell alike; only `theorem` "
        "goes by standing under higher orders, its own included"
    )
    return ordered(evidence.independent(pairs), notes)


def _worded(payoffs: Array) -> str:
    return f"{round(float(payoffs.mean()), 6) + 0.0:.3g}"  # and never -0


def _always(true: Array) -> bool | None:
    """True in every repetition, False in none, or neither."""
    return bool(true.all()) if true.all() or not true.any() else None
