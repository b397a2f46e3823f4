"""The cells of CoopEval, games under mechanisms, and where in our experiments each is played.

Games of two and of three players are experiments apart, since they have different numbers of
matches; and so are populations, under reputation, in which partners change.
Source: Tewolde et al. 2026 (CoopEval), sections 5 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from society.claims.comparisons import Fared, Metric
from society.claims.types import Evidence, Levels, Trial
from society.draws import Array

PAIRS, GOODS, POPULATIONS, CROWDS = "pairs", "goods", "populations", "crowds"
PUBLIC_GOODS = "public_goods"
DILEMMAS = ("prisoners_dilemma", "travellers_dilemma", "trust", PUBLIC_GOODS)
NONE, REPETITION, MEDIATION, CONTRACT = "none", "repetition", "mediation", "contract"
FIRST, HIGHER = "reputation_first", "reputation_higher"

OF_THREE: dict[str, Any] = {"game": {PUBLIC_GOODS: {"base": PUBLIC_GOODS}}}
ONE_GAME: dict[str, Any] = {"game": {"prisoners_dilemma": {"base": "prisoners_dilemma"}}}
SELDOM: dict[str, Any] = {"repetitions": {4: {"mechanisms.tournament.repetitions": 4}}}


@dataclass(frozen=True)
class Cells:
    """Where games and mechanisms are found; minds: begins the names of the experiments."""

    minds: str

    def trial(self, game: str, mechanism: str) -> str:
        """The experiment in which a game is played under a mechanism."""
        partners_change = mechanism in (FIRST, HIGHER)
        if game == PUBLIC_GOODS:
            return self._called(CROWDS if partners_change else GOODS)
        return self._called(POPULATIONS if partners_change else PAIRS)

    def runs(self, evidence: Evidence, measure: str, game: str, mechanism: str) -> Array:
        """A measure of each match of a cell, (n,)."""
        return evidence.runs(self.trial(game, mechanism), measure, _levels(game, mechanism))

    def fared(self, evidence: Evidence, metric: Metric, game: str, mechanism: str) -> Fared:
        """How types did in a cell."""
        return evidence.fared(self.trial(game, mechanism), metric, _levels(game, mechanism))

    def over_dilemmas(self, evidence: Evidence, metric: Metric, mechanism: str) -> Fared:
        """How types did on average over the four dilemmas, repetition by repetition."""
        return mean_of([self.fared(evidence, metric, game, mechanism) for game in DILEMMAS])

    def trials(
        self, pairs: str, populations: str, of_whom: str, quick: Mapping[str, Any]
    ) -> Iterator[Trial]:
        """The four experiments of two files, in which games of three replace the others.

        quick: levels of factors at a quick look.
        """
        three, less = {"factors": OF_THREE}, {"factors": quick}
        less_of_three = {"factors": {**quick, **OF_THREE}}
        others = {self._called(name): dict[str, str]() for name in (GOODS, POPULATIONS, CROWDS)}
        yield Trial(
            self._called(PAIRS),
            pairs,
            f"Tables 2 to 6: {of_whom} under all mechanisms",
            chapters=("standings", "conduct", "agreements"),
            quick=less,
            beside=others,
        )
        for name, file, game, instead, fewer in (
            (GOODS, pairs, "public goods", three, less_of_three),
            (POPULATIONS, populations, "games of two under reputation", {}, less),
            (CROWDS, populations, "public goods under reputation", three, less_of_three),
        ):
            title = f"{of_whom.capitalize()}: {game}"
            yield Trial(self._called(name), file, title, instead=instead, quick=fewer)

    def _called(self, name: str) -> str:
        return f"{self.minds}_{name}"


def _levels(game: str, mechanism: str) -> Levels:
    return {"game": game, "mechanism": mechanism}


def mean_of(cells: list[Fared]) -> Fared:
    """The mean over cells that were repeated as often."""
    each = {name: np.mean([one.each[name] for one in cells], axis=0) for name in cells[0].each}
    return Fared(np.mean([one.average for one in cells], axis=0), each)
