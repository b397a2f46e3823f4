"""Collective risk: enough players contribute, or nobody benefits.

Of n players each contributes its endowment of one point (A0) or keeps it (A1). If at least m
contribute, a disaster is averted, and everybody gets k points:

    payoff = k [n_c >= m]         of those who contribute
    payoff = k [n_c >= m] + 1     of those who keep

To keep pays more, unless one's own contribution is the one that is missing. So all keep in an
equilibrium, if m > 1, and in others exactly m contribute, which is also best for all together.
Source: Willis et al. 2026, section 3.2, n = 4, 16, 64 or 256, k = 2, m = n / 2; after Milinski et
al. 2008, PNAS 105, in whose game the disaster is a matter of chance.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Live, Measure, RoundFacts, scenario
from society.engine.script import Script
from society.sandbox.stage_games import stage_game
from society.scenarios.games.normal_form import LANGUAGE, in_matches
from society.scenarios.games.player_matching import mean_over_agents
from society.scenarios.games.stage_dilemma import (
    DILEMMA_FACTS,
    DILEMMA_MEASURES,
    ROUNDS,
    DilemmaParams,
    StageDilemma,
    dilemma_players,
    play_dilemma,
)


class CollectiveRisk(DilemmaParams):
    """Symbols are those of the docstring above."""

    factor: Live[float] = Field(2, gt=1, description="k, points for everybody if enough contribute")
    threshold: Live[int | None] = Field(
        None,
        ge=1,
        description="m, contributions that are enough; none: half of the players, at least 2",
    )

    @model_validator(mode="after")
    def _playable(self) -> Self:
        risky_dilemma(self)
        return self


def risky_dilemma(p: CollectiveRisk) -> StageDilemma:
    """The game of the parameters; raises ValueError for a threshold above the players."""
    return StageDilemma(
        stage_game("collective_risk", p.players, 1, factor=p.factor, threshold=p.threshold)
    )


def threshold_met(told: RoundFacts, env: Environment) -> Array:
    """Share of matches in which enough contributed, (R, 1)."""
    return mean_over_agents(told["threshold_met"])


@scenario(
    params=CollectiveRisk,
    cast=dilemma_players,
    measures=(*DILEMMA_MEASURES, Measure("threshold_met", "share of rounds", threshold_met)),
    agents=4,
    rounds=ROUNDS,
    display=DisplaySpec(
        columns=("action", "payoff", "threshold_met"),
        better={"payoff": "more", "threshold_met": "more"},
        player="player",
    ),
    facts={
        **DILEMMA_FACTS,
        "threshold_met": FactSpec("Whether enough players contributed", labels=("no", "yes")),
    },
    language_variant=LANGUAGE,
)
@in_matches(lambda p: risky_dilemma(p))
def collective_risk(env: Environment) -> Script:
    """A disaster is averted if enough players contribute (Milinski et al. 2008)."""
    return play_dilemma(env)
