"""The donor paper reproduced: cooperation that evolves, or does not, from generation to generation.

Its experiment is played with language models (language.py), whose claims can be told where
the models that it names are asked, and with donors by rule (rules.py). Rules are held
against theory as well (indirect_reciprocity.py), and its game against arithmetic
(arithmetic.py). With the rules, the offline mind plays the paper's experiment once: it answers in words, and is no
language model.

Source: Vallinder and Hughes 2024, arXiv 2412.10270.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from society.claims.types import Claim, Design, Reproduction, Trial
from society.scenarios.reproductions.vallinder2024 import arithmetic as theory
from society.scenarios.reproductions.vallinder2024 import indirect_reciprocity as invasions
from society.scenarios.reproductions.vallinder2024 import rules as rules
from society.scenarios.reproductions.vallinder2024.changes import CHANGES
from society.scenarios.reproductions.vallinder2024.language import LANGUAGE, PAIRS, QUICK

JUDGING = (
    "With rules, the claims of the paper that can be told are those about its game. Marked as ours "
    "are what theory says of indirect reciprocity, with its source, and what the experiment comes "
    "to with rules in place of models. Sizes, rules, traits, mutation and the strength of "
    "selection are ours.",
    PAIRS,
    "Replicates of two conditions that share their luck are compared in pairs; what multiplies is "
    "compared by logarithms. Who takes over is held against what chance alone would have come to.",
    *CHANGES,
    "The offline mind plays the experiment with models to show that all of it can be played. It is "
    "no language model, and nothing is claimed of it.",
)
FEW: dict[str, Any] = {"replicates": 40}


def claims() -> Iterator[Claim]:
    """Of the game and of theory, then of evolved rules."""
    yield from theory.claims()
    yield from rules.claims()


TRIALS = (
    Trial(theory.CEILING, "donor_ceiling", "What giving comes to, by multiplier and schedule"),
    Trial(
        invasions.IMAGE,
        "donor_image_scoring",
        "Theory: a free rider among image scorers, by the chance to know (ours)",
        over_time=("phenotype",),
        quick=FEW,
    ),
    Trial(
        invasions.NEUTRAL,
        "donor_neutral",
        "A control: the same with selection switched off (ours)",
        quick=FEW,
    ),
    Trial(
        invasions.DRIFT,
        "donor_drift",
        "Theory: those who always give among image scorers (ours)",
        over_time=("phenotype",),
        quick=FEW,
    ),
    Trial(
        invasions.NORMS,
        "donor_norms",
        "Theory: a free rider among followers of social norms (ours)",
        quick=FEW,
    ),
    Trial(
        invasions.GIVERS,
        "donor_givers",
        "Theory: those who always give among followers of social norms (ours)",
        quick={"replicates": 20},
    ),
    Trial(
        invasions.PERCEPTION,
        "donor_perception",
        "Theory: errors of perception under social norms (ours)",
        chapters=("outcome", "maps"),
        quick=FEW,
    ),
    Trial(
        rules.RULES,
        "donor_rules",
        "Figs 2, 3, 7 to 10 with rules in place of models (ours)",
        chapters=("outcome", "maps"),
        over_time=("phenotype",),
        quick=FEW,
    ),
    Trial(
        rules.PROTOCOLS,
        "donor_protocols",
        "What the paper's notebook plays, with rules in place of models (ours)",
        over_time=("phenotype",),
        quick=FEW,
    ),
    Trial(
        "offline",
        "donor_models",
        "DRY RUN of the experiment with models: the offline mind, which is no language model",
        chapters=("outcome", "evolution", "lives", "strategies", "texts", "ledger"),
        instead={"replicates": 2},
        quick=QUICK,
    ),
)

PAPER = Reproduction(
    "donor",
    "Vallinder and Hughes 2024 (arXiv 2412.10270)",
    rules=Design(TRIALS, tuple(claims()), JUDGING),
    language=LANGUAGE,
)
