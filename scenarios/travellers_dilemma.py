"""The traveller's dilemma: whoever claims less is believed, and rewarded for it.

Two travellers claim a whole number of points from `lowest` to `highest` for the same loss. Both
are paid the lower claim; if the claims differ, the lower claimant gets a bonus on top, and the
other one loses as much. To undercut by one pays as long as the bonus is above 1, and so down to the
lowest claim, the only equilibrium. Action A0 is the highest claim, which is cooperation.
Source: Basu 1994, American Economic Review 84; claims 2 to 5 and bonus 2: Tewolde et al. 2026.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.errors import ScenarioError
from society.scenario import scenario
from society.scenarios.games import NormalForm, numbered
from society.scenarios.normal_form import LANGUAGE, MEASURES, PAIRED, GameParams, played, players
from society.table import Table
from society.talk import Script
from society.wrap import Declared, declares


class TravellersDilemma(GameParams):
    """All in points."""

    lowest: int = Field(2, ge=0, description="the lowest claim")
    highest: int = Field(5, ge=1, description="the highest claim")
    bonus: float = Field(2, gt=1, description="for the lower claim, paid by the higher one")


def game(p: TravellersDilemma) -> NormalForm:
    """The table of payoffs; raises ScenarioError for a range of claims without two of them.

    >>> game(TravellersDilemma()).cells[0].tolist()
    [[5.0, 5.0], [2.0, 6.0], [1.0, 5.0], [0.0, 4.0]]
    """
    if not p.lowest < p.highest < p.lowest + 120:
        raise ScenarioError(
            f"claims run from lowest {p.lowest} to highest {p.highest}; take from 2 to 120 claims"
        )
    claims = np.arange(p.highest, p.lowest - 1, -1)
    mine, other = np.meshgrid(claims, claims, indexing="ij")
    paid = np.minimum(mine, other)
    first = paid + p.bonus * np.sign(other - mine)
    second = paid + p.bonus * np.sign(mine - other)
    last = len(claims) - 1
    labels = numbered(len(claims), len(claims))
    return NormalForm(np.stack([first, second], -1), labels, (0, 0), (last, last))


@scenario(
    params=TravellersDilemma,
    cast=players,
    measures=MEASURES,
    agents=2,
    rounds=1,
    stage=PAIRED,
    in_words=LANGUAGE,
)
@declares(Declared("move", "played", players=lambda p: 2))
def travellers_dilemma(table: Table) -> Script:
    """Whoever claims less gets it, and a bonus (Basu 1994)."""
    return played(table, game(table.params))
