"""Any game in normal form: all choose at the same time, and everybody is paid.

Each player submits a mixed strategy, and the game draws its action from that; others see the action
and not what was submitted. Everybody knows all payoffs. An answer that cannot be read ends a
replicate that holds one match only; where there are more, such a player mixes all actions evenly,
and is counted.

    payoff      sum over rounds of weight x points; the weights of all rounds sum to 1
    efficiency  (v - v*) / (c - v*), where v is the mean payoff of the players of a match, v* that
                in equilibrium, and c > v* that when everybody cooperates
Source: von Neumann and Morgenstern 1944; played as in Tewolde et al. 2026 (CoopEval), section 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from society.components.games.classic_strategies import ClassicStrategies, StrategyName
from society.components.games.mechanism_use import MechanismUse
from society.components.games.sanctions import Sanctions
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import MixedStrategy
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Declared, Play, PlayFunction, declares
from society.engine.population import Cohort, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import (
    OF_DEFAULT_CAST,
    Direction,
    DisplaySpec,
    Interventions,
    Live,
    Measure,
    Meeting,
    Params,
    RoundFacts,
    scenario,
)
from society.engine.script import VOID_REPLICATE, Ask, Fact, Script, Tell, common, own
from society.errors import ScenarioError
from society.scenarios.games.game import ABSENT, REPAIRS, Game, NormalForm, number_labels
from society.scenarios.games.player_matching import (
    Matches,
    match_players,
    mean_over_agents,
    refuse_unequal,
)

CHANCE_ID = "normal_form"


class GameParams(Params):
    """Parameters that every game has."""

    minds: Literal["rules", "language"] = Field(
        "rules", description="who plays", json_schema_extra=OF_DEFAULT_CAST
    )
    strategy: StrategyName | Literal["any"] = Field(
        "any",
        description="strategy of players by rule; see the component classic_strategies",
        json_schema_extra=OF_DEFAULT_CAST,
    )
    thinking: Live[bool] = Field(True, description="whether models reason before they answer")


def players(p: GameParams, agents: int) -> list[Cohort]:
    """The default cast: language models, or classic strategies that know how to use mechanisms."""
    if p.minds == "language":
        return [Cohort("player", agents, (fill_from_params(LanguagePolicy, p),))]
    return [
        Cohort(
            "player", agents, (MechanismUse(), Sanctions(), fill_from_params(ClassicStrategies, p))
        )
    ]


def mean_payoff(told: RoundFacts, env: Environment) -> Array:
    """Points, weighted, mean over players, (R, 1)."""
    weighted: Array = told["weight"] * mean_over_agents(told["payoff"])
    return weighted


def cooperation_rate(told: RoundFacts, env: Environment) -> Array:
    """Share of players who cooperate, (R, 1); NaN in a game in which nothing is cooperation."""
    game: Game = env.rules
    if game.cooperation is None:
        return np.full((env.replicates, 1), np.nan)
    wanted: Any = game.cooperation[0]
    if len(set(game.cooperation)) > 1:
        wanted = np.array(game.cooperation)[match_players(env, game.players).seat]
    return mean_over_agents((told["action"] == wanted) * 1.0)


def payoff_efficiency(told: RoundFacts, env: Environment) -> Array:
    """Place the mean payoff between equilibrium (0) and cooperation (1), weighted, (R, 1).

    NaN where either is not known, or cooperation pays no more.
    """
    game: Game = env.rules
    if game.payoff_span is None:
        return np.full((env.replicates, 1), np.nan)
    low, high = game.payoff_span
    share: Array = told["weight"] * (mean_over_agents(told["payoff"]) - low) / (high - low)
    return share


PAYOFF = Measure("payoff", "points, mean over players, weighted over rounds", mean_payoff, "total")
MEASURES = (
    PAYOFF,
    Measure("cooperation", "share of players", cooperation_rate),
    Measure("efficiency", "0 in equilibrium, 1 if all cooperate", payoff_efficiency, "total"),
)
FACTS = {
    "action": FactSpec("Action of a player, by number from 0; -1: none"),
    "others": FactSpec("Actions of the co-players, by number from 0; -1: none"),
    "payoff": FactSpec("Points of a player in the round", "points"),
    "weight": FactSpec("Weight of the round in the score of a match"),
    "seat": FactSpec("Seat in the match, counted from 1", private=True),  # named as "player 1"
    "move": FactSpec("Probabilities with which a player wants to act"),
}
PAIRED_FACTS = {**FACTS, "partner": FactSpec("Number of the co-player, by seat from 0")}
MOST_ACTIONS = 500  # of a player, that are shown by name where two meet
PAID_BETTER: Mapping[str, Direction] = {"payoff": "more"}
PAIRED = DisplaySpec(
    meeting=Meeting(
        "partner",
        "action",
        tuple(f"played A{action}" for action in range(MOST_ACTIONS)),
        holds="payoff",
    ),
    better=PAID_BETTER,
    player="player",
)
ALONE = DisplaySpec(columns=("action", "payoff"), better=PAID_BETTER, player="player")
LANGUAGE = {"minds": "language"}


def in_matches(game: Callable[[Any], Game]) -> Callable[[PlayFunction], Play]:
    """Declare what all games in normal form do; game: its rules, by the parameters."""
    move = Declared("move", "played", players=lambda p: game(p).players)
    return declares(move, rules=game)


def play_game(env: Environment) -> Script:
    """Play the game whose rules the play has; raises ScenarioError if it cannot be played here."""
    game = env.rules
    if not isinstance(game, Game):
        raise ScenarioError(
            "this play has no rules; put @in_matches(lambda p: GAME) above it, below @scenario"
        )
    refuse_unequal(env, game.players)
    return _played(env)


def _played(env: Environment) -> Script:
    weight = common(1 / env.horizon)
    for _ in env.rounds():
        game: Game = env.rules  # a fork may change the payoffs between two rounds
        matches = match_players(env, game.players)
        action = yield from ask_moves(env, game, matches)
        if not env.complete:
            action = np.where(env.active, action, np.int16(ABSENT))
        payoff = matches.spread(game.paid(matches.gathered(action)))
        facts = {"action": own(action), "others": own(matches.others(action))}
        if game.players == 2:
            facts["partner"] = own(matches.partner)
        yield Tell("played", {**facts, "payoff": own(payoff), "weight": weight})


def ask_moves(
    env: Environment, game: Game, matches: Matches, shown: Mapping[str, Fact] | None = None
) -> Script:
    """The action of everybody, (R, N), drawn from the mixed strategies that they submit.

    Seats with different actions are asked one after the other. shown: facts beside the seats.
    """
    uniform = env.draws(CHANCE_ID).uniform("action")
    action: Array = np.zeros(env.present.shape, np.int16)
    facts = {"seat": own(matches.number), **(shown or {})}
    for labels in dict.fromkeys(game.actions):
        offered = np.array([one == labels for one in game.actions])
        who = None if offered.all() else offered[matches.seat]
        even = np.full(len(labels), 1 / len(labels))
        fallback: Any = VOID_REPLICATE if matches.count == 1 else even
        mix = yield Ask("move", MixedStrategy(*labels), facts, who, fallback, REPAIRS)
        action = (
            draw_actions(mix, uniform)
            if who is None
            else np.where(who, draw_actions(mix, uniform), action)
        )
    return action


def draw_actions(mix: Array, uniform: Array) -> Array:
    """Actions from mixed strategies, (R, N, K), and uniforms, (R, N).

    >>> draw_actions(np.array([[[0.25, 0.75], [0, 1]]]), np.array([[0.2, 0.2]])).tolist()
    [[0, 1]]
    """
    action: Array = np.zeros(uniform.shape, np.int16)
    below: Array = np.zeros(uniform.shape)
    for probability in np.moveaxis(mix, -1, 0)[:-1]:
        below = below + probability
        action += uniform >= below
    return action


ActionLabels = Annotated[list[Annotated[list[str], Field(min_length=1)]], Field(min_length=1)]
ActionNumbers = list[Annotated[int, Field(strict=True)]]


def _rectangular(payoffs: Any, path: str = "payoffs") -> tuple[int, ...]:
    """The shape of a nested list of numbers; raises ValueError with the place that is wrong."""
    if not isinstance(payoffs, list):
        if isinstance(payoffs, bool) or not isinstance(payoffs, int | float):
            raise ValueError(f"{path} is {payoffs!r:.40}; expected points, a number")
        if not math.isfinite(payoffs):
            raise ValueError(f"{path} is {payoffs}; points are finite")
        return ()
    shapes = [_rectangular(entry, f"{path}[{k}]") for k, entry in enumerate(payoffs)]
    for k, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                f"{path}[{k}] is nested by {list(shape)} entries, {path}[0] by {list(shapes[0])}; "
                "every action needs as many as the others, and every cell the points of all players"
            )
    return (len(payoffs), *(shapes[0] if shapes else ()))


def _tabular(payoffs: list[Any]) -> list[Any]:
    """A table of as many levels as players, with the points of each in its cells."""
    *sizes, count = _rectangular(payoffs) or (0,)
    if len(sizes) != count or not all(sizes) or not count:
        raise ValueError(
            f"payoffs are nested {len(sizes)} deep above the points of {count} players; nest them "
            "by the action of each player, and give each cell the points of all"
        )
    return payoffs


class NormalFormParams(GameParams):
    """A table is nested: by the action of player 1, then of player 2, ..., then points of each."""

    payoffs: Live[Annotated[list[Any], AfterValidator(_tabular)]] = Field(
        [[[2, 2], [0, 3]], [[3, 0], [1, 1]]],
        description="points: by the action of player 1, then of player 2, ..., then of each player",
    )
    actions: ActionLabels | None = Field(None, description="labels by player; none: A0, A1, ...")
    cooperation: ActionNumbers | None = Field(
        None, description="the action, counted from 0, with which each player cooperates"
    )
    equilibrium: Live[ActionNumbers | None] = Field(
        None,
        description="the profile with which cooperation is compared; none: the Nash equilibrium in "
        "pure strategies, if there is only one",
    )

    @model_validator(mode="after")
    def _playable(self) -> Self:
        tabulate_game(self)
        return self


def _other_actions(before: NormalFormParams, after: NormalFormParams) -> str:
    """Say that a table is for other actions than those that players have had so far."""
    was, now = (_rectangular(one.payoffs)[:-1] for one in (before, after))
    if was == now:
        return ""
    return (
        f"payoffs are for {_by(was)} actions so far, and cannot be for {_by(now)} later on; "
        "give a table of the same form"
    )


@scenario(
    params=NormalFormParams,
    cast=players,
    measures=MEASURES,
    agents=2,
    rounds=1,
    display=ALONE,
    facts=PAIRED_FACTS,
    language_variant=LANGUAGE,
    interventions=Interventions(contradiction=_other_actions),
)
@in_matches(lambda p: tabulate_game(p))
def normal_form(env: Environment) -> Script:
    """A game given by its table of payoffs, of any number of players and actions."""
    return play_game(env)


def tabulate_game(p: NormalFormParams) -> NormalForm:
    """The game that parameters describe; raises ValueError."""
    cells = np.array(p.payoffs, float)
    sizes = cells.shape[:-1]
    labels = number_labels(*sizes) if p.actions is None else tuple(map(tuple, p.actions))
    given = tuple(map(len, labels))
    if given != sizes or any(len(set(one)) < len(one) for one in labels):
        raise ValueError(
            f"actions has labels for {_by(given)} actions, and payoffs are for {_by(sizes)}; name "
            "every action of every player once, each differently"
        )
    game = NormalForm(cells, labels, _profile(p, "cooperation", sizes))
    equilibrium = _profile(p, "equilibrium", sizes)
    if equilibrium is not None and equilibrium not in game.equilibria():
        raise ValueError(f"equilibrium {list(equilibrium)} is no Nash equilibrium of the payoffs")
    alone = list(game.equilibria())
    if equilibrium is None and len(alone) == 1:
        equilibrium = alone[0]
    return NormalForm(cells, labels, game.cooperation, equilibrium)


def _profile(p: NormalFormParams, name: str, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    said: list[int] | None = getattr(p, name)
    if said is None:
        return None
    if len(said) != len(sizes) or not all(0 <= a < k for a, k in zip(said, sizes, strict=False)):
        raise ValueError(
            f"{name} is {said}; expected an action, counted from 0, of each of {len(sizes)} players"
        )
    return tuple(said)


def _by(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes))
