"""Selects the games and mechanisms of the paper that were played, in its order, with their words.

The agents are classic minds of ours, or the models that were asked: each is a type, as in the
paper. Games of two and of three players, and populations, are experiments apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from society.analysis.crossplay import Contest, GameCell
from society.claims.types import InsufficientEvidence
from society.engine.rng import Array
from society.report.figures.dot_panels import DotSeries
from society.report.figures.style import INK, SeriesStyle, series_style
from society.reproduction.evidence import Evidence

PAPER = "Tewolde et al."
GAMES = {
    "prisoners_dilemma": "prisoner's dilemma",
    "public_goods": "public goods",
    "travellers_dilemma": "traveller's dilemma",
    "trust": "trust",
    "stag_hunt": "stag hunt",
}
ALL = "all"  # types together
NO_DILEMMA = "stag_hunt"  # cooperation is an equilibrium there
MECHANISMS = {
    "none": "no mechanism",
    "repetition": "repetition",
    "reputation_first": "reputation, first order",
    "reputation_higher": "reputation, higher order",
    "mediation": "mediation",
    "contract": "contracts",
}
_PARTS = ("pairs", "goods", "populations", "crowds")  # of the experiment, in names of trials
_OF_THE_PAPER = 3  # repetitions


class PlayedDilemmas(NamedTuple):
    """The contests of a reproduction, by game and mechanism; rules: played by minds of ours."""

    contests: Mapping[tuple[str, str], Contest]
    rules: bool

    @classmethod
    def of(cls, evidence: Evidence) -> PlayedDilemmas:
        """Gather what was played by models, or else by rules; raises InsufficientEvidence."""
        for rules, minds in ((False, "models"), (True, "classic")):
            trials = [name for part in _PARTS if evidence.has(name := f"{minds}_{part}")]
            found = {
                (str(run.factors["game"]), str(run.factors["mechanism"])): contest
                for trial in trials
                for contest in evidence.cross_play(trial).contests
                for run in (contest.first.run,)
                if len(contest.first.decisions)
            }
            if found:
                return cls(found, rules)
        raise InsufficientEvidence("no game between types has begun")

    @property
    def games(self) -> list[str]:
        """The paper's games that were played, in its order."""
        return [one for one in GAMES if any(game == one for game, _ in self.contests)]

    @property
    def mechanisms(self) -> list[str]:
        """The mechanisms under which any of them was played, in the paper's order."""
        return [one for one in MECHANISMS if any((game, one) in self.contests for game in GAMES)]

    @property
    def types(self) -> list[str]:
        """All types, in order of first mention."""
        return list(dict.fromkeys(one for own in self.contests.values() for one in own.types))

    @property
    def names(self) -> list[str]:
        """The types in words."""
        return [name_type(one) for one in self.types]

    @property
    def who(self) -> str:
        """Name who played, rules or models, and what differs from the paper."""
        count = max(1 + int(cell.repetition.max(initial=0)) for cell in self._cells)
        times = f"{count} repetitions" if count > 1 else "one repetition"
        theirs = "as in the paper" if count == _OF_THE_PAPER else f"{_OF_THE_PAPER} in the paper"
        minds = (
            "Rules of ours in place of the paper's six models" if self.rules else "The models asked"
        )
        return f"{minds}; {times}, {theirs}."

    @property
    def _cells(self) -> list[GameCell]:
        return [cell for contest in self.contests.values() for cell in contest.cells]

    def of_game(self, game: str) -> list[tuple[str, Contest]]:
        """List the contests of a game with the words for their mechanisms."""
        return [
            (words, self.contests[game, one])
            for one, words in MECHANISMS.items()
            if (game, one) in self.contests
        ]

    def place(self, contest: Contest) -> list[int]:
        """The places of a contest's types among all types."""
        return [self.types.index(one) for one in contest.types]


def name_dots(
    played: PlayedDilemmas, values: Array, errors: Array | None = None
) -> list[DotSeries]:
    """Give values of all types together, then of each, (1 + K, rows), as series of dots."""
    errors = np.full(values.shape, np.nan) if errors is None else errors
    styles = [SeriesStyle(INK, "D", "solid"), *map(series_style, range(len(played.types)))]
    rows = zip(["all types", *played.names], styles, values, errors, strict=True)
    return [DotSeries(*row) for row in rows]


def name_type(name: str) -> str:
    """Give a type in words.

    >>> name_type("suspicious_tit_for_tat")
    'suspicious tit for tat'
    """
    return name.replace("_", " ")


def name_counterpart(*numbers: str, kind: str = "Figure") -> str:
    """Name figures or tables of ours by the numbers of the paper's.

    >>> name_counterpart("3", "4")
    'Counterpart of Figures 3 and 4 of Tewolde et al.'
    >>> name_counterpart("2", kind="Table")
    'Counterpart of Table 2 of Tewolde et al.'
    """
    words = " and ".join(numbers)
    return f"Counterpart of {kind}{'' if words.isdigit() else 's'} {words} of {PAPER}"
