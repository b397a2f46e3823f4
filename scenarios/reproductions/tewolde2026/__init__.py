"""CoopEval reproduced: which mechanisms make which minds cooperate.

Its theorem is checked on the infinite games that it is about (theorem.py), its experiment is
played with classic minds (rules.py) and with language models (language.py), whose
claims can be told where the models that it names are asked. With the rules, the offline mind plays
the experiment once: it answers in words, and is no language model.

Source: Tewolde et al. 2026, CoopEval: Benchmarking Cooperation-Sustaining Mechanisms and LLM Agents
in Social Dilemmas.
"""

from __future__ import annotations

from collections.abc import Iterator

from society.claims.types import Claim, Design, Reproduction, Trial
from society.scenarios.reproductions.tewolde2026 import rules as rules
from society.scenarios.reproductions.tewolde2026 import theorem as theory
from society.scenarios.reproductions.tewolde2026.cells import ONE_GAME, SELDOM
from society.scenarios.reproductions.tewolde2026.language import LANGUAGE

JUDGING = (
    "Theorem 1 and lemma 1 are about games without a last round. They are checked in closed form "
    "and by enumeration, with a deviation at every decision point, and not on what is played: in "
    "the last of fifteen rounds a deviation always pays.",
    "The theorem and its proof are judged apart: the theorem by whether there is an equilibrium as "
    "it says, the proof by whether the strategy that it names is one. Where that is not so, the "
    "deviation that pays is shown, and the theorem is held by a strategy of ours, which is named. "
    "Of the proofs of repetition and mediation both hold.",
    "Matching pennies has no profile that all prefer to its equilibrium, so that the theorem says "
    "nothing of it. It is played under every mechanism, as a control, and stands in the tables in "
    "points: without cooperation there is nothing to scale payoffs by, and no claim is judged by "
    "it.",
    "Payoffs are 0 in equilibrium and 1 where all cooperate: 1 and 2 points in the prisoner's "
    "dilemma, 1 and 1.5 in public goods, 2 and 5 in the traveller's dilemma, 4 and 10 in trust, 3 "
    "and 5 in stag hunt.",
    "Types are ours, and so is all that is said of selection among them. Fifteen games stand for "
    "as many as there may be: the weight of all that would follow, 3.5% with a continuation "
    "probability of 0.8, stands on the last one.",
    "The following was changed on 2026-11-22, after results were known. Minds that judge contracts "
    "and mediators followed a strategy of their own where these had been refused, cooperating with "
    "who refuses; contracts were then no better than no mechanism, and selection among classic "
    "minds led to defection but in the traveller's dilemma. Now they play the equilibrium there, "
    "as the strategies of the theorem's proof do, and selection leads to cooperation in all four. "
    "The type that plays these strategies took the place of a plain grim trigger.",
    "What the paper finds of its models, which mechanism serves them best among others, cannot be "
    "told of rules; see --model. The offline mind plays their experiment to show that all of it "
    "can be played. It is no language model, and nothing is claimed of it.",
)


def claims() -> Iterator[Claim]:
    """Of the theorem and the settings, then of classic minds."""
    yield from theory.claims()
    yield from rules.claims()


TRIALS = (
    *rules.CELLS.trials("dilemmas_pairs", "dilemmas_populations", "classic minds", SELDOM),
    Trial(rules.THEOREM, "dilemmas_theorem", "Theorem 1: its strategies, played"),
    Trial(
        rules.SETTINGS,
        "dilemmas_settings",
        "Other continuation probabilities and windows: classic minds under repetition",
        quick={"factors": ONE_GAME},
    ),
    Trial(
        "offline",
        "dilemmas_models",
        "DRY RUN of the experiment with models: the offline mind, which is no language model",
        chapters=("standings", "conduct", "agreements", "ledger"),
        instead={"factors": ONE_GAME},
    ),
)

PAPER = Reproduction(
    "dilemmas",
    "Tewolde et al. 2026 (CoopEval)",
    rules=Design(TRIALS, tuple(claims()), JUDGING),
    language=LANGUAGE,
)
