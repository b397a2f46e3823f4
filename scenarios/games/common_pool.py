"""A common pool: what is taken from a stock today does not grow until tomorrow.

n players share a stock S, which starts at its capacity K. In each round everybody takes one share
of S / (2 n), which cooperates (A0), or two of them (A1):

    payoff = S / (2 n)     of those who take one share
    payoff = S / n         of those who take two

Of n_c who cooperate, s = n_c S / (2 n) is left, and grows to min(s + 2 s (1 - s / K), K). If all
take one share each, the stock is full again in the next round; if all take two, it is gone for
good. In a single round it always pays to take more. Every match has a stock of its own.
Source: Willis et al. 2026, section 3.3, K = 4 n; Levhari and Mirman 1980; Gordon 1954.
"""

from __future__ import annotations

from pydantic import Field

from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec, Measure, RoundFacts, scenario
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


class CommonPool(DilemmaParams):
    """Symbols are those of the docstring above."""

    capacity: float | None = Field(
        None, gt=0, description="K, the most that the stock can hold; none: 4 units for each player"
    )


def shared_stock(p: CommonPool) -> StageDilemma:
    """The game of the parameters."""
    return StageDilemma(stage_game("common_pool", p.players, 1, capacity=p.capacity))


def stock_left(told: RoundFacts, env: Environment) -> Array:
    """The stock after a round as a share of its capacity, mean over matches, (R, 1)."""
    game: StageDilemma = env.rules
    share: Array = mean_over_agents(told["stock"]) / game.single.first_stock
    return share


@scenario(
    params=CommonPool,
    cast=dilemma_players,
    measures=(
        *DILEMMA_MEASURES,
        Measure("stock", "share of the capacity after a round", stock_left),
    ),
    agents=4,
    rounds=ROUNDS,
    display=DisplaySpec(
        columns=("action", "payoff", "stock"),
        better={"payoff": "more", "stock": "more"},
        player="player",
    ),
    facts={**DILEMMA_FACTS, "stock": FactSpec("Stock of the match now", "units")},
    language_variant=LANGUAGE,
)
@in_matches(lambda p: shared_stock(p))
def common_pool(env: Environment) -> Script:
    """Players take from a stock that grows back only as far as they spare it (Gordon 1954)."""
    return play_dilemma(env)
