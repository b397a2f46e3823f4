"""Dilemmas of cooperating or defecting, played over a number of rounds by the same players.

A0 cooperates and A1 defects; what that pays, and what becomes of a stock, says
society.sandbox.stage_games. All see what everybody did and got. The number of rounds is known to
all; with a chance `continuation` that another one follows, that chance is known in its place, and
rounds are weighted by it as games are (society.scenarios.mechanisms.action_history).

    payoff      sum over rounds of weight x points; the weights of all rounds sum to 1
    efficiency  (v - low) / (high - low), where v is the mean payoff of the players, and low and
                high are the bounds of any play of so many rounds; none where rounds that are
                weighted by chance share a stock, for which these bounds do not hold
Source: Willis et al. 2026, sections 3 and 5; 20 rounds are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.population import Cohort, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import OF_DEFAULT_CAST, Measure, RoundFacts
from society.engine.script import Fact, Script, Tell, common, own
from society.errors import ScenarioError
from society.sandbox.stage_games import StageGame
from society.scenarios.games.game import ABSENT, Game, Profile, number_labels
from society.scenarios.games.normal_form import (
    FACTS,
    PAYOFF,
    GameParams,
    ask_moves,
    cooperation_rate,
    players,
)
from society.scenarios.games.player_matching import (
    Matches,
    match_players,
    mean_over_agents,
    refuse_unequal,
)
from society.scenarios.mechanisms.action_history import game_weights

ROUNDS = 20
_ALL = 10_000  # events, more than anybody could read


@dataclass(frozen=True, eq=False)
class StageDilemma(Game):
    """A single round of a dilemma as a game in normal form; of a stock, when it is full.

    single: the dilemma, of one round. What is given as its equilibrium, that all defect, is one of
    a single round: there is none where a single contribution reaches the threshold, nor where a
    stock is shared, since what is taken from it counts in later rounds.
    """

    single: StageGame

    @property
    def actions(self) -> tuple[tuple[str, ...], ...]:  # type: ignore[override]
        return number_labels(*[2] * self.single.players)

    @property
    def cooperation(self) -> Profile:  # type: ignore[override]
        return (0,) * self.single.players

    @property
    def equilibrium(self) -> Profile | None:  # type: ignore[override]
        if self.single.threshold == 1 or self.single.first_stock is not None:
            return None
        return (1,) * self.single.players

    def paid(self, profile: Array, stock: Array | None = None) -> Array:
        """Return the points of all players, (..., n), at a stock of (...); None: a full one."""
        at = self.single.first_stock if stock is None else stock
        return _unless_absent(profile, self.single.paid(profile == 0, at))

    def stock_after(self, profile: Array, stock: Array) -> Array:
        """Return the stock, (...), after a round that began with (...)."""
        after = self.single.next_stock(profile == 0, stock)
        return _unless_absent(profile, after[..., None])[..., 0]


def _unless_absent(profile: Array, values: Array) -> Array:
    """NaN in matches of which somebody takes no part, (..., n), in place of values, (..., K)."""
    absent = (profile == ABSENT).any(-1, keepdims=True)
    return np.where(absent, np.nan, values) if absent.any() else values


class DilemmaParams(GameParams):
    """Parameters of all dilemmas over several rounds."""

    players: int = Field(4, ge=2, le=1_000, description="n, players in a match")
    continuation: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="probability that another round follows, of which players are told in place "
        "of the number of rounds; none: they are told the number",
    )
    memory: int | None = Field(
        None,
        ge=0,
        description="number of latest events that language models remember; none: all, also where "
        "a mechanism shows no more than some of them",
        json_schema_extra=OF_DEFAULT_CAST,
    )
    open_source: bool = Field(
        False, description="whether programs read each other's sources, and may simulate each other"
    )


def dilemma_players(p: DilemmaParams, agents: int) -> list[Cohort]:
    """The default cast: classic strategies, or language models that remember what happened."""
    if p.minds == "rules" or p.memory == 0:
        return players(p, agents)
    events = p.memory or _ALL
    memory = Recall(k=events, limit=events)
    return [Cohort("player", agents, (memory, fill_from_params(LanguagePolicy, p)))]


def play_dilemma(env: Environment) -> Script:
    """Play the dilemma whose rules the play has; raises ScenarioError if it cannot be played."""
    game = env.rules
    if not isinstance(game, StageDilemma):
        raise ScenarioError(
            "this play is no dilemma; put @in_matches(lambda p: StageDilemma(stage_game(...))) "
            "above it, below @scenario"
        )
    refuse_unequal(env, game.players)
    return _played(env)


def _played(env: Environment) -> Script:
    weights = game_weights(env.horizon, env.params.continuation)
    stock: Array | None = None
    for number in env.rounds():
        game: StageDilemma = env.rules  # a fork may change the payoffs between two rounds
        matches = match_players(env, game.players)
        if number == 1 and game.single.first_stock is not None:
            stock = np.full(matches.rows.shape[:2], game.single.first_stock)
        action = yield from ask_moves(env, game, matches, _before(env, matches, number, stock))
        if not env.complete:
            action = np.where(env.active, action, np.int16(ABSENT))
        profile = matches.gathered(action)
        payoff = matches.spread(game.paid(profile, stock))
        stock = None if stock is None else game.stock_after(profile, stock)
        yield Tell(
            "played",
            {
                **_observed(matches, action, payoff),
                **_outcome(game, matches, profile, stock),
                "weight": common(weights[number - 1]),
            },
        )


def _before(
    env: Environment, matches: Matches, number: int, stock: Array | None
) -> dict[str, Fact]:
    """Return the facts that everybody knows when it moves."""
    known = env.params.continuation is None
    return {
        "round": common(number),
        **({"rounds": common(env.horizon)} if known else {}),
        **({} if stock is None else {"stock": own(of_matches(matches, stock))}),
    }


def _observed(matches: Matches, action: Array, payoff: Array) -> dict[str, Fact]:
    """Return what everybody sees of the players: what they did and got."""
    others = matches.others(action)
    return {
        "seat": own(matches.number),
        "action": own(action),
        "others": own(others),
        "cooperators": own((others == 0).sum(-1)),
        "payoff": own(payoff),
        "others_payoff": own(matches.others(payoff)),
    }


def _outcome(
    game: StageDilemma, matches: Matches, profile: Array, stock: Array | None
) -> dict[str, Fact]:
    """Return what everybody sees of its match: the stock, or whether the threshold was met."""
    if stock is not None:
        return {"stock": own(of_matches(matches, stock))}
    met = (profile == 0).sum(-1) >= game.single.threshold
    return {"threshold_met": own(of_matches(matches, met))}


def of_matches(matches: Matches, values: Array) -> Array:
    """Return the value of everybody's match, (R, M) -> (R, N)."""
    return matches.spread(np.broadcast_to(values[..., None], matches.rows.shape))


def bounded_efficiency(told: RoundFacts, env: Environment) -> Array:
    """Place the mean payoff between the bounds of the game, weighted, (R, 1)."""
    game: StageDilemma = env.rules
    if game.single.first_stock is not None and env.params.continuation is not None:
        return np.full((env.replicates, 1), np.nan)
    placed = game.single.over(env.horizon).efficiency(mean_over_agents(told["payoff"]))
    weighted: Array = told["weight"] * placed
    return weighted


DILEMMA_MEASURES = (
    PAYOFF,
    Measure("cooperation", "share of players", cooperation_rate),
    Measure(
        "efficiency", "0 at the lowest payoff of all, 1 at the highest", bounded_efficiency, "total"
    ),
)
DILEMMA_FACTS = {
    **FACTS,
    "round": FactSpec("Number of the round"),
    "rounds": FactSpec("Number of rounds of the game"),
    "cooperators": FactSpec("Number of co-players who cooperated"),
    "others_payoff": FactSpec("Points of the co-players, as the game itself pays them", "points"),
}
