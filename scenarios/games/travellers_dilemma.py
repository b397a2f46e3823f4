"""The traveller's dilemma: whoever claims less is believed, and rewarded for it.

Two travellers claim a whole number of points from `lowest` to `highest` for the same loss. Both
are paid the lower claim; if the claims differ, the lower claimant gets a bonus on top, and the
other one loses as much. To undercut by one pays as long as the bonus is above 1, and so down to the
lowest claim, the only equilibrium. Actions are in order of claim: A0 is the lowest, and the last
one, the highest claim, is cooperation, unlike in the other dilemmas, where that is A0.
Source: Basu 1994, Am. Econ. Rev. 84; Capra, Goeree, Gomez and Holt 1999, Am. Econ. Rev. 89 (claims
of 80 to 200); claims of 2 to 5, a bonus of 2 and their order: Tewolde et al. 2026 (CoopEval).
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from society.engine.environment import Environment
from society.engine.scenario import Live, scenario
from society.engine.script import Script
from society.errors import ScenarioError
from society.scenarios.games.game import NormalForm, number_labels
from society.scenarios.games.normal_form import (
    LANGUAGE,
    MEASURES,
    MOST_ACTIONS,
    PAIRED,
    PAIRED_FACTS,
    GameParams,
    in_matches,
    play_game,
    players,
)


class TravellersDilemma(GameParams):
    """Parameters, in points."""

    lowest: int = Field(2, ge=0, description="the lowest claim")
    highest: int = Field(5, ge=1, description="the highest claim")
    bonus: Live[float] = Field(
        2, gt=1, description="reward of the lower claim, paid by the higher one"
    )


def travellers_game(p: TravellersDilemma) -> NormalForm:
    """The table of payoffs; raises ScenarioError for fewer than two claims, or too many.

    >>> travellers_game(TravellersDilemma()).cells[-1].tolist()
    [[0, 4], [1, 5], [2, 6], [5, 5]]
    """
    if not p.lowest < p.highest < p.lowest + MOST_ACTIONS:
        raise ScenarioError(
            f"claims run from lowest {p.lowest} to highest {p.highest}; take from 2 to "
            f"{MOST_ACTIONS} claims"
        )
    claims = np.arange(p.lowest, p.highest + 1)
    mine, other = np.meshgrid(claims, claims, indexing="ij")
    paid = np.minimum(mine, other)
    first = paid + p.bonus * np.sign(other - mine)
    second = paid + p.bonus * np.sign(mine - other)
    last = len(claims) - 1
    labels = number_labels(len(claims), len(claims))
    return NormalForm(np.stack([first, second], -1), labels, (last, last), (0, 0))


@scenario(
    params=TravellersDilemma,
    cast=players,
    measures=MEASURES,
    agents=2,
    rounds=1,
    display=PAIRED,
    facts=PAIRED_FACTS,
    language_variant=LANGUAGE,
)
@in_matches(lambda p: travellers_game(p))
def travellers_dilemma(env: Environment) -> Script:
    """The lower claim is paid to both; its claimant gets a bonus from the other (Basu 1994)."""
    return play_game(env)
